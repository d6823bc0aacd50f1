/* lower/roots.c: accesses through pointers that were never out of the thread's hands.
 *
 * A pointer that a thread made itself (a local, what malloc gave it) and has only handed on as a value (to functions that it
 * calls, out of them, through additions and choices) leads to an object of its making, whatever became of other
 * pointers to it. Two threads make different objects. So accesses of two threads, each through such a pointer, do not overlap,
 * nor does one with an access of a global. Points-to sets cannot say that of large programs: objects that too
 * many pointers may lead to are not told from each other ('memory of the outside').
 *
 * An object that was given back and made again by another thread is another one; who still uses the former has the bug of
 * using freed memory, or a local of a function that has returned.
 *
 * The root of a slot is all that the pointer in it may be made of: nothing yet, the thread's own objects, one global, or
 * anything (what was loaded, what a thread or a callback is given, what unknown functions return, numbers
 * that are computed). It is the join over all that sets the slot, in all calls of the function by this thread. Integers
 * that are added to pointers do not lead out of the object (source.h). */
#include "lower/build.h"

#include <string.h>

enum { ROOT_NONE, ROOT_ANY, ROOT_OWN, ROOT_GLOBAL /* + object */ };

typedef struct {
    src *s;
    uint32_t *base;   /* by frame: of its slots in 'root' */
    uint32_t *result; /* by frame: root of what it returns */
    uint32_t *root;
    bool changed;
    uint32_t frame;
    const au_code *c;
} roots;

static uint32_t join(uint32_t a, uint32_t b) {
    return a == b || b == ROOT_NONE ? a : a == ROOT_NONE ? b : ROOT_ANY;
}

static void raise(roots *x, uint32_t *at, uint32_t to) {
    uint32_t is = join(*at, to);
    x->changed |= is != *at;
    *at = is;
}

static uint32_t of_constant(const roots *x, uint32_t frame, au_operand o) {
    src *s = x->s;
    const au_src_frame *r = &s->frame.at[frame];
    const au_src_fn *f = &s->fn.at[r->fn];
    const struct au_code_const *k = &f->code->pool[~o];
    if (k->kind == AU_CONST_NUMBER)
        return k->value ? ROOT_ANY : ROOT_NONE; /* nobody accesses what null points to */
    if (k->kind != AU_CONST_GLOBAL)
        return ROOT_ANY;
    const struct au_code_global *g = &f->code->global[k->index];
    if (g->tls)
        return ROOT_OWN;
    uint32_t obj = au_src_obj_of_global(s, f->module, k->index, r->thread);
    return s->obj.at[obj].constant ? ROOT_NONE : ROOT_GLOBAL + obj;
}

static uint32_t of(const roots *x, au_operand o) {
    return o >= 0 ? x->root[x->base[x->frame] + (uint32_t)o] : of_constant(x, x->frame, o);
}

static bool is_number(const roots *x, au_operand o) {
    return o < 0 && x->c->pool[~o].kind == AU_CONST_NUMBER;
}

static au_operand later(au_operand o, uint32_t k) {
    return o >= 0 ? o + (au_operand)k : o - (au_operand)k;
}

/* --- what sets slots -------------------------------------------------------------------------------- */

static uint32_t of_library(const roots *x, const struct au_code_call *k, const au_libc *l) {
    if (l->does == AU_DOES_ALLOC)
        return ROOT_OWN;
    if (l->does == AU_DOES_REALLOC && k->n_args)
        return join(ROOT_OWN, of(x, x->c->arg[k->arg].at));
    if (l->does != AU_DOES_MEMORY && l->does != AU_DOES_PURE)
        return ROOT_ANY;
    if (l->result >= '0' && l->result <= '9')
        return (uint32_t)(l->result - '0') < k->n_args
                   ? of(x, x->c->arg[k->arg + (uint32_t)(l->result - '0')].at)
                   : ROOT_ANY;
    return l->result == 't' ? ROOT_OWN : ROOT_ANY;
}

/* Arguments into the copy that is entered. */
static void pass(roots *x, const struct au_code_call *k, const au_src_call *r, bool plain) {
    const au_src_fn *g = &x->s->fn.at[r->fn];
    for (uint32_t p = 0; p < g->f->n_params; p++) {
        const struct au_code_arg *to = &g->code->arg[g->f->param + p];
        const struct au_code_arg *from = p < k->n_args ? &x->c->arg[k->arg + p] : NULL;
        for (uint32_t j = 0; j < to->slots; j++) {
            uint32_t *at = &x->root[x->base[r->frame] + (uint32_t)to->at + j];
            if (to->byval)
                raise(x, at, plain ? ROOT_OWN : ROOT_ANY);
            else
                raise(x, at,
                      plain && from && j < from->slots && !from->byval ? of(x, later(from->at, j))
                                                                       : ROOT_ANY);
        }
    }
}

static void call(roots *x, uint32_t insn, const au_code_insn *i) {
    src *s = x->s;
    const struct au_code_call *k = &x->c->call[i->aux];
    const au_libc *l = au_src_call_library(x->s, x->frame, k);
    bool named = au_src_direct(s, s->frame.at[x->frame].fn, k) != AU_NONE;
    bool plain = named || k->kind == AU_CALL_INDIRECT || (k->kind == AU_CALL_SILENT && !k->name);
    bool outside = au_map_find(&s->outside_call, au_key2(x->frame, insn)) != NULL;
    uint32_t is = plain ? ROOT_NONE : l ? of_library(x, k, l) : ROOT_ANY;
    if (plain && (outside || !au_src_calls(s, x->frame, insn)))
        is = ROOT_ANY;
    for (const au_src_call *r = au_src_calls(s, x->frame, insn); r;
         r = r->next ? &s->call.at[r->next - 1] : NULL) {
        /* What the outside calls back gets what it is given. */
        pass(x, k, r, plain && !outside);
        if (plain)
            is = join(is, k->result_slots == 1 ? x->result[r->frame] : ROOT_ANY);
    }
    if (i->dst != AU_NONE)
        for (uint32_t j = 0; j < k->result_slots; j++)
            raise(x, &x->root[x->base[x->frame] + i->dst + j], is);
}

static void set(roots *x, uint32_t insn) {
    const au_code_insn *i = &x->c->insn[insn];
    uint32_t is = ROOT_ANY, n;
    switch (i->op) {
    case AU_C_CALL:
        call(x, insn, i);
        return;
    case AU_C_RET:
        raise(x, &x->result[x->frame], i->aux == 1 ? of(x, i->a) : ROOT_ANY);
        return;
    case AU_C_ALLOCA:
        is = ROOT_OWN;
        break;
    case AU_C_ADD:
        if (i->width == 64 && (is_number(x, i->b) || is_number(x, i->a)))
            is = of(x, is_number(x, i->b) ? i->a : i->b);
        break;
    case AU_C_SUB:
        if (i->width == 64 && is_number(x, i->b))
            is = of(x, i->a);
        break;
    case AU_C_SCALE:
        is = of(x, i->a);
        break;
    case AU_C_MOVE:
        for (uint32_t k = 0; k < i->aux; k++)
            raise(x, &x->root[x->base[x->frame] + i->dst + k], of(x, later(i->a, k)));
        return;
    case AU_C_SELECT:
        for (uint32_t k = 0; k < i->aux; k++)
            raise(x, &x->root[x->base[x->frame] + i->dst + k],
                  join(of(x, later(i->b, k)), of(x, later(i->c, k))));
        return;
    default:
        break;
    }
    n = i->dst == AU_NONE ? 0 : au_src_dst_slots(x->c, i);
    for (uint32_t k = 0; k < n; k++)
        raise(x, &x->root[x->base[x->frame] + i->dst + k], is);
}

static void edge(void *ctx, uint32_t edge) {
    roots *x = ctx;
    const struct au_code_edge *e = &x->c->edge[edge];
    for (uint32_t k = 0; k < e->n_copies; k++) {
        const struct au_code_copy *p = &x->c->copy[e->copy + k];
        for (uint32_t j = 0; j < p->n; j++)
            raise(x, &x->root[x->base[x->frame] + p->dst + j], of(x, later(p->src, j)));
    }
}

/* Frames that nobody of the thread calls: of threads, constructors, callbacks. */
static void begin(roots *x) {
    src *s = x->s;
    uint8_t *called = au_alloc_array(s->frame.n + 1, 1);
    for (size_t i = 0; i < s->call.n; i++)
        called[s->call.at[i].frame] = 1;
    for (uint32_t f = 0; f < s->frame.n; f++) {
        const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
        for (uint32_t p = 0; p < g->f->n_params && !called[f]; p++) {
            const struct au_code_arg *to = &g->code->arg[g->f->param + p];
            for (uint32_t j = 0; j < to->slots; j++)
                x->root[x->base[f] + (uint32_t)to->at + j] = ROOT_ANY;
        }
    }
    free(called);
}

static void solve(roots *x) {
    src *s = x->s;
    do {
        x->changed = false;
        for (uint32_t f = 0; f < s->frame.n && !au_src_late(s); f++) {
            const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
            x->frame = f;
            x->c = g->code;
            for (uint32_t k = 0; k < g->f->n; k++)
                if (g->live[k]) {
                    set(x, g->f->first + k);
                    au_src_each_edge(x->c, &x->c->insn[g->f->first + k], edge, x);
                }
        }
    } while (x->changed && !s->failed);
}

/* --- accesses ----------------------------------------------------------------------------------------- */

/* All that a call of the library reads, or writes, is reached from these. */
static void each_argument(const au_code *c, const struct au_code_call *k, const au_libc *l,
                          bool write, au_src_pointer_fn *visit, void *ctx) {
    size_t n = l->args ? strlen(l->args) : 0;
    for (uint32_t a = 0; a < k->n_args; a++) {
        const struct au_code_arg *arg = &c->arg[k->arg + a];
        char what = a < n && l->args[a] != '*'       ? l->args[a]
                    : n > 1 && l->args[n - 1] == '*' ? l->args[n - 2]
                                                     : '-';
        bool touched = l->does == AU_DOES_SYNC
                           ? what == 'h' || what == 'v'
                           : what == 'b' || what == 'p' || what == 'P' || what == 'f' ||
                                 what == (write ? 'w' : 'r') || arg->byval;
        if (l->does == AU_DOES_FREE || l->does == AU_DOES_REALLOC)
            touched = a == 0;
        if (touched)
            visit(ctx, arg->at, arg->slots == 1 && !arg->byval);
    }
}

const au_libc *au_src_call_library(const src *s, uint32_t frame, const struct au_code_call *k) {
    uint32_t fn = s->frame.at[frame].fn;
    return k->name && au_src_direct(s, fn, k) == AU_NONE
               ? au_src_library_find(au_src_call_name(s, fn, k))
               : NULL;
}

bool au_src_each_pointer(const src *s, uint32_t frame, const au_code_insn *i, bool write,
                         au_src_pointer_fn *visit, void *ctx) {
    const au_code *c = s->fn.at[s->frame.at[frame].fn].code;
    const au_libc *l;
    switch (i->op) {
    case AU_C_LOAD:
    case AU_C_STORE:
    case AU_C_RMW:
    case AU_C_CMPXCHG:
    case AU_C_SET:
        visit(ctx, i->a, true);
        return true;
    case AU_C_COPY:
        visit(ctx, write ? i->a : i->b, true);
        return true;
    case AU_C_CALL:
        l = au_src_call_library(s, frame, &c->call[i->aux]);
        if (!l ||
            (l->does != AU_DOES_MEMORY && l->does != AU_DOES_ALLOC && l->does != AU_DOES_REALLOC &&
             l->does != AU_DOES_FREE && l->does != AU_DOES_SYNC))
            return false;
        each_argument(c, &c->call[i->aux], l, write, visit, ctx);
        return true;
    default:
        return false;
    }
}

typedef struct {
    const roots *x;
    uint32_t is;
} joining;

static void join_pointer(void *ctx, au_operand o, bool plain) {
    joining *j = ctx;
    j->is = join(j->is, plain ? of(j->x, o) : ROOT_ANY);
}

static uint32_t of_access(const roots *x, const au_code_insn *i, bool write) {
    joining j = {x, ROOT_NONE};
    return au_src_each_pointer(x->s, x->frame, i, write, join_pointer, &j) ? j.is : ROOT_ANY;
}

static uint32_t guard_of(src *s, uint32_t root, uint32_t had) {
    au_src_guard g = {.bytes = 1};
    if (!root)
        return had;
    if (had)
        g = s->out->guards.at.at[had - 1]; /* borrows its lists */
    g.root = root;
    return au_guard_add(&s->out->guards, &g);
}

void au_bld_guard_root(src *s, uint32_t frame, uint32_t insn, uint32_t reads, uint32_t writes) {
    uint64_t key = au_key2(frame, insn);
    const uint64_t *had = au_map_find(&s->guard_at, key);
    uint64_t is = had ? *had : 0;
    is = (uint64_t)guard_of(s, reads, (uint32_t)(is >> 32)) << 32 |
         guard_of(s, writes, (uint32_t)is);
    *au_map_put(&s->guard_at, key, NULL) = is;
}

void au_bld_roots(bld *b) {
    src *s = b->s;
    roots x = {.s = s};
    uint32_t n = 0;
    x.base = au_alloc_array(s->frame.n + 1, sizeof *x.base);
    x.result = au_alloc_array(s->frame.n + 1, sizeof *x.result);
    for (uint32_t f = 0; f < s->frame.n; f++) {
        x.base[f] = n;
        n += s->fn.at[s->frame.at[f].fn].f->slots;
    }
    x.root = au_alloc_array(n + 1, sizeof *x.root);
    begin(&x);
    solve(&x);
    for (uint32_t f = 0; f < s->frame.n && !s->failed; f++) {
        const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
        x.frame = f;
        x.c = g->code;
        for (uint32_t k = 0; k < g->f->n; k++) {
            const au_code_insn *i = &x.c->insn[g->f->first + k];
            if (!g->live[k])
                continue;
            uint32_t reads = of_access(&x, i, false), writes = of_access(&x, i, true);
            if (reads > ROOT_ANY || writes > ROOT_ANY)
                au_bld_guard_root(s, f, g->f->first + k, reads > ROOT_ANY ? reads : 0,
                                  writes > ROOT_ANY ? writes : 0);
        }
    }
    free(x.base);
    free(x.result);
    free(x.root);
}
