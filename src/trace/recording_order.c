/* trace/recording_order.c: what the program says to be ordered (AUGUR_HAPPENS_BEFORE and AFTER in augur.h,
 * __tsan_release and __tsan_acquire): whoever says AFTER comes after all who said BEFORE of the same address earlier in
 * the run. As for calls of code without hooks, a BEFORE is the first of a 'once' of its own and an AFTER waits for the last
 * of every other thread; and who puts runs together gets none of it. */
#include "trace/recording_priv.h"

#include <stdio.h>

void au_ordered_release(au_ordered *o) {
    for (size_t i = 0; i < o->at.n; i++)
        au_vec_release(&o->at.at[i].last);
    au_vec_release(&o->at);
    au_map_release(&o->object);
    au_map_release(&o->waited);
}

void au_ordered_event(au_recording *d, const au_stream_record *r) {
    au_ordered *o = &d->ordered;
    if (d->opts.words)
        return;
    uint64_t *k = au_map_put(&o->object, r->address, NULL);
    if (!*k) {
        *au_vec_add(&o->at) = (struct au_ordered_object){0};
        *k = o->at.n;
    }
    struct au_ordered_object *x = &o->at.at[*k - 1];
    if (r->op == AU_SOP_AFTER) {
        for (size_t i = 0; i < x->last.n; i++) {
            uint64_t key = (uint64_t)x->last.at[i].once << 16 | r->thread;
            if (x->last.at[i].thread == r->thread || au_map_find(&o->waited, key))
                continue;
            *au_map_put(&o->waited, key, NULL) = 1;
            au_recording_tell(d, AU_OP_ONCE, x->last.at[i].once);
        }
        return;
    }
    char name[80];
    snprintf(name, sizeof name, "happens before (T%u) %u", r->thread, ++o->told);
    uint32_t once = au_name_once(d, name, true);
    size_t i = 0;
    while (i < x->last.n && x->last.at[i].thread != r->thread)
        i++;
    if (i == x->last.n)
        (void)au_vec_add(&x->last);
    x->last.at[i].thread = r->thread;
    x->last.at[i].once = once;
    au_recording_tell(d, AU_OP_ONCE, once);
}
