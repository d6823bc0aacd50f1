/* lower/sync.c: threads, locks and their kin.
 *
 * A lock is an object of the model if every call that may be about it knows where it lies: a place in an
 * object that is there once, or one of several such places (then a branch on the pointer tells). Locks of
 * which that cannot be said are left out altogether: taking them is nothing. */
#include "lower/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- one object ------------------------------------------------------------------ */

static char *name_of(const bld *b, uint32_t loc) {
    const au_src_loc *l = &b->s->loc.at[loc];
    const char *name = b->s->obj.at[l->obj].name, *quote = strchr(name, '\'');
    char *base = quote ? au_strndup(quote + 1, strcspn(quote + 1, "'")) : au_strdup(name);
    char *full =
        quote && !l->off ? au_sprintf("%s", base) : au_sprintf("%s%+lld", base, (long long)l->off);
    if (b->s->obj.at[l->obj].kind != OBJ_GLOBAL) {
        char *more = au_sprintf("%s#%u", full, loc);
        free(full);
        full = more;
    }
    free(base);
    return full;
}

static bool is_recursive(const bld *b, uint32_t loc) {
    const uint64_t *init = au_map_find(&b->recursive, loc);
    if (init && *init)
        return *init == 2 || (*init == 1 && b->types & AU_TYPE_RECURSIVE);
    return au_bld_static_type(b->s, loc) == 1;
}

static uint32_t object_at(bld *b, au_map *of, uint32_t loc, au_obj_kind kind) {
    bool fresh;
    if (au_map_find(&b->vague, loc))
        return AU_NONE;
    uint64_t *at = au_map_put(of, loc, &fresh);
    if (fresh) {
        int32_t count = 0;
        if (kind == AU_OBJ_LOCK && is_recursive(b, loc))
            kind = AU_OBJ_RLOCK;
        if (kind == AU_OBJ_SEM || kind == AU_OBJ_BARRIER) {
            uint64_t *n = au_map_find(&b->count, loc);
            if (!n) {
                *au_map_find(of, loc) = 0;
                return AU_NONE;
            }
            count = (int32_t)(*n - 1);
        }
        if (kind == AU_OBJ_BARRIER && count < 1) {
            *au_map_find(of, loc) = 0;
            return AU_NONE;
        }
        char *name = name_of(b, loc);
        if (of == &b->once) {
            char *more = au_sprintf("once %s", name);
            free(name);
            name = more;
        }
        bool taken = false;
        for (size_t i = 0; i < b->m->obj.n && !taken; i++)
            taken = !strcmp(b->m->obj.at[i].name, name);
        if (taken) {
            char *more = au_sprintf("%s#%zu", name, b->m->obj.n);
            free(name);
            name = more;
        }
        uint32_t id = au_model_add_sync(b->m, name, kind, count);
        free(name);
        *au_map_find(of, loc) = id + 1;
        return id;
    }
    return *at ? (uint32_t)*at - 1 : AU_NONE;
}

bool au_bld_lock_known(bld *b, uint32_t frame, au_operand o) {
    au_src_set set = au_src_points(b->s, frame, o);
    bool good = set.n > 0;
    for (size_t i = 0; i < set.n && good; i++) {
        uint32_t loc = set.at ? set.at[i] : set.one;
        good = au_bld_is_place(b->s, loc) && !au_map_find(&b->vague, loc);
    }
    return good;
}

/* --- one of several -------------------------------------------------------------- */

/* Calls act with the model's object for every place the operand may be; AU_NONE where there is none. */
typedef void act_fn(bld *b, uint32_t obj, void *ctx);

static void for_object(bld *b, au_operand o, au_map *of, au_obj_kind kind, act_fn *act, void *ctx) {
    src *s = b->s;
    uint32_t frame = b->block->frame;
    au_src_set set = au_src_points(s, frame, o);
    if (!au_bld_lock_known(b, frame, o)) {
        act(b, AU_NONE, ctx);
        return;
    }
    if (set.n == 1) {
        act(b, object_at(b, of, set.at ? set.at[0] : set.one, kind), ctx);
        return;
    }
    au_bld_value_of(b, o, 64);
    au_bld_settle(b);
    uint32_t end = au_bld_node(b);
    size_t n = set.n;
    for (size_t i = 0; i < n; i++) {
        set = au_src_points(s, frame, o);
        uint32_t loc = set.at[i], rest = AU_NONE;
        uint64_t address = s->obj.at[s->loc.at[loc].obj].address + (uint64_t)s->loc.at[loc].off;
        if (i + 1 < n) {
            au_term is =
                au_term_eq(b->t, au_bld_value_of(b, o, 64), au_term_const(b->t, 64, address));
            if (au_term_is_false(b->t, is))
                continue;
            if (!au_term_is_true(b->t, is))
                au_bld_branch(b, is, &rest);
        }
        act(b, object_at(b, of, loc, kind), ctx);
        if (b->node != AU_NONE) {
            au_bld_settle(b);
            au_bld_goto(b, end);
        }
        b->node = rest;
        if (rest == AU_NONE)
            break;
    }
    b->node = end;
}

/* --- primitives ------------------------------------------------------------------- */

typedef uint32_t make_fn(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj);

static void make(bld *b, make_fn *fn, uint32_t obj) {
    uint32_t to = au_bld_node(b), first = (uint32_t)b->m->step.n;
    fn(b->m, b->mt, b->node, to, obj);
    au_bld_mark(b, first);
    b->node = to;
}

/* Here the program may have to wait for something that is not in the model: a schedule that goes on is no
 * proof that it can. */
static void may_wait(bld *b) {
    b->how = AU_OVER;
    b->s->out->waits = true;
    au_bld_step(b, AU_STEP_ASSUME);
}

static void act_make(bld *b, uint32_t obj, void *ctx) {
    make_fn *fn = *(make_fn **)ctx;
    if (obj != AU_NONE)
        make(b, fn, obj);
    else if (fn != au_sync_rel)
        may_wait(b);
}

static void primitive(bld *b, au_operand o, au_map *of, au_obj_kind kind, make_fn *fn) {
    au_bld_settle(b);
    for_object(b, o, of, kind, act_make, &fn);
}

/* Taken or not: both may be. Leaves the result in the slot. */
static void try_it(bld *b, const au_code_insn *i, const struct au_code_call *c, const au_libc *l,
                   au_map *of, au_obj_kind kind, make_fn *fn) {
    au_operand o = b->s->fn.at[b->s->frame.at[b->block->frame].fn].code->arg[c->arg].at;
    uint32_t no, end = au_bld_node(b), obj = AU_NONE;
    au_bld_result r;
    au_bld_result_begin(b, i, c, &r);
    au_src_set set = au_src_points(b->s, b->block->frame, o);
    if (set.n == 1 && au_bld_lock_known(b, b->block->frame, o))
        obj = object_at(b, of, set.at ? set.at[0] : set.one, kind);
    au_bld_choose(b, &no, AU_OVER);
    primitive(b, o, of, kind, fn);
    au_bld_result_is(b, &r, 0);
    au_bld_settle(b);
    au_bld_goto(b, end);
    b->node = no;
    au_bld_try_fails(b, l, obj, &r);
    au_bld_settle(b);
    au_bld_goto(b, end);
    b->node = end;
    au_bld_result_end(b, i, &r);
}

/* In use by somebody, or not. */
static void act_destroy(bld *b, uint32_t obj, void *ctx) {
    const au_bld_result *r = ctx;
    const au_sync_obj *o = obj == AU_NONE ? NULL : &b->m->obj.at[obj];
    if (!o || b->cond_waits) {
        au_bld_result_any(b, r, false);
        return;
    }
    unsigned w = b->m->var.at[o->var[0]].width;
    au_term is_free =
        au_term_eq(b->t, au_model_var_term(b->m, o->var[0]), au_term_const(b->t, w, 0));
    au_term value = au_term_ite(b->t, is_free, au_term_const(b->t, r->width, 0),
                                au_term_const(b->t, r->width, EBUSY));
    au_bld_flush(b);
    au_step *p = au_bld_step_setting(b, AU_STEP_ASSIGN, r->var);
    au_step_add_update(b->m, p, r->var, value);
}

static void destroy(bld *b, const au_code_insn *i, const struct au_code_call *c, au_operand o) {
    au_bld_result r;
    au_bld_result_begin(b, i, c, &r);
    if (r.var == AU_NONE)
        return;
    au_bld_settle(b);
    for_object(b, o, &b->lock, AU_OBJ_LOCK, act_destroy, &r);
    au_bld_settle(b);
    au_bld_result_end(b, i, &r);
}

typedef struct {
    uint32_t cond;
    au_operand lock;
} wait_ctx;

static void act_wait_lock(bld *b, uint32_t lock, void *ctx) {
    wait_ctx *k = ctx;
    if (lock == AU_NONE) {
        may_wait(b);
        return;
    }
    if (k->cond == AU_NONE) { /* wakes up at any time */
        make(b, au_sync_rel, lock);
        may_wait(b);
        make(b, au_sync_acq, lock);
        return;
    }
    uint32_t to = au_bld_node(b), first = (uint32_t)b->m->step.n;
    au_sync_wait(b->m, b->mt, b->node, to, k->cond, lock);
    au_bld_mark(b, first);
    b->node = to;
}

static void act_wait(bld *b, uint32_t cond, void *ctx) {
    wait_ctx *k = ctx;
    k->cond = cond;
    for_object(b, k->lock, &b->lock, AU_OBJ_LOCK, act_wait_lock, k);
}

static void act_signal(bld *b, uint32_t cond, void *ctx) {
    bool all = *(bool *)ctx;
    if (cond == AU_NONE)
        return;
    uint32_t to = au_bld_node(b), first = (uint32_t)b->m->step.n;
    au_sync_signal(b->m, b->mt, b->node, to, cond, all);
    au_bld_mark(b, first);
    b->node = to;
}

/* --- threads ---------------------------------------------------------------------- */

static void fork_one(bld *b, uint32_t thread, au_operand argument, bool has_argument,
                     au_operand handle, bool has_handle) {
    src *s = b->s;
    const au_src_thread *t = &s->thread.at[thread];
    if (has_argument) {
        au_term v = au_bld_value_of(b, argument, 64);
        au_step *p = au_bld_step(b, AU_STEP_ASSIGN);
        au_step_add_update(b->m, p, t->argument, v);
    } else {
        au_bld_flush(b);
    }
    /* The handle is written before the thread can look for it: so does glibc. */
    if (has_handle)
        au_bld_store_at(b, handle, au_term_const(b->t, 64, t->handle));
    au_bld_settle(b);
    uint32_t to = au_bld_node(b), first = (uint32_t)b->m->step.n;
    au_sync_fork(b->m, b->mt, b->node, to, s->thread.at[thread].model);
    au_bld_mark(b, first);
    b->node = to;
}

static uint32_t forked_flag(bld *b, uint32_t thread) {
    bool fresh;
    uint64_t *at = au_map_put(&b->forked, thread, &fresh);
    if (fresh) {
        char name[32];
        snprintf(name, sizeof name, "created.%u", thread);
        *at = au_bld_new_local(b, name, 1);
    }
    return (uint32_t)*au_map_find(&b->forked, thread);
}

static void create(bld *b, const struct au_code_call *c, const au_libc *l) {
    src *s = b->s;
    uint32_t frame = b->block->frame;
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    const char *h = strchr(l->args, 'h'), *fn = strchr(l->args, 'f'), *a = strchr(l->args, 'a');
    bool object = l->sync == AU_SYNC_START; /* function and argument are not operands */
    au_operand handle = f->code->arg[c->arg + (uint32_t)(h - l->args)].at;
    au_operand target = object ? handle : f->code->arg[c->arg + (uint32_t)(fn - l->args)].at;
    au_operand argument = object ? handle : f->code->arg[c->arg + (uint32_t)(a - l->args)].at;
    const uint64_t *at = au_map_find(&s->created_at, au_key2(frame, b->insn));
    AU_VEC(uint32_t) all = {0};
    for (uint32_t k = at ? (uint32_t)*at : 0; k; k = s->created.at[k - 1].next)
        au_vec_push(&all, s->created.at[k - 1].thread);
    if (!all.n)
        au_src_lost(s, frame, b->insn, "a thread with an unknown function is not modelled");
    au_bld_value_of(b, target, 64);
    au_bld_value_of(b, argument, 64);
    au_bld_settle(b);
    bool one = all.n == 1 && !s->thread.at[all.at[0]].several;
    if (one) {
        fork_one(b, all.at[0], argument, !object, handle, true);
        au_vec_release(&all);
        return;
    }
    uint32_t end = au_bld_node(b);
    if (all.n)
        au_src_over(s, frame, b->insn, "threads created here repeatedly: any %u of them",
                    s->o.instances);
    /* Copies of the values: each way starts from the same ones. */
    size_t n = b->block->value.n;
    au_bld_value *saved = au_alloc_array(n + 1, sizeof *saved);
    if (n)
        memcpy(saved, b->block->value.at, n * sizeof *saved);
    for (size_t i = 0; i < all.n; i++) {
        const au_src_thread *t = &s->thread.at[all.at[i]];
        uint32_t rest, other = AU_NONE, at_fn = au_src_obj_of_function(s, t->fn);
        au_term is = au_term_bool(b->t, true);
        if (!object)
            is = au_term_eq(b->t, au_bld_value_of(b, target, 64),
                            au_term_const(b->t, 64, s->obj.at[at_fn].address));
        uint32_t flag = forked_flag(b, all.at[i]);
        if (au_term_is_false(b->t, is))
            continue;
        au_bld_choose(b, &rest, AU_OVER);
        if (!au_term_is_true(b->t, is)) {
            au_bld_branch(b,
                          au_bld_value_of(b, target, 64).n == is.n
                              ? is
                              : au_term_eq(b->t, au_bld_value_of(b, target, 64),
                                           au_term_const(b->t, 64, s->obj.at[at_fn].address)),
                          &other);
            uint32_t on = b->node;
            b->node = other;
            au_bld_goto(b, rest);
            b->node = on;
        }
        /* Once only. */
        au_bld_branch(b, au_term_not(b->t, au_model_var_term(b->m, flag)), &other);
        uint32_t on = b->node;
        b->node = other;
        au_bld_goto(b, rest);
        b->node = on;
        au_bld_assign(b, flag, au_term_bool(b->t, true));
        fork_one(b, all.at[i], argument, !object, handle, true);
        au_bld_settle(b);
        au_bld_goto(b, end);
        b->block->value.n = 0;
        au_vec_append(&b->block->value, saved, n);
        b->node = rest;
    }
    /* One more, that is not followed. */
    b->how = AU_OVER;
    au_bld_store_at(b, handle, au_term_const(b->t, 64, UINT64_C(0x7f00ffffffff)));
    au_bld_settle(b);
    au_bld_goto(b, end);
    b->node = end;
    free(saved);
    au_vec_release(&all);
}

/* Any of the threads, or none: the handle is not known. */
static void join_one_of(bld *b, uint32_t handle) {
    src *s = b->s;
    uint32_t end = au_bld_node(b);
    au_bld_settle(b);
    for (uint32_t t = 0; t < s->thread.n; t++) {
        if (s->thread.at[t].by_frame == AU_NONE || t == b->thread)
            continue;
        uint32_t rest;
        b->how = AU_OVER;
        au_bld_branch(b,
                      au_term_eq(b->t, au_model_var_term(b->m, handle),
                                 au_term_const(b->t, 64, s->thread.at[t].handle)),
                      &rest);
        uint32_t to = au_bld_node(b), first = (uint32_t)b->m->step.n;
        au_sync_join(b->m, b->mt, b->node, to, s->thread.at[t].model);
        au_bld_mark(b, first);
        b->node = to;
        au_bld_goto(b, end);
        b->node = rest;
    }
    b->how = AU_OVER;
    au_bld_goto(b, end);
    b->node = end;
}

/* It ends first; whoever joins it again is told so at once. */
static void join_it(bld *b, uint32_t thread, const au_bld_result *r, uint32_t end) {
    uint32_t again = AU_NONE, flag = AU_NONE;
    if (r->var != AU_NONE) {
        flag = au_bld_joined_flag(b, thread);
        au_bld_branch(b, au_term_not(b->t, au_model_var_term(b->m, flag)), &again);
    }
    /* A thread that no step creates (yet) is never joined. */
    uint32_t to = au_bld_node(b), first = (uint32_t)b->m->step.n;
    au_sync_join(b->m, b->mt, b->node, to, b->s->thread.at[thread].model);
    au_bld_mark(b, first);
    b->node = to;
    if (flag != AU_NONE) {
        au_bld_assign(b, flag, au_term_bool(b->t, true));
        if (b->joins == MANY || b->detaches || b->s->cancels)
            au_bld_result_any(b, r, false);
        else
            au_bld_result_is(b, r, 0);
        au_bld_settle(b);
    }
    au_bld_goto(b, end);
    if (again != AU_NONE) {
        b->node = again;
        au_bld_result_any(b, r, true);
        au_bld_goto(b, end);
    }
}

void au_bld_join_all(bld *b, uint32_t frame, uint32_t edge) {
    src *s = b->s;
    for (size_t k = 0; k < b->all_joined.n; k++) {
        const au_bld_joined *j = &b->all_joined.at[k];
        for (uint32_t t = 0; t < s->thread.n && j->frame == frame && j->edge == edge; t++) {
            if (s->thread.at[t].by_frame != frame || s->thread.at[t].by_insn != j->create)
                continue;
            uint32_t none;
            au_bld_settle(b);
            au_bld_branch(b, au_model_var_term(b->m, forked_flag(b, t)), &none);
            make(b, au_sync_join, s->thread.at[t].model);
            au_bld_goto(b, none);
            b->node = none;
        }
    }
}

static void join(bld *b, const au_code_insn *i, const struct au_code_call *c, const au_libc *l) {
    src *s = b->s;
    const au_src_fn *f = &s->fn.at[s->frame.at[b->block->frame].fn];
    au_bld_result r;
    au_operand handle = f->code->arg[c->arg].at;
    bool result = l->args[1] == 'v' && c->n_args > 1;
    if (l->args[0] == 'd') { /* std::thread: the handle lies where the pointer points */
        char name[32];
        snprintf(name, sizeof name, "handle%u", b->n_locals);
        uint32_t v = au_bld_new_local(b, name, 64);
        au_bld_havoc(b, v, AU_OVER);
        join_one_of(b, v);
        return;
    }
    au_bld_value_of(b, handle, 64);
    au_bld_settle(b);
    uint32_t end = au_bld_node(b);
    bool sure = false;
    au_bld_result_begin(b, i, c, &r);
    if (s->cancels || b->detaches) { /* it may have ended anywhere; the join may fail */
        uint32_t waits;
        au_bld_choose(b, &waits, AU_OVER);
        uint32_t on = waits;
        au_bld_result_any(b, &r, !s->cancels);
        au_bld_goto(b, end);
        b->node = on;
    }
    for (uint32_t t = 0; t < s->thread.n && !sure; t++) {
        if (s->thread.at[t].by_frame == AU_NONE || t == b->thread)
            continue;
        au_term is = au_term_eq(b->t, au_bld_value_of(b, handle, 64),
                                au_term_const(b->t, 64, s->thread.at[t].handle));
        uint32_t rest = AU_NONE;
        if (au_term_is_false(b->t, is))
            continue;
        if (!au_term_is_true(b->t, is))
            au_bld_branch(b, is, &rest);
        else
            sure = true;
        join_it(b, t, &r, end);
        b->node = rest;
    }
    if (b->node != AU_NONE) {
        au_bld_result_any(b, &r, false);
        b->how = AU_OVER;
        au_bld_goto(b, end);
    }
    b->node = end;
    if (result) {
        au_src_touches t = {0};
        au_src_touch_operand(s, b->block->frame, f->code->arg[c->arg + 1].at, au_src_bytes_of(l, 1),
                             true, true, &t);
        for (size_t k = 0; k < t.n; k++)
            au_bld_touch(b, &t.at[k], t.n > 1, AU_OVER);
        au_vec_release(&t);
    }
    au_bld_result_end(b, i, &r);
}

/* Like a lock and a flag: whoever comes second waits until the function is done. */
static void once(bld *b, const au_code_insn *i, const struct au_code_call *c) {
    src *s = b->s;
    const au_src_fn *f = &s->fn.at[s->frame.at[b->block->frame].fn];
    au_src_set set = au_src_points(s, b->block->frame, f->code->arg[c->arg].at);
    const au_src_call *r = au_src_calls(s, b->block->frame, b->insn);
    uint32_t lock = AU_NONE, done = AU_NONE;
    au_bld_settle(b);
    if (set.n == 1 && au_bld_is_place(s, set.at ? set.at[0] : set.one)) {
        uint32_t loc = set.at ? set.at[0] : set.one;
        lock = object_at(b, &b->once, loc, AU_OBJ_LOCK);
        bool fresh;
        uint64_t *at = au_map_put(&b->names, (uint64_t)loc << 8 | 0xff, &fresh);
        if (lock != AU_NONE && fresh) {
            char name[48];
            snprintf(name, sizeof name, "$once.%u", loc);
            uint32_t v = au_model_add_var(b->m, name, AU_VAR_SYNC, 1, 0, AU_NONE);
            *au_map_find(&b->names, (uint64_t)loc << 8 | 0xff) = v;
            done = v;
        } else if (lock != AU_NONE) {
            done = (uint32_t)*at;
        }
    }
    uint32_t end = au_bld_node(b), skip;
    if (lock != AU_NONE)
        make(b, au_sync_acq, lock);
    if (done != AU_NONE)
        au_bld_branch(b, au_term_not(b->t, au_model_var_term(b->m, done)), &skip);
    else
        au_bld_choose(b, &skip, AU_OVER);
    uint32_t last = au_bld_node(b);
    for (; r; r = r->next ? &s->call.at[r->next - 1] : NULL) {
        uint32_t rest = AU_NONE;
        au_src_call row = *r;
        if (row.next)
            au_bld_choose(b, &rest, AU_OVER);
        au_bld_call_frame(b, i, &row);
        if (b->node != AU_NONE) {
            au_bld_settle(b);
            au_bld_goto(b, last);
        }
        b->node = rest;
        if (rest == AU_NONE)
            break;
    }
    if (b->node != AU_NONE) {
        au_bld_settle(b);
        au_bld_goto(b, last);
    }
    b->node = last;
    if (done != AU_NONE) {
        au_step *p = au_bld_step(b, AU_STEP_ASSIGN);
        au_step_add_update(b->m, p, done, au_term_bool(b->t, true));
    }
    au_bld_goto(b, skip);
    b->node = skip;
    if (lock != AU_NONE)
        make(b, au_sync_rel, lock);
    au_bld_goto(b, end);
    b->node = end;
}

/* --- all of them ------------------------------------------------------------------ */

/* In time, or not: as the clock likes. */
static void timed_out(bld *b, const au_code_insn *i, const au_libc *l, unsigned width) {
    bool pthreads = !strncmp(l->name, "pthread_", 8);
    au_bld_set_any(b, i->dst, pthreads ? AU_INPUT : AU_OVER);
    if (!pthreads)
        return;
    au_bld_settle(b);
    au_term v = au_bld_value_of(b, (au_operand)i->dst, width);
    au_term late = au_term_eq(b->t, v, au_term_const(b->t, width, ETIMEDOUT));
    b->how = AU_INPUT;
    au_bld_step(b, AU_STEP_ASSUME)->guard =
        au_term_or(b->t, late, au_term_eq(b->t, v, au_term_const(b->t, width, 0)));
}

void au_bld_sync(bld *b, const au_code_insn *i, const struct au_code_call *c, const au_libc *l) {
    src *s = b->s;
    const au_src_fn *f = &s->fn.at[s->frame.at[b->block->frame].fn];
    au_operand o = c->n_args ? f->code->arg[c->arg].at : 0;
    unsigned width = c->result_width ? c->result_width : 32;
    if (!c->n_args && *l->args)
        return;
    switch ((au_libc_sync)l->sync) {
    case AU_SYNC_CREATE:
    case AU_SYNC_START:
        if (c->n_args >= strlen(l->args))
            create(b, c, l);
        break;
    case AU_SYNC_JOIN:
        join(b, i, c, l);
        return;
    case AU_SYNC_EXIT:
        au_bld_settle(b);
        if (b->s->frame.at[b->s->thread.at[b->thread].frame].back != AU_NONE)
            au_bld_goto(b, b->m->thread.at[b->mt].exit);
        b->node = AU_NONE;
        return;
    case AU_SYNC_LOCK:
        primitive(b, o, &b->lock, AU_OBJ_LOCK, au_sync_acq);
        break;
    case AU_SYNC_UNLOCK:
        primitive(b, o, &b->lock, AU_OBJ_LOCK, au_sync_rel);
        break;
    case AU_SYNC_TRYLOCK:
        try_it(b, i, c, l, &b->lock, AU_OBJ_LOCK, au_sync_acq);
        return;
    case AU_SYNC_RDLOCK:
        primitive(b, o, &b->rwlock, AU_OBJ_RWLOCK, au_sync_rdacq);
        break;
    case AU_SYNC_WRLOCK:
        primitive(b, o, &b->rwlock, AU_OBJ_RWLOCK, au_sync_wracq);
        break;
    case AU_SYNC_TRYRDLOCK:
        try_it(b, i, c, l, &b->rwlock, AU_OBJ_RWLOCK, au_sync_rdacq);
        return;
    case AU_SYNC_TRYWRLOCK:
        try_it(b, i, c, l, &b->rwlock, AU_OBJ_RWLOCK, au_sync_wracq);
        return;
    case AU_SYNC_RWUNLOCK:
        primitive(b, o, &b->rwlock, AU_OBJ_RWLOCK, au_sync_rel);
        break;
    case AU_SYNC_WAIT:
    case AU_SYNC_TIMEDWAIT: {
        wait_ctx k = {.lock = f->code->arg[c->arg + 1].at};
        au_bld_value_of(b, o, 64);
        au_bld_value_of(b, k.lock, 64);
        au_bld_settle(b);
        for_object(b, o, &b->cond, AU_OBJ_COND, act_wait, &k);
        if (l->sync == AU_SYNC_TIMEDWAIT && i->dst != AU_NONE && b->node != AU_NONE) {
            timed_out(b, i, l, width);
            return;
        }
        break;
    }
    case AU_SYNC_SIGNAL:
    case AU_SYNC_BROADCAST: {
        bool all = l->sync == AU_SYNC_BROADCAST;
        au_bld_settle(b);
        for_object(b, o, &b->cond, AU_OBJ_COND, act_signal, &all);
        break;
    }
    case AU_SYNC_SEM_WAIT:
        primitive(b, o, &b->sem, AU_OBJ_SEM, au_sync_acq);
        break;
    case AU_SYNC_SEM_TRYWAIT:
        try_it(b, i, c, l, &b->sem, AU_OBJ_SEM, au_sync_acq);
        return;
    case AU_SYNC_SEM_POST:
        primitive(b, o, &b->sem, AU_OBJ_SEM, au_sync_rel);
        break;
    case AU_SYNC_BARRIER_WAIT:
        primitive(b, o, &b->barrier, AU_OBJ_BARRIER, au_sync_arrive);
        if (i->dst != AU_NONE) {
            au_bld_set_any(b, i->dst, AU_OVER);
            return;
        }
        break;
    case AU_SYNC_ONCE:
        if (c->n_args > 1)
            once(b, i, c);
        break;
    case AU_SYNC_SELF:
        au_bld_set(b, i->dst, au_term_const(b->t, 64, s->thread.at[b->thread].handle));
        return;
    case AU_SYNC_ATOMIC_BEGIN:
        au_bld_settle(b);
        make(b, au_sync_acq, b->atomic);
        break;
    case AU_SYNC_ATOMIC_END:
        au_bld_settle(b);
        if (b->atomic != AU_NONE)
            make(b, au_sync_rel, b->atomic);
        break;
    case AU_SYNC_NOTHING:
        if (!strcmp(l->name, "pthread_mutex_destroy")) {
            destroy(b, i, c, o);
            return;
        }
        break;
    default:
        break;
    }
    if (b->node == AU_NONE || i->dst == AU_NONE)
        return;
    if (au_bld_may_fail(b, c, l))
        au_bld_set_any(b, i->dst, AU_OVER);
    else
        au_bld_set(b, i->dst, au_term_const(b->t, width, 0));
}
