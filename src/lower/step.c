/* lower/step.c: steps, and what waits to go along with the next one. */
#include "lower/build.h"

#include <stdio.h>
#include <string.h>

/* --- steps ----------------------------------------------------------------------- */

uint32_t au_bld_node(bld *b) {
    return au_model_add_node(b->m, b->mt);
}

uint32_t au_bld_new_local(bld *b, const char *name, unsigned width) {
    b->n_locals++;
    return au_model_add_var(b->m, name, AU_VAR_LOCAL, width, 0, b->mt);
}

static uint32_t file_string(bld *b, const char *file) {
    return au_intern_add(&b->m->strings, file, strlen(file));
}

void au_bld_mark(bld *b, uint32_t first) {
    src *s = b->s;
    const au_src_fn *f = b->block ? &s->fn.at[s->frame.at[b->block->frame].fn] : NULL;
    for (size_t i = first; i < b->m->step.n; i++) {
        au_step *p = &b->m->step.at[i];
        if (f) {
            p->line = f->code->line[b->insn];
            const char *file = au_code_text(f->code, f->code->file[b->insn]);
            p->loc = *file ? file_string(b, file) : AU_NONE;
        }
        while (s->out->exact.n <= i) {
            au_vec_push(&s->out->exact, AU_EXACT);
            au_vec_push(&s->out->function, "");
            au_vec_push(&s->out->at, UINT64_MAX);
            au_vec_push(&s->out->number, 0);
            au_vec_push(&s->out->guard, 0);
            au_vec_push(&s->out->unknown, 0);
        }
        s->out->exact.at[i] = (uint8_t)b->how;
        s->out->function.at[i] = f ? au_src_text(s, "%s", au_code_text(f->code, f->f->name)) : "";
        s->out->at.at[i] = f ? au_key2(f->module, b->insn) : AU_NONE64;
        s->out->number.at[i] = f ? f->code->insn[b->insn].number : 0;
    }
    b->how = AU_EXACT;
    if (b->m->step.n > s->o.most_steps && !s->failed) {
        au_error_set(s->err, AU_EUNSUPPORTED, "the model has more than %zu steps", s->o.most_steps);
        s->failed = true;
    }
}

typedef struct {
    const bld *b;
    uint32_t extra;
    bool changed;
} changes;

static void is_changed(void *ctx, uint32_t var) {
    changes *c = ctx;
    if (var == c->extra)
        c->changed = true;
    for (size_t i = 0; i < c->b->pending.n && !c->changed; i++)
        c->changed = c->b->pending.at[i].var == var;
}

static bool is_live(const bld *b, const au_bld_value *v) {
    const au_src_fn *f = &b->s->fn.at[b->s->frame.at[b->block->frame].fn];
    return v->slot >= f->f->slots || f->cross[v->slot] || f->last[v->slot] >= b->insn;
}

static uint32_t home_of(bld *b, const au_bld_value *v) {
    const au_src_fn *f = &b->s->fn.at[b->s->frame.at[b->block->frame].fn];
    if (v->slot < f->f->slots)
        return au_bld_slot_var(b, b->block->frame, v->slot);
    char name[32];
    snprintf(name, sizeof name, "any%u", b->n_locals);
    return au_bld_new_local(b, name, au_term_width(b->t, v->term));
}

static void set_pending(bld *b, uint32_t var, au_term value) {
    for (size_t i = 0; i < b->pending.n; i++)
        if (b->pending.at[i].var == var) {
            b->pending.at[i].term = value;
            return;
        }
    au_bld_pending p = {.var = var, .term = value};
    au_vec_push(&b->pending, p);
}

/* Values that the next step would make wrong go into locals with it. */
static void save_values(bld *b, uint32_t extra, bool all) {
    if (!b->block)
        return;
    size_t keep = 0;
    for (size_t i = 0; i < b->block->value.n; i++) {
        au_bld_value v = b->block->value.at[i];
        if (!is_live(b, &v))
            continue;
        changes c = {.b = b, .extra = extra, .changed = all};
        if (au_term_is_const(b->t, v.term))
            c.changed = false;
        else if (!all)
            au_term_each_var(b->t, v.term, is_changed, &c);
        if (c.changed) {
            const au_src_fn *f = &b->s->fn.at[b->s->frame.at[b->block->frame].fn];
            uint32_t home = home_of(b, &v);
            au_term own = au_model_var_term(b->m, home);
            bool there = v.slot < f->f->slots && (f->cross[v.slot] || f->vague[v.slot]);
            if (!there && !au_term_same(own, v.term))
                set_pending(b, home, v.term);
            v.term = own;
        }
        b->block->value.at[keep++] = v;
    }
    b->block->value.n = keep;
}

static au_step *add_step(bld *b, au_step_kind kind, uint32_t to, uint32_t extra) {
    save_values(b, extra, false);
    uint32_t id = (uint32_t)b->m->step.n;
    au_step *p = au_model_add_step(b->m, b->mt, b->node, to, kind);
    for (size_t i = 0; i < b->pending.n; i++)
        if (b->pending.at[i].var != extra)
            au_step_add_update(b->m, p, b->pending.at[i].var, b->pending.at[i].term);
    au_vec_clear(&b->pending);
    au_bld_mark(b, id);
    b->node = to;
    return &b->m->step.at[id];
}

au_step *au_bld_step(bld *b, au_step_kind kind) {
    return add_step(b, kind, au_bld_node(b), AU_NONE);
}

/* A step that also sets the local 'var', which the caller adds. */
au_step *au_bld_step_setting(bld *b, au_step_kind kind, uint32_t var) {
    return add_step(b, kind, au_bld_node(b), var);
}

au_step *au_bld_step_to(bld *b, au_step_kind kind, uint32_t to) {
    return add_step(b, kind, to, AU_NONE);
}

void au_bld_flush(bld *b) {
    if (b->pending.n)
        au_bld_step(b, AU_STEP_ASSIGN);
}

void au_bld_settle(bld *b) {
    save_values(b, AU_NONE, true);
    au_bld_flush(b);
}

void au_bld_goto(bld *b, uint32_t to) {
    if (b->node == AU_NONE)
        return;
    au_bld_step_to(b, b->pending.n ? AU_STEP_ASSIGN : AU_STEP_NOP, to);
    b->node = AU_NONE;
}

void au_bld_assign(bld *b, uint32_t var, au_term value) {
    set_pending(b, var, value);
}

au_term au_bld_local(bld *b, uint32_t var) {
    for (size_t i = 0; i < b->pending.n; i++)
        if (b->pending.at[i].var == var)
            return b->pending.at[i].term;
    return au_model_var_term(b->m, var);
}

void au_bld_havoc(bld *b, uint32_t local, au_exactness how) {
    b->how = how;
    au_step *p = add_step(b, AU_STEP_HAVOC, au_bld_node(b), local);
    p->havoc = local;
}

void au_bld_branch(bld *b, au_term cond, uint32_t *other) {
    AU_BUG_IF(b->pending.n);
    uint32_t from = b->node, yes = au_bld_node(b), no = au_bld_node(b);
    au_exactness how = b->how;
    uint32_t id = (uint32_t)b->m->step.n;
    au_model_add_step(b->m, b->mt, from, yes, AU_STEP_BRANCH)->guard = cond;
    au_model_add_step(b->m, b->mt, from, no, AU_STEP_BRANCH)->guard = au_term_not(b->t, cond);
    b->how = how;
    au_bld_mark(b, id);
    b->node = yes;
    *other = no;
}

void au_bld_choose(bld *b, uint32_t *other, au_exactness how) {
    if (b->bit == AU_NONE)
        b->bit = au_bld_new_local(b, "choice", 1);
    au_bld_settle(b);
    au_bld_havoc(b, b->bit, how);
    b->how = how;
    au_bld_branch(b, au_model_var_term(b->m, b->bit), other);
}

void au_bld_stop(bld *b) {
    if (b->node == AU_NONE)
        return;
    au_bld_flush(b);
    au_step *p = au_bld_step(b, AU_STEP_ASSUME);
    p->guard = au_term_bool(b->t, false);
    b->node = AU_NONE;
}
