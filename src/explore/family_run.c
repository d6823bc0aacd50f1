/* explore/family_run.c: a recording as a model that can stand beside others.
 *
 * Two runs whose thread goes the same way must have the same steps there. What decides on
 * steps beyond a thread's own way is therefore the family's, not the run's:
 *   - which memory is shared and how it is divided (trace/words.h),
 *   - which variables are open (model/symbolic.h),
 *   - which have steps, how wide they are, what they held at the start, and which number stands
 *     for what is not known of them (by name, here).
 * All of it only grows, so loading again until nothing is new comes to an end. */
#include "base/limits.h"
#include "explore/family_priv.h"

#include "trace/recording.h"

#include <inttypes.h>

/* Numbers that are tried for one variable; each is taken at random, so that nothing is lost in practice. */
enum { MOST_CLASHES = 40 };

/* ---- loading ---------------------------------------------------------------------------------- */

static au_read_options how(au_family *f) {
    return (au_read_options){.fold = false, .limit = f->o.most_events, .words = &f->words};
}

static au_status load_trace(au_family *f, const char *path, au_family_run *r, au_error *err) {
    au_read_options o = how(f);
    au_reader *reader = au_reader_open(path, &o, err);
    if (!reader)
        return err->status;
    r->t = au_trace_load_from(reader, err);
    au_status st = r->t ? AU_OK : err->status;
    if (!st && !au_reader_facts(reader))
        st = au_error_set(err, AU_EUNSUPPORTED, "'%s' is not a recording of 'augur record'", path);
    if (!st && au_reader_facts(reader)->channel_order)
        au_family_note_gap(f,
                           "the order in which threads send and receive through a pipe, a socket "
                           "or an event counter is not varied");
    if (!st && f->o.most_events && r->t->events.n > f->o.most_events)
        st = au_error_set(err, AU_EUNSUPPORTED, "%s",
                          au_limit_say_at(AU_AT_EXPLORE_EVENTS, path, r->t->events.n, 0,
                                          (char[AU_LIMIT_TEXT]){0}));
    if (!st && !f->codes) {
        char *note = NULL;
        f->codes = au_codes_open(reader, &note, err);
        st = f->codes ? AU_OK : err->status;
        if (note)
            au_family_note_gap(f, "%s", note);
        free(note);
    }
    au_reader_free(reader);
    return st;
}

static void name_threads(au_family_run *r) {
    const au_trace *t = r->t;
    size_t n = t->names.thread.n;
    uint32_t *made = au_alloc_array(n, sizeof *made);
    uint32_t first = au_intern_find(&t->names.thread, "T0", 2);
    r->path = au_alloc_array(n, sizeof *r->path);
    if (first != AU_NONE)
        r->path[first] = au_strdup("T0");
    for (size_t e = 0; e < t->events.n; e++) {
        if (t->events.op[e] != AU_OP_FORK)
            continue;
        uint32_t who = t->events.thread[e], child = t->events.obj[e];
        if (r->path[who] && !r->path[child])
            r->path[child] = au_sprintf("%s.%u", r->path[who], ++made[who]);
    }
    free(made);
}

static uint64_t first_doubt(uint64_t n, uint32_t clashes) {
    uint64_t x = UINT64_C(0xd0b7d0b7d0b7d0b7);
    for (uint32_t i = 0; i < clashes; i++)
        x = n == 1 ? x + 41 : au_hash_join(x, i);
    return x;
}

/* An access of this run divides what was one variable: its name stands for the first part from now on, in
 * all runs, and what was known of the whole is not known of the part. */
static void divide(au_family *f, au_family_var *x, uint64_t at, uint64_t n) {
    if (x->at != at || n >= x->n)
        return;
    x->n = n;
    x->init_known = false;
    x->doubt = first_doubt(n, x->clashes);
    f->stale = true;
}

static void name_vars(au_family *f, au_family_run *r) {
    const au_names *names = &r->t->names;
    r->shared = au_alloc_array(names->var.n, sizeof *r->shared);
    for (uint32_t v = 0; v < names->var.n; v++) {
        uint32_t id =
            au_intern_add(&f->name, au_intern_str(&names->var, v), au_intern_len(&names->var, v));
        r->shared[v] = id;
        if (id < f->var.n) {
            if (v < names->extent.n)
                divide(f, &f->var.at[id], names->extent.at[v].at, names->extent.at[v].n);
            continue;
        }
        au_family_var x = {0};
        if (v < names->extent.n) {
            x.at = names->extent.at[v].at;
            x.n = names->extent.at[v].n;
        }
        x.doubt = first_doubt(x.n, 0);
        au_vec_push(&f->var, x);
    }
}

/* ---- one round -------------------------------------------------------------------------------- */

static au_status retrace(au_family *f, const char *path, au_family_run *r, const au_bitset *open,
                         au_error *err) {
    /* What a free leaves behind is only known at the end of a run: no step of a common way. */
    au_retrace_options o = {.read = how(f),
                            .checks = f->o.checks & ~(unsigned)AU_CHECK_UAF,
                            .rounds = true,
                            .split = 0};
    au_symbolic_init(&r->s, r->t);
    r->has_s = true;
    au_status st = au_retrace(path, f->codes, &o, open, &r->s, &r->facts, err);
    if (!st && r->facts.mismatch)
        st = au_error_set(err, AU_EINTERNAL, "a bug of augur: '%s' could not be followed: %s", path,
                          r->facts.what);
    return st;
}

/* What the plan of the run has found out goes into the family's table. True: something is new that
 * this run was not yet planned with. 'before': names that runs before this one had, too. */
static bool learn(au_family *f, au_family_run *r, const au_symbolic_plan *p, size_t before) {
    bool again = false;
    for (uint32_t v = 0; v < r->t->names.var.n; v++) {
        au_plan_var x = au_symbolic_plan_var(p, v);
        au_family_var *y = &f->var.at[r->shared[v]];
        bool old = r->shared[v] < before, news = false;
        if (x.terms && au_open_set_widen(f->open, au_intern_str(&f->name, r->shared[v])))
            news = true;
        if (x.steps && !y->steps)
            news |= y->steps = true;
        else if (!x.steps && y->steps)
            again = true;
        if (x.steps && x.init_seen && !y->init_known) {
            y->init_known = true;
            y->init = x.init;
            f->stale |= old;
        }
        if (x.clash && x.doubted && y->clashes < MOST_CLASHES) {
            y->doubt = first_doubt(y->n, ++y->clashes);
            news = true;
        }
        again |= news;
        f->stale |= news && old;
    }
    return again;
}

static void note_open(au_family_run *r, const au_bitset *open) {
    size_t n = r->m ? r->m->var.n : 0;
    r->open = au_alloc_array(n, sizeof *r->open);
    for (size_t i = 0; i < n; i++) {
        const au_var_info *v = &r->m->var.at[i];
        uint32_t id = v->kind == AU_VAR_SHARED
                          ? au_intern_find(&r->t->names.var, v->name, strlen(v->name))
                          : AU_NONE;
        r->open[i] = id == AU_NONE || au_bitset_has(open, id);
    }
}

/* The run with the family's tables as they are. *again: they have grown. */
static au_status one_round(au_family *f, const char *path, size_t before, au_family_run *r,
                           bool *again, au_error *err) {
    size_t vars;
    au_status st = load_trace(f, path, r, err);
    if (st)
        return st;
    name_threads(r);
    name_vars(f, r);
    vars = r->t->names.var.n;
    f->stale |= au_open_set_add(f->open, r->t, (const char *const *)r->path);
    au_bitset open, steps, known;
    au_bitset_init(&steps, vars);
    au_bitset_init(&known, vars);
    au_open_set_get(f->open, r->t, &open);
    uint8_t *width = au_alloc_array(vars, 1);
    uint64_t *doubt = au_alloc_array(vars, sizeof *doubt),
             *init = au_alloc_array(vars, sizeof *init);
    for (uint32_t v = 0; v < vars; v++) {
        const au_family_var *x = &f->var.at[r->shared[v]];
        width[v] = x->n && x->n <= 8 ? (uint8_t)(8 * x->n) : 0;
        doubt[v] = x->doubt;
        init[v] = x->init;
        if (x->steps)
            au_bitset_add(&steps, v);
        if (x->init_known)
            au_bitset_add(&known, v);
    }
    st = retrace(f, path, r, &open, err);
    au_plan_among among = {.open = &open,
                           .steps = &steps,
                           .width = width,
                           .fresh = true,
                           .doubt = doubt,
                           .init_known = &known,
                           .init = init};
    au_symbolic_plan *p = st ? NULL : au_symbolic_plan_among(&r->s, &among, err);
    if (p) {
        *again = learn(f, r, p, before);
        if (!*again) {
            if (au_symbolic_plan_cut(p))
                au_family_note_gap(f, "'%s' read memory that code without hooks wrote", path);
            r->m = au_model_from_plan(p, NULL, &r->map, err);
            note_open(r, &open);
        }
    }
    if (!st && (!p || (!*again && !r->m)))
        st = err->status;
    au_symbolic_plan_free(p);
    au_bitset_release(&open);
    au_bitset_release(&steps);
    au_bitset_release(&known);
    free(width);
    free(doubt);
    free(init);
    return st;
}

/* Objects must lie where they lay in other runs: memory is divided by address, and pointers are
 * numbers. */
static au_status check_places(const au_family *f, const au_family_run *r, const char *path,
                              au_error *err) {
    const au_names *names = &r->t->names;
    for (uint32_t v = 0; v < names->var.n && v < names->extent.n; v++) {
        const au_family_var *x = &f->var.at[r->shared[v]];
        if (x->steps && (x->at != names->extent.at[v].at || x->n != names->extent.at[v].n))
            return au_error_set(err, AU_EUNSUPPORTED,
                                "'%s' is %" PRIu64 " bytes at 0x%" PRIx64 " in '%s', %" PRIu64
                                " bytes at 0x%" PRIx64 " in another run",
                                au_intern_str(&names->var, v), names->extent.at[v].n,
                                names->extent.at[v].at, path, x->n, x->at);
    }
    return AU_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

au_status au_family_run_load(au_family *f, const char *path, uint32_t number, au_family_run *r,
                             au_error *err) {
    bool again = true;
    au_status st = AU_OK;
    size_t before = f->var.n;
    *r = (au_family_run){0};
    f->words.run = number;
    f->words.grew = false;
    for (int i = 0; again && !st && i < AU_LIMIT_EXPLORE_LOADS; i++) {
        au_family_run_release(r);
        *r = (au_family_run){0};
        again = false;
        st = one_round(f, path, before, r, &again, err);
    }
    f->stale |= f->words.grew;
    if (!st && again)
        st = au_error_set(
            err, AU_EINTERNAL, "%s",
            au_limit_say_at(AU_AT_EXPLORE_LOADS, path, 0, 0, (char[AU_LIMIT_TEXT]){0}));
    if (!st)
        st = au_symbolic_check(&r->s, r->m, &r->map, err);
    if (!st)
        st = check_places(f, r, path, err);
    if (!st)
        st = au_family_run_describe(r, path, err);
    if (!st && r->s.none)
        au_family_note_gap(f, "'%s' was not followed to its end: %s", path, r->s.none);
    if (!st && r->facts.unknown_events)
        au_family_note_gap(f, "%" PRIu64 " events of '%s' are of code without bitcode",
                           r->facts.unknown_events, path);
    if (!st)
        au_family_find_gaps(f, r);
    return st;
}

void au_family_run_release(au_family_run *r) {
    for (size_t i = 0; r->path && i < r->t->names.thread.n; i++)
        free(r->path[i]);
    free(r->path);
    free(r->shared);
    free(r->open);
    free(r->thread);
    free(r->step);
    free(r->parent);
    free(r->ended);
    free(r->waits);
    free(r->can_go);
    free(r->waits_for);
    free(r->length);
    au_symbolic_map_release(&r->map);
    au_model_free(r->m);
    if (r->has_s)
        au_symbolic_release(&r->s);
    au_trace_free(r->t);
    *r = (au_family_run){0};
}
