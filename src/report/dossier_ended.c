/* report/dossier_ended.c: a run that ended badly without an event that says so ("exits with status 1"): its order, beside that
 * of a run that ended well, and the first read that saw something else. */
#include "report/dossier_priv.h"

#include "report/case_lines.h"
#include "report/case_slice.h"

#include <stdlib.h>

/* A recording in memory. */
typedef struct {
    au_reader *reader;
    au_trace *trace;
    au_dossier_maker maker;
} run;

static bool open_run(run *r, au_dossier *d, const char *path, const au_dossier_options *o) {
    au_error ignored = AU_ERROR_NONE;
    au_read_options how = {.fold = true, .partial = true, .thin = true, .late = AU_LATE_FAIL};
    *r = (run){.reader = au_reader_open(path, &how, &ignored)};
    r->trace = r->reader ? au_trace_load_from(r->reader, &ignored) : NULL;
    if (!r->trace || !r->trace->events.n || r->trace->events.n >= UINT32_MAX)
        return false;
    au_dossier_maker_init(&r->maker, d, &r->trace->names, r->trace, o);
    r->maker.freed = au_reader_facts(r->reader) ? &au_reader_facts(r->reader)->freed : NULL;
    au_dossier_sites(&r->maker, r->reader);
    return true;
}

static void close_run(run *r) {
    if (r->maker.d)
        au_dossier_maker_release(&r->maker);
    au_trace_free(r->trace);
    au_reader_free(r->reader);
}

static au_event_ref event_of(const au_trace *t, uint64_t number) {
    const au_columns *e = &t->events;
    uint64_t index = 0;
    for (uint64_t i = 0; i <= number; i++)
        index += e->thread[i] == e->thread[number];
    return (au_event_ref){.number = number,
                          .index = au_hooks_of(&t->hooks, e->thread[number], index),
                          .obj = e->obj[number],
                          .loc = e->loc[number],
                          .thread = e->thread[number],
                          .op = e->op[number]};
}

/* The last event with a place of the thread that ended the program. */
static uint64_t last_of(const run *r) {
    const au_columns *e = &r->trace->events;
    const au_recording_facts *f = au_reader_facts(r->reader);
    uint64_t i = e->n;
    while (i && (e->loc[i - 1] == AU_NONE || (f && f->ended && e->thread[i - 1] != f->end_thread)))
        i--;
    return i ? i - 1 : AU_NONE64;
}

static bool has_value(const au_columns *e, uint64_t i) {
    return e->any_value && (e->all_value || e->has_value[i]);
}

static bool is_read(au_op op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW;
}

/* Events of a thread, in its order. */
typedef AU_VEC(uint64_t) numbers;
static numbers events_of(const au_trace *t, uint32_t thread) {
    numbers all = {0};
    for (uint64_t i = 0; i < t->events.n; i++)
        if (t->events.thread[i] == thread)
            au_vec_push(&all, i);
    return all;
}

static const char *name(const au_trace *t, uint8_t space, uint32_t id) {
    const au_intern *names = au_names_space_const(&t->names, space);
    return names && id < names->n ? au_intern_str(names, id) : "";
}

static bool same_place(const au_trace *a, uint64_t i, const au_trace *b, uint64_t k) {
    uint32_t x = a->events.loc[i], y = b->events.loc[k];
    bool named = x >= AU_LOC_NAMED && x != AU_NONE && y >= AU_LOC_NAMED && y != AU_NONE;
    if (a->events.op[i] != b->events.op[k] || (!named && x != y))
        return false;
    return !named || !strcmp(name(a, AU_WIRE_SPACE_LOC, x - AU_LOC_NAMED),
                             name(b, AU_WIRE_SPACE_LOC, y - AU_LOC_NAMED));
}

/* Who allocated first got the other address: that says nothing. */
static bool is_pointer(const au_trace *a, uint64_t x, const au_trace *b, uint64_t y) {
    return au_case_is_address(a->events.value[x]) && au_case_is_address(b->events.value[y]);
}

/* The first read of the thread that saw another value than in the other run, of a variable with a name; false: there is
 * none before the thread went another way. */
static bool find_difference(const au_trace *bad, const au_trace *good, uint32_t thread,
                            uint64_t *in_bad, uint64_t *in_good) {
    const char *called = name(bad, AU_WIRE_SPACE_THREAD, thread);
    uint32_t other = au_intern_find(&good->names.thread, called, strlen(called));
    if (other == AU_NONE)
        return false;
    numbers a = events_of(bad, thread), b = events_of(good, other);
    bool found = false;
    for (size_t i = 0; i < a.n && i < b.n && !found; i++) {
        uint64_t x = a.at[i], y = b.at[i];
        if (!same_place(bad, x, good, y))
            break;
        found = is_read(bad->events.op[x]) && has_value(&bad->events, x) &&
                has_value(&good->events, y) && bad->events.value[x] != good->events.value[y] &&
                !is_pointer(bad, x, good, y) &&
                !strcmp(name(bad, AU_WIRE_SPACE_VAR, bad->events.obj[x]),
                        name(good, AU_WIRE_SPACE_VAR, good->events.obj[y]));
        *in_bad = found ? x : AU_NONE64;
        *in_good = found ? y : AU_NONE64;
    }
    au_vec_release(&a);
    au_vec_release(&b);
    return found;
}

/* The order around event 'at' and the end, with that event marked as the second decisive one; AU_NONE64: none is. */
static void put_order(run *r, uint64_t at, uint64_t end, au_case_events *to, uint32_t *cut,
                      uint64_t *left_out) {
    au_findings one;
    au_case told = {0};
    au_findings_init(&one);
    au_finding *f = au_findings_add(&one, AU_KIND_ASSERTION, 2);
    uint64_t number[] = {end, at};
    for (size_t i = 0; i < 2; i++) {
        f->event[i] = (au_event_ref){.number = AU_NONE64};
        if (number[i] != AU_NONE64)
            f->event[i] = event_of(r->trace, number[i]);
        au_vec_push(&told.event, au_case_event_none());
    }
    au_dossier_what_happened(&r->maker, f, &told, r->maker.o->steps);
    told.witness.n -= told.witness.n >= 2 ? 2 : told.witness.n; /* they come by themselves */
    for (size_t i = 0; i < told.witness.n; i++)
        if (at != AU_NONE64 && told.witness.at[i].number == at + 1)
            told.witness.at[i].decisive = 2;
    au_vec_append(to, told.witness.at, told.witness.n);
    *cut = told.witness_cut;
    *left_out = told.witness_left_out;
    au_case_release(&told);
    au_findings_release(&one);
}

static void tell(au_dossier *d, au_case *c, run *bad, run *good) {
    uint64_t end = last_of(bad), at = AU_NONE64, was = AU_NONE64;
    if (end == AU_NONE64)
        return;
    const au_event_text exits = {.label = "", .op = "ends-program"};
    au_event_ref last = event_of(bad->trace, end);
    au_case_event e = au_dossier_event(&bad->maker, &last, &exits);
    e.object = "";
    e.frees = false;
    e.decisive = 1;
    au_vec_push(&c->event, e);
    if (good->trace && find_difference(bad->trace, good->trace, last.thread, &at, &was)) {
        au_event_ref ref = event_of(bad->trace, at);
        au_case_event x = au_dossier_event(&bad->maker, &ref, NULL);
        x.decisive = 2;
        x.has_value = true;
        x.value = bad->trace->events.value[at];
        au_vec_push(&c->event, x);
    }
    put_order(bad, at, end, &c->witness, &c->witness_cut, &c->witness_left_out);
    au_vec_push(&c->witness, c->event.at[0]);
    if (good->trace)
        put_order(good, was, last_of(good), &c->observed, &c->observed_cut, &c->observed_left_out);
    char *text = au_sprintf("%s: %s ends at %s", c->what, e.thread, e.location);
    c->message = au_dossier_text_copy(d, text);
    free(text);
}

void au_dossier_of_ended(au_dossier *d, au_case *c, const char *failing, const char *passing,
                         const au_dossier_options *o) {
    run bad, good = {0};
    if (open_run(&bad, d, failing, o)) {
        if (*passing && !open_run(&good, d, passing, o)) {
            close_run(&good);
            good = (run){0};
        }
        tell(d, c, &bad, &good);
    }
    close_run(&good);
    close_run(&bad);
    if (o->sources)
        au_dossier_find_sources(d);
}
