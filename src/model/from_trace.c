/* model/from_trace.c: a concurrent trace program from a trace with values. */
#include "model/from_trace.h"

#include "model/from_trace_priv.h"
#include "model/run.h"

typedef struct {
    au_from b;           /* first: au_from_event hands it back */
    uint32_t *var;       /* by variable id: in the model, AU_NONE before first use */
    uint32_t (*seen)[2]; /* open: by thread id, locals (32, 64 bits) with what it read last */
    bool open;           /* reads happen whatever they see */
} builder;

static uint32_t model_var(builder *b, uint32_t v) {
    if (b->var[v] == AU_NONE)
        b->var[v] = au_model_add_var(b->b.m, au_intern_str(&b->b.t->names.var, v), AU_VAR_SHARED,
                                     b->b.j->width[v], b->b.j->init[v], AU_NONE);
    return b->var[v];
}

static uint32_t seen_var(builder *b, uint16_t who, unsigned width) {
    uint32_t *v = &b->seen[who][width > 32];
    if (*v == AU_NONE) {
        char *name = au_from_free_name(&b->b, width > 32 ? "seen64" : "seen", "_");
        *v = au_model_add_var(b->b.m, name, AU_VAR_LOCAL, width, 0, b->b.thread[who].id);
        free(name);
    }
    return *v;
}

/* r := x, then assume r == v: the step after it belongs to it. */
static void add_open_read(builder *b, size_t i, uint32_t v, uint64_t value) {
    au_model *m = b->b.m;
    unsigned width = m->var.at[v].width;
    uint32_t seen = seen_var(b, b->b.t->events.thread[i], width);
    au_step *s = au_from_step(&b->b, i, AU_STEP_ASSIGN);
    uint32_t first = s->id;
    s->indivisible = b->b.t->events.op[i] == AU_OP_AREAD;
    au_step_add_update(m, s, seen, au_model_var_term(m, v));
    au_step_add_access(m, s, v, false);
    s = au_from_step(&b->b, i, AU_STEP_ASSUME);
    s->guard =
        au_term_eq(m->terms, au_model_var_term(m, seen), au_term_const(m->terms, width, value));
    b->b.step_of[i] = first;
    au_from_mark(&b->b, i, first);
    au_from_take(&b->b, i, first);
    au_from_take(&b->b, i, first + 1);
}

static au_status add_access(au_from *f, size_t i) {
    builder *b = (builder *)f;
    au_model *m = f->m;
    au_block e = au_columns_block(&f->t->events, 0, f->t->events.n);
    au_op op = e.op[i];
    uint32_t v = model_var(b, e.obj[i]);
    bool reads = op != AU_OP_WRITE && op != AU_OP_AWRITE;
    bool writes = op != AU_OP_READ && op != AU_OP_AREAD;
    unsigned width = m->var.at[v].width;
    uint64_t now = au_judge_cut(e.value[i], width), seen = op == AU_OP_RMW ? f->j->before[i] : now;
    if (b->open && !writes) {
        add_open_read(b, i, v, seen);
        return AU_OK;
    }
    au_step *s = au_from_step(f, i, writes ? AU_STEP_ASSIGN : AU_STEP_ASSUME);
    s->indivisible = op != AU_OP_READ && op != AU_OP_WRITE;
    if (reads) {
        s->guard =
            au_term_eq(m->terms, au_model_var_term(m, v), au_term_const(m->terms, width, seen));
        au_step_add_access(m, s, v, false);
    }
    if (writes) {
        au_step_add_update(m, s, v, au_term_const(m->terms, width, now));
        au_step_add_access(m, s, v, true);
    }
    au_from_mark(f, i, s->id);
    au_from_take(f, i, s->id);
    return AU_OK;
}

static au_status check_run(au_from *b) {
    size_t at;
    au_error why = AU_ERROR_NONE;
    if (au_model_check_observed(b->m, &at, &why) == AU_OK)
        return AU_OK;
    uint32_t step = b->m->observed.at[at];
    for (size_t i = 0; i < b->run.n; i++)
        if (b->run.at[i].step == step)
            return au_judge_error(b->t, b->run.at[i].event, b->err, AU_EFORMAT,
                                  "no run has it here: %s", strrchr(why.text, ':') + 2);
    return au_error_set(b->err, AU_EFORMAT, "%s", why.text);
}

static au_status build(builder *b) {
    const au_names *names = &b->b.t->names;
    memset(b->var, 0xff, names->var.n * sizeof *b->var);
    memset(b->seen, 0xff, names->thread.n * sizeof *b->seen);
    for (size_t i = 0; i < b->b.last; i++) {
        au_status st = au_from_event(&b->b, i);
        if (st)
            return st;
    }
    au_from_finish(&b->b);
    return check_run(&b->b);
}

static au_model *make(const au_trace *t, bool open, uint32_t **step_of, au_error *err) {
    builder b = {.open = open};
    au_trace_sync j;
    if (au_judge_sync(t, &j, err))
        return NULL;
    if (au_judge_values(t, &j, err)) {
        au_judged_release(&j);
        return NULL;
    }
    au_from_init(&b.b, t, &j, 0, t->events.n, NULL, err);
    b.b.access = add_access;
    b.var = au_alloc_array(t->names.var.n, sizeof *b.var);
    b.seen = au_alloc_array(t->names.thread.n, sizeof *b.seen);
    au_status st = build(&b);
    au_from_release(&b.b);
    au_judged_release(&j);
    free(b.var);
    free(b.seen);
    if (st || !step_of)
        free(b.b.step_of);
    else
        *step_of = b.b.step_of;
    if (st) {
        au_model_free(b.b.m);
        return NULL;
    }
    return b.b.m;
}

au_model *au_model_from_trace(const au_trace *t, uint32_t **step_of, au_error *err) {
    return make(t, false, step_of, err);
}

au_model *au_model_from_trace_open(const au_trace *t, uint32_t **step_of, au_error *err) {
    return make(t, true, step_of, err);
}
