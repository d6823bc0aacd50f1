/* Race predictors on random small traces against the oracle and against their own
 * definitions, computed naively:
 *   - sync-preserving races are those of the definition (a fixpoint over sets of
 *     events); they and the late ones are races of the oracle that keeps reads; every
 *     schedule passes the checker;
 *   - happens-before races are races of the oracle that ignores data, those of the first
 *     racing event also of the one that keeps reads; a variable has one reported
 *     exactly if the order, computed naively, leaves two of its accesses unordered;
 *   - every variable with a race under ignored data is suspect by its locksets. */
#include "cases.h"
#include "linear/eraser.h"
#include "linear/hb.h"
#include "linear/race.h"
#include "model/from_trace.h"
#include "oracle/oracle.h"
#include "sync_trace.h"
#include "witness/check.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 32 };

typedef struct {
    const au_trace *t;
    uint32_t n;
    au_op op[MAX];
    uint32_t obj[MAX], thread[MAX];
    int writer[MAX];     /* of a read; -1 */
    int rel_of[MAX];     /* of an outermost acquire: its release, n if none; else -1 */
    bool shared[MAX];    /* of an acquire */
    bool sync[MAX][MAX]; /* naive: sync-preserving race */
    bool keep[MAX][MAX]; /* oracle, reads keep their writer */
    bool cam[MAX][MAX];  /* oracle, data ignored */
    bool hb[MAX][MAX];   /* i happens before j */
} facts;

static bool reads(au_op op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW;
}
static bool writes(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}
static bool is_lock(au_op op) {
    return op == AU_OP_ACQ || op == AU_OP_RDACQ || op == AU_OP_WRACQ;
}

static bool conflict(const facts *f, uint32_t i, uint32_t j) {
    bool atomic = f->op[i] != AU_OP_READ && f->op[i] != AU_OP_WRITE && f->op[j] != AU_OP_READ &&
                  f->op[j] != AU_OP_WRITE;
    return au_op_is_access(f->op[i]) && au_op_is_access(f->op[j]) && f->obj[i] == f->obj[j] &&
           f->thread[i] != f->thread[j] && (writes(f->op[i]) || writes(f->op[j])) && !atomic;
}

static void read_trace(facts *f, const au_trace *t) {
    memset(f, 0, sizeof *f);
    f->t = t;
    f->n = (uint32_t)t->events.n;
    for (uint32_t i = 0; i < f->n; i++) {
        f->op[i] = t->events.op[i];
        f->obj[i] = t->events.obj[i];
        f->thread[i] = t->events.thread[i];
        f->writer[i] = f->rel_of[i] = -1;
        for (uint32_t k = 0; k < i; k++)
            if (reads(f->op[i]) && writes(f->op[k]) && f->obj[k] == f->obj[i])
                f->writer[i] = (int)k;
        if (!is_lock(f->op[i]))
            continue;
        f->shared[i] = f->op[i] == AU_OP_RDACQ;
        int depth = 0; /* before it */
        for (uint32_t k = 0; k < i; k++)
            if (f->thread[k] == f->thread[i] && f->obj[k] == f->obj[i])
                depth += is_lock(f->op[k]) - (f->op[k] == AU_OP_REL);
        if (depth)
            continue;
        f->rel_of[i] = (int)f->n;
        for (uint32_t k = i; k < t->events.n && f->rel_of[i] == (int)f->n; k++)
            if (t->events.thread[k] == f->thread[i] && t->events.obj[k] == f->obj[i]) {
                depth += is_lock(t->events.op[k]) - (t->events.op[k] == AU_OP_REL);
                if (t->events.op[k] == AU_OP_REL && depth == 0)
                    f->rel_of[i] = (int)k;
            }
    }
}

/* C1 and C3: does event i, being in, ask for k? */
static bool asks_for(const facts *f, uint32_t i, uint32_t k) {
    if (k >= i)
        return false;
    if (f->thread[k] == f->thread[i] || f->writer[i] == (int)k)
        return true;
    if (f->op[k] == AU_OP_FORK && f->obj[k] == f->thread[i])
        return true;
    if (f->op[i] == AU_OP_JOIN && f->obj[i] == f->thread[k])
        return true;
    if (f->op[i] == AU_OP_JOIN && f->op[k] == AU_OP_FORK && f->obj[i] == f->obj[k])
        return true; /* of a thread without events */
    if (au_op_space(f->op[i]) != AU_WIRE_SPACE_LOCK ||
        au_op_space(f->op[k]) != AU_WIRE_SPACE_LOCK || f->obj[i] != f->obj[k])
        return false;
    if (f->op[i] == AU_OP_DOWN || f->op[i] == AU_OP_WAKE || f->op[i] == AU_OP_LEAVE)
        return true;
    if (f->op[i] == AU_OP_ONCE) { /* the first one */
        for (uint32_t j = 0; j < k; j++)
            if (f->op[j] == AU_OP_ONCE && f->obj[j] == f->obj[i])
                return false;
        return true;
    }
    return f->op[i] == AU_OP_TRYFAIL && f->rel_of[k] > (int)i; /* its holder's acquire */
}

static void before(const facts *f, uint32_t e, bool *in) {
    for (uint32_t k = 0; k < e; k++)
        in[k] |=
            f->thread[k] == f->thread[e] || (f->op[k] == AU_OP_FORK && f->obj[k] == f->thread[e]);
}

static bool naive_race(const facts *f, uint32_t e1, uint32_t e2) {
    bool in[MAX] = {0};
    before(f, e1, in);
    before(f, e2, in);
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t i = 0; i < f->n; i++) {
            if (!in[i])
                continue;
            for (uint32_t k = 0; k < f->n; k++) {
                bool need = asks_for(f, i, k);
                /* C2: k is a release of an earlier section whose acquire is in */
                for (uint32_t a = 0; a < i && !need; a++)
                    need = in[a] && f->rel_of[a] == (int)k && f->rel_of[i] >= 0 &&
                           f->obj[a] == f->obj[i] && !(f->shared[a] && f->shared[i]) &&
                           f->thread[a] != f->thread[i];
                if (need && !in[k])
                    in[k] = grown = true;
            }
        }
    }
    return !in[e1] && !in[e2];
}

/* The edges of hb.h, then their transitive closure. */
static void naive_hb(facts *f) {
    for (uint32_t j = 0; j < f->n; j++)
        for (uint32_t i = 0; i < j; i++) {
            au_op a = f->op[i], b = f->op[j];
            bool edge = f->thread[i] == f->thread[j];
            edge |= a == AU_OP_FORK && f->obj[i] == f->thread[j];
            edge |= b == AU_OP_JOIN && f->obj[j] == f->thread[i];
            edge |= a == AU_OP_FORK && b == AU_OP_JOIN && f->obj[i] == f->obj[j];
            bool same = f->obj[i] == f->obj[j] && au_op_space(a) == au_op_space(b);
            if (same && a == AU_OP_REL && is_lock(b)) {
                bool shared = false; /* the section that i ends */
                for (uint32_t k = 0; k < i; k++)
                    if (f->rel_of[k] == (int)i)
                        shared = f->shared[k];
                edge |= !(shared && b == AU_OP_RDACQ);
            }
            edge |= same && a == AU_OP_UP && b == AU_OP_DOWN;
            edge |= same && (a == AU_OP_SIGNAL || a == AU_OP_BROADCAST) && b == AU_OP_WAKE;
            edge |= same && a == AU_OP_ONCE && b == AU_OP_ONCE && asks_for(f, j, i);
            bool atomics =
                au_op_is_access(a) && au_op_is_access(b) && a >= AU_OP_AREAD && b >= AU_OP_AREAD;
            edge |= same && atomics && (writes(a) || writes(b));
            if (same && a == AU_OP_ARRIVE && b == AU_OP_LEAVE) {
                /* rounds as one can tell them by leaves: an arrival after a leave of the
                 * present round begins the next */
                uint32_t round[MAX], mine[MAX] = {0}, now = 0, of_leave = 0;
                bool leaving = false;
                for (uint32_t k = 0; k <= j; k++) {
                    if (f->obj[k] != f->obj[j])
                        continue;
                    if (f->op[k] == AU_OP_ARRIVE) {
                        now += leaving;
                        leaving = false;
                        round[k] = mine[f->thread[k]] = now;
                    } else if (f->op[k] == AU_OP_LEAVE) {
                        of_leave = mine[f->thread[k]];
                        leaving |= of_leave == now;
                    }
                }
                edge |= round[i] == of_leave || of_leave + 1 < now;
            }
            f->hb[i][j] = edge;
        }
    for (uint32_t k = 0; k < f->n; k++)
        for (uint32_t i = 0; i < f->n; i++)
            for (uint32_t j = 0; j < f->n; j++)
                f->hb[i][j] |= f->hb[i][k] && f->hb[k][j];
}

/* --- the oracle ------------------------------------------------------------------------ */

static bool ask_oracle(const facts *f, const au_model *m, const uint32_t *step_of, bool keep,
                       bool (*to)[MAX], au_error *err) {
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.semantics = keep ? AU_SEM_CTP : AU_SEM_CAM;
    o.keep_reads = keep;
    o.props = AU_PROP_RACE;
    o.max_states = 2000000;
    au_oracle_result *r = au_oracle_run(m, &o, err);
    if (!r)
        return false;
    bool ok = r->exhaustive;
    for (size_t k = 0; k < r->finding.n; k++) {
        const au_oracle_finding *x = &r->finding.at[k];
        if (x->kind != AU_FOUND_RACE)
            continue;
        for (uint32_t i = 0; i < f->n; i++)
            for (uint32_t j = i + 1; j < f->n; j++)
                if ((step_of[i] == x->event[0].step && step_of[j] == x->event[1].step) ||
                    (step_of[j] == x->event[0].step && step_of[i] == x->event[1].step))
                    to[i][j] = true;
    }
    au_oracle_free(r);
    if (!ok)
        au_error_set(err, AU_EUNSUPPORTED, "too many states");
    return ok;
}

/* --- the comparison ------------------------------------------------------------------ */

static const char *trouble;
static uint32_t trouble_i, trouble_j;

static bool bad(const char *what, uint64_t i, uint64_t j) {
    trouble = what;
    trouble_i = (uint32_t)i;
    trouble_j = (uint32_t)j;
    return false;
}

/* What the checker of schedules has against it, NULL if nothing. */
static const char *objection(au_checker *c, const au_finding *x) {
    static au_check_result r;
    au_checker_run(c, x, &r);
    if (r.verdict == AU_CHECK_SHOWN && x->why == AU_WHY_UNCHECKED)
        return NULL;
    return r.why[0] ? r.why : "schedule without a verdict";
}

static bool check_sync(const facts *f, uint64_t *found, uint64_t *late) {
    au_error err = AU_ERROR_NONE;
    au_syncp *s = au_syncp_new(f->t, &err);
    au_checker *c = au_checker_new(f->t);
    au_findings all, some;
    au_findings_init(&all);
    au_findings_init(&some);
    au_race_options o = {.all = true};
    au_race_stats st;
    au_syncp_races(s, &o, &all, &st);
    o.all = false;
    au_syncp_races(s, &o, &some, NULL);
    bool ok = true, got[MAX][MAX] = {{0}};
    for (size_t k = 0; ok && k < all.finding.n; k++) {
        const au_finding *x = &all.finding.at[k];
        uint64_t i = x->event[0].number, j = x->event[1].number;
        if (got[i][j])
            ok = bad("reported twice", i, j);
        got[i][j] = true;
        const char *why = objection(c, x);
        if (why)
            ok = bad(why, i, j);
    }
    *found = all.finding.n - st.late;
    uint64_t before_late = *late;
    for (uint32_t i = 0; ok && i < f->n; i++)
        for (uint32_t j = i + 1; ok && j < f->n; j++) {
            if (f->sync[i][j] && !got[i][j])
                ok = bad("sync-preserving race missed", i, j);
            else if (got[i][j] && !f->keep[i][j])
                ok = bad("race that the oracle does not know", i, j);
            *late += got[i][j] && !f->sync[i][j];
            if (!f->sync[i][j])
                continue;
            bool there = false;
            for (size_t k = 0; k < some.finding.n; k++) {
                const au_event_ref *e = some.finding.at[k].event;
                uint32_t a = f->t->events.loc[i], b = f->t->events.loc[j];
                there |= e[0].obj == f->obj[i] &&
                         ((e[0].loc == a && e[1].loc == b) || (e[0].loc == b && e[1].loc == a));
            }
            if (!there)
                ok = bad("pair of locations missed", i, j);
        }
    if (ok && *late - before_late != st.late)
        ok = bad("sync-preserving race counted as late", 0, 0);
    for (size_t k = 0; ok && k < some.finding.n; k++) {
        const au_finding *x = &some.finding.at[k];
        const char *why = objection(c, x);
        if (why || !got[x->event[0].number][x->event[1].number])
            ok = bad(why ? why : "a race only by location", x->event[0].number, x->event[1].number);
        for (size_t m = 0; m < k; m++) {
            const au_event_ref *a = x->event, *b = some.finding.at[m].event;
            if (a[0].obj == b[0].obj && ((a[0].loc == b[0].loc && a[1].loc == b[1].loc) ||
                                         (a[0].loc == b[1].loc && a[1].loc == b[0].loc)))
                ok = bad("pair of locations twice", a[0].number, a[1].number);
        }
    }
    au_findings_release(&all);
    au_findings_release(&some);
    au_checker_free(c);
    au_syncp_free(s);
    return ok;
}

static bool check_hb(const facts *f, uint64_t *found) {
    au_error err = AU_ERROR_NONE;
    au_findings all;
    au_findings_init(&all);
    au_race_options o = {.all = true};
    au_hb *h = au_hb_new(&f->t->names, &o, &all);
    au_block b = au_columns_block(&f->t->events, 0, f->n);
    bool ok = au_hb_block(h, &b, &err) == AU_OK;
    bool racy[8] = {0};
    for (size_t k = 0; ok && k < all.finding.n; k++) {
        const au_finding *x = &all.finding.at[k];
        uint64_t i = x->event[0].number, j = x->event[1].number;
        if (i >= j || f->op[i] != x->event[0].op || f->thread[i] != x->event[0].thread)
            ok = bad("happens-before race with a wrong event", i, j);
        else if (!conflict(f, (uint32_t)i, (uint32_t)j) || f->hb[i][j])
            ok = bad("happens-before race of ordered events", i, j);
        else if (!f->cam[i][j])
            ok = bad("happens-before race that the oracle does not know", i, j);
        else if (x->why == AU_WHY_HB_FIRST && !f->keep[i][j])
            ok = bad("first happens-before race that the oracle does not know", i, j);
        if (au_hb_first_of_variable(h, k) == racy[x->obj])
            ok = bad("first of its variable, or not", i, j);
        racy[x->obj] = true;
    }
    *found = all.finding.n;
    for (uint32_t i = 0; ok && i < f->n; i++)
        for (uint32_t j = i + 1; ok && j < f->n; j++)
            if (conflict(f, i, j) && !f->hb[i][j] && !racy[f->obj[i]])
                ok = bad("variable with a happens-before race missed", i, j);
    au_hb_free(h);
    au_findings_release(&all);
    return ok;
}

static bool check_eraser(const facts *f) {
    au_eraser *e = au_eraser_new(&f->t->names);
    au_block b = au_columns_block(&f->t->events, 0, f->n);
    au_eraser_block(e, &b);
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->n; i++)
        for (uint32_t j = i + 1; ok && j < f->n; j++)
            if (f->cam[i][j] && conflict(f, i, j) && !au_eraser_suspect(e, f->obj[i]))
                ok = bad("race of a variable that is not suspect", i, j);
    au_eraser_free(e);
    return ok;
}

int main(int argc, char **argv) {
    cases all = {.count = 1000, .seed = 1};
    au_cases_options(&all, argc, argv, NULL);
    uint64_t skipped = 0, sync = 0, hb = 0, keep = 0, cam = 0, hidden = 0, late = 0;
    for (uint64_t k = 0; k < all.count; k++) {
        au_rng rng;
        au_rng_init(&rng, (all.seed + k) * 0x9e3779b97f4a7c15u);
        unsigned what = k % 3 ? (unsigned)au_rng_next(&rng) & ST_ALL : k % 2 ? 0 : ST_RWLOCK;
        uint32_t threads = 2 + au_rng_below(&rng, 3), vars = 1 + au_rng_below(&rng, 3);
        au_trace *t = au_sync_trace(&rng, threads, 6 + au_rng_below(&rng, 12), vars, what);
        au_error err = AU_ERROR_NONE;
        facts f;
        read_trace(&f, t);
        uint32_t *step_of = NULL;
        au_model *m = au_model_from_trace(t, &step_of, &err);
        if (!m || !ask_oracle(&f, m, step_of, true, f.keep, &err) ||
            !ask_oracle(&f, m, step_of, false, f.cam, &err)) {
            if (err.status != AU_EUNSUPPORTED) {
                fprintf(stderr, "random_race: seed %llu: %s\n", (unsigned long long)(all.seed + k),
                        err.text);
                au_sync_trace_print(t);
                return 1;
            }
            skipped++;
        } else {
            naive_hb(&f);
            for (uint32_t i = 0; i < f.n; i++)
                for (uint32_t j = i + 1; j < f.n; j++) {
                    f.sync[i][j] = conflict(&f, i, j) && naive_race(&f, i, j);
                    keep += f.keep[i][j];
                    cam += f.cam[i][j];
                    hidden += f.sync[i][j] && f.hb[i][j];
                }
            uint64_t s = 0, h = 0;
            if (!check_sync(&f, &s, &late) || !check_hb(&f, &h) || !check_eraser(&f)) {
                fprintf(stderr, "random_race: seed %llu: %s: events %u and %u\n",
                        (unsigned long long)(all.seed + k), trouble, trouble_i, trouble_j);
                au_sync_trace_print(t);
                return 1;
            }
            sync += s;
            hb += h;
        }
        au_model_free(m);
        free(step_of);
        au_trace_free(t);
    }
    printf("random_race: %llu traces, %llu left out; races: %llu sync-preserving (%llu of them "
           "ordered by happens-before), %llu late, %llu happens-before, %llu with reads kept, %llu "
           "without "
           "data\n",
           (unsigned long long)all.count, (unsigned long long)skipped, (unsigned long long)sync,
           (unsigned long long)hidden, (unsigned long long)late, (unsigned long long)hb,
           (unsigned long long)keep, (unsigned long long)cam);
    return skipped * 2 > all.count || (all.count >= 1000 && (!sync || !hidden || !hb));
}
