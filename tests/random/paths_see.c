/* tests/random/paths_see.c: answers read off a path. See paths.h. */
#include "paths.h"

/* Which of the path's events that saw another write than in the run are not among
 * these three? With --keep-reads only decisive events may be so. */
static bool decisive(const au_paths *w, uint32_t upto, uint32_t a, uint32_t b) {
    uint32_t others = w->state[upto].n_unkept;
    others -= a != AU_NONE && w->event[a].unkept;
    others -= b != AU_NONE && b != a && w->event[b].unkept;
    return others == 0;
}

/* --- events ------------------------------------------------------------------------------- */

static void see_reads(au_paths *w, uint32_t k, uint32_t end) {
    const au_step *e = &w->m->step.at[w->event[k].step];
    if (!decisive(w, end, k, AU_NONE))
        return;
    for (uint32_t i = 0; i < e->n_accesses; i++) {
        uint32_t v = e->access[i].var;
        if (e->access[i].write)
            continue;
        uint32_t word[] = {AU_KEY_READ, w->first[e->id], v, w->state[k].writer[v]};
        au_paths_emit(w, word, 4, end);
    }
}

/* Was this access made? An assert that fails assigns nothing. */
static bool done(const au_paths *w, uint32_t k, const au_step *e, uint32_t access) {
    return !e->access[access].write || w->event[k].outcome != AU_FAILED || w->whole;
}

static void see_triples(au_paths *w, uint32_t k, uint32_t end) {
    static const char *const bad[] = {"RWR", "WWR", "WRW", "RWW", "WWW"};
    const au_model *m = w->m;
    const au_step *e2 = &m->step.at[w->event[k].step];
    if (w->event[k].outcome == AU_HALTED || !e2->n_accesses)
        return;
    for (uint32_t i = 0; i < k; i++) {
        const au_step *e1 = &m->step.at[w->event[i].step];
        bool marked = e2->block != AU_NONE && e1->block == e2->block;
        bool critical = w->event[k].section && w->event[i].section == w->event[k].section;
        if (e1->thread != e2->thread || !(marked || critical) || !e1->n_accesses ||
            w->event[i].outcome == AU_HALTED)
            continue;
        for (uint32_t j = i + 1; j < k; j++) {
            const au_step *f = &m->step.at[w->event[j].step];
            if (f->thread == e2->thread || w->event[j].outcome == AU_HALTED ||
                !decisive(w, end, j, k))
                continue;
            for (uint32_t a = 0; a < e1->n_accesses; a++)
                for (uint32_t b = 0; b < f->n_accesses; b++)
                    for (uint32_t c = 0; c < e2->n_accesses; c++) {
                        uint32_t v = e1->access[a].var;
                        if (f->access[b].var != v || e2->access[c].var != v)
                            continue;
                        if (!done(w, i, e1, a) || !done(w, j, f, b) || !done(w, k, e2, c))
                            continue;
                        char p[] = {"RW"[e1->access[a].write], "RW"[f->access[b].write],
                                    "RW"[e2->access[c].write], 0};
                        for (uint32_t q = 0; q < 5; q++) {
                            if (strcmp(p, bad[q]))
                                continue;
                            uint32_t word[] = {AU_KEY_MARKED,
                                               w->first[e1->id],
                                               w->first[f->id],
                                               w->first[e2->id],
                                               v,
                                               q};
                            if (marked)
                                au_paths_emit(w, word, 6, end);
                            word[0] = AU_KEY_CRITICAL;
                            if (critical)
                                au_paths_emit(w, word, 6, end);
                        }
                    }
        }
    }
}

static bool holds(const au_paths *w, const au_path_state *s, uint32_t obj, uint32_t t) {
    const au_sync_obj *o = &w->m->obj.at[obj];
    switch (o->kind) {
    case AU_OBJ_LOCK:
    case AU_OBJ_RLOCK:
        return s->value[o->var[0]] == t + 1;
    case AU_OBJ_RWLOCK:
        return s->value[o->var[0]] == t + 1 ||
               (t < o->per.n && o->per.at[t] != AU_NONE && s->value[o->per.at[t]] > 0);
    default:
        return false;
    }
}

static void see_misuse(au_paths *w, uint32_t k, uint32_t end) {
    const au_model *m = w->m;
    const au_step *e = &m->step.at[w->event[k].step];
    if (!decisive(w, end, AU_NONE, AU_NONE))
        return;
    if (w->event[k].outcome == AU_HALTED) {
        if (e->kind == AU_STEP_REL || e->kind == AU_STEP_WAIT) {
            bool rel = e->kind == AU_STEP_REL;
            uint32_t word[] = {AU_KEY_MISUSE, rel ? AU_MISUSE_REL : AU_MISUSE_WAIT, w->first[e->id],
                               rel ? e->obj : e->obj2};
            au_paths_emit(w, word, 4, end);
        }
        return;
    }
    const au_path_state *after = &w->state[k + 1];
    if (after->stopped[e->thread] || after->node[e->thread] != m->thread.at[e->thread].exit)
        return;
    for (uint32_t o = 0; o < m->obj.n; o++)
        if (holds(w, after, o, e->thread)) {
            uint32_t word[] = {AU_KEY_MISUSE, AU_MISUSE_END, w->first[e->id], o};
            au_paths_emit(w, word, 4, end);
        }
}

void au_paths_see_event(au_paths *w, uint32_t k, uint32_t end) {
    const au_path_event *e = &w->event[k];
    if (e->outcome == AU_FAILED && decisive(w, end, k, AU_NONE)) {
        uint32_t word[] = {AU_KEY_ASSERT, w->first[e->step]};
        au_paths_emit(w, word, 2, end);
    }
    see_reads(w, k, end);
    see_triples(w, k, end);
    see_misuse(w, k, end);
}

/* --- states ------------------------------------------------------------------------------------
 */

static void see_races(au_paths *w, const uint32_t *next, uint32_t end) {
    const au_model *m = w->m;
    for (uint32_t t = 0; t < m->thread.n; t++) {
        uint32_t a = next[t];
        if (a == AU_NONE)
            continue;
        for (uint32_t u = t + 1; u < m->thread.n; u++) {
            uint32_t b = next[u];
            if (b == AU_NONE)
                continue;
            const au_step *x = &m->step.at[a], *y = &m->step.at[b];
            if (x->indivisible && y->indivisible)
                continue;
            for (uint32_t i = 0; i < x->n_accesses; i++)
                for (uint32_t k = 0; k < y->n_accesses; k++)
                    if (x->access[i].var == y->access[k].var &&
                        (x->access[i].write || y->access[k].write)) {
                        uint32_t word[] = {AU_KEY_RACE, a < b ? a : b, a < b ? b : a,
                                           x->access[i].var};
                        au_paths_emit(w, word, 4, end);
                    }
        }
    }
}

/* A lock that its thread holds and wants again waits for itself. */
static void see_taken_twice(au_paths *w, const au_path_state *s, const uint32_t *next,
                            uint32_t end) {
    const au_model *m = w->m;
    for (uint32_t t = 0; t < m->thread.n; t++) {
        uint32_t a = next[t];
        if (a == AU_NONE)
            continue;
        const au_step *e = &m->step.at[a];
        if (e->kind != AU_STEP_ACQ && e->kind != AU_STEP_RDACQ && e->kind != AU_STEP_WRACQ)
            continue;
        if (!e->blocking) /* to try for it is no mistake */
            continue;
        const au_sync_obj *o = &m->obj.at[e->obj];
        bool mine = o->kind != AU_OBJ_SEM && s->value[o->var[0]] == t + 1;
        bool twice = (o->kind == AU_OBJ_LOCK && mine) ||
                     (o->kind == AU_OBJ_RWLOCK &&
                      (mine || (e->kind == AU_STEP_WRACQ && holds(w, s, e->obj, t))));
        if (twice) {
            uint32_t word[] = {AU_KEY_MISUSE, AU_MISUSE_TWICE, a, e->obj};
            au_paths_emit(w, word, 4, end);
        }
    }
}

static int64_t as_signed(uint64_t v, unsigned width) {
    return width < 64 ? (int64_t)(v << (64 - width)) >> (64 - width) : (int64_t)v;
}

static void see_ranges(au_paths *w, const au_path_state *s, uint32_t end) {
    const au_model *m = w->m;
    if (w->probe || w->semantics == AU_SEM_CAM || w->semantics == AU_SEM_LOCKS)
        return;
    uint32_t level = w->state[end].switches;
    if (level >= AU_PATHS_LEVELS)
        level = AU_PATHS_LEVELS - 1;
    for (uint32_t t = 0; t < m->thread.n; t++) {
        if (s->stopped[t] || !au_paths_started(w, s, t))
            continue;
        for (uint32_t v = 0; v < m->var.n; v++) {
            const au_var_info *var = &m->var.at[v];
            if (var->kind == AU_VAR_SYNC || (var->kind == AU_VAR_LOCAL && var->thread != t))
                continue;
            au_path_range *r =
                &w->range[((w->base[t] + s->node[t]) * m->var.n + v) * AU_PATHS_LEVELS + level];
            int64_t x = as_signed(s->value[v], var->width);
            r->low = !r->seen || x < r->low ? x : r->low;
            r->high = !r->seen || x > r->high ? x : r->high;
            r->seen = true;
        }
    }
}

void au_paths_see_state(au_paths *w, uint32_t depth, uint32_t end) {
    const au_path_state *s = &w->state[depth];
    if (!decisive(w, end, AU_NONE, AU_NONE))
        return;
    uint32_t next[AU_PATHS_THREADS];
    for (uint32_t t = 0; t < w->m->thread.n; t++)
        next[t] = au_paths_next(w, s, t);
    see_races(w, next, end);
    see_taken_twice(w, s, next, end);
    see_ranges(w, s, end);
}

void au_paths_see_final(au_paths *w, uint32_t depth) {
    const au_model *m = w->m;
    const au_path_state *s = &w->state[depth];
    if (!decisive(w, depth, AU_NONE, AU_NONE))
        return;
    bool complete = au_paths_complete(w, s);
    /* elsewhere a thread may rest only because the prediction goes no further */
    if (!complete && (w->semantics == AU_SEM_MCM || w->keep_reads || w->whole))
        return;
    uint32_t word[2 + 2 * AU_PATHS_THREADS + 2 * AU_PATHS_VARS];
    size_t n = 0;
    word[n++] = AU_KEY_FINAL;
    word[n++] = complete;
    for (uint32_t t = 0; t < m->thread.n; t++) {
        word[n++] = au_paths_gone(w, s, t)       ? AU_AT_STOPPED
                    : !au_paths_started(w, s, t) ? AU_AT_UNSTARTED
                    : au_paths_done(w, s, t)     ? AU_AT_DONE
                                                 : AU_AT_WAITING;
        word[n++] = s->stopped[t] ? AU_NONE : s->node[t];
    }
    bool values = w->semantics == AU_SEM_CTP || w->semantics == AU_SEM_MCM;
    for (uint32_t v = 0; v < m->var.n; v++) {
        if (m->var.at[v].kind != AU_VAR_SHARED)
            continue;
        if (values) {
            word[n++] = (uint32_t)s->value[v];
            word[n++] = (uint32_t)(s->value[v] >> 32);
        }
        uint32_t last[] = {AU_KEY_READ, AU_NONE, v, s->writer[v]};
        if (complete) /* the last writer means something only at an end */
            au_paths_emit(w, last, 4, depth);
    }
    au_paths_emit(w, word, n, depth);
}
