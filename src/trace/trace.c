#include "trace/trace.h"

#include "base/deadline.h"
#include "trace/reader_priv.h"

enum { MOST_GUESSED = 1 << 28 }; /* events to reserve room for: there may be more */

/* Is it time to look at what was read? A long recording of which little is distinct may take nearly all of it
 * to be read: 'all' seconds were there. Else what comes later wants a third of it, and more. */
static bool is_late(const au_trace *t, double all) {
    static const double LATER = 2e-6; /* seconds an event */
    double left = au_deadline_left();
    return au_deadline_over() ||
           (all < AU_FOREVER && left < all / 3 && (double)t->events.n * LATER > left);
}

au_trace *au_trace_load_from(au_reader *r, au_error *err) {
    au_trace *t = AU_NEW(au_trace);
    au_columns_init(&t->events);
    au_names_init(&t->names);
    /* Address space only, no memory before it is written. */
    uint64_t guess = au_reader_guess(r);
    au_columns_reserve(&t->events, guess < MOST_GUESSED ? (size_t)guess : MOST_GUESSED);
    double all = au_deadline_left();
    for (bool more = true; more && !t->cut; t->cut = more && is_late(t, all))
        if (au_reader_append(r, &t->events, &more, err) != AU_OK) {
            au_trace_free(t);
            return NULL;
        }
    au_reader_leave(r);
    t->cut |= au_reader_cut(r);
    t->incomplete = au_reader_incomplete(r);
    t->repairs = au_reader_repairs(r);
    au_reader_take_names(r, &t->names);
    au_reader_take_hooks(r, &t->hooks);
    return t;
}

au_trace *au_trace_load(const char *path, const au_read_options *opts, au_error *err) {
    au_reader *r = au_reader_open(path, opts, err);
    if (!r)
        return NULL;
    au_trace *t = au_trace_load_from(r, err);
    au_reader_free(r);
    return t;
}

void au_trace_free(au_trace *t) {
    if (!t)
        return;
    au_columns_release(&t->events);
    au_names_release(&t->names);
    au_hooks_release(&t->hooks);
    free(t);
}
