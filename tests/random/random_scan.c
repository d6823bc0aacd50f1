/* tests/random/random_scan.c: the static half on tiny random models with loops.
 *
 * The states of a model are explored one by one, loops and all, as far as they go (every state
 * that is seen is one that can be reached). Then:
 *   - two accesses that stand beside each other in a state are never ruled out, by no stage and
 *     in no way of making the graph; nor is an assertion that fails, or a deadlock;
 *   - every state in which the threads of a graph stand at boundaries satisfies the invariants of
 *     its node, in all three domains, for all threads and for two and the environment;
 *   - every schedule of a warning is executed by the checker, and none is called impossible that
 *     the exploration has seen. */
#include "base/out.h"
#include "base/rng.h"
#include "cases.h"
#include "gen_model.h"
#include "model/ctp.h"
#include "model/run.h"
#include "odd_model.h"
#include "scan/bmc.h"
#include "scan/refine.h"
#include "scan/search.h"
#include "solve/unreached.h"
#include "witness/check_model.h"

#include <stdio.h>

typedef struct {
    uint64_t models, states, places, gone[AU_SCAN_STAGES], left, checked, tuples, witnessed,
        undecided, searched[3];
} counts;

static counts total;
static uint64_t with_solver = 1;

enum { MOST_STATES = 4000, MOST_KEPT = 600 };

/* --- models -------------------------------------------------------------------------------------- */

typedef struct {
    au_rng *r;
    au_out *o;
    unsigned thread, left;
    bool l, k, r_held;
    bool
        flags; /* variables that are only given constants, truths, a read-write lock, a semaphore */
} writer;

static const char *const shared_name[] = {"a", "b", "c"};

static const char *shared_var(writer *w) {
    return shared_name[au_rng_below(w->r, 3)];
}

static void condition(writer *w) {
    static const char *const op[] = {"<", "<=", "==", "!=", ">", ">="};
    const char *o = op[au_rng_below(w->r, 6)];
    uint32_t n = au_rng_below(w->r, 4);
    switch (au_rng_below(w->r, w->flags ? 9 : 5)) {
    case 0:
        au_out_printf(w->o, "%s %s %u", shared_var(w), o, n);
        break;
    case 5:
    case 6:
        au_out_printf(w->o, "f %s %u", n & 1 ? "==" : o, n / 2);
        break;
    case 7:
        au_out_printf(w->o, "t%u == %u", w->thread, n & 1);
        break;
    case 8:
        au_out_printf(w->o, "g == %u && t%u %s 1", n & 1, w->thread, n & 2 ? "==" : "!=");
        break;
    case 1:
        au_out_printf(w->o, "p%u %s q%u", w->thread, o, w->thread);
        break;
    case 2:
        au_out_printf(w->o, "p%u %s %s", w->thread, o, shared_var(w));
        break;
    case 3:
        au_out_printf(w->o, "p%u %s %u && q%u < 3", w->thread, o, n, w->thread);
        break;
    default:
        au_out_printf(w->o, "p%u %s %u", w->thread, o, n);
        break;
    }
}

static void statements(writer *w, unsigned depth);

/* What modes are made of (scan/modes.c). */
static void flag_statement(writer *w, unsigned depth) {
    uint32_t n = au_rng_below(w->r, 4);
    switch (au_rng_below(w->r, depth < 2 ? 8 : 5)) {
    case 0:
        au_out_printf(w->o, "f := %u\n", n < 3 ? n : 0);
        break;
    case 1:
        au_out_printf(w->o, "g := %u\n", n & 1);
        break;
    case 2:
        au_out_printf(w->o, "t%u := ", w->thread);
        condition(w);
        au_out_char(w->o, '\n');
        break;
    case 3:
        au_out_str(w->o, "acq s\n");
        break;
    case 4:
        au_out_str(w->o, "rel s\n");
        break;
    default:
        if (w->r_held)
            break;
        w->r_held = true;
        au_out_printf(w->o, "%s r\n", n ? "rdacq" : "wracq");
        statements(w, depth + 1);
        au_out_str(w->o, "rel r\n");
        w->r_held = false;
        break;
    }
}

static void statement(writer *w, unsigned depth) {
    unsigned t = w->thread;
    uint32_t n = au_rng_below(w->r, 4);
    w->left--;
    if (w->flags && au_rng_below(w->r, 2)) {
        flag_statement(w, depth);
        return;
    }
    switch (au_rng_below(w->r, depth < 2 ? 16 : 11)) {
    case 0:
    case 1:
        au_out_printf(w->o, "p%u := %s\n", t, shared_var(w));
        break;
    case 2:
        au_out_printf(w->o, "%s := p%u + %u\n", shared_var(w), t, n);
        break;
    case 3:
        au_out_printf(w->o, "%s := %u\n", shared_var(w), n);
        break;
    case 4:
        au_out_printf(w->o, "q%u := p%u - %u\n", t, t, n);
        break;
    case 5:
        au_out_printf(w->o, "%s := %s + 1\n", shared_var(w), shared_var(w));
        break;
    case 6:
        au_out_printf(w->o, "p%u := q%u + p%u\n", t, t, t);
        break;
    case 7:
        if (au_rng_below(w->r, 3))
            au_out_printf(w->o, "q%u := %s\n", t, shared_var(w));
        else
            au_out_printf(w->o, "havoc q%u\n", t);
        break;
    case 8:
        au_out_str(w->o, au_rng_below(w->r, 2) ? "assert " : "assume ");
        condition(w);
        au_out_char(w->o, '\n');
        break;
    case 9:
    case 10: {
        bool l = au_rng_below(w->r, 2), *held = l ? &w->l : &w->k;
        if (*held)
            break;
        *held = true;
        au_out_printf(w->o, "acq %c\n", l ? 'l' : 'k');
        statements(w, depth + 1);
        au_out_printf(w->o, "rel %c\n", l ? 'l' : 'k');
        *held = false;
        break;
    }
    case 11:
    case 12:
    case 13:
        au_out_str(w->o, "if (");
        condition(w);
        au_out_str(w->o, ") {\n");
        statements(w, depth + 1);
        if (au_rng_below(w->r, 2)) {
            au_out_str(w->o, "} else {\n");
            statements(w, depth + 1);
        }
        au_out_str(w->o, "}\n");
        break;
    case 14:
        au_out_printf(w->o, "q%u := 0\nwhile (q%u < %u) {\n", t, t, 1 + n);
        statements(w, depth + 1);
        au_out_printf(w->o, "q%u := q%u + 1\n}\n", t, t);
        break;
    default:
        au_out_str(w->o, "while (");
        condition(w);
        au_out_str(w->o, ") {\n");
        statements(w, depth + 1);
        au_out_str(w->o, "}\n");
        break;
    }
}

static void statements(writer *w, unsigned depth) {
    uint32_t n = 1 + au_rng_below(w->r, depth ? 3 : 6);
    for (uint32_t i = 0; i < n && w->left; i++)
        statement(w, depth);
    au_out_printf(w->o, "p%u := p%u\n", w->thread, w->thread);
}

static char *take(au_out *o) {
    char *own = au_strdup(au_out_memory_data(o, NULL));
    au_out_abandon(o);
    return own;
}

/* Loops and conditions on shared variables; now and then all threads have one text. */
static char *text_of_loops(au_rng *r) {
    au_out *o = au_out_memory();
    uint32_t threads = 2 + (au_rng_below(r, 3) == 0);
    bool instances = au_rng_below(r, 3) == 0;
    uint64_t body = au_rng_next(r);
    bool flags = au_rng_below(r, 2);
    char width[8] = ""; /* narrow: everything wraps soon */
    if (au_rng_below(r, 3) == 0)
        snprintf(width, sizeof width, " : %u", 3 + au_rng_below(r, 2));
    au_out_printf(o, "shared a%s = %u\nshared b%s = %u\nshared c%s = 0\nlock l\nlock k\n", width,
                  au_rng_below(r, 2), width, au_rng_below(r, 3), width);
    if (flags)
        au_out_printf(o, "shared f = 0\nshared g = %u\nrwlock r\nsem s = %u\n", au_rng_below(r, 2),
                      au_rng_below(r, 3));
    for (uint32_t t = 0; t < threads; t++) {
        au_rng own;
        au_rng_init(&own, instances ? body : au_rng_next(r));
        writer w = {.r = &own, .o = o, .thread = t, .left = threads == 3 ? 6 : 9, .flags = flags};
        au_out_printf(o, "thread T%u {\n", t);
        if (*width)
            au_out_printf(o, "local p%u%s, q%u%s\n", t, width, t, width);
        if (flags)
            au_out_printf(o, "t%u := 0\n", t);
        statements(&w, 0);
        if (au_rng_below(r, 5) == 0) /* round and round, and nothing that anybody would notice */
            au_out_printf(o, "while (1) {\nq%u := p%u\n}\n", t, t);
        au_out_str(o, "}\n");
    }
    return take(o);
}

/* Semaphores as locks, alone and handed on among readers who are counted (tsg/sems.h); in most models something is
 * not as it should be. */
static void reader_section(au_out *o, au_rng *r, bool enters, uint32_t odd) {
    static const char *const act[] = {"rel s", "acq s"};
    static const char *const by[] = {"n := n - 1", "n := n + 1"};
    uint32_t sick = odd ? au_rng_below(r, odd) : 100;
    bool late = au_rng_below(r, 2) || !enters; /* first counts, then asks */
    unsigned number = (enters && late) ^ (sick == 1);
    au_out_printf(o, "%s\n", sick == 0 ? "" : "acq m");
    if (late)
        au_out_printf(o, "%s\n", by[enters ^ (sick == 2)]);
    au_out_printf(o, "if (n %s %u) { %s }\n", sick == 3 ? "!=" : "==", number,
                  sick == 4 ? "" : act[enters]);
    if (!late)
        au_out_printf(o, "%s\n", by[enters ^ (sick == 2)]);
    au_out_printf(o, "%s\n", sick == 0 ? "" : "rel m");
}

static char *text_of_readers(au_rng *r) {
    static const char *const touch[] = {"a := 1", "p := a", "a := a + 1", "b := a", "p := b"};
    au_out *o = au_out_memory();
    uint32_t threads = 2 + (au_rng_below(r, 3) == 0), odd = au_rng_below(r, 3) ? 0 : 12;
    au_out_printf(o, "shared a = 0, b = 0, n = %u\nlock m\nsem s = %u\n",
                  odd && !au_rng_below(r, 6), odd && !au_rng_below(r, 6) ? 2 : 1);
    for (uint32_t t = 0; t < threads; t++) {
        au_out_printf(o, "thread T%u {\n", t);
        bool round = au_rng_below(r, 3) == 0;
        if (round)
            au_out_str(o, "while (1) {\n");
        for (uint32_t i = 1 + (threads == 2 && au_rng_below(r, 2)); i--;) {
            uint32_t kind = au_rng_below(r, odd ? 3 : 5);
            const char *one = touch[au_rng_below(r, 5)], *two = touch[au_rng_below(r, 5)];
            if (kind == 1 || kind == 3) {
                au_out_printf(o, "%s\n%s\n%s\n%s\n", odd && !au_rng_below(r, odd) ? "" : "acq s",
                              one, two, odd && !au_rng_below(r, odd) ? "p := 2" : "rel s");
            } else if (kind) {
                reader_section(o, r, true, odd);
                au_out_printf(o, "%s\n%s\n", one, two);
                reader_section(o, r, false, odd);
            } else {
                au_out_printf(o, "%s\n", one);
            }
        }
        au_out_str(o, round ? "}\n}\n" : "}\n");
    }
    return take(o);
}

/* Threads that are forked in rounds and joined by their handles (tsg/lives.h), with a mistake now and then. */
static char *text_of_lives(au_rng *r) {
    static const char *const touch[] = {"a := 1", "p := a", "b := a", "p := b", "p := p"};
    au_out *o = au_out_memory();
    uint32_t odd = au_rng_below(r, 2) ? 0 : 6;
    au_out_str(o, "shared a = 0, b = 0, c = 0\n");
    for (uint32_t t = 1; t <= 2; t++)
        au_out_printf(o, "thread T%u {\n%s\n%s\n}\n", t, touch[au_rng_below(r, 4)],
                      touch[au_rng_below(r, 5)]);
    au_out_str(o, "thread N {\nc := 1\nc := 2\n}\nthread M {\nf := 0\ng := 0\nh := 0\ni := 0\n");
    au_out_printf(o, "while (i < %u) {\n%s\n", 1 + au_rng_below(r, 3), touch[au_rng_below(r, 5)]);
    au_out_printf(o, "q := c\nif (q == 0 && f == 0) { f := 1 fork T1 h := 1 } else {\n");
    au_out_printf(o, "if (q %s 1 && g == 0) { g := 1 fork T2 h := %u } else { h := 0 } }\n",
                  au_rng_below(r, 2) ? "==" : ">=", odd && !au_rng_below(r, odd) ? 1 : 2);
    bool third = odd && !au_rng_below(r, odd);
    au_out_printf(o, "%s\n", touch[au_rng_below(r, 5)]);
    if (!odd || au_rng_below(r, odd))
        au_out_printf(o, "%sif (h == 1) { join T1 }\n", third ? "h := q\n" : "");
    if (!odd || au_rng_below(r, odd))
        au_out_printf(o, "if (h == %u) { join T2 }\n", odd && !au_rng_below(r, odd) ? 3 : 2);
    au_out_printf(o, "%s\ni := i + 1\n}\n%s\n}\n", touch[au_rng_below(r, 5)],
                  touch[au_rng_below(r, 5)]);
    return take(o);
}

static au_model *read_model(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options o = {.unroll = AU_NONE, .max_steps = 2000};
    return au_ctp_read(text, strlen(text), "model", &o, &err);
}

/* Models that chance does not make. */
static const char *const kept[] = {
    /* Who waits for a condition with a semaphore for its lock has given it back (tsg/sems.c). */
    "shared x = 0\n"
    "sem m = 1\n"
    "cond c\n"
    "thread A { acq m  x := 1  signal c  rel m }\n"
    "thread B { acq m  wait c m  x := 2  rel m }\n",
    /* A thread that is never forked stands at its entry all the same (impossible in scan/reach.c). */
    "shared a = 0, c = 0\n"
    "thread T1 { a := 0 }\n"
    "thread T2 { a := 0 }\n"
    "thread M {\n"
    " q := c\n"
    " if (q) { fork T1 } else { fork T2 }\n"
    " a := 0\n"
    "}\n",
    /* Eleven ways with different modes through one transaction, more than are kept apart, of which all but the
     * last are seen to be none on the way down: it comes with modes that were one of several on the
     * way up (admits in scan/reach.c). */
    "shared f = 0, g = 0, x = 0\n"
    "lock l\n"
    "thread A {\n"
    " i := 0\n"
    " acq l\n"
    " while (i < 100) { i := i + 25 }\n"
    " if (i / 50 == 3) { f := 0  g := 1 }\n"
    " if (i / 50 == 4) { f := 0  g := 2 }\n"
    " if (i / 50 == 5) { f := 1  g := 0 }\n"
    " if (i / 50 == 6) { f := 1  g := 1 }\n"
    " if (i / 50 == 7) { f := 1  g := 2 }\n"
    " if (i / 50 == 8) { f := 2  g := 0 }\n"
    " if (i / 50 == 9) { f := 2  g := 1 }\n"
    " if (i / 50 == 10) { f := 2  g := 2 }\n"
    " if (i / 50 == 11) { f := 3  g := 0 }\n"
    " if (i / 50 == 12) { f := 3  g := 1 }\n"
    " if (i / 50 == 2) { f := 3  g := 2 }\n"
    " rel l\n"
    " a: x := 1\n"
    "}\n"
    "thread B {\n"
    " b: x := 2\n"
    " acq l  p := f  q := g  rel l\n"
    " if (p == 3 && q == 2) { p := 1000 }\n"
    "}\n",
};

static char *make_text(uint64_t seed) {
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 120));
    char *text;
    switch (au_rng_below(&r, 10)) {
    case 0: {
        au_gen_ctp_options o = au_gen_ctp_defaults(1 + au_rng_below(&r, 3));
        o.misuse = au_rng_below(&r, 4) == 0;
        o.loops = au_rng_below(&r, 3) != 0;
        o.widths = au_rng_below(&r, 3) == 0;
        text = au_gen_ctp(seed, &o);
        break;
    }
    case 1:
        text = au_odd_ctp(seed);
        break;
    case 2:
    case 3:
        return text_of_readers(&r);
    case 4:
    case 5:
        return text_of_lives(&r);
    default:
        return text_of_loops(&r);
    }
    au_model *m = read_model(text);
    if (!m) {
        free(text);
        return text_of_loops(&r);
    }
    au_model_free(m);
    return text;
}

/* --- all states, as far as they go ------------------------------------------------------------------ */

typedef struct {
    const au_model *m;
    size_t words; /* nodes, stopped, values */
    AU_VEC(uint64_t) state;
    au_map seen;
    au_map race;   /* low event << 32 | high event */
    au_map failed; /* assert */
    bool dead, all;
} world;

static void push(world *x, const uint64_t *s) {
    bool fresh;
    au_map_put(&x->seen, au_hash_bytes(s, x->words * sizeof *s), &fresh);
    if (fresh)
        au_vec_append(&x->state, s, x->words);
}

static bool started(const world *x, uint32_t t, const uint64_t *s) {
    uint32_t v = x->m->thread.at[t].started;
    return v == AU_NONE || s[2 * x->m->thread.n + v];
}

static void execute(world *x, const uint64_t *from, const au_step *st) {
    const au_model *m = x->m;
    size_t n = m->thread.n;
    uint64_t *to = au_alloc_array(x->words, sizeof *to), *v = to + 2 * n;
    const uint64_t *old = from + 2 * n;
    static const int64_t any[] = {0, 1, 2, -1, INT32_MAX};
    memcpy(to, from, x->words * sizeof *to);
    if (!au_term_eval(m->terms, st->guard, old)) {
        to[n + st->thread] = 1;
        push(x, to);
    } else if (!au_term_eval(m->terms, st->cond, old)) {
        *au_map_put(&x->failed, st->id, NULL) = 1;
        to[n + st->thread] = 1;
        push(x, to);
    } else {
        for (uint32_t i = 0; i < st->n_updates; i++)
            v[st->update[i].var] = au_term_eval(m->terms, st->update[i].value, old);
        to[st->thread] = st->dst;
        if (st->havoc == AU_NONE)
            push(x, to);
        for (size_t i = 0; st->havoc != AU_NONE && i < sizeof any / sizeof *any; i++) {
            unsigned w = m->var.at[st->havoc].width;
            v[st->havoc] = (uint64_t)any[i] & (w == 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1);
            push(x, to);
        }
    }
    free(to);
}

static void see_races(world *x, const uint64_t *s) {
    const au_model *m = x->m;
    uint32_t n = (uint32_t)m->thread.n;
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t u = t + 1; u < n; u++) {
            if (s[n + t] || s[n + u] || !started(x, t, s) || !started(x, u, s))
                continue;
            const au_node *a = &m->thread.at[t].node.at[s[t]], *b = &m->thread.at[u].node.at[s[u]];
            for (size_t i = 0; i < a->out.n; i++)
                for (size_t j = 0; j < b->out.n; j++) {
                    const au_step *p = &m->step.at[a->out.at[i]], *q = &m->step.at[b->out.at[j]];
                    for (uint32_t c = 0; c < p->n_accesses; c++)
                        for (uint32_t d = 0; d < q->n_accesses; d++)
                            if (p->access[c].var == q->access[d].var &&
                                (p->access[c].write || q->access[d].write) &&
                                !(p->indivisible && q->indivisible))
                                *au_map_put(&x->race,
                                            au_scan_pair(au_query_event(m, p->id),
                                                         au_query_event(m, q->id)),
                                            NULL) = 1;
                }
        }
}

static void explore(world *x, const au_model *m) {
    size_t n = m->thread.n;
    *x = (world){.m = m, .words = 2 * n + m->var.n};
    au_map_init(&x->seen);
    au_map_init(&x->race);
    au_map_init(&x->failed);
    uint64_t *s = au_alloc_array(x->words, sizeof *s);
    for (size_t t = 0; t < n; t++)
        s[t] = m->thread.at[t].entry;
    for (size_t v = 0; v < m->var.n; v++)
        s[2 * n + v] = m->var.at[v].init;
    push(x, s);
    size_t done = 0;
    for (; done < x->state.n && done / x->words < MOST_STATES; done += x->words) {
        memcpy(s, x->state.at + done, x->words * sizeof *s);
        bool moved = false, waits = false;
        see_races(x, s);
        for (uint32_t t = 0; t < n; t++) {
            if (s[n + t] || !started(x, t, s))
                continue;
            const au_node *node = &m->thread.at[t].node.at[s[t]];
            for (size_t i = 0; i < node->out.n; i++) {
                const au_step *st = &m->step.at[node->out.at[i]];
                bool ok = au_term_eval(m->terms, st->guard, s + 2 * n);
                bool other = st->kind == AU_STEP_BRANCH || st->kind == AU_STEP_SIGNAL;
                waits |= !ok && st->blocking;
                if (ok || (!st->blocking && !other)) {
                    execute(x, s, st);
                    moved |= !st->spurious;
                }
            }
        }
        bool stopped = false;
        for (uint32_t t = 0; t < n; t++)
            stopped |= s[n + t] != 0;
        x->dead |= waits && !moved && !stopped;
    }
    x->all = done == x->state.n;
    free(s);
}

static void world_release(world *x) {
    au_vec_release(&x->state);
    au_map_release(&x->seen);
    au_map_release(&x->race);
    au_map_release(&x->failed);
}

/* --- invariants ------------------------------------------------------------------------------------- */

typedef struct {
    const world *x;
    const au_cuts *c;
    const uint32_t *focus;
    uint32_t n;
    bool *found, *inside; /* by state: its tuple is in the graph; an invariant there holds */
    const char *wrong;
} inside;

static bool stands(const inside *k, const uint64_t *s, const uint32_t *node) {
    for (uint32_t i = 0; i < k->n; i++)
        if (k->c->f->base[k->focus[i]] + s[k->focus[i]] != node[i])
            return false;
    return true;
}

static void visit(void *ctx, au_domain *d, const uint32_t *node, const au_abs *a) {
    inside *k = ctx;
    const world *x = k->x;
    for (size_t i = 0; i * x->words < x->state.n && i < MOST_KEPT; i++) {
        const uint64_t *s = x->state.at + i * x->words;
        if (!stands(k, s, node))
            continue;
        k->found[i] = true;
        total.tuples++;
        k->inside[i] |= au_abs_has(d, a, s + 2 * x->m->thread.n);
    }
}

static const char *check_invariants(const world *x, const au_facts *f, const uint32_t *focus,
                                    uint32_t n, au_domain_kind domain, bool modes,
                                    const au_rpt *ranges) {
    static char text[200];
    au_cuts c;
    au_scan_known known;
    au_reach r;
    bool *found = au_alloc_array(MOST_KEPT, sizeof *found);
    bool *within = au_alloc_array(MOST_KEPT, sizeof *within);
    au_cuts_make(&c, f, NULL, NULL, NULL);
    au_scan_known_init(&known, f);
    inside k = {x, &c, focus, n, found, within, NULL};
    au_reach_options o = {.domain = domain,
                          .modes = modes,
                          .focus = focus,
                          .n_focus = n,
                          .most_nodes = 3000,
                          .ranges = ranges,
                          .narrowings = 2,
                          .visit = visit,
                          .ctx = &k};
    au_reach_make(&r, &c, &known, &o);
    for (size_t i = 0; i * x->words < x->state.n && i < MOST_KEPT && r.known; i++) {
        const uint64_t *s = x->state.at + i * x->words;
        bool cut = true;
        for (uint32_t t = 0; t < n; t++)
            cut &= c.boundary[f->base[focus[t]] + s[focus[t]]];
        if (cut && !found[i])
            k.wrong = "a reachable tuple of boundaries is not in the graph";
        else if (cut && !within[i])
            k.wrong = "a state is not inside the invariant of its node";
    }
    au_reach_release(&r);
    au_scan_known_release(&known);
    au_cuts_release(&c);
    free(found);
    free(within);
    if (k.wrong)
        snprintf(text, sizeof text, "%s: %s, %u threads in the focus", k.wrong,
                 au_domain_name(domain), n);
    return k.wrong ? text : NULL;
}

static const char *all_invariants(const world *x, const au_facts *f) {
    const au_model *m = x->m;
    uint32_t all[8];
    const char *wrong = NULL;
    if (m->thread.n > 8)
        return NULL;
    for (uint32_t t = 0; t < m->thread.n; t++)
        all[t] = t;
    for (int d = 0; d < AU_DOMAINS && !wrong; d++)
        wrong = check_invariants(x, f, all, (uint32_t)m->thread.n, (au_domain_kind)d,
                                 d == AU_DOMAIN_BOX, NULL);
    if (m->thread.n > 2 && !wrong) {
        uint32_t two[2] = {0, 2};
        au_unreached *u = au_unreached_new(m, false, false);
        wrong =
            check_invariants(x, f, two, 2, AU_DOMAIN_BOX, true, u ? au_unreached_ranges(u) : NULL);
        if (!wrong)
            wrong = check_invariants(x, f, two, 2, AU_DOMAIN_OCTAGON, false, NULL);
        au_unreached_free(u);
    }
    return wrong;
}

/* --- verdicts --------------------------------------------------------------------------------------- */

static const char *check_warning(const world *x, const au_warning *w, size_t p) {
    bool real = w->kind == AU_KIND_DEADLOCK ? x->dead
                : w->kind == AU_KIND_ASSERTION
                    ? au_map_find(&x->failed, w->place.at[p].step[0]) != NULL
                    : au_map_find(&x->race, au_scan_pair(w->place.at[p].step[0],
                                                         w->place.at[p].step[1])) != NULL;
    total.places++;
    if (w->out.at[p] == AU_SCAN_STAGES) {
        total.left++;
        return NULL;
    }
    total.gone[w->out.at[p]]++;
    /* of one pair of statements some accesses of other variables may be a race */
    if (real && w->kind == AU_KIND_RACE && x->m->step.at[w->place.at[p].step[0]].n_accesses > 1)
        return NULL;
    return real ? au_scan_stage_name((au_scan_stage)w->out.at[p]) : NULL;
}

static char *check_scan(const world *x, au_model *m, const au_scan_options *o) {
    au_scan_result r;
    au_error err = AU_ERROR_NONE;
    char *wrong = NULL;
    if (au_scan_run(m, o, &r, &err) != AU_OK)
        return au_sprintf("scan failed: %s", err.text);
    for (size_t i = 0; i < r.warning.n && !wrong; i++) {
        const au_warning *w = &r.warning.at[i];
        for (size_t p = 0; p < w->place.n && !wrong; p++) {
            const char *stage = check_warning(x, w, p);
            if (stage)
                wrong = au_sprintf("%s of steps %u and %u happens, and stage '%s' rules it out "
                                   "(reduce %d, pairs %d)",
                                   au_kind_name(w->kind), w->place.at[p].step[0],
                                   w->place.at[p].step[1], stage, !o->no_reduce, o->pairs);
        }
        if (w->end == AU_SCAN_WITNESSED)
            total.witnessed++;
        else if (o->last == AU_SCAN_SOLVER && w->end == AU_SCAN_UNDECIDED) {
            total.undecided++;
            if (strstr(w->why, "bug"))
                wrong = au_sprintf("undecided: %s", w->why);
        }
    }
    au_scan_result_release(&r);
    return wrong;
}

/* The search on its own: what it finds there is, what it rules out nobody has seen. (Schedules are
 * executed by the checker in the stage that asks it.) */
static char *check_search(const world *x, au_model *m, const au_facts *f) {
    char *wrong = NULL;
    au_cuts c;
    bool *matters = au_alloc_array(m->var.n + 1, sizeof *matters), any = false;
    for (size_t i = 0; i < m->step.n; i++)
        any |= m->step.at[i].havoc != AU_NONE;
    au_scan_relevant(m, matters);
    au_cuts_make(&c, f, NULL, NULL, NULL);
    au_search *s = au_search_new(m, &(au_search_options){.cuts = &c, .relevant = matters});
    for (uint32_t a = 0; a < m->step.n && s && !wrong; a++)
        for (uint32_t b = a; b < m->step.n && !wrong; b++) {
            const au_step *p = &m->step.at[a], *q = &m->step.at[b];
            bool race = p->n_accesses == 1 && q->n_accesses == 1 && p->thread != q->thread &&
                        p->access->var == q->access->var &&
                        (p->access->write || q->access->write) &&
                        !(p->indivisible && q->indivisible);
            if (a == b ? p->kind != AU_STEP_ASSERT : !race)
                continue;
            au_scan_place place = {.step = {a, a == b ? AU_NONE : b}};
            au_solution found = {0};
            bool seen = a == b ? au_map_find(&x->failed, a) != NULL
                               : au_map_find(&x->race, au_scan_pair(au_query_event(m, a),
                                                                    au_query_event(m, b))) != NULL;
            au_search_end end =
                au_search_ask(s, a == b ? AU_KIND_ASSERTION : AU_KIND_RACE, &place,
                              &(au_search_limits){.seconds = 0.2, .bytes = 1 << 20}, &found);
            total.searched[end]++;
            if (end == AU_SEARCH_FOUND)
                au_solution_release(&found);
            if (end == AU_SEARCH_FOUND && !seen && x->all && !any)
                wrong = au_sprintf("the search finds steps %u and %u, which never happens", a, b);
            if (end == AU_SEARCH_NONE && seen)
                wrong = au_sprintf("the search rules out steps %u and %u, which happens", a, b);
        }
    au_search_free(s);
    au_cuts_release(&c);
    free(matters);
    return wrong;
}

static char *check_text(const char *text) {
    au_model *m = read_model(text);
    char *wrong = NULL;
    if (!m || m->thread.n > 6 || m->thread.n < 1) {
        au_model_free(m);
        return NULL;
    }
    world x;
    au_facts f;
    explore(&x, m);
    total.states += x.state.n / x.words;
    au_facts_make(&f, m);
    const char *bad = all_invariants(&x, &f);
    if (bad)
        wrong = au_strdup(bad);
    else
        wrong = check_search(&x, m, &f);
    au_facts_release(&f);
    for (int way = 0; way < 4 && !wrong; way++) {
        if ((way & 2) && m->thread.n < 3)
            break;
        au_scan_options o = {.props = AU_PROP_RACE | AU_PROP_ASSERT | AU_PROP_DEADLOCK,
                             .last = way ? AU_SCAN_POLYHEDRON : AU_SCAN_SOLVER,
                             .domain = AU_DOMAIN_POLYHEDRON,
                             .no_reduce = way & 1,
                             .pairs = way & 2,
                             .most_nodes = 3000,
                             .unroll = 2,
                             .solver_seconds = 2,
                             .in_process = true};
        if (!with_solver)
            o.last = AU_SCAN_POLYHEDRON;
        wrong = check_scan(&x, m, &o);
    }
    world_release(&x);
    au_model_free(m);
    return wrong;
}

static bool still_wrong(const char *text, void *ctx) {
    (void)ctx;
    counts keep = total;
    char *wrong = check_text(text);
    bool is = wrong != NULL;
    free(wrong);
    total = keep;
    return is;
}

/* Owns the text. */
static bool one_model(uint64_t seed, char *text) {
    au_cases_enter(seed);
    char *wrong = check_text(text);
    total.models++;
    if (wrong) {
        char *less = au_shrink_ctp(text, still_wrong, NULL), *what = check_text(less);
        printf("seed %llu\n%s\n%s\n", (unsigned long long)seed, less, what ? what : wrong);
        free(less);
        free(what);
    }
    bool good = !wrong;
    free(wrong);
    free(text);
    return good;
}

int main(int argc, char **argv) {
    cases all = {.count = 100, .seed = 1, .most = 1};
    uint64_t bad = 0;
    const cases_option more[] = {{"solver", &with_solver}, {NULL, NULL}};
    au_cases_options(&all, argc, argv, more);
    for (size_t i = 0; i < sizeof kept / sizeof *kept && !all.one; i++)
        bad += !one_model(0, au_strdup(kept[i]));
    for (uint64_t i = 0; i < all.count && bad < all.most; i++) {
        uint64_t seed = au_cases_seed(&all, i);
        bad += !one_model(seed, make_text(seed));
    }
    printf("%llu models, %llu states, %llu of them looked up in invariants; %llu places: ",
           (unsigned long long)total.models, (unsigned long long)total.states,
           (unsigned long long)total.tuples, (unsigned long long)total.places);
    for (int s = 0; s < AU_SCAN_STAGES; s++)
        printf("%s %llu, ", au_scan_stage_name((au_scan_stage)s),
               (unsigned long long)total.gone[s]);
    printf("left %llu; %llu witnessed, %llu undecided; searched: %llu found, %llu ruled out, %llu "
           "open; %llu failures\n",
           (unsigned long long)total.left, (unsigned long long)total.witnessed,
           (unsigned long long)total.undecided, (unsigned long long)total.searched[0],
           (unsigned long long)total.searched[1], (unsigned long long)total.searched[2],
           (unsigned long long)bad);
    return bad != 0;
}
