/* explore/family_pairs.c: accesses that no run has shown together.
 *
 * Races are looked for run by run (found.c). A race needs both of its accesses in one run; two threads that each go
 * the way to theirs only on some schedules may go both ways on a schedule that no run had. Such pairs stand against
 * "every interleaving was covered", unless they cannot race: both atomic, a common lock, or one comes before the
 * other's thread starts or after it was joined, or the model of all ways says that they never meet. */
#include "explore/family_priv.h"

#include <stdlib.h>
#include <string.h>

/* Of the model that is asked, and for each question: beyond these the pair is told. */
enum { MOST_STEPS = 5000 };
static const double SECONDS = 1;

/* What a thread has done so far. */
typedef struct {
    AU_VEC(uint32_t) held;         /* locks, as often as it holds them; for reading: READS */
    AU_VEC(uint32_t) made, joined; /* threads, by number in the trace */
} doing;
#define READS UINT32_C(0x80000000)

static void let_go(doing *d, uint32_t lock) {
    for (size_t i = d->held.n; i-- > 0;)
        if ((d->held.at[i] & ~READS) == lock) {
            d->held.at[i] = d->held.at[--d->held.n];
            return;
        }
}

static uint64_t hash_of(const au_family_access *a) {
    uint64_t h = au_hash_join(a->var, (uint64_t)a->write + 2u * a->atomic);
    h = au_hash_join(h, a->thread);
    h = au_hash_join(h, a->place);
    for (size_t i = 0; i < a->lock.n; i++)
        h = au_hash_join(h, a->lock.at[i]);
    h = au_hash_join(h, a->made.n);
    for (size_t i = 0; i < a->made.n; i++)
        h = au_hash_join(h, a->made.at[i]);
    for (size_t i = 0; i < a->joined.n; i++)
        h = au_hash_join(h, a->joined.at[i]);
    return h;
}

static uint32_t named(au_family *f, const char *s) {
    return au_intern_add(&f->word, s ? s : "?", s ? strlen(s) : 1);
}

static void release(au_family_access *a) {
    au_vec_release(&a->lock);
    au_vec_release(&a->made);
    au_vec_release(&a->joined);
    au_vec_release(&a->run);
}

/* The same access on the same way of synchronising, of whichever run, is noted once. */
static void note(au_family *f, au_family_access *a, uint32_t run) {
    bool fresh;
    uint64_t *at = au_map_put(&f->by_access, hash_of(a), &fresh);
    if (fresh) {
        *at = f->access.n;
        au_vec_push(&f->access, *a);
    } else {
        release(a);
    }
    au_family_access *x = &f->access.at[*at];
    if (!x->run.n || au_vec_last(&x->run) != run)
        au_vec_push(&x->run, run);
}

static const char *place(const au_family_run *r, size_t event) {
    const au_columns *c = &r->t->events;
    if (c->loc[event] == AU_NONE || c->loc[event] < AU_LOC_NAMED)
        return "?";
    const char *s = au_intern_str(&r->t->names.loc, c->loc[event] - AU_LOC_NAMED);
    const char *slash = strrchr(s, '/');
    return slash ? slash + 1 : s;
}

static void look(au_family *f, const au_family_run *r, size_t e, const doing *d, uint32_t run) {
    const au_columns *c = &r->t->events;
    au_family_access a = {.var = r->shared[c->obj[e]],
                          .thread = named(f, r->path[c->thread[e]]),
                          .place = named(f, place(r, e)),
                          .write = c->op[e] != AU_OP_READ && c->op[e] != AU_OP_AREAD,
                          .atomic = c->op[e] != AU_OP_READ && c->op[e] != AU_OP_WRITE};
    for (size_t i = 0; i < d->held.n; i++) {
        const char *lock = au_intern_str(&r->t->names.lock, d->held.at[i] & ~READS);
        au_vec_push(&a.lock, named(f, lock) | (d->held.at[i] & READS));
    }
    for (size_t i = 0; i < d->made.n; i++)
        au_vec_push(&a.made, named(f, r->path[d->made.at[i]]));
    for (size_t i = 0; i < d->joined.n; i++)
        au_vec_push(&a.joined, named(f, r->path[d->joined.at[i]]));
    note(f, &a, run);
}

static void synchronise(const au_columns *c, size_t e, doing *d) {
    switch (c->op[e]) {
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
        au_vec_push(&d->held, c->obj[e]);
        break;
    case AU_OP_RDACQ:
        au_vec_push(&d->held, c->obj[e] | READS);
        break;
    case AU_OP_REL:
        let_go(d, c->obj[e]);
        break;
    case AU_OP_FORK:
        au_vec_push(&d->made, c->obj[e]);
        break;
    case AU_OP_JOIN:
        au_vec_push(&d->joined, c->obj[e]);
        break;
    default:
        break;
    }
}

void au_family_note_accesses(au_family *f, const au_family_run *r, uint32_t run) {
    const au_columns *c = &r->t->events;
    size_t threads = r->t->names.thread.n;
    doing *d = au_alloc_array(threads, sizeof *d);
    for (size_t e = 0; e < c->n; e++)
        if (au_op_is_access(c->op[e]) && c->obj[e] != AU_NONE && c->obj[e] < r->t->names.var.n)
            look(f, r, e, &d[c->thread[e]], run);
        else
            synchronise(c, e, &d[c->thread[e]]);
    for (size_t i = 0; i < threads; i++) {
        au_vec_release(&d[i].held);
        au_vec_release(&d[i].made);
        au_vec_release(&d[i].joined);
    }
    free(d);
}

/* ---- pairs ---- */

static bool has(const uint32_t *at, size_t n, uint32_t x) {
    for (size_t i = 0; i < n; i++)
        if (at[i] == x)
            return true;
    return false;
}

static bool excluded(const au_family_access *a, const au_family_access *b) {
    for (size_t i = 0; i < a->lock.n; i++)
        for (size_t k = 0; k < b->lock.n; k++)
            if ((a->lock.at[i] & ~READS) == (b->lock.at[k] & ~READS) &&
                !(a->lock.at[i] & b->lock.at[k] & READS))
                return true;
    return false;
}

/* Does a come before b's thread starts, or after it was joined? */
static bool apart(const au_family *f, const au_family_access *a, const au_family_access *b) {
    const char *me = au_intern_str(&f->word, a->thread),
               *other = au_intern_str(&f->word, b->thread);
    size_t n = strlen(me);
    if (has(a->joined.at, a->joined.n, b->thread))
        return true;
    if (strncmp(me, other, n) || other[n] != '.')
        return false; /* not of this one's making */
    size_t end = n + 1 + strcspn(other + n + 1, ".");
    uint32_t child = au_intern_find(&f->word, other, end);
    return child == AU_NONE || !has(a->made.at, a->made.n, child);
}

static bool together(const au_family_access *a, const au_family_access *b) {
    for (size_t i = 0; i < a->run.n; i++)
        if (has(b->run.at, b->run.n, a->run.at[i]))
            return true;
    return false;
}

/* Elements of one array: who has which may depend on the schedule, what is done with one does not. */
static bool is_kin(const au_family *f, uint32_t v, uint32_t w) {
    const char *a = au_intern_str(&f->name, v), *b = au_intern_str(&f->name, w);
    size_t n = strcspn(a, "[");
    return v == w || (a[n] && n == strcspn(b, "[") && !strncmp(a, b, n + 1));
}

/* Did a run have such a pair of these threads and places, with no more locks? */
static bool shown(const au_family *f, const au_family_access *a, const au_family_access *b) {
    for (size_t i = 0; i < f->access.n; i++) {
        const au_family_access *x = &f->access.at[i];
        if (x->thread != a->thread || x->place != a->place || !is_kin(f, x->var, a->var))
            continue;
        for (size_t k = 0; k < f->access.n; k++) {
            const au_family_access *y = &f->access.at[k];
            if (y->thread == b->thread && y->place == b->place && is_kin(f, y->var, b->var) &&
                x->lock.n <= a->lock.n && y->lock.n <= b->lock.n && together(x, y))
                return true;
        }
    }
    return false;
}

static bool may_race(const au_family *f, const au_family_access *a, const au_family_access *b) {
    return a->var == b->var && a->thread != b->thread && (a->write || b->write) &&
           !(a->atomic && b->atomic) && !excluded(a, b) && !apart(f, a, b) && !apart(f, b, a);
}

/* ---- can they? ---- */

/* The model of all ways knows of variables that have steps in it: its race questions about them are exact. */
typedef struct {
    const au_family *f;
    au_solver *solver; /* NULL: there is none */
    au_queries all;
} judge;

static void begin(judge *j, au_family *f) {
    au_error err = AU_ERROR_NONE;
    au_solve_options o = AU_SOLVE_DEFAULTS;
    au_family_plain(f);
    *j = (judge){.f = f};
    if (f->built.m->step.n < MOST_STEPS)
        j->solver = au_solver_new(f->built.m, &o, &err);
    if (j->solver)
        au_solver_queries(j->solver, AU_PROP_RACE, AU_ATOMIC_MARKED, &j->all);
}

static void end(judge *j) {
    au_vec_release(&j->all);
    au_solver_free(j->solver);
}

static bool is_about(const judge *j, const au_query *q, const au_family_access *a,
                     const au_family_access *b) {
    const au_model *m = j->f->built.m;
    const char *var = au_intern_str(&j->f->name, a->var);
    const char *one = au_intern_str(&j->f->word, a->thread),
               *two = au_intern_str(&j->f->word, b->thread);
    if (q->kind != AU_ASK_RACE || q->var == AU_NONE || strcmp(m->var.at[q->var].name, var))
        return false;
    const char *x = m->thread.at[m->step.at[q->step[0]].thread].name,
               *y = m->thread.at[m->step.at[q->step[1]].thread].name;
    return (!strcmp(x, one) && !strcmp(y, two)) || (!strcmp(x, two) && !strcmp(y, one));
}

/* No interleaving of all ways has two such accesses at once. */
static bool never(judge *j, const au_family_access *a, const au_family_access *b) {
    au_solve_limits limits = {.seconds = SECONDS};
    if (!j->solver || !j->f->var.at[a->var].steps)
        return false;
    for (size_t i = 0; i < j->all.n; i++) {
        if (!is_about(j, &j->all.at[i], a, b))
            continue;
        au_solution r;
        au_solver_ask(j->solver, &j->all.at[i], &limits, &r);
        bool no = r.answer == AU_UNSAT;
        au_solution_release(&r);
        if (!no)
            return false;
    }
    return true;
}

char *au_family_unseen_pair(au_family *f, bool (*told)(void *ctx, const char *var), void *ctx) {
    judge j;
    char *pair = NULL;
    begin(&j, f);
    for (size_t i = 0; i < f->access.n && !pair; i++)
        for (size_t k = i + 1; k < f->access.n && !pair; k++) {
            const au_family_access *a = &f->access.at[i], *b = &f->access.at[k];
            const char *var = au_intern_str(&f->name, a->var);
            if (may_race(f, a, b) && !together(a, b) && !shown(f, a, b) && !told(ctx, var) &&
                !never(&j, a, b))
                pair = au_sprintf(
                    "accesses of '%s' by %s (%s) and %s (%s) were in no run together", var,
                    au_intern_str(&f->word, a->thread), au_intern_str(&f->word, a->place),
                    au_intern_str(&f->word, b->thread), au_intern_str(&f->word, b->place));
        }
    end(&j);
    return pair;
}

void au_family_accesses_init(au_family *f) {
    au_map_init(&f->by_access);
    au_intern_init(&f->word);
}

void au_family_accesses_release(au_family *f) {
    for (size_t i = 0; i < f->access.n; i++)
        release(&f->access.at[i]);
    au_vec_release(&f->access);
    au_map_release(&f->by_access);
    au_intern_release(&f->word);
}
