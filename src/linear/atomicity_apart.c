/* linear/atomicity_apart.c: broken blocks of a long trace, some variables at a time.
 *
 * Witnesses are of one variable each, and only those of one variable are paired: each part goes over the whole
 * trace, for the locks and blocks, and looks at the accesses of its own variables. So there are witnesses of a few
 * variables at a time, and two processes can share the parts. Counts are added up. Findings come in the order of
 * variables, the first of each (thread pair, variable, class) before the others if there are too many: put together by
 * variable they are those of one part. */
#include "base/alloc.h"
#include "base/aside.h"
#include "base/deadline.h"
#include "linear/atomicity_priv.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE = 1 << 14 };    /* events a block */
enum { APART = 1 << 18 };    /* events: fewer are not worth a process */
enum { PART = 1 << 20 };     /* events: of more, a part of the variables at a time … */
enum { FEW_VARS = 1 << 14 }; /* … which has so many at least */
enum { PARTS = 16 };
enum { MANY = 1 << 10 }; /* variables: neighbours stay together, pages of a part are its own */
#define TO_READ 0.8      /* of the time, for the events; the rest for what they show */

/* A violation, when its part is forgotten. */
typedef struct {
    au_event_ref event[3];
    bool wrw, first;
} told;

/* What some parts found. */
typedef struct {
    AU_VEC(told) told;
    au_atomicity_result r;
    uint64_t read; /* events, by the part that has read fewest */
} found_by;

struct au_atomicity_beside {
    const au_trace *trace;
    au_atomicity_options o;
    uint32_t step; /* the child does parts 1, 1 + step, …; step 1: there is none */
    au_aside *aside;
    found_by other; /* by the child */
};

/* Everything that the analysis found, after its last block. */
static void collect(au_atomicity *a, found_by *into) {
    au_findings found;
    au_atomicity_result r;
    au_findings_init(&found);
    au_atomicity_finish(a, &found, &r, NULL, NULL);
    for (size_t i = 0; i < found.finding.n; i++) {
        const au_finding *f = &found.finding.at[i];
        told *x = au_vec_add(&into->told);
        *x = (told){.wrw = f->detail[1] == 'R', .first = a->first.at[i]};
        memcpy(x->event, f->event, sizeof x->event);
    }
    au_findings_release(&found);
    r.not_nested = NULL; /* is the analysis' own */
    r.awa += into->r.awa;
    r.wrw += into->r.wrw;
    r.truncated += into->r.truncated;
    for (int s = AU_STAGE_CANDIDATES; s <= AU_STAGE_LOCKSET; s++)
        r.funnel.left[s] += into->r.funnel.left[s];
    into->r = r;
}

static void run(const au_atomicity_beside *b, uint32_t part, double share, found_by *into) {
    const au_columns *events = &b->trace->events;
    au_atomicity_options o = b->o;
    o.part = part;
    au_atomicity *a = au_atomicity_new(&b->trace->names, &o);
    double until = au_deadline_narrow(share * TO_READ * au_deadline_left());
    uint64_t read = 0;
    while (read < events->n && !au_deadline_step(SLICE)) {
        size_t end = read + SLICE < events->n ? read + SLICE : events->n;
        au_block some = au_columns_block(events, read, end);
        au_atomicity_block(a, &some);
        read = end;
    }
    au_deadline_widen(until);
    into->read = read < into->read ? read : into->read;
    collect(a, into);
    au_atomicity_free(a);
    au_alloc_trim();
}

/* Parts from, from + step, …: each has its share of the time that is left. */
static void run_some(const au_atomicity_beside *b, uint32_t from, found_by *into) {
    for (uint32_t p = from; p < b->o.parts; p += b->step) {
        uint32_t left = (b->o.parts - p + b->step - 1) / b->step;
        run(b, p, 1.0 / left, into);
    }
}

static void run_aside(void *ctx, au_out *out) {
    au_atomicity_beside *b = ctx;
    run_some(b, 1, &b->other);
    au_out_write(out, &b->other.read, sizeof b->other.read);
    au_out_write(out, &b->other.r, sizeof b->other.r);
    au_out_write(out, b->other.told.at, b->other.told.n * sizeof *b->other.told.at);
}

/* A power of two. */
static uint32_t parts_of(const au_trace *t, bool two, uint64_t from) {
    uint64_t events = from ? from : PART, vars = from ? 1 : FEW_VARS;
    uint32_t n = two ? 2 : 1;
    while (n < PARTS && t->events.n / n >= events && t->names.var.n / n / 2 >= vars)
        n *= 2;
    return n;
}

au_atomicity_beside *au_atomicity_beside_start(const au_trace *t, au_atomicity_options *o,
                                               unsigned jobs, uint64_t from) {
    bool two = jobs >= 2 && t->events.n >= (from ? from : APART);
    uint32_t parts = parts_of(t, two, from);
    if (parts < 2 || o->blocks == AU_BLOCKS_NONE)
        return NULL;
    au_atomicity_beside *b = AU_NEW(au_atomicity_beside);
    b->trace = t;
    b->step = two ? 2 : 1;
    b->other.read = t->events.n;
    o->parts = parts;
    o->part = 0;
    o->together = t->names.var.n >= MANY ? 6 : 0;
    b->o = *o;
    if (two)
        b->aside = au_aside_start(run_aside, b);
    return b;
}

void au_atomicity_beside_free(au_atomicity_beside *b) {
    if (!b)
        return;
    au_aside_free(b->aside);
    au_vec_release(&b->other.told);
    free(b);
}

/* False: the child told nothing that can be used. */
static bool hear(au_atomicity_beside *b) {
    found_by *f = &b->other;
    const char *data;
    size_t n, head = sizeof f->read + sizeof f->r;
    if (!b->aside || !au_aside_wait(b->aside, &data, &n) || n < head)
        return false;
    memcpy(&f->read, data, sizeof f->read);
    memcpy(&f->r, data + sizeof f->read, sizeof f->r);
    size_t more = (n - head) / sizeof(told);
    au_vec_reserve(&f->told, more);
    if (more)
        memcpy(f->told.at, data + head, more * sizeof(told));
    f->told.n = more;
    return true;
}

typedef struct {
    const au_atomicity *a;
    au_findings *out;
    au_found_fn *found;
    void *ctx;
    AU_VEC(const told *) all; /* of all parts, by variable */
    uint64_t n;
} teller;

enum wanted { FIRST, REST, ALL };

static void tell(teller *t, enum wanted want, uint64_t most) {
    for (size_t i = 0; i < t->all.n && t->n < most; i++) {
        const told *x = t->all.at[i];
        if (want != ALL && (want == FIRST) != x->first)
            continue;
        const au_finding *f = au_atomicity_tell_events(t->a, t->out, x->event, x->wrw);
        t->n++;
        if (t->found)
            t->found(t->ctx, f);
    }
}

/* Those of a variable are of one part, and stay in its order. */
static int by_variable(const void *x, const void *y) {
    const told *a = *(const told *const *)x, *b = *(const told *const *)y;
    if (a->event[0].obj != b->event[0].obj)
        return a->event[0].obj < b->event[0].obj ? -1 : 1;
    return a < b ? -1 : a > b;
}

uint64_t au_atomicity_finish_both(au_atomicity *a, au_atomicity_beside *b, au_findings *out,
                                  au_atomicity_result *r, au_found_fn *found, void *ctx) {
    found_by mine = {.read = b->trace->events.n}, *other = &b->other;
    collect(a, &mine);
    au_atomicity_forget(a);
    au_alloc_trim();
    run_some(b, b->step == 1 ? 1 : 2, &mine);
    if (b->step == 2 && !hear(b) && !au_deadline_over())
        run_some(b, 1, other);
    *r = mine.r;
    r->not_nested = a->not_nested.at;
    r->awa += other->r.awa;
    r->wrw += other->r.wrw;
    r->truncated += other->r.truncated;
    for (int s = AU_STAGE_CANDIDATES; s <= AU_STAGE_LOCKSET; s++)
        r->funnel.left[s] += other->r.funnel.left[s];
    teller t = {.a = a, .out = out, .found = found, .ctx = ctx};
    for (size_t i = 0; i < mine.told.n; i++)
        au_vec_push(&t.all, &mine.told.at[i]);
    for (size_t i = 0; i < other->told.n; i++)
        au_vec_push(&t.all, &other->told.at[i]);
    if (t.all.n)
        qsort(t.all.at, t.all.n, sizeof *t.all.at, by_variable);
    uint64_t limit = a->o.max_findings, n = r->awa + r->wrw;
    bool all = !limit || n <= limit;
    tell(&t, all ? ALL : FIRST, all ? UINT64_MAX : limit);
    if (!all)
        tell(&t, REST, limit);
    r->left_out = all ? 0 : n - t.n;
    au_vec_release(&t.all);
    au_vec_release(&mine.told);
    return other->read < mine.read ? other->read : mine.read;
}
