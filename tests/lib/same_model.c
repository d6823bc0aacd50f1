#include "same_model.h"

#include "model/ctp.h"
#include "model/run.h"

#include <string.h>

typedef struct {
    const au_model *a, *b;
    uint32_t *var;   /* by variable of b: that of a */
    uint32_t *block; /* by block of b */
    uint32_t *step;  /* by step of b */
} pair;

static bool same_term(const pair *p, au_term x, au_term y) {
    return au_term_same(x, au_term_import(p->a->terms, p->b->terms, y, p->var));
}

static bool has_update(const pair *p, const au_step *x, const au_update *u) {
    for (uint32_t i = 0; i < x->n_updates; i++)
        if (x->update[i].var == p->var[u->var])
            return same_term(p, x->update[i].value, u->value);
    return false;
}

static bool has_access(const pair *p, const au_step *x, const au_access *a) {
    for (uint32_t i = 0; i < x->n_accesses; i++)
        if (x->access[i].var == p->var[a->var] && x->access[i].write == a->write)
            return true;
    return false;
}

static const char *same_place(const pair *p, const au_step *x, const au_step *y) {
    if (x->loc == AU_NONE && (!x->line || x->col))
        return NULL; /* none, or that of a text */
    if (x->line != y->line || (x->loc == AU_NONE) != (y->loc == AU_NONE))
        return "a line is another";
    if (x->loc != AU_NONE &&
        strcmp(au_intern_str(&p->a->strings, x->loc), au_intern_str(&p->b->strings, y->loc)))
        return "a file is another";
    return NULL;
}

static const char *same_step(const pair *p, const au_step *x, const au_step *y) {
    if (x->kind != y->kind || x->blocking != y->blocking || x->indivisible != y->indivisible ||
        x->order != y->order || x->spurious != y->spurious || x->choice != y->choice ||
        x->obj != y->obj || x->obj2 != y->obj2)
        return "a step is another";
    if (!same_term(p, x->guard, y->guard) || !same_term(p, x->cond, y->cond))
        return "a guard or condition is another";
    if (x->n_updates != y->n_updates || x->n_accesses != y->n_accesses)
        return "other numbers of updates or accesses";
    if ((x->havoc == AU_NONE) != (y->havoc == AU_NONE) ||
        (x->havoc != AU_NONE && x->havoc != p->var[y->havoc]))
        return "another havoc";
    for (uint32_t i = 0; i < y->n_updates; i++)
        if (!has_update(p, x, &y->update[i]))
            return "an update is another";
    for (uint32_t i = 0; i < y->n_accesses; i++)
        if (!has_access(p, x, &y->access[i]))
            return "an access is another";
    if ((x->block == AU_NONE) != (y->block == AU_NONE))
        return "an atomic block is missing";
    if (x->block != AU_NONE) {
        if (p->block[y->block] == AU_NONE)
            p->block[y->block] = x->block;
        if (p->block[y->block] != x->block)
            return "an atomic block is another";
    }
    return same_place(p, x, y);
}

/* Follows both graphs of a thread from their entries; fills the step map. */
static const char *same_thread(const pair *p, uint32_t t) {
    const au_thread *x = &p->a->thread.at[t], *y = &p->b->thread.at[t];
    if (strcmp(x->name, y->name) || x->forked != y->forked || x->node.n != y->node.n)
        return "a thread is another";
    uint32_t *node = au_alloc_array(y->node.n, sizeof *node),
             *todo = au_alloc_array(y->node.n, sizeof *todo);
    size_t n = 0;
    for (size_t i = 0; i < y->node.n; i++)
        node[i] = AU_NONE;
    node[y->entry] = x->entry;
    todo[n++] = y->entry;
    const char *wrong = NULL;
    while (n && !wrong) {
        uint32_t at = todo[--n];
        const au_node *q = &x->node.at[node[at]], *r = &y->node.at[at];
        if (q->kind != r->kind || q->out.n != r->out.n)
            wrong = "a node is another";
        for (size_t i = 0; i < r->out.n && !wrong; i++) {
            const au_step *s = &p->a->step.at[q->out.at[i]], *z = &p->b->step.at[r->out.at[i]];
            wrong = same_step(p, s, z);
            p->step[z->id] = s->id;
            if (node[z->dst] == AU_NONE) {
                node[z->dst] = s->dst;
                todo[n++] = z->dst;
            }
            if (!wrong && node[z->dst] != s->dst)
                wrong = "an edge leads elsewhere";
        }
    }
    if (!wrong && node[y->exit] != AU_NONE && node[y->exit] != x->exit)
        wrong = "a thread ends elsewhere";
    free(node);
    free(todo);
    return wrong;
}

static const char *map_variables(const pair *p) {
    const au_model *a = p->a, *b = p->b;
    for (size_t i = 0; i < b->var.n; i++)
        p->var[i] = AU_NONE;
    /* the state of objects and threads has any names */
    for (size_t i = 0; i < b->obj.n; i++) {
        const au_sync_obj *o = &a->obj.at[i], *q = &b->obj.at[i];
        if (strcmp(o->name, q->name) || o->kind != q->kind || o->init != q->init)
            return "an object is another";
        for (int k = 0; k < 2; k++)
            if (q->var[k] != AU_NONE)
                p->var[q->var[k]] = o->var[k];
        for (size_t t = 0; t < q->per.n; t++)
            if (q->per.at[t] != AU_NONE)
                p->var[q->per.at[t]] = t < o->per.n ? o->per.at[t] : AU_NONE;
    }
    for (size_t t = 0; t < b->thread.n; t++) {
        if (b->thread.at[t].started != AU_NONE)
            p->var[b->thread.at[t].started] = a->thread.at[t].started;
        if (b->thread.at[t].done != AU_NONE)
            p->var[b->thread.at[t].done] = a->thread.at[t].done;
    }
    for (size_t i = 0; i < b->var.n; i++) {
        const au_var_info *v = &b->var.at[i];
        for (uint32_t k = 0; k < a->var.n && v->kind != AU_VAR_SYNC; k++) {
            const au_var_info *u = &a->var.at[k];
            if (u->kind == v->kind && u->thread == v->thread && !strcmp(u->name, v->name))
                p->var[i] = k;
        }
        if (p->var[i] == AU_NONE)
            return "a variable is new";
        const au_var_info *u = &a->var.at[p->var[i]];
        if (u->init != v->init || u->width != v->width || u->kind != v->kind)
            return "a variable is another";
    }
    return NULL;
}

const char *au_same_model(const au_model *a, const au_model *b) {
    if (a->thread.n != b->thread.n || a->step.n != b->step.n || a->obj.n != b->obj.n ||
        a->n_blocks != b->n_blocks || a->has_loops != b->has_loops ||
        a->observed.n != b->observed.n)
        return "other numbers of things";
    size_t shared = 0;
    for (size_t i = 0; i < a->var.n; i++)
        shared += a->var.at[i].kind == AU_VAR_SHARED;
    for (size_t i = 0; i < b->var.n; i++)
        shared -= b->var.at[i].kind == AU_VAR_SHARED;
    if (shared)
        return "other numbers of shared variables";
    pair p = {a, b, au_alloc_array(b->var.n, sizeof *p.var),
              au_alloc_array(b->n_blocks, sizeof *p.block),
              au_alloc_array(b->step.n, sizeof *p.step)};
    for (size_t i = 0; i < b->n_blocks; i++)
        p.block[i] = AU_NONE;
    const char *wrong = map_variables(&p);
    for (uint32_t t = 0; t < a->thread.n && !wrong; t++)
        wrong = same_thread(&p, t);
    for (size_t i = 0; i < b->observed.n && !wrong; i++)
        if (p.step[b->observed.at[i]] != a->observed.at[i])
            wrong = "the observed run is another";
    free(p.var);
    free(p.block);
    free(p.step);
    return wrong;
}

char *au_print_model(const au_model *m, au_error *err) {
    au_out *o = au_out_memory();
    char *s = NULL;
    size_t n;
    if (au_ctp_print(m, o, err) == AU_OK)
        s = au_strdup(au_out_memory_data(o, &n));
    au_out_abandon(o);
    return s;
}

char *au_round_trip(const au_model *m, uint32_t unroll, bool *cannot) {
    au_error err = AU_ERROR_NONE;
    char *text = au_print_model(m, &err);
    if (cannot)
        *cannot = !text && err.status == AU_EUNSUPPORTED;
    if (!text)
        return cannot && *cannot ? NULL : au_sprintf("not printed: %s", err.text);
    au_ctp_options opts = {.unroll = unroll};
    au_model *again = au_ctp_read(text, strlen(text), "printed", &opts, &err);
    char *wrong = NULL, *second = NULL;
    const char *what;
    if (!again)
        wrong = au_sprintf("not read: %s\n%s", err.text, text);
    else if ((what = au_model_check(again)) || (what = au_same_model(m, again)))
        wrong = au_sprintf("%s\n%s", what, text);
    else if (au_model_check_observed(again, NULL, &err))
        wrong = au_sprintf("%s\n%s", err.text, text);
    else if (!(second = au_print_model(again, &err)))
        wrong = au_sprintf("not printed again: %s\n%s", err.text, text);
    else if (strcmp(text, second))
        wrong = au_sprintf("printed differently:\n%s----\n%s", text, second);
    au_model_free(again);
    free(second);
    free(text);
    return wrong;
}
