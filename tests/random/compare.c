/* tests/random/compare.c: see compare.h. */
#include "compare.h"

#define WORDS (2 + 2 * AU_PATHS_THREADS + 2 * AU_PATHS_VARS)
typedef struct {
    uint32_t word[WORDS];
    size_t n;
} key;

/* as au_path_misuse */
static const char *const misuses[] = {"unlock of a lock not held", "wait without the lock",
                                      "lock taken twice", "held when its thread ends"};
static const char *const patterns[] = {"RWR", "WWR", "WRW", "RWW", "WWW"};

/* --- names -------------------------------------------------------------------------------- */

static void say_step(const au_paths *w, uint32_t step, const char *none, au_out *out) {
    if (step == AU_NONE) {
        au_out_printf(out, " %s", none);
        return;
    }
    const au_step *s = &w->m->step.at[step];
    au_out_printf(out, " %s/%s(step %u, line %u)", w->m->thread.at[s->thread].name,
                  au_step_label(w->m, s), step, s->line);
}

static void say_key(const au_paths *w, const uint32_t *k, size_t n, au_out *out) {
    const au_model *m = w->m;
    switch ((au_path_key)k[0]) {
    case AU_KEY_ASSERT:
        au_out_str(out, "assert");
        say_step(w, k[1], "", out);
        break;
    case AU_KEY_RACE:
        au_out_printf(out, "race on %s", m->var.at[k[3]].name);
        say_step(w, k[1], "", out);
        say_step(w, k[2], "", out);
        break;
    case AU_KEY_MARKED:
    case AU_KEY_CRITICAL:
        au_out_printf(out, "atomicity %s on %s", patterns[k[5]], m->var.at[k[4]].name);
        for (int i = 1; i < 4; i++)
            say_step(w, k[i], "", out);
        break;
    case AU_KEY_DEADLOCK:
        au_out_str(out, "deadlock");
        for (size_t i = 1; i < n; i++)
            say_step(w, k[i], "", out);
        break;
    case AU_KEY_MISUSE:
        au_out_printf(out, "misuse '%s' of %s", misuses[k[1]], m->obj.at[k[3]].name);
        say_step(w, k[2], "", out);
        break;
    case AU_KEY_READ:
        au_out_printf(out, "read of %s at", m->var.at[k[2]].name);
        say_step(w, k[1], "the end", out);
        au_out_str(out, " from");
        say_step(w, k[3], "the beginning", out);
        break;
    case AU_KEY_FINAL:
        au_out_printf(out, "final, %s:", k[1] ? "complete" : "not complete");
        for (size_t t = 0; t < m->thread.n; t++) {
            static const char *const rest[] = {"done", "stopped", "waiting", "unstarted"};
            au_out_printf(out, " %s %s at %d", m->thread.at[t].name, rest[k[2 + 2 * t]],
                          (int)k[3 + 2 * t]);
        }
        for (size_t i = 2 + 2 * m->thread.n; i + 1 < n; i += 2)
            au_out_printf(out, " %d", (int)k[i]);
        break;
    default:
        au_out_str(out, "?");
    }
}

static void complain(const au_paths *w, const key *k, const char *what, au_out *out) {
    au_out_printf(out, "%s: ", what);
    say_key(w, k->word, k->n, out);
    au_out_char(out, '\n');
}

/* --- keys of what the oracle says ------------------------------------------------------------- */

static bool by_marks(const au_paths *w, const au_oracle_options *o) {
    return o->atomic == AU_ATOMIC_MARKED || (o->atomic == AU_ATOMIC_AUTO && w->m->n_blocks > 0);
}

static bool finding_key(const au_paths *w, const au_oracle_options *o, const au_oracle_finding *f,
                        key *k) {
    k->n = 0;
    switch (f->kind) {
    case AU_FOUND_ASSERT:
        k->word[k->n++] = AU_KEY_ASSERT;
        k->word[k->n++] = f->event[0].step;
        return f->n_events == 1;
    case AU_FOUND_RACE: {
        uint32_t a = f->event[0].step, b = f->event[1].step;
        k->word[k->n++] = AU_KEY_RACE;
        k->word[k->n++] = a < b ? a : b;
        k->word[k->n++] = a < b ? b : a;
        k->word[k->n++] = f->var;
        return f->n_events == 2;
    }
    case AU_FOUND_ATOMICITY:
        k->word[k->n++] = by_marks(w, o) ? AU_KEY_MARKED : AU_KEY_CRITICAL;
        for (int i = 0; i < 3; i++)
            k->word[k->n++] = f->event[i].step;
        k->word[k->n++] = f->var;
        for (uint32_t q = 0; q < 5; q++)
            if (!strcmp(patterns[q], f->detail))
                k->word[k->n++] = q;
        return f->n_events == 3 && k->n == 6;
    case AU_FOUND_DEADLOCK:
        k->word[k->n++] = AU_KEY_DEADLOCK;
        for (uint32_t i = 0; i < f->n_events; i++)
            k->word[k->n++] = f->event[i].step;
        return f->n_events > 0;
    case AU_FOUND_MISUSE:
        k->word[k->n++] = AU_KEY_MISUSE;
        for (uint32_t q = 0; q < 4; q++)
            if (!strcmp(misuses[q], f->detail))
                k->word[k->n++] = q;
        k->word[k->n++] = f->event[0].step;
        k->word[k->n++] = f->obj;
        return f->n_events == 1 && k->n == 4;
    case AU_FOUND_LOST:
        break; /* not asked for here: random_solve.c */
    }
    return false;
}

static void read_key(const au_read_from *f, key *k) {
    *k = (key){{AU_KEY_READ, f->read, f->var, f->writer}, 4};
}

static void final_key(const au_paths *w, const au_final *f, key *k) {
    k->n = 0;
    k->word[k->n++] = AU_KEY_FINAL;
    k->word[k->n++] = f->complete;
    for (size_t t = 0; t < w->m->thread.n; t++) {
        k->word[k->n++] = f->rest[t];
        k->word[k->n++] = f->node[t];
    }
    for (size_t v = 0, i = 0; f->value && v < w->m->var.n; v++)
        if (w->m->var.at[v].kind == AU_VAR_SHARED) {
            k->word[k->n++] = (uint32_t)f->value[i];
            k->word[k->n++] = (uint32_t)(f->value[i] >> 32);
            i++;
        }
}

/* --- sets ------------------------------------------------------------------------------------- */

typedef struct {
    const au_paths *w;
    uint32_t bound;
    bool *said; /* by key of w */
    au_out *out;
} sets;

/* Looks the key up among the paths' answers; the least switches, or NULL if it is not there. */
static const au_path_least *look_up(sets *x, const key *k) {
    uint32_t id = au_intern_find(&x->w->keys, (const char *)k->word, k->n * sizeof k->word[0]);
    if (id == AU_NONE || x->w->least.at[id].any > x->bound) {
        complain(x->w, k, "only the oracle", x->out);
        return NULL;
    }
    if (x->said[id])
        complain(x->w, k, "the oracle says it twice", x->out);
    x->said[id] = true;
    return &x->w->least.at[id];
}

static void check_spurious(sets *x, const key *k, const au_path_least *least, bool spurious) {
    if (least && spurious != (least->without_spurious > x->bound))
        complain(x->w, k, spurious ? "does without a spurious wake-up" : "needs a spurious wake-up",
                 x->out);
}

static void compare_ranges(const au_paths *w, uint32_t bound, const au_oracle_result *r,
                           au_out *out) {
    const au_model *m = w->m;
    size_t n = (size_t)w->base[m->thread.n] * m->var.n;
    uint32_t levels = bound < AU_PATHS_LEVELS - 1 ? bound + 1 : AU_PATHS_LEVELS;
    au_path_range *mine = au_alloc_array(n, sizeof *mine);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < levels; k++) {
            const au_path_range *x = &w->range[i * AU_PATHS_LEVELS + k];
            if (!x->seen)
                continue;
            mine[i].low = !mine[i].seen || x->low < mine[i].low ? x->low : mine[i].low;
            mine[i].high = !mine[i].seen || x->high > mine[i].high ? x->high : mine[i].high;
            mine[i].seen = true;
        }
    for (size_t k = 0; k < r->range.n; k++) {
        const au_range *x = &r->range.at[k];
        au_path_range *y = &mine[(size_t)(w->base[x->thread] + x->node) * m->var.n + x->var];
        if (!y->seen || y->low != x->low || y->high != x->high)
            au_out_printf(out, "range of %s in %s at node %u: oracle %ld…%ld, paths %s %ld…%ld\n",
                          m->var.at[x->var].name, m->thread.at[x->thread].name, x->node,
                          (long)x->low, (long)x->high, y->seen ? "" : "none", (long)y->low,
                          (long)y->high);
        y->seen = false;
    }
    for (uint32_t t = 0; t < m->thread.n; t++)
        for (uint32_t i = w->base[t]; i < w->base[t + 1]; i++)
            for (size_t v = 0; v < m->var.n; v++)
                if (mine[i * m->var.n + v].seen)
                    au_out_printf(out, "range of %s in %s at node %u: oracle none, paths %ld…%ld\n",
                                  m->var.at[v].name, m->thread.at[t].name, i - w->base[t],
                                  (long)mine[i * m->var.n + v].low,
                                  (long)mine[i * m->var.n + v].high);
    free(mine);
}

size_t au_compare_sets(const au_paths *w, const au_oracle_options *o, const au_oracle_result *r,
                       au_out *out) {
    /* AU_NONE itself is "no path": every real number of switches is below it */
    uint32_t bound = o->context_bound == AU_NONE ? AU_NONE - 1 : o->context_bound;
    sets x = {w, bound, au_alloc_array(w->keys.n, sizeof(bool)), out};
    key k;
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *f = &r->finding.at[i];
        if (!finding_key(w, o, f, &k)) {
            au_out_printf(out, "a finding of unknown form: kind %d, detail '%s', %u events\n",
                          (int)f->kind, f->detail, f->n_events);
            continue;
        }
        check_spurious(&x, &k, look_up(&x, &k), f->spurious);
    }
    for (size_t i = 0; i < r->read_from.n; i++) {
        const au_read_from *f = &r->read_from.at[i];
        read_key(f, &k);
        check_spurious(&x, &k, look_up(&x, &k), f->spurious);
        bool was_read = f->read == AU_NONE ? w->observed_ends : w->observed[f->read];
        uint32_t then = f->read == AU_NONE ? w->final_src[f->var]
                                           : w->observed_src[f->read * w->m->var.n + f->var];
        if (f->observed != (was_read && then == f->writer) ||
            f->changed != (was_read && then != f->writer))
            complain(w, &k, "'observed' or 'changed' is wrong", out);
    }
    for (size_t i = 0; i < r->final.n; i++) {
        final_key(w, &r->final.at[i], &k);
        look_up(&x, &k);
    }
    size_t n = r->finding.n + r->read_from.n + r->final.n + r->range.n;
    for (uint32_t id = 0; id < w->keys.n; id++) {
        k.n = au_intern_len(&w->keys, id) / sizeof k.word[0];
        memcpy(k.word, au_intern_str(&w->keys, id), k.n * sizeof k.word[0]);
        bool asked = k.word[0] == AU_KEY_MARKED     ? by_marks(w, o)
                     : k.word[0] == AU_KEY_CRITICAL ? !by_marks(w, o)
                                                    : true;
        if (asked && w->least.at[id].any <= bound && !x.said[id])
            complain(w, &k, "only the paths", out);
    }
    compare_ranges(w, bound, r, out);
    free(x.said);
    return n;
}

/* --- schedules
 * ------------------------------------------------------------------------------------ */

typedef struct {
    au_paths *w;
    const au_oracle_options *o;
    const key *k;
    const au_oracle_turn *turn;
    uint32_t n_turns;
    const au_oracle_finding *f; /* NULL for reads and final states */
    bool spurious_allowed;
    uint64_t tries;
} run;

static bool within(const run *x, uint32_t depth) {
    const au_path_state *s = &x->w->state[depth];
    return s->switches <= x->o->context_bound && (x->spurious_allowed || !s->spurious);
}

static bool can_move(const au_paths *w, const au_path_state *s) {
    au_path_move move[AU_PATHS_MOVES];
    for (uint32_t t = 0; t < w->m->thread.n; t++)
        if (au_paths_moves(w, s, t, move))
            return true;
    return false;
}

/* The events of the finding stand in the path with the numbers it says. */
static bool events_match(const run *x, uint32_t depth) {
    const au_paths *w = x->w;
    const au_path_state *s = &w->state[depth];
    for (uint32_t i = 0; x->f && i < x->f->n_events; i++) {
        const au_oracle_event *e = &x->f->event[i];
        uint32_t t = w->m->step.at[e->step].thread;
        bool here = au_paths_next(w, s, t) == e->step && e->index == s->ran[t] + 1;
        for (uint32_t k = 0; k < depth; k++)
            here |= w->first[w->event[k].step] == e->step && w->event[k].index == e->index;
        if (!here)
            return false;
    }
    return true;
}

/* Does the path that ends here show it? */
static bool shows(run *x, uint32_t depth) {
    au_paths *w = x->w;
    const au_path_state *s = &w->state[depth];
    w->probe_hit = false;
    if (x->k->word[0] == AU_KEY_DEADLOCK) {
        au_paths_see_deadlock(w, depth);
    } else if (!w->whole) {
        if (depth)
            au_paths_see_event(w, depth - 1, depth);
        au_paths_see_state(w, depth, depth);
        if (!can_move(w, s))
            au_paths_see_final(w, depth);
    } else if (au_paths_complete(w, s)) {
        for (uint32_t i = 0; i <= depth; i++)
            au_paths_see_state(w, i, depth);
        for (uint32_t i = 0; i < depth; i++)
            au_paths_see_event(w, i, depth);
        au_paths_see_final(w, depth);
    }
    return w->probe_hit && within(x, depth) && events_match(x, depth);
}

static bool follow(run *x, uint32_t depth, uint32_t turn) {
    au_paths *w = x->w;
    const au_path_state *s = &w->state[depth];
    while (turn < x->n_turns && s->ran[x->turn[turn].thread] == x->turn[turn].upto)
        turn++;
    if (turn == x->n_turns && shows(x, depth))
        return true;
    au_path_move move[AU_PATHS_MOVES];
    for (uint32_t t = 0; t < w->m->thread.n; t++) {
        bool on_turn = turn < x->n_turns && x->turn[turn].thread == t;
        uint32_t n = au_paths_moves(w, s, t, move);
        for (uint32_t i = 0; i < n; i++) {
            bool halts = move[i].outcome == AU_HALTED;
            if (halts ? turn < x->n_turns && x->k->word[0] != AU_KEY_FINAL : !on_turn)
                continue;
            if (x->tries++ > 1000000)
                return false;
            au_paths_take(w, depth, &move[i]);
            /* a thread that halts has no turn: it may do so at any time on the way to
             * a final state, and else right after the schedule */
            if (halts && turn == x->n_turns && shows(x, depth + 1))
                return true;
            if ((!halts || x->k->word[0] == AU_KEY_FINAL) && follow(x, depth + 1, turn))
                return true;
        }
    }
    return false;
}

static void execute(au_paths *w, const au_oracle_options *o, const key *k,
                    const au_oracle_finding *f, bool spurious, const au_oracle_turn *turn,
                    uint32_t n_turns, au_out *out) {
    run x = {w, o, k, turn, n_turns, f, spurious, 0};
    w->probe = (const char *)k->word;
    w->probe_len = k->n * sizeof k->word[0];
    if (!follow(&x, 0, 0)) {
        complain(w, k, "the schedule does not show it", out);
        for (uint32_t i = 0; i < n_turns; i++)
            au_out_printf(out, " %s:%u", w->m->thread.at[turn[i].thread].name, turn[i].upto);
        au_out_char(out, '\n');
    }
    w->probe = NULL;
}

size_t au_compare_schedules(au_paths *w, const au_oracle_options *o, const au_oracle_result *r,
                            au_out *out) {
    key k;
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *f = &r->finding.at[i];
        if (finding_key(w, o, f, &k))
            execute(w, o, &k, f, f->spurious, f->turn, f->n_turns, out);
    }
    for (size_t i = 0; i < r->read_from.n; i++) {
        const au_read_from *f = &r->read_from.at[i];
        read_key(f, &k);
        execute(w, o, &k, NULL, f->spurious, f->turn, f->n_turns, out);
    }
    for (size_t i = 0; i < r->final.n; i++) {
        const au_final *f = &r->final.at[i];
        final_key(w, f, &k);
        execute(w, o, &k, NULL, true, f->turn, f->n_turns, out);
    }
    return r->finding.n + r->read_from.n + r->final.n;
}
