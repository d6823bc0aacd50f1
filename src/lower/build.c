/* lower/build.c: blocks, branches and calls as nodes and steps. */
#include "lower/build.h"

#include <stdio.h>
#include <string.h>

/* --- blocks ---------------------------------------------------------------------- */

typedef struct {
    uint32_t frame;
    uint32_t
        *node; /* by instruction of the function: of the block that begins there; 0 none yet (+1) */
    AU_VEC(uint32_t) todo;
} body;

static uint32_t block_node(bld *b, body *k, uint32_t insn) {
    const au_src_fn *f = &b->s->fn.at[b->s->frame.at[k->frame].fn];
    uint32_t *at = &k->node[insn - f->f->first];
    if (!*at) {
        *at = au_bld_node(b) + 1;
        au_vec_push(&k->todo, insn);
    }
    return *at - 1;
}

static void take_edge(bld *b, body *k, uint32_t edge) {
    if (b->node == AU_NONE)
        return;
    const au_code *c = b->s->fn.at[b->s->frame.at[k->frame].fn].code;
    const struct au_code_edge *e = &c->edge[edge];
    for (uint32_t i = 0; i < e->n_copies; i++) {
        const struct au_code_copy *p = &c->copy[e->copy + i];
        for (uint32_t j = 0; j < p->n; j++) {
            au_operand from = p->src >= 0 ? p->src + (au_operand)j : p->src - (au_operand)j;
            au_term v = au_bld_value_of(b, from, p->width ? p->width : 64);
            au_bld_set(b, p->dst + j, v);
        }
    }
    au_bld_join_all(b, k->frame, edge);
    au_bld_goto(b, block_node(b, k, e->target));
}

/* A branch to several edges, values settled: each takes its copies from the same ones. */
static void take_edge_from(bld *b, body *k, uint32_t node, uint32_t edge) {
    size_t n = b->block->value.n;
    au_bld_value *saved = au_alloc_array(n + 1, sizeof *saved);
    if (n)
        memcpy(saved, b->block->value.at, n * sizeof *saved);
    b->node = node;
    take_edge(b, k, edge);
    b->block->value.n = 0;
    au_vec_append(&b->block->value, saved, n);
    free(saved);
}

/* Does the block do nothing but fail? Then the call that says so; else AU_NONE. */
static uint32_t only_fails(const au_code *c, uint32_t edge) {
    const struct au_code_edge *e = &c->edge[edge];
    for (uint32_t i = e->target;; i++) {
        switch (c->insn[i].op) {
        case AU_C_CALL:
            return c->call[c->insn[i].aux].fails ? i : AU_NONE;
        case AU_C_LOAD:
        case AU_C_STORE:
        case AU_C_COPY:
        case AU_C_SET:
        case AU_C_RMW:
        case AU_C_CMPXCHG:
        case AU_C_BR:
        case AU_C_CONDBR:
        case AU_C_SWITCH:
        case AU_C_INDIRECTBR:
        case AU_C_RET:
        case AU_C_RESUME:
        case AU_C_UNREACHABLE:
            return AU_NONE;
        default:
            break;
        }
    }
}

/* The last step is what this other instruction of its function says. */
static void mark_as(bld *b, const au_code *c, uint32_t insn) {
    au_step *p = &au_vec_last(&b->m->step);
    const char *file = au_code_text(c, c->file[insn]);
    if (c->line[insn]) {
        p->line = c->line[insn];
        p->loc = *file ? au_intern_add(&b->m->strings, file, strlen(file)) : AU_NONE;
    }
    b->s->out->number.at[p->id] = c->insn[insn].number;
}

static bool is_assume(const bld *b, const au_code *c, const struct au_code_call *k) {
    return b->s->o.svcomp && k->name && !strcmp(au_code_text(c, k->name), "abort");
}

static void cond_br(bld *b, body *k, const au_code_insn *i) {
    const au_code *c = b->s->fn.at[b->s->frame.at[k->frame].fn].code;
    au_term cond = au_bld_value_of(b, i->a, 1);
    if (au_term_is_const(b->t, cond)) {
        take_edge(b, k, au_term_is_true(b->t, cond) ? (uint32_t)i->b : (uint32_t)i->c);
        return;
    }
    for (int side = 0; side < 2; side++) {
        uint32_t call = AU_NONE;
        if (i->flags & (side ? AU_CF_FAIL_SECOND : AU_CF_FAIL_FIRST))
            call = only_fails(c, (uint32_t)(side ? i->c : i->b));
        if (call == AU_NONE)
            continue;
        au_bld_flush(b);
        cond = au_bld_value_of(b, i->a, 1);
        if (!side)
            cond = au_term_not(b->t, cond);
        bool assume = is_assume(b, c, &c->call[c->insn[call].aux]);
        au_step *p = au_bld_step(b, assume ? AU_STEP_ASSUME : AU_STEP_ASSERT);
        if (assume)
            p->guard = cond;
        else
            p->cond = cond;
        mark_as(b, c, call);
        take_edge(b, k, (uint32_t)(side ? i->b : i->c));
        return;
    }
    au_bld_flush(b);
    uint32_t no;
    au_bld_branch(b, au_bld_value_of(b, i->a, 1), &no);
    take_edge_from(b, k, b->node, (uint32_t)i->b);
    take_edge_from(b, k, no, (uint32_t)i->c);
}

static void switch_br(bld *b, body *k, const au_code_insn *i) {
    const au_code *c = b->s->fn.at[b->s->frame.at[k->frame].fn].code;
    const struct au_code_switch *w = &c->sw[i->aux];
    uint32_t rest;
    if (i->op == AU_C_INDIRECTBR) { /* addresses of blocks have no value: any of them */
        au_bld_flush(b);
        au_src_over(b->s, k->frame, b->insn, "computed goto");
        for (uint32_t j = 0; j < w->n_succ; j++) {
            uint32_t edge = c->index[w->succ + j];
            if (j + 1 == w->n_succ) {
                take_edge_from(b, k, b->node, edge);
                break;
            }
            au_bld_choose(b, &rest, AU_OVER);
            take_edge_from(b, k, b->node, edge);
            b->node = rest;
        }
        b->node = AU_NONE;
        return;
    }
    au_bld_value_of(b, i->a, w->width);
    au_bld_flush(b);
    for (uint32_t j = 0; j < w->n; j++) {
        const struct au_code_case *o = &c->kase[w->first + j];
        au_term v = au_bld_value_of(b, i->a, w->width);
        au_term is = au_term_eq(b->t, v, au_term_const(b->t, w->width, o->value));
        if (au_term_is_false(b->t, is))
            continue;
        if (au_term_is_true(b->t, is)) {
            take_edge_from(b, k, b->node, o->edge);
            b->node = AU_NONE;
            return;
        }
        au_bld_branch(b, is, &rest);
        take_edge_from(b, k, b->node, o->edge);
        b->node = rest;
    }
    take_edge_from(b, k, b->node, w->otherwise);
    b->node = AU_NONE;
}

/* --- calls ----------------------------------------------------------------------- */

/* Where an exception goes that leaves the frame. */
static void unwind(bld *b, uint32_t frame) {
    uint32_t to = b->s->frame.at[frame].unwind;
    if (to == AU_NONE)
        au_bld_stop(b);
    else
        au_bld_goto(b, to);
}

/* From here into a function that several calls share, which comes back to 'on'. */
static void go_in(bld *b, uint32_t entry, uint32_t on) {
    size_t before = b->m->step.n;
    au_bld_goto(b, entry);
    if (b->m->step.n > before)
        au_vec_push(&b->m->call, ((au_call){(uint32_t)b->m->step.n - 1, on}));
}

static void add_return(au_src_frame *r, struct au_src_return k) {
    if (r->n_returns == r->cap_returns) {
        r->cap_returns = r->cap_returns ? 2 * r->cap_returns : 4;
        r->returns = au_realloc_array(r->returns, r->cap_returns, sizeof *r->returns);
    }
    r->returns[r->n_returns++] = k;
}

/* r: the frame it enters. Afterwards we are where it came back, or nowhere. */
static void enter(bld *b, body *k, const au_code_insn *i, const au_src_call *r, bool outside) {
    src *s = b->s;
    au_src_call row = *r;
    uint32_t me = b->block->frame, insn = b->insn;
    const struct au_code_call *c = &s->fn.at[s->frame.at[me].fn].code->call[i->aux];
    bool any = outside;
    if (!any && c->name) {
        const au_libc *l = au_src_library_find(au_src_call_name(s, s->frame.at[me].fn, c));
        any = l && (l->does == AU_DOES_CALLBACK) &&
              au_src_direct(s, s->frame.at[me].fn, c) == AU_NONE;
    }
    bool once = false;
    if (c->name && au_src_direct(s, s->frame.at[me].fn, c) == AU_NONE) {
        const au_libc *l = au_src_library_find(au_src_call_name(s, s->frame.at[me].fn, c));
        once = l && l->does == AU_DOES_SYNC;
    }
    au_bld_settle(b);
    if (!once) {
        au_bld_copy_byval(b, &row, c);
        au_bld_pass_arguments(b, &row, c, any);
    }
    bool result = i->dst != AU_NONE && !any && !once;
    uint32_t back = au_bld_node(b), away = AU_NONE;
    if (c->invoke && c->unwind != AU_NONE && k)
        away = au_bld_node(b);
    else
        away = s->frame.at[me].unwind;
    if (s->frame.at[row.frame].shared) {
        if (s->frame.at[row.frame].entry == AU_NONE) {
            char name[32];
            au_src_frame *f = &s->frame.at[row.frame];
            f->entry = au_bld_node(b);
            f->back = au_bld_node(b);
            f->unwind = au_bld_node(b);
            snprintf(name, sizeof name, "f%u.from", row.frame);
            uint32_t v = au_bld_new_local(b, name, 16);
            s->frame.at[row.frame].return_to = v;
            for (uint32_t j = 0; j < s->fn.at[row.fn].f->result_slots; j++) {
                snprintf(name, sizeof name, "f%u.r%u", row.frame, j);
                v = au_bld_new_local(b, name, 64);
                au_vec_push(&s->frame.at[row.frame].result_var, v);
            }
            au_vec_push(&b->work->todo, row.frame);
        }
        au_src_frame *f = &s->frame.at[row.frame];
        au_bld_assign(b, f->return_to, au_term_const(b->t, 16, f->n_returns));
        struct au_src_return ret = {
            .frame = me, .insn = insn, .land = au_bld_node(b), .on = back, .unwind = away};
        add_return(&s->frame.at[row.frame], ret);
        go_in(b, s->frame.at[row.frame].entry, back);
        b->node = back;
        for (uint32_t j = 0; j < c->result_slots && result; j++)
            if (j < s->frame.at[row.frame].result_var.n)
                au_bld_set(b, i->dst + j, au_bld_local(b, s->frame.at[row.frame].result_var.at[j]));
            else
                au_bld_set_any(b, i->dst + j, AU_OVER);
        if (result)
            au_bld_settle(b);
        back = b->node;
    } else {
        au_src_frame *f = &s->frame.at[row.frame];
        f->back = back;
        f->unwind = away;
        f->entry = b->node;
        au_bld_flush(b);
        au_bld_block inner = {.frame = row.frame, .up = b->block};
        au_bld_block *outer = b->block;
        b->block = &inner;
        au_bld_frame(b, row.frame);
        au_vec_release(&inner.value);
        b->block = outer;
        b->insn = insn;
        b->node = back;
        /* The result is in the locals of our slots. */
        for (uint32_t j = 0; j < c->result_slots && result; j++) {
            const au_src_fn *mine = &s->fn.at[s->frame.at[me].fn];
            if (!mine->cross[i->dst + j]) {
                au_bld_value v = {.slot = i->dst + j,
                                  .term =
                                      au_model_var_term(b->m, au_bld_slot_var(b, me, i->dst + j))};
                au_vec_push(&b->block->value, v);
            }
        }
    }
    if (c->invoke && c->unwind != AU_NONE && k) {
        take_edge_from(b, k, away, c->unwind);
        b->node = back;
    }
    if (c->noreturn && !s->o.n_entries && !once && !any)
        au_bld_stop(b);
}

void au_bld_call_outside(bld *b, const au_code_insn *i, const au_src_call *r) {
    enter(b, NULL, i, r, true);
}

void au_bld_call_frame(bld *b, const au_code_insn *i, const au_src_call *r) {
    enter(b, NULL, i, r, false);
}

static void visit_hub(bld *b) {
    src *s = b->s;
    au_bld_work *w = b->work;
    uint32_t me = b->block->frame;
    const au_src_call *first = au_src_calls(s, me, b->insn);
    if (!first)
        return;
    for (const au_src_call *r = first; r; r = r->next ? &s->call.at[r->next - 1] : NULL) {
        bool known = !s->frame.at[r->frame].shared;
        for (size_t i = 0; i < w->hub_call.n && !known; i++)
            known = s->call.at[w->hub_call.at[i]].frame == r->frame;
        if (known)
            continue;
        au_vec_push(&w->hub_call, (uint32_t)(r - s->call.at));
        au_vec_push(&w->hub_from, me);
    }
    if (w->hub == AU_NONE) {
        w->hub = w->hub_loop = au_bld_node(b);
        w->hub_var = au_bld_new_local(b, "outside.from", 16);
    }
    au_bld_settle(b);
    au_bld_assign(b, w->hub_var, au_term_const(b->t, 16, w->hub_back.n));
    struct au_src_return back = {.frame = me,
                                 .insn = b->insn,
                                 .land = au_bld_node(b),
                                 .on = au_bld_node(b),
                                 .unwind = AU_NONE};
    au_vec_push(&w->hub_back, back);
    go_in(b, w->hub_loop, back.on);
    b->node = back.on;
}

static uint32_t stranger(bld *b, const struct au_code_call *c) {
    src *s = b->s;
    uint32_t fn = s->frame.at[b->block->frame].fn;
    const char *name = c->name ? au_src_call_name(s, fn, c) : "";
    uint64_t *at = au_map_put(&b->stranger_at, au_hash_bytes(name, strlen(name)), NULL);
    if (!*at) {
        au_vec_push(&s->out->stranger, au_src_text(s, "%s", name));
        *at = s->out->stranger.n;
    }
    return (uint32_t)*at;
}

static void unknown_effect(bld *b, body *k, const au_code_insn *i, const struct au_code_call *c) {
    src *s = b->s;
    uint32_t me = b->block->frame;
    au_src_touches t = {0};
    au_src_reach(s, me, c, &t);
    au_bld_settle(b);
    b->unknown = stranger(b, c);
    for (size_t j = 0; j < t.n; j++)
        au_bld_touch(b, &t.at[j], true, AU_OVER);
    b->unknown = 0;
    au_vec_release(&t);
    /* Functions that it was given it may call, as often as it likes. */
    visit_hub(b);
    if (i->dst != AU_NONE && c->result_used)
        for (uint32_t j = 0; j < c->result_slots; j++)
            au_bld_set_any(b, i->dst + j, AU_OVER);
    if (c->invoke && c->unwind != AU_NONE && k) {
        uint32_t on;
        au_bld_choose(b, &on, AU_OVER);
        take_edge_from(b, k, b->node, c->unwind);
        b->node = on;
    }
}

/* A pointer argument to one of several objects: it may be any of them. */
static bool is_maybe(const au_src_touches *t, size_t i) {
    for (size_t k = 0; k < t->n; k++)
        if (k != i && t->at[k].write == t->at[i].write && t->at[k].bulk == t->at[i].bulk)
            return true;
    return false;
}

/* A write of all of it: nobody may be using it. What lies there afterwards is the allocator's. Of an
 * object that exists once, and null or not, that is what the program does. */
static void give_memory_back(bld *b, const struct au_code_call *c) {
    src *s = b->s;
    uint32_t me = b->block->frame, skip = AU_NONE;
    au_src_touches t = {0};
    au_src_touches_of(s, me, b->insn, &t);
    const au_src_obj *o = t.n == 1 ? &s->obj.at[s->loc.at[t.at[0].loc].obj] : NULL;
    if (o && !o->many && !o->absorbed && c->n_args) {
        au_operand at = s->fn.at[s->frame.at[me].fn].code->arg[c->arg].at;
        au_term begin = au_term_const(b->t, 64, o->address);
        au_bld_value_of(b, at, 64);
        au_bld_settle(b);
        au_term is = au_term_eq(b->t, au_bld_value_of(b, at, 64), begin);
        if (!au_term_is_const(b->t, is))
            au_bld_branch(b, is, &skip);
        if (!au_term_is_false(b->t, is))
            au_bld_touch(b, &t.at[0], false, AU_INPUT);
        if (skip != AU_NONE) {
            au_bld_settle(b);
            au_bld_goto(b, skip);
            b->node = skip;
        }
    } else {
        for (size_t j = 0; j < t.n; j++)
            au_bld_touch(b, &t.at[j], t.n > 1, AU_OVER);
    }
    au_vec_release(&t);
}

static void library(bld *b, body *k, const au_code_insn *i, const struct au_code_call *c,
                    const au_libc *l) {
    src *s = b->s;
    uint32_t me = b->block->frame;
    const au_code *code = s->fn.at[s->frame.at[me].fn].code;
    switch ((au_libc_does)l->does) {
    case AU_DOES_SYNC:
        au_bld_sync(b, i, c, l);
        break;
    case AU_DOES_NORETURN:
        au_bld_stop(b);
        return;
    case AU_DOES_FAILS: {
        au_term cond = au_term_bool(b->t, false);
        bool on = *l->args && c->n_args;
        au_bld_settle(b);
        if (on) {
            unsigned w = code->arg[c->arg].width ? code->arg[c->arg].width : 64;
            cond = au_term_truth(b->t, au_bld_value_of(b, code->arg[c->arg].at, w));
        }
        bool assume = is_assume(b, code, c);
        au_step *p = au_bld_step(b, assume ? AU_STEP_ASSUME : AU_STEP_ASSERT);
        if (assume)
            p->guard = cond;
        else
            p->cond = cond;
        if (!on)
            b->node = AU_NONE;
        return;
    }
    case AU_DOES_ASSUME:
        if (c->n_args) {
            unsigned w = code->arg[c->arg].width ? code->arg[c->arg].width : 64;
            au_bld_value_of(b, code->arg[c->arg].at, w);
            au_bld_settle(b);
            au_term cond = au_term_truth(b->t, au_bld_value_of(b, code->arg[c->arg].at, w));
            au_bld_step(b, AU_STEP_ASSUME)->guard = cond;
        }
        return;
    case AU_DOES_ALLOC:
    case AU_DOES_REALLOC: {
        au_src_touches t = {0};
        au_src_touches_of(s, me, b->insn, &t);
        for (size_t j = 0; j < t.n; j++)
            au_bld_touch(b, &t.at[j], l->does == AU_DOES_REALLOC || is_maybe(&t, j), AU_OVER);
        au_vec_release(&t);
        if (i->dst == AU_NONE)
            return;
        uint64_t *obj = au_map_find(&s->heap_at, au_key2(me, b->insn));
        const au_src_obj *o = obj ? &s->obj.at[*obj - 1] : NULL;
        if (l->does == AU_DOES_ALLOC && o && !o->absorbed && (!o->many || !o->compared)) {
            au_term at = au_term_const(b->t, 64, o->address);
            if (s->o.svcomp) {
                au_bld_set(b, i->dst, at);
                return;
            }
            if (b->bit == AU_NONE)
                b->bit = au_bld_new_local(b, "choice", 1);
            au_bld_havoc(b, b->bit, AU_INPUT);
            au_bld_set(
                b, i->dst,
                au_term_ite(b->t, au_model_var_term(b->m, b->bit), at, au_term_const(b->t, 64, 0)));
        } else {
            au_bld_set_any(b, i->dst, AU_OVER);
        }
        return;
    }
    case AU_DOES_FREE:
        give_memory_back(b, c);
        break;
    case AU_DOES_MEMORY:
    case AU_DOES_CALLBACK: {
        au_src_touches t = {0};
        au_src_touches_of(s, me, b->insn, &t);
        for (size_t j = 0; j < t.n; j++)
            au_bld_touch(b, &t.at[j], is_maybe(&t, j), AU_OVER);
        au_vec_release(&t);
        if (l->does == AU_DOES_CALLBACK) {
            uint32_t loop = AU_NONE;
            for (const au_src_call *r = au_src_calls(s, me, b->insn); r;
                 r = r->next ? &s->call.at[r->next - 1] : NULL) {
                uint32_t on;
                if (loop == AU_NONE) {
                    au_bld_settle(b);
                    loop = au_bld_node(b);
                    au_bld_goto(b, loop);
                    b->node = loop;
                }
                au_bld_choose(b, &on, AU_OVER);
                enter(b, k, i, r, false);
                if (b->node != AU_NONE) {
                    au_bld_settle(b);
                    au_bld_goto(b, loop);
                }
                b->node = on;
            }
        }
        break;
    }
    default:
        break;
    }
    if (l->does == AU_DOES_SYNC || b->node == AU_NONE || i->dst == AU_NONE || !c->result_used)
        return;
    if (l->result == 'z') {
        au_bld_set(b, i->dst, au_term_const(b->t, c->result_width ? c->result_width : 32, 0));
        return;
    }
    /* Of the others only some values can be. */
    bool input = l->does == AU_DOES_NONDET && !strncmp(l->name, "__VERIFIER_", 11);
    au_exactness how = input ? AU_INPUT : l->does == AU_DOES_CALLBACK ? AU_OVER : AU_RESULT;
    if (l->result != 'i' && l->result != 'b')
        how = AU_OVER;
    for (uint32_t j = 0; j < c->result_slots; j++)
        au_bld_set_any(b, i->dst + j, how);
    if (l->result == 'b' && c->result_width > 1) {
        unsigned w = c->result_width;
        au_bld_settle(b);
        au_term v = au_bld_value_of(b, (au_operand)i->dst, w);
        b->how = how;
        au_bld_step(b, AU_STEP_ASSUME)->guard =
            au_term_make(b->t, AU_T_ULE, v, au_term_const(b->t, w, 1));
    }
}

static bool is_atomic_function(const src *s, uint32_t fn) {
    const au_src_fn *f = &s->fn.at[fn];
    return !strncmp(au_code_text(f->code, f->f->name), "__VERIFIER_atomic_", 18);
}

static void call(bld *b, body *k, const au_code_insn *i) {
    src *s = b->s;
    uint32_t me = b->block->frame, fn = s->frame.at[me].fn;
    const au_code *code = s->fn.at[fn].code;
    const struct au_code_call *c = &code->call[i->aux];
    const au_src_call *r = au_src_calls(s, me, b->insn);
    uint32_t direct = au_src_direct(s, fn, c);
    if (direct != AU_NONE) {
        if (!r) { /* not found to be reached: cannot be */
            au_bld_stop(b);
            return;
        }
        const char *name = au_code_text(s->fn.at[direct].code, s->fn.at[direct].f->name);
        if (!strcmp(name, "reach_error")) { /* its own body calls abort or nothing */
            au_bld_settle(b);
            au_bld_step(b, AU_STEP_ASSERT)->cond = au_term_bool(b->t, false);
            b->node = AU_NONE;
            return;
        }
        bool atomic = is_atomic_function(s, direct) && b->atomic != AU_NONE;
        if (atomic) {
            au_bld_settle(b);
            uint32_t to = au_bld_node(b), first = (uint32_t)b->m->step.n;
            au_sync_acq(b->m, b->mt, b->node, to, b->atomic);
            au_bld_mark(b, first);
            b->node = to;
        }
        enter(b, k, i, r, false);
        if (atomic && b->node != AU_NONE) {
            au_bld_settle(b);
            uint32_t to = au_bld_node(b), first = (uint32_t)b->m->step.n;
            au_sync_rel(b->m, b->mt, b->node, to, b->atomic);
            au_bld_mark(b, first);
            b->node = to;
        }
        return;
    }
    if (c->kind == AU_CALL_INDIRECT || (c->kind == AU_CALL_SILENT && !c->name)) {
        uint32_t end = au_bld_node(b);
        bool reached = false;
        bool outside = au_map_find(&s->outside_call, au_key2(me, b->insn)) != NULL;
        if (!r && !outside)
            au_src_lost(s, me, b->insn, "call through a pointer with no known target");
        else if (outside)
            au_src_lost(s, me, b->insn, "call of an unknown function through a pointer");
        au_bld_value_of(b, c->target, 64);
        au_bld_settle(b);
        for (; r; r = r->next ? &s->call.at[r->next - 1] : NULL) {
            uint64_t at = s->obj.at[au_src_obj_of_function(s, r->fn)].address;
            au_term is =
                au_term_eq(b->t, au_bld_value_of(b, c->target, 64), au_term_const(b->t, 64, at));
            uint32_t other = AU_NONE;
            if (au_term_is_false(b->t, is))
                continue;
            if (!au_term_is_true(b->t, is) && (r->next || outside)) {
                au_bld_branch(b, is, &other);
            } else if (!au_term_is_true(b->t, is)) {
                other = AU_NONE; /* the last of them: it must be this one */
            }
            size_t n = b->block->value.n;
            au_bld_value *saved = au_alloc_array(n + 1, sizeof *saved);
            if (n)
                memcpy(saved, b->block->value.at, n * sizeof *saved);
            enter(b, k, i, r, false);
            if (b->node != AU_NONE) {
                au_bld_settle(b);
                au_bld_goto(b, end);
                reached = true;
            }
            b->block->value.n = 0;
            au_vec_append(&b->block->value, saved, n);
            free(saved);
            b->node = other;
            if (other == AU_NONE)
                break;
        }
        if (b->node != AU_NONE) {
            unknown_effect(b, k, i, c);
            if (b->node != AU_NONE) {
                au_bld_settle(b);
                au_bld_goto(b, end);
                reached = true;
            }
        }
        b->node = reached ? end : AU_NONE;
        if (b->node != AU_NONE && i->dst != AU_NONE)
            for (uint32_t j = 0; j < c->result_slots; j++)
                if (!s->fn.at[fn].cross[i->dst + j]) {
                    au_bld_value v = {
                        .slot = i->dst + j,
                        .term = au_model_var_term(b->m, au_bld_slot_var(b, me, i->dst + j))};
                    size_t keep = 0;
                    for (size_t q = 0; q < b->block->value.n; q++)
                        if (b->block->value.at[q].slot != v.slot)
                            b->block->value.at[keep++] = b->block->value.at[q];
                    b->block->value.n = keep;
                    au_vec_push(&b->block->value, v);
                }
        return;
    }
    const char *name = c->name ? au_src_call_name(s, fn, c) : "";
    const au_libc *known = au_libc_find(name);
    au_libc_does does = known ? known->does : AU_DOES_UNSTATED;
    if (does == AU_DOES_SETJMP) {
        au_src_over(s, me, b->insn, "setjmp");
        au_bld_settle(b);
        uint32_t at = au_bld_node(b);
        au_bld_goto(b, at);
        b->node = at;
        au_vec_push(&b->work->setjmp, at);
        if (i->dst != AU_NONE)
            au_bld_set_any(b, i->dst, AU_OVER);
        return;
    }
    if (does == AU_DOES_LONGJMP) {
        au_src_over(s, me, b->insn, "longjmp");
        au_bld_settle(b);
        au_vec_push(&b->work->longjmp, b->node);
        b->node = AU_NONE;
        return;
    }
    if (does == AU_DOES_THROW) {
        au_bld_settle(b);
        if (c->invoke && c->unwind != AU_NONE)
            take_edge(b, k, c->unwind);
        else
            unwind(b, me);
        return;
    }
    au_src_name_unfollowed(s, me, b->insn, name, c);
    if (!strcmp(name, "asm")) {
        au_src_lost(s, me, b->insn, "inline assembler");
        unknown_effect(b, k, i, c);
        return;
    }
    const au_libc *l = au_src_library_find(name);
    if (l) {
        library(b, k, i, c, l);
        return;
    }
    if (c->fails || (c->noreturn && !c->invoke)) {
        au_bld_settle(b);
        if (c->fails)
            au_bld_step(b, AU_STEP_ASSERT)->cond = au_term_bool(b->t, false);
        else
            au_bld_stop(b);
        b->node = AU_NONE;
        return;
    }
    if (does == AU_DOES_QUIET)
        au_src_over(s, me, b->insn, "call of unknown function '%s'", name);
    else
        au_src_lost(s, me, b->insn, "call of unknown function '%s'", name);
    unknown_effect(b, k, i, c);
}

static void give_back(bld *b, const au_code_insn *i) {
    src *s = b->s;
    uint32_t me = b->block->frame;
    const au_src_frame *r = &s->frame.at[me];
    if (r->shared) {
        for (uint32_t j = 0; j < i->aux && j < r->result_var.n; j++) {
            au_operand o = i->a >= 0 ? i->a + (au_operand)j : i->a - (au_operand)j;
            au_term v = au_bld_value_of(b, o, 64);
            au_bld_assign(b, s->frame.at[me].result_var.at[j], v);
        }
    } else if (r->parent != AU_NONE) {
        const au_src_fn *p = &s->fn.at[s->frame.at[r->parent].fn];
        const au_code_insn *at = &p->code->insn[r->insn];
        const struct au_code_call *c = &p->code->call[at->aux];
        bool plain = !c->name || au_src_direct(s, s->frame.at[r->parent].fn, c) != AU_NONE ||
                     !au_src_library_find(au_code_text(p->code, c->name));
        for (uint32_t j = 0; j < c->result_slots && at->dst != AU_NONE && plain; j++) {
            uint32_t v = au_bld_slot_var(b, s->frame.at[me].parent, at->dst + j);
            unsigned w = b->m->var.at[v].width;
            if (j >= i->aux) {
                au_bld_havoc(b, v, AU_OVER);
                continue;
            }
            au_operand o = i->a >= 0 ? i->a + (au_operand)j : i->a - (au_operand)j;
            au_bld_assign(b, v, au_bld_value_of(b, o, w));
        }
    }
    au_bld_goto(b, s->frame.at[me].back);
}

/* A call with a way for exceptions ends its block. */
static void go_on(bld *b, body *k, const au_code_insn *i) {
    const au_code *c = b->s->fn.at[b->s->frame.at[k->frame].fn].code;
    const struct au_code_call *l = &c->call[i->aux];
    if (!l->invoke || l->normal == AU_NONE || b->node == AU_NONE)
        return;
    take_edge(b, k, l->normal);
    b->node = AU_NONE;
}

static void instruction(bld *b, body *k, const au_code_insn *i) {
    switch (i->op) {
    case AU_C_ALLOCA: {
        uint64_t *obj = au_map_find(&b->s->heap_at, au_key2(k->frame, b->insn));
        if (obj && !b->s->obj.at[*obj - 1].many)
            au_bld_set(b, i->dst, au_term_const(b->t, 64, b->s->obj.at[*obj - 1].address));
        else
            au_bld_set_any(b, i->dst, AU_OVER);
        break;
    }
    case AU_C_LOAD:
    case AU_C_STORE:
    case AU_C_COPY:
    case AU_C_SET:
    case AU_C_FORGET:
    case AU_C_RMW:
    case AU_C_CMPXCHG:
        au_bld_memory(b, i);
        break;
    case AU_C_FENCE:
    case AU_C_HOOKS:
        break;
    case AU_C_BR:
        take_edge(b, k, (uint32_t)i->a);
        break;
    case AU_C_CONDBR:
        cond_br(b, k, i);
        break;
    case AU_C_SWITCH:
    case AU_C_INDIRECTBR:
        switch_br(b, k, i);
        break;
    case AU_C_RET:
        give_back(b, i);
        break;
    case AU_C_CALL:
    case AU_C_ANNOTATE:
        call(b, k, i);
        go_on(b, k, i);
        break;
    case AU_C_RESUME:
        au_bld_settle(b);
        unwind(b, k->frame);
        break;
    case AU_C_UNREACHABLE:
        au_bld_stop(b);
        break;
    default:
        AU_BUG_IF(!au_bld_compute(b, i));
    }
}

static void build_block(bld *b, body *k, uint32_t first) {
    const au_src_fn *f = &b->s->fn.at[b->s->frame.at[k->frame].fn];
    au_vec_clear(&b->block->value);
    au_vec_clear(&b->pending);
    for (uint32_t i = first; i < f->f->first + f->f->n && f->code->block[i] == first; i++) {
        b->insn = i;
        if (b->node == AU_NONE || au_src_late(b->s))
            return;
        instruction(b, k, &f->code->insn[i]);
    }
}

/* From b->node; leaves through the frame's 'back'. */
void au_bld_frame(bld *b, uint32_t frame) {
    const au_src_fn *f = &b->s->fn.at[b->s->frame.at[frame].fn];
    body k = {.frame = frame, .node = au_alloc_array(f->f->n + 1u, sizeof *k.node)};
    b->insn = f->f->first;
    uint32_t entry = block_node(b, &k, f->f->first);
    au_bld_goto(b, entry);
    while (k.todo.n && !b->s->failed) {
        uint32_t first = au_vec_pop(&k.todo);
        b->node = k.node[first - f->f->first] - 1;
        build_block(b, &k, first);
    }
    b->node = AU_NONE;
    au_vec_clear(&b->pending);
    free(k.node);
    au_vec_release(&k.todo);
    b->s->frame.at[frame].built = true;
}
