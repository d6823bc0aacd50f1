/* oracle/watch.c: questions about the order of events, as walks over pairs
 * (state, watch).
 *
 * A watch is a guess that is made at one event and comes true at a later one:
 * "this was e1", "and this f", "this is the write that will be read". Guessing
 * costs a factor of the number of watches, where remembering the history in the
 * state would cost an exponential one. */
#include "base/limits.h"
#include "oracle/oracle_priv.h"

#include "base/progress.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t state, watch;
    uint32_t parent, move; /* how it was reached; AU_NONE at a start */
} spot;

typedef struct walk walk;
struct walk {
    au_graph *g;
    au_oracle_result *r;
    au_map index;
    AU_VEC(spot) spot;  /* in the order of the walk */
    AU_VEC(spot) later; /* reached by a spurious wake-up: next level */
    uint32_t here;      /* the spot being left */
    bool strict;        /* only schedules that come to their end without a spurious wake-up */
    void *ctx;
    /* The move is made with this watch: go(w, move, …) to every watch after it. */
    void (*step)(walk *w, uint32_t watch, uint32_t move);
};

static bool first_visit(walk *w, uint32_t state, uint32_t watch) {
    bool fresh;
    au_map_put(&w->index, au_key2(state, watch), &fresh);
    return fresh;
}

static void go(walk *w, uint32_t move, uint32_t watch) {
    const au_move *v = &w->g->move.at[move];
    spot to = {v->dst, watch, w->here, move};
    if (w->g->k->m->step.at[v->step].spurious && !w->g->k->ignores_sync)
        au_vec_push(&w->later, to);
    else if (first_visit(w, to.state, watch))
        au_vec_push(&w->spot, to);
}

static void start(walk *w, uint32_t watch) {
    if (first_visit(w, 0, watch))
        au_vec_push(&w->spot, ((spot){0, watch, AU_NONE, AU_NONE}));
}

static void run(walk *w) {
    au_graph *g = w->g;
    uint64_t limit =
        g->k->o->max_states ? g->k->o->max_states * 4 : 4 * (uint64_t)AU_LIMIT_ORACLE_STATES;
    for (uint32_t i = 0;; i++) { /* level by level: more and more spurious wake-ups */
        while (i == w->spot.n && w->later.n && !w->strict) {
            for (size_t j = 0; j < w->later.n; j++)
                if (first_visit(w, w->later.at[j].state, w->later.at[j].watch))
                    au_vec_push(&w->spot, w->later.at[j]);
            au_vec_clear(&w->later);
        }
        if (i == w->spot.n)
            break;
        if (w->spot.n > limit) {
            w->r->exhaustive = false;
            w->r->reason = "state limit reached while following orders of events";
            break;
        }
        if (i % 4096 == 0)
            au_progress("orders", i, 0);
        w->here = i;
        spot s = w->spot.at[i];
        for (uint32_t m = g->first_move[s.state]; m < g->first_move[s.state + 1]; m++)
            w->step(w, s.watch, m);
    }
}

/* To walk again: in another way, from other starts. */
static void clear(walk *w) {
    au_vec_clear(&w->spot);
    au_vec_clear(&w->later);
    au_map_clear(&w->index);
}

/* Where whole runs are asked for: does the schedule go on to an end as is wanted now? */
static bool ends_well(const walk *w, uint32_t state) {
    return !w->g->k->o->whole ||
           w->g->can_end[state] >= (w->strict ? AU_AN_END_WITHOUT_SPURIOUS : AU_AN_END);
}

static void finish(walk *w) {
    au_vec_release(&w->spot);
    au_vec_release(&w->later);
    au_map_release(&w->index);
}

/* The way to the spot being left, and this move (AU_NONE: none). */
static void path_here(const walk *w, uint32_t move, au_path *p) {
    if (move != AU_NONE)
        au_vec_push(p, move);
    for (uint32_t i = w->here; w->spot.at[i].parent != AU_NONE; i = w->spot.at[i].parent)
        au_vec_push(p, w->spot.at[i].move);
    for (size_t i = 0; i < p->n / 2; i++) {
        uint32_t x = p->at[i];
        p->at[i] = p->at[p->n - 1 - i];
        p->at[p->n - 1 - i] = x;
    }
}

/* Whether what the step would write is written: an assert that fails and stops its
 * thread has run, but assigns nothing. */
static bool stores(const au_graph *g, const au_move *v) {
    return au_move_is_event(v) && (!(v->flags & AU_MOVE_FAIL) || g->k->o->whole);
}

/* Does the step write this variable (AU_NONE: any)? */
static bool writes(const au_step *s, uint32_t var) {
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].write && (var == AU_NONE || s->access[i].var == var))
            return true;
    return false;
}

/* --- atomicity ------------------------------------------------------------------ */

typedef struct {
    uint32_t step, var;
    bool write;
    au_bitset hopeful; /* nodes of its thread from where an e2 can still come */
} access_of;

typedef struct {
    au_blocks blocks;
    AU_VEC(access_of) access;
    uint32_t *first; /* accesses of a step: first[step] … first[step + 1] - 1 */
    au_records told;
} atomicity;

static bool unserialisable(bool w1, bool wf, bool w2) {
    return wf ? true : w1 && w2; /* a write between; or a read between two writes */
}

static const char *pattern_name(bool w1, bool wf, bool w2) {
    static const char *const name[] = {"RRR", "RRW", "RWR", "RWW", "WRR", "WRW", "WWR", "WWW"};
    return name[w1 * 4 + wf * 2 + w2];
}

static bool could_be_pair(const walk *w, const access_of *e1, const access_of *e2) {
    const atomicity *a = w->ctx;
    const au_model *m = w->g->k->m;
    return e1->var == e2->var && m->step.at[e1->step].thread == m->step.at[e2->step].thread &&
           au_bitset_meets(&a->blocks.of[e1->step], &a->blocks.of[e2->step]);
}

static void find_hopeful(const walk *w, access_of *e1) {
    const au_model *m = w->g->k->m;
    atomicity *a = w->ctx;
    uint32_t t = m->step.at[e1->step].thread;
    au_bitset_init(&e1->hopeful, m->thread.at[t].node.n);
    for (size_t i = 0; i < a->access.n; i++)
        if (could_be_pair(w, e1, &a->access.at[i]))
            au_bitset_add(&e1->hopeful, m->step.at[a->access.at[i].step].src);
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = 0; i < m->step.n; i++) {
            const au_step *s = &m->step.at[i];
            if (s->thread != t || !au_bitset_has(&e1->hopeful, s->dst) ||
                au_bitset_has(&e1->hopeful, s->src))
                continue;
            au_bitset_add(&e1->hopeful, s->src);
            grew = true;
        }
    }
}

static bool is_news(au_records *told, const uint32_t *key) {
    bool fresh;
    au_records_put(told, key, &fresh);
    return fresh;
}

static void tell_triple(walk *w, const access_of *e1, const access_of *f, const access_of *e2,
                        uint32_t move) {
    au_graph *g = w->g;
    atomicity *a = w->ctx;
    if (!ends_well(w, g->move.at[move].dst))
        return;
    uint32_t ev[3] = {g->k->step[e1->step].event, g->k->step[f->step].event,
                      g->k->step[e2->step].event};
    uint32_t key[5] = {ev[0], ev[1], ev[2], e1->var,
                       (uint32_t)(e1->write * 4 + f->write * 2 + e2->write)};
    if (!is_news(&a->told, key))
        return;
    au_path p = {0};
    path_here(w, move, &p);
    au_oracle_finding *found = au_add_finding(g, w->r, AU_FOUND_ATOMICITY, &p, 3);
    found->var = e1->var;
    found->detail = pattern_name(e1->write, f->write, e2->write);
    for (int i = 0; i < 3; i++)
        found->event[i] =
            (au_oracle_event){ev[i], au_path_index(g, &p, g->k->m->step.at[ev[i]].thread, ev[i])};
    au_vec_release(&p);
}

static bool holds_lock(au_graph *g, uint32_t state, uint32_t thread) {
    au_graph_load(g, state, &g->cur);
    return au_graph_holds_any(g, &g->cur, thread);
}

/* Critical sections: the thread is in the one that this step opened (the watch), or
 * this move opens one. */
static void step_section(walk *w, uint32_t opener, uint32_t move) {
    atomicity *a = w->ctx;
    au_graph *g = w->g;
    const au_move *v = &g->move.at[move];
    const au_step *s = &g->k->m->step.at[v->step];
    uint32_t n = (uint32_t)a->access.n, sections = 1 + n + n * n;
    if (opener == AU_NONE) {
        if (a->blocks.opens[s->id] && !holds_lock(g, v->src, s->thread))
            go(w, move, sections + s->id);
        return;
    }
    if (g->k->m->step.at[opener].thread == s->thread) {
        if (v->flags & (AU_MOVE_STOP | AU_MOVE_LAST) || !holds_lock(g, v->dst, s->thread))
            return;
        for (uint32_t i = a->first[s->id]; i < a->first[s->id + 1]; i++)
            if (au_bitset_has(&a->access.at[i].hopeful, s->dst))
                go(w, move, 1 + i);
    }
    go(w, move, sections + opener);
}

/* Watches: 0 nothing yet; 1 + a: access a was e1; 1 + n + a * n + b: and b was f;
 * 1 + n + n * n + s: in the critical section that step s opened. */
static void step_atomicity(walk *w, uint32_t watch, uint32_t move) {
    atomicity *a = w->ctx;
    const au_move *v = &w->g->move.at[move];
    const au_step *s = &w->g->k->m->step.at[v->step];
    uint32_t n = (uint32_t)a->access.n;
    bool event = au_move_is_event(v);
    /* A read that lost its writer has no successor, and as a write no value. */
    bool last = v->flags & AU_MOVE_LAST;
    bool wrote = stores(w->g, v);
    uint32_t from = event ? a->first[s->id] : 0, to = event ? a->first[s->id + 1] : 0;
    if (watch > n + n * n) {
        step_section(w, watch - 1 - n - n * n, move);
        return;
    }
    if (!watch) {
        go(w, move, 0);
        if (a->blocks.opens && event && !last)
            step_section(w, AU_NONE, move);
        for (uint32_t i = from; i < to && !last && !a->blocks.opens; i++)
            if (au_bitset_has(&a->access.at[i].hopeful, s->dst))
                go(w, move, 1 + i);
        return;
    }
    const access_of *e1 = &a->access.at[watch <= n ? watch - 1 : (watch - 1 - n) / n];
    const access_of *f = watch <= n ? NULL : &a->access.at[(watch - 1 - n) % n];
    bool own = w->g->k->m->step.at[e1->step].thread == s->thread;
    if (own && f)
        for (uint32_t i = from; i < to; i++) {
            const access_of *e2 = &a->access.at[i];
            if (e2->write && !wrote)
                continue;
            if (could_be_pair(w, e1, e2) && unserialisable(e1->write, f->write, e2->write))
                tell_triple(w, e1, f, e2, move);
        }
    if (own && (last || !event || !au_bitset_has(&e1->hopeful, s->dst)))
        return;
    if (own && a->blocks.opens && !holds_lock(w->g, v->dst, s->thread))
        return; /* out of the section */
    go(w, move, watch);
    if (!own && !f && !(last && wrote && writes(s, AU_NONE)))
        for (uint32_t i = from; i < to; i++) {
            const access_of *x = &a->access.at[i];
            if (x->var == e1->var && (x->write ? wrote : e1->write))
                go(w, move, 1 + n + (watch - 1) * n + i);
        }
}

void au_watch_atomicity(au_graph *g, au_oracle_result *r) {
    const au_model *m = g->k->m;
    if (g->k->o->atomic == AU_ATOMIC_NONE)
        return;
    atomicity a = {0};
    walk w = {.g = g, .r = r, .ctx = &a, .step = step_atomicity};
    au_map_init(&w.index);
    au_records_init(&a.told, 5 * sizeof(uint32_t));
    au_blocks_init(&a.blocks, g->k);
    a.first = au_alloc_array(m->step.n + 1, sizeof *a.first);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        a.first[i] = (uint32_t)a.access.n;
        for (uint32_t j = 0; j < s->n_accesses; j++) {
            bool twice = false; /* [x := x + x] reads x once as far as orders go */
            for (uint32_t l = 0; l < j; l++)
                twice |= s->access[l].var == s->access[j].var &&
                         s->access[l].write == s->access[j].write;
            if (!twice)
                au_vec_push(&a.access, ((access_of){.step = s->id,
                                                    .var = s->access[j].var,
                                                    .write = s->access[j].write}));
        }
    }
    a.first[m->step.n] = (uint32_t)a.access.n;
    for (size_t i = 0; i < a.access.n; i++)
        find_hopeful(&w, &a.access.at[i]);
    for (int strict = g->k->o->whole; strict >= 0; strict--) {
        w.strict = strict;
        clear(&w);
        start(&w, 0);
        run(&w);
    }
    for (size_t i = 0; i < a.access.n; i++)
        au_bitset_release(&a.access.at[i].hopeful);
    au_vec_release(&a.access);
    au_blocks_release(&a.blocks, g->k);
    au_records_release(&a.told);
    free(a.first);
    finish(&w);
}

/* --- who reads from whom ------------------------------------------------------------ */

typedef struct {
    au_records told;
} reads;

/* Looks the read up in the observed run: was it there, and did it see this write? */
static bool was_observed(const au_graph *g, uint32_t event, uint32_t var, uint32_t writer,
                         bool *there) {
    const au_model *m = g->k->m;
    *there = false;
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        if (g->k->step[s->id].event != event)
            continue;
        for (uint32_t j = 0; j < s->n_accesses; j++)
            if (!s->access[j].write && s->access[j].var == var) {
                *there = true;
                if (g->k->of_read[s->id][j] == writer)
                    return true;
            }
    }
    return false;
}

/* step AU_NONE: the final value. writer: step + 1, or 0 for the initial value. */
static void tell_read(walk *w, uint32_t step, uint32_t var, uint32_t writer, uint32_t move) {
    au_graph *g = w->g;
    reads *a = w->ctx;
    if (move != AU_NONE && !ends_well(w, g->move.at[move].dst))
        return;
    uint32_t event = step == AU_NONE ? AU_NONE : g->k->step[step].event;
    uint32_t from = writer ? g->k->step[writer - 1].event : AU_NONE;
    uint32_t key[3] = {event, var, from};
    if (!is_news(&a->told, key))
        return;
    au_path p = {0};
    path_here(w, move, &p);
    au_read_from rf = {.read = event, .var = var, .writer = from};
    bool there = g->k->observed_ends;
    rf.observed = step == AU_NONE ? there && g->k->final_writer[var] == writer
                                  : was_observed(g, event, var, writer, &there);
    rf.changed = there && !rf.observed;
    rf.turn = au_path_turns(g, w->r, &p, false, &rf.n_turns, &rf.spurious);
    au_vec_push(&w->r->read_from, rf);
    au_vec_release(&p);
}

static void tell_final(walk *w, uint32_t var, uint32_t writer) {
    au_graph *g = w->g;
    au_graph_load(g, w->spot.at[w->here].state, &g->cur);
    for (uint32_t t = 0; t < g->n_threads; t++) {
        au_status_of st = au_graph_status(g, &g->cur, t, false);
        if (st != AU_IS_DONE && st != AU_NOT_STARTED)
            return;
    }
    tell_read(w, AU_NONE, var, writer, AU_NONE);
}

/* Watches: 0 nothing yet; 1 + var * (steps + 1) + writer. */
static void step_reads(walk *w, uint32_t watch, uint32_t move) {
    const au_model *m = w->g->k->m;
    const au_move *v = &w->g->move.at[move];
    const au_step *s = &m->step.at[v->step];
    uint32_t steps = (uint32_t)m->step.n + 1;
    /* A write happens only if the step does; a read even if its assume fails. */
    bool happens = stores(w->g, v) && !(v->flags & AU_MOVE_LAST);
    if (!watch) {
        go(w, move, 0);
        for (uint32_t i = 0; i < s->n_accesses && happens; i++)
            if (s->access[i].write)
                go(w, move, 1 + s->access[i].var * steps + s->id + 1);
        return;
    }
    uint32_t var = (watch - 1) / steps, writer = (watch - 1) % steps;
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (!s->access[i].write && s->access[i].var == var)
            tell_read(w, s->id, var, writer, move);
    if (!(happens && writes(s, var)))
        go(w, move, watch);
}

/* With keep_reads the state knows every last writer: no guess is needed. */
static void step_kept_reads(walk *w, uint32_t watch, uint32_t move) {
    (void)watch;
    au_graph *g = w->g;
    const au_move *v = &g->move.at[move];
    const au_step *s = &g->k->m->step.at[v->step];
    au_graph_load(g, v->src, &g->cur);
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (!s->access[i].write)
            tell_read(w, s->id, s->access[i].var, g->cur.writer[s->access[i].var], move);
    go(w, move, 0);
}

static void final_values(walk *w) {
    au_graph *g = w->g;
    const au_model *m = g->k->m;
    uint32_t steps = (uint32_t)m->step.n + 1;
    for (uint32_t i = 0; i < w->spot.n; i++) {
        spot s = w->spot.at[i];
        w->here = i;
        if (g->first_move[s.state] != g->first_move[s.state + 1])
            continue;
        if (g->k->o->keep_reads) {
            for (uint32_t x = 0; x < m->var.n; x++) {
                au_graph_load(g, s.state, &g->cur);
                if (m->var.at[x].kind == AU_VAR_SHARED)
                    tell_final(w, x, g->cur.writer[x]);
            }
        } else if (s.watch) {
            tell_final(w, (s.watch - 1) / steps, (s.watch - 1) % steps);
        }
    }
}

void au_watch_reads(au_graph *g, au_oracle_result *r) {
    const au_model *m = g->k->m;
    reads a = {0};
    bool keep = g->k->o->keep_reads;
    walk w = {.g = g, .r = r, .ctx = &a, .step = keep ? step_kept_reads : step_reads};
    au_map_init(&w.index);
    au_records_init(&a.told, 3 * sizeof(uint32_t));
    for (int strict = g->k->o->whole; strict >= 0; strict--) {
        w.strict = strict;
        clear(&w);
        start(&w, 0);
        for (uint32_t v = 0; v < m->var.n && !keep; v++)
            if (m->var.at[v].kind == AU_VAR_SHARED)
                start(&w, 1 + v * ((uint32_t)m->step.n + 1));
        run(&w);
        if (r->exhaustive)
            final_values(&w);
    }
    au_records_release(&a.told);
    finish(&w);
}
