/* linear/atomicity_apart.c: broken blocks of a long trace by two processes.
 *
 * Witnesses are of one variable each, and only those of one variable are paired: each process goes over the whole
 * trace, for the locks and blocks, and looks at the accesses of its own variables. Counts are added up. Findings
 * come in the order of variables, the first of each (thread pair, variable, class) before the others if there are too
 * many: put together by variable they are those of one process. */
#include "base/aside.h"
#include "base/deadline.h"
#include "linear/atomicity_priv.h"
#include "trace/trace.h"

enum { SLICE = 1 << 14 }; /* events a block */
enum { APART = 1 << 18 }; /* events: fewer are not worth a process */
enum { MANY = 1 << 10 };  /* variables: neighbours stay together, pages of a part are its own */
#define TO_READ 0.8       /* of the time, for the events; the rest for what they show */

/* A violation as one process tells the other. */
typedef struct {
    au_event_ref event[3];
    bool wrw, first;
} told;

typedef AU_VEC(told) tolds;

struct au_atomicity_beside {
    const au_trace *trace;
    au_atomicity_options o; /* of the other part */
    au_aside *aside;
    tolds told; /* what it found */
    au_atomicity_result r;
    uint64_t read; /* events */
};

/* Everything that the analysis found, after its last block. */
static void collect(au_atomicity *a, tolds *into, au_atomicity_result *r) {
    au_findings found;
    au_findings_init(&found);
    au_atomicity_finish(a, &found, r, NULL, NULL);
    for (size_t i = 0; i < found.finding.n; i++) {
        const au_finding *f = &found.finding.at[i];
        told *x = au_vec_add(into);
        *x = (told){.wrw = f->detail[1] == 'R', .first = a->first.at[i]};
        memcpy(x->event, f->event, sizeof x->event);
    }
    au_findings_release(&found);
}

/* The other part, in whichever process. */
static void run(au_atomicity_beside *b) {
    const au_columns *events = &b->trace->events;
    au_atomicity *a = au_atomicity_new(&b->trace->names, &b->o);
    double until = au_deadline_narrow(TO_READ * au_deadline_left());
    for (b->read = 0; b->read < events->n && !au_deadline_step(SLICE);) {
        size_t end = b->read + SLICE < events->n ? b->read + SLICE : events->n;
        au_block some = au_columns_block(events, b->read, end);
        au_atomicity_block(a, &some);
        b->read = end;
    }
    au_deadline_widen(until);
    collect(a, &b->told, &b->r);
    b->r.not_nested = NULL; /* is the analysis' own */
    au_atomicity_free(a);
}

static void run_aside(void *ctx, au_out *out) {
    au_atomicity_beside *b = ctx;
    run(b);
    au_out_write(out, &b->read, sizeof b->read);
    au_out_write(out, &b->r, sizeof b->r);
    au_out_write(out, b->told.at, b->told.n * sizeof *b->told.at);
}

au_atomicity_beside *au_atomicity_beside_start(const au_trace *t, au_atomicity_options *o,
                                               unsigned jobs, uint64_t from) {
    if (jobs < 2 || t->events.n < (from ? from : APART) || o->blocks == AU_BLOCKS_NONE)
        return NULL;
    au_atomicity_beside *b = AU_NEW(au_atomicity_beside);
    b->trace = t;
    o->parts = 2;
    o->part = 0;
    o->together = t->names.var.n >= MANY ? 6 : 0;
    b->o = *o;
    b->o.part = 1;
    b->aside = au_aside_start(run_aside, b);
    return b;
}

void au_atomicity_beside_free(au_atomicity_beside *b) {
    if (!b)
        return;
    au_aside_free(b->aside);
    au_vec_release(&b->told);
    free(b);
}

/* False: the child told nothing that can be used. */
static bool hear(au_atomicity_beside *b) {
    const char *data;
    size_t n;
    if (!b->aside || !au_aside_wait(b->aside, &data, &n) || n < sizeof b->read + sizeof b->r)
        return false;
    memcpy(&b->read, data, sizeof b->read);
    memcpy(&b->r, data + sizeof b->read, sizeof b->r);
    data += sizeof b->read + sizeof b->r;
    size_t more = (n - sizeof b->read - sizeof b->r) / sizeof(told);
    au_vec_reserve(&b->told, more);
    if (more)
        memcpy(b->told.at, data, more * sizeof(told));
    b->told.n = more;
    return true;
}

typedef struct {
    const au_atomicity *a;
    au_findings *out;
    au_found_fn *found;
    void *ctx;
    uint64_t n;
} teller;

enum wanted { FIRST, REST, ALL };

static size_t skip(const tolds *x, size_t i, enum wanted want) {
    while (i < x->n && want != ALL && (want == FIRST) != x->at[i].first)
        i++;
    return i;
}

/* Those of both parts that are wanted, by variable: so they come from each. */
static void tell(teller *t, const tolds *x, const tolds *y, enum wanted want, uint64_t most) {
    for (size_t i = 0, k = 0; t->n < most; t->n++) {
        i = skip(x, i, want);
        k = skip(y, k, want);
        if (i == x->n && k == y->n)
            return;
        bool left = k == y->n || (i < x->n && x->at[i].event[0].obj < y->at[k].event[0].obj);
        const told *v = left ? &x->at[i++] : &y->at[k++];
        const au_finding *f = au_atomicity_tell_events(t->a, t->out, v->event, v->wrw);
        if (t->found)
            t->found(t->ctx, f);
    }
}

uint64_t au_atomicity_finish_both(au_atomicity *a, au_atomicity_beside *b, au_findings *out,
                                  au_atomicity_result *r, au_found_fn *found, void *ctx) {
    tolds mine = {0};
    collect(a, &mine, r);
    if (!hear(b) && !au_deadline_over())
        run(b);
    uint64_t limit = a->o.max_findings, own = r->awa + r->wrw, other = b->r.awa + b->r.wrw;
    teller t = {a, out, found, ctx, 0};
    bool all = !limit || own + other <= limit;
    tell(&t, &mine, &b->told, all ? ALL : FIRST, all ? UINT64_MAX : limit);
    if (!all)
        tell(&t, &mine, &b->told, REST, limit);
    r->awa += b->r.awa;
    r->wrw += b->r.wrw;
    r->truncated += b->r.truncated;
    r->left_out = all ? 0 : own + other - t.n;
    for (int s = AU_STAGE_CANDIDATES; s <= AU_STAGE_LOCKSET; s++)
        r->funnel.left[s] += b->r.funnel.left[s];
    au_vec_release(&mine);
    return b->read;
}
