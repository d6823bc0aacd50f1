/* model/from_symbolic.c: the model of a trace with knowledge: all steps but those of accesses are
 * from_trace_sync.c's, accesses are from_symbolic_access.c's. Here: locals, terms and facts. */
#include "model/from_symbolic_priv.h"

#include "base/deadline.h"
#include "model/run.h"

/* ---- variables ------------------------------------------------------------------------ */

uint32_t au_fs_var(au_fs *b, uint32_t v) {
    bool fresh;
    uint64_t *place = au_map_put(&b->var, v, &fresh);
    if (fresh)
        *place = au_model_add_var(b->b.m, au_intern_str(&b->b.t->names.var, v), AU_VAR_SHARED,
                                  b->p->width[v], b->before ? b->before->value[v] : b->p->init[v],
                                  AU_NONE);
    return (uint32_t)*place;
}

/* Locals are used again once nothing needs what they hold: a heap of those in use, the first
 * that is free on top. */
static void push_used(au_fs_thread *t, au_fs_used x) {
    au_vec_push(&t->used, x);
    size_t i = t->used.n - 1;
    for (; i && t->used.at[(i - 1) / 2].until > x.until; i = (i - 1) / 2)
        t->used.at[i] = t->used.at[(i - 1) / 2];
    t->used.at[i] = x;
}

static au_fs_used pop_used(au_fs_thread *t) {
    au_fs_used top = t->used.at[0], x = au_vec_pop(&t->used);
    size_t i = 0, n = t->used.n;
    while (2 * i + 1 < n) {
        size_t k = 2 * i + 1;
        if (k + 1 < n && t->used.at[k + 1].until < t->used.at[k].until)
            k++;
        if (t->used.at[k].until >= x.until)
            break;
        t->used.at[i] = t->used.at[k];
        i = k;
    }
    if (n)
        t->used.at[i] = x;
    return top;
}

void au_fs_expire(au_fs *b, uint32_t thread, uint32_t place) {
    au_fs_thread *t = &b->thread[thread];
    while (t->used.n && t->used.at[0].until < place) {
        uint32_t var = pop_used(t).var;
        au_vec_push(&t->spare[(b->b.m->var.at[var].width + 7) / 8 - 1], var);
    }
}

void au_fs_round(au_fs *b, uint32_t thread, uint32_t event) {
    au_fs_thread *t = &b->thread[thread];
    t->round.kept = t->locals;
    au_round_walk_to(&t->round, event);
    t->locals = t->round.kept;
}

/* The same name is the same variable. */
static uint32_t fresh_local(au_fs *b, uint32_t thread, unsigned width) {
    char own[32];
    uint32_t number = ++b->thread[thread].locals;
    bool fresh;
    uint64_t *var =
        au_map_put(&b->fresh, (uint64_t)thread << 48 | (uint64_t)number << 8 | width, &fresh);
    snprintf(own, sizeof own, "r%u_%u", number, width);
    if (fresh)
        *var = au_model_add_var(b->b.m, own, AU_VAR_LOCAL, width, 0, b->b.thread[thread].id);
    return (uint32_t)*var;
}

uint32_t au_fs_local(au_fs *b, uint32_t thread, unsigned width, uint32_t until) {
    au_fs_thread *t = &b->thread[thread];
    uint32_t var = AU_NONE;
    unsigned class = (width + 7) / 8 - 1;
    if (b->p->fresh)
        return fresh_local(b, thread, width);
    if (t->spare[class].n && b->b.m->var.at[au_vec_last(&t->spare[class])].width == width)
        var = au_vec_pop(&t->spare[class]);
    if (var == AU_NONE) {
        char name[16], *free_name;
        snprintf(name, sizeof name, "r%u", ++t->locals);
        free_name = au_from_free_name(&b->b, name, "_");
        var = au_model_add_var(b->b.m, free_name, AU_VAR_LOCAL, width, 0, b->b.thread[thread].id);
        free(free_name);
    }
    push_used(t, (au_fs_used){until, var});
    return var;
}

/* ---- terms ------------------------------------------------------------------------------- */

/* A read that is in the model is its local; any other has the value it had. */
static au_term read_term(void *ctx, uint32_t event, unsigned width) {
    au_fs *b = ctx;
    const uint64_t *local = au_map_find(&b->local, event);
    if (local)
        return au_model_var_term(b->b.m, (uint32_t)*local);
    return au_term_const(b->b.m->terms, width, au_plan_seen(b->p, event));
}

au_term au_fs_term(au_fs *b, au_term x) {
    return au_term_translate(b->b.m->terms, b->p->s->terms, x, read_term, b, &b->memo);
}

/* ---- facts --------------------------------------------------------------------------------- */

static bool keeps_fact(const au_fs *b, uint32_t fact) {
    return !b->slice || au_bitset_has(&b->slice->facts, fact);
}

static void add_fact(au_fs *b, uint32_t number, size_t event) {
    const au_fact *f = &b->p->s->fact.at[number];
    struct au_from_thread *who = &b->b.thread[f->thread];
    au_model *m = b->b.m;
    au_term cond = au_fs_term(b, f->cond);
    if (au_term_is_true(m->terms, cond))
        return;
    uint32_t src = who->node;
    who->node = au_model_add_node(m, who->id);
    bool asserts = f->kind == AU_FACT_ASSERT;
    au_step *s =
        au_model_add_step(m, who->id, src, who->node, asserts ? AU_STEP_ASSERT : AU_STEP_ASSUME);
    *(asserts ? &s->cond : &s->guard) = cond;
    s->block = au_from_block(&b->b, f->thread);
    s->line = f->line;
    if (f->file < b->p->s->strings.n && au_intern_len(&b->p->s->strings, f->file))
        s->loc = au_intern_add(&m->strings, au_intern_str(&b->p->s->strings, f->file),
                               au_intern_len(&b->p->s->strings, f->file));
    *au_fs_fact(b, number) = s->id;
    au_from_take(&b->b, event, s->id);
}

/* Facts of a thread up to those after the event, AU_NONE: before its first. */
static void add_facts(au_fs *b, uint32_t thread, uint32_t upto, size_t event) {
    au_fs_thread *t = &b->thread[thread];
    struct au_from_thread *who = &b->b.thread[thread];
    for (; t->next_fact < b->p->first_fact[thread + 1] && !who->ended; t->next_fact++) {
        uint32_t number = b->p->of_fact[t->next_fact];
        uint32_t after = b->p->s->fact.at[number].after;
        if (after != AU_NONE && (upto == AU_NONE || after > upto))
            break;
        if (keeps_fact(b, number) && *au_fs_fact(b, number) == AU_NONE)
            add_fact(b, number, event);
        who->ended |=
            number == b->p->failed || (b->p->fails.word && au_bitset_has(&b->p->fails, number));
    }
}

static void begin_thread(au_from *f, size_t event) {
    add_facts((au_fs *)f, f->t->events.thread[event], AU_NONE, event);
}

static void after_event(au_from *f, size_t event) {
    add_facts((au_fs *)f, f->t->events.thread[event], (uint32_t)event, event);
}

/* ---- all of it -------------------------------------------------------------------------------- */

static bool keeps_event(const au_from *f, size_t event) {
    const au_fs *b = (const au_fs *)f;
    if (b->slice && !au_bitset_has(&b->slice->events, event))
        return false;
    return !au_op_is_access(f->t->events.op[event]) ||
           b->p->flag[f->t->events.obj[event]] & AU_VAR_STEPS;
}

void au_fs_init(au_fs *b, const au_symbolic_plan *p, size_t first, size_t last,
                const au_bitset *threads, const au_slice *slice, au_error *err) {
    const au_trace *t = p->s->trace;
    *b = (au_fs){.p = p, .slice = slice};
    au_from_init(&b->b, t, &p->j, first, last, threads, err);
    b->b.access = au_fs_access;
    b->b.keeps = keeps_event;
    b->b.begin = begin_thread;
    b->b.after = after_event;
    b->thread = au_alloc_array(t->names.thread.n, sizeof *b->thread);
    for (size_t i = 0; i < t->names.thread.n; i++)
        b->thread[i].next_fact = p->first_fact[i];
    for (uint32_t i = 0; i < t->names.thread.n; i++)
        au_round_walk_init(&b->thread[i].round, p->s, i, false);
    au_map_init(&b->var);
    au_map_init(&b->fresh);
    au_map_init(&b->local);
    au_map_init(&b->memo);
}

void au_fs_make_facts(au_fs *b, size_t first, size_t n) {
    b->first_fact = first;
    b->facts = n;
    b->fact_step = au_alloc_array(n, sizeof *b->fact_step);
    memset(b->fact_step, 0xff, n * sizeof *b->fact_step);
}

static void release(au_fs *b) {
    for (size_t i = 0; i < b->b.t->names.thread.n; i++) {
        au_vec_release(&b->thread[i].used);
        au_round_walk_release(&b->thread[i].round);
        for (int k = 0; k < 8; k++)
            au_vec_release(&b->thread[i].spare[k]);
    }
    au_from_release(&b->b);
    free(b->thread);
    free(b->now);
    au_map_release(&b->var);
    au_map_release(&b->fresh);
    au_map_release(&b->local);
    au_map_release(&b->memo);
}

static au_symbolic_map map_of(const au_fs *b) {
    return (au_symbolic_map){b->b.first,   b->b.last, b->b.step_of,
                             b->fact_step, b->facts,  b->first_fact};
}

au_status au_fs_build(au_fs *b) {
    au_from *f = &b->b;
    for (size_t i = f->first; i < f->last; i++) {
        au_status st = au_from_event(f, i);
        if (!st && i % 256 == 0 && au_deadline_over())
            st = au_error_set(f->err, AU_EUNSUPPORTED, "%s", au_deadline_why());
        if (st)
            return st;
    }
    for (uint32_t i = 0; i < f->t->names.thread.n && !b->before; i++)
        if (f->thread[i].id != AU_NONE && !f->thread[i].begun)
            add_facts(b, i, AU_NONE, f->last);
    return AU_OK;
}

/* Executing the run may take long: terms can be large. */
static bool in_time(void *ctx, const au_step *s, bool done, const uint64_t *value) {
    size_t *steps = ctx;
    (void)s;
    (void)value;
    return done || ++*steps % 64 || !au_deadline_over();
}

au_status au_fs_finish(au_fs *b) {
    au_from *f = &b->b;
    au_from_finish(f);
    if (b->cut) {
        au_symbolic_map map = map_of(b);
        au_symbolic_drop(b->p->s, f->m, &map);
    }
    size_t at, steps = 0;
    au_error why = AU_ERROR_NONE;
    if (!au_model_follow(f->m, in_time, &steps, &at, &why))
        return steps == f->m->observed.n
                   ? AU_OK
                   : au_error_set(f->err, AU_EUNSUPPORTED, "%s", au_deadline_why());
    const au_step *s = &f->m->step.at[f->m->observed.at[at]];
    const char *reason = strrchr(why.text, ':') + 2;
    for (size_t i = 0; i < f->run.n; i++)
        if (f->run.at[i].step == s->id && f->run.at[i].event < f->t->events.n)
            return s->n_accesses || s->kind == AU_STEP_ASSUME
                       ? au_judge_error(f->t, f->run.at[i].event, f->err, AU_EINTERNAL,
                                        "a bug of augur: the model cannot do it: %s", reason)
                       : au_judge_error(f->t, f->run.at[i].event, f->err, AU_EUNSUPPORTED,
                                        "no run has it here: %s", reason);
    return au_error_set(f->err, AU_EINTERNAL, "a bug of augur: the model of the run: %s", why.text);
}

au_model *au_fs_result(au_fs *b, au_status st, au_symbolic_map *map) {
    release(b);
    if (map && !st) {
        *map = map_of(b);
    } else {
        free(b->b.step_of);
        free(b->fact_step);
    }
    if (!st)
        return b->b.m;
    au_model_free(b->b.m);
    return NULL;
}

au_model *au_model_from_plan(const au_symbolic_plan *p, const au_slice *slice, au_symbolic_map *map,
                             au_error *err) {
    const au_columns *e = &p->s->trace->events;
    au_fs b;
    au_fs_init(&b, p, 0, p->end, slice ? &slice->threads : NULL, slice, err);
    au_fs_make_facts(&b, 0, p->s->fact.n);
    au_status st = au_fs_build(&b);
    for (size_t i = p->end; i < e->n; i++)
        b.b.thread[e->thread[i]].ended = true;
    if (!st)
        st = au_fs_finish(&b);
    return au_fs_result(&b, st, map);
}

au_model *au_model_from_symbolic(const au_symbolic *s, au_symbolic_map *map, au_error *err) {
    au_symbolic_plan *p = au_symbolic_plan_new(s, err);
    if (!p)
        return NULL;
    au_model *m = au_model_from_plan(p, NULL, map, err);
    au_symbolic_plan_free(p);
    return m;
}

void au_symbolic_map_release(au_symbolic_map *m) {
    free(m->step_of);
    free(m->fact_step);
    *m = (au_symbolic_map){0};
}
