/* lower/expr.c: values by where they come from; see lower/path.h. */
#include "lower/path.h"

#include <string.h>

/* A larger expression is a value of which nothing is known: a lock reached through it protects nothing, as any that
 * lower/path.h does not know. Warnings stay, none is lost. */
enum { MOST_SIZE = 16, MOST_DEPTH = 60 };

typedef struct {
    bool leaf;
    uint8_t op, width, from; /* an operation: as in code.h; from AU_C_OPS on: an object's address */
    uint8_t size;            /* leaves in it, at least 1 */
    uint32_t frame, slot;    /* leaf */
    uint64_t number;         /* SCALE: bytes of an element; address: the object */
    au_src_value of[3];
} expr;
enum { OP_ADDRESS = AU_C_OPS, OP_ZERO };

/* What sets the slots of a function. */
typedef struct {
    uint32_t *insn; /* AU_NONE: none */
    uint8_t *how;
    bool known;
} defs;
enum { BY_INSN = 1, BY_EDGE = 2, BY_CALLER = 4, ODD = 8 };

struct au_src_values {
    src *s;
    AU_VEC(expr) expr;
    au_idtable index;
    defs *defs;   /* by function */
    au_map known; /* frame << 32 | slot: in 'value' + 1 */
    AU_VEC(au_src_value) value;
    unsigned depth;
};

static const au_src_value nothing = {AU_NONE, 0};

/* --- expressions ------------------------------------------------------------------------------- */

static bool same_expr(const void *ctx, uint32_t id, const void *key) {
    const expr *a = &((const au_src_values *)ctx)->expr.at[id], *b = key;
    bool same = a->leaf == b->leaf && a->op == b->op && a->width == b->width &&
                a->from == b->from && a->frame == b->frame && a->slot == b->slot &&
                a->number == b->number;
    for (int i = 0; i < 3; i++)
        same &= a->of[i].base == b->of[i].base && a->of[i].off == b->of[i].off;
    return same;
}

static uint32_t find_expr(au_src_values *v, const expr *e, bool make) {
    uint64_t h = au_hash_join((uint64_t)e->op << 24 | (uint64_t)e->width << 16 |
                                  (uint64_t)e->from << 8 | e->leaf,
                              au_key2(e->frame, e->slot));
    h = au_hash_join(h, e->number);
    for (int i = 0; i < 3; i++)
        h = au_hash_join(au_hash_join(h, e->of[i].base), e->of[i].off);
    uint32_t id = au_idtable_find(&v->index, h, same_expr, v, e);
    if (id != AU_NONE)
        return id;
    if (!make)
        return AU_NONE;
    id = (uint32_t)v->expr.n;
    au_vec_push(&v->expr, *e);
    au_idtable_add(&v->index, h, id);
    return id;
}

uint32_t au_src_value_leaf(au_src_values *v, uint32_t frame, uint32_t slot, bool make) {
    expr e = {.leaf = true, .size = 1, .frame = frame, .slot = slot};
    return find_expr(v, &e, make);
}

bool au_src_value_mentions(const au_src_values *v, uint32_t base, uint32_t leaf) {
    if (base == AU_NONE || leaf == AU_NONE)
        return false;
    if (base == leaf)
        return true;
    const expr *e = &v->expr.at[base];
    for (int i = 0; i < 3 && !e->leaf && e->op < OP_ADDRESS; i++)
        if (au_src_value_mentions(v, e->of[i].base, leaf))
            return true;
    return false;
}

bool au_src_value_is_of(const au_src_values *v, uint32_t base, uint32_t frame) {
    if (base == AU_NONE)
        return false;
    const expr *e = &v->expr.at[base];
    if (e->leaf)
        return e->frame == frame;
    for (int i = 0; i < 3 && e->op < OP_ADDRESS; i++)
        if (au_src_value_is_of(v, e->of[i].base, frame))
            return true;
    return false;
}

bool au_src_value_alike(const au_src_values *v, au_src_value a, au_src_value b, uint32_t leaf_a,
                        uint32_t leaf_b, bool (*settled)(void *ctx, uint32_t frame, uint32_t slot),
                        void *ctx) {
    if (a.base == AU_NONE || b.base == AU_NONE || a.off != b.off)
        return false;
    if (a.base == leaf_a || b.base == leaf_b)
        return a.base == leaf_a && b.base == leaf_b;
    const expr *x = &v->expr.at[a.base], *y = &v->expr.at[b.base];
    if (x->leaf || x->op >= OP_ADDRESS)
        return a.base == b.base && (!x->leaf || settled(ctx, x->frame, x->slot));
    bool same = !y->leaf && x->op == y->op && x->width == y->width && x->from == y->from &&
                x->number == y->number;
    for (int i = 0; i < 3 && same; i++)
        same = (x->of[i].base == AU_NONE && y->of[i].base == AU_NONE) ||
               au_src_value_alike(v, x->of[i], y->of[i], leaf_a, leaf_b, settled, ctx);
    return same;
}

uint32_t au_src_value_array(const au_src_values *v, uint32_t base) {
    const expr *e = base == AU_NONE ? NULL : &v->expr.at[base];
    return e && !e->leaf && e->op == AU_C_SCALE ? e->of[0].base : AU_NONE;
}

bool au_src_value_element(const au_src_values *v, uint32_t base, au_src_value *array,
                          au_src_value *index, uint64_t *bytes) {
    const expr *e = base == AU_NONE ? NULL : &v->expr.at[base];
    if (!e || e->leaf || e->op != AU_C_SCALE)
        return false;
    *array = e->of[0];
    *index = e->of[1];
    *bytes = e->number;
    return true;
}

bool au_src_value_cast(const au_src_values *v, uint32_t base, au_src_value *of, unsigned *width) {
    const expr *e = base == AU_NONE ? NULL : &v->expr.at[base];
    if (!e || e->leaf || (e->op != AU_C_ZEXT && e->op != AU_C_SEXT && e->op != AU_C_TRUNC))
        return false;
    *of = e->of[0];
    *width = e->width;
    return true;
}

bool au_src_value_is_leaf(const au_src_values *v, uint32_t base, uint32_t *frame, uint32_t *slot) {
    const expr *e = base == AU_NONE ? NULL : &v->expr.at[base];
    if (!e || !e->leaf)
        return false;
    *frame = e->frame;
    *slot = e->slot;
    return true;
}

bool au_src_value_is_address(const au_src_values *v, uint32_t base) {
    return base != AU_NONE && !v->expr.at[base].leaf && v->expr.at[base].op == OP_ADDRESS;
}

void au_src_value_places(au_src_values *v, uint32_t base,
                         void (*put)(void *ctx, uint32_t obj, int64_t off), void *ctx) {
    const src *s = v->s;
    expr e = v->expr.at[base];
    if (!e.leaf && e.op == OP_ADDRESS)
        put(ctx, (uint32_t)e.number, 0);
    if (!e.leaf)
        return;
    const au_src_node *n = &s->node.at[s->frame.at[e.frame].node + e.slot];
    for (size_t i = 0; i < n->loc.n; i++) {
        const au_src_loc *l = &s->loc.at[n->loc.at[i]];
        const au_src_obj *o = &s->obj.at[l->obj];
        bool one = !l->stride && !o->collapsed && !o->absorbed &&
                   (o->kind == OBJ_GLOBAL || o->kind == OBJ_STACK || o->kind == OBJ_HEAP);
        for (size_t k = 0; k < n->loc.n && one; k++)
            one = k == i || s->loc.at[n->loc.at[k]].obj != l->obj;
        if (one)
            put(ctx, l->obj, l->off);
    }
}

static bool is_number(au_src_value x, uint64_t n) {
    return x.base == AU_SRC_ZERO && x.off == n;
}

uint32_t au_src_value_truth(const au_src_values *v, au_src_value x, bool *turned) {
    *turned = false;
    while (x.base != AU_NONE && !x.off) {
        const expr *e = &v->expr.at[x.base];
        if (e->leaf || e->op >= OP_ADDRESS)
            return x.base;
        if ((e->op == AU_C_EQ || e->op == AU_C_NE) &&
            (is_number(e->of[0], 0) || is_number(e->of[1], 0))) {
            *turned ^= e->op == AU_C_EQ;
            x = is_number(e->of[0], 0) ? e->of[1] : e->of[0];
        } else if (e->op == AU_C_ZEXT || e->op == AU_C_SEXT) {
            x = e->of[0];
        } else if (e->op == AU_C_XOR && e->width == 1 && is_number(e->of[1], 1)) {
            *turned ^= true;
            x = e->of[0];
        } else {
            return x.base;
        }
    }
    return AU_NONE;
}

/* --- slots ------------------------------------------------------------------------------------- */

typedef struct {
    const au_code *c;
    defs *d;
} edge_ctx;

static void set_by_edge(void *ctx, uint32_t edge) {
    edge_ctx *k = ctx;
    const struct au_code_edge *e = &k->c->edge[edge];
    for (uint32_t i = 0; i < e->n_copies; i++)
        for (uint32_t j = 0; j < k->c->copy[e->copy + i].n; j++)
            k->d->how[k->c->copy[e->copy + i].dst + j] |= BY_EDGE;
}

static const defs *defs_of(au_src_values *v, uint32_t fn) {
    defs *d = &v->defs[fn];
    if (d->known)
        return d;
    const au_src_fn *f = &v->s->fn.at[fn];
    const au_code *c = f->code;
    d->known = true;
    d->insn = au_alloc_array(f->f->slots + 1u, sizeof *d->insn);
    d->how = au_alloc_array(f->f->slots + 1u, 1);
    memset(d->insn, 0xff, (f->f->slots + 1u) * sizeof *d->insn);
    for (uint32_t p = 0; p < f->f->n_params; p++)
        for (uint32_t j = 0; j < c->arg[f->f->param + p].slots; j++)
            d->how[(uint32_t)c->arg[f->f->param + p].at + j] |= BY_CALLER;
    edge_ctx k = {c, d};
    for (uint32_t at = f->f->first; at < f->f->first + f->f->n; at++) {
        const au_code_insn *i = &c->insn[at];
        uint32_t n = i->dst == AU_NONE ? 0 : au_src_dst_slots(c, i);
        for (uint32_t j = 0; j < n && i->dst + j < f->f->slots; j++) {
            if (d->how[i->dst + j] & BY_INSN)
                d->how[i->dst + j] |= ODD;
            d->how[i->dst + j] |= BY_INSN;
            d->insn[i->dst + j] = at;
        }
        au_src_each_edge(c, i, set_by_edge, &k);
    }
    for (uint32_t j = 0; j < f->f->slots; j++) {
        uint8_t how = d->how[j] & (BY_INSN | BY_EDGE | BY_CALLER);
        if (how & (how - 1u)) /* more than one of them: not a slot of SSA */
            d->how[j] |= ODD;
    }
    return d;
}

bool au_src_frame_follows(const src *s, uint32_t frame) {
    const au_src_frame *r = &s->frame.at[frame];
    if (r->shared || r->parent == AU_NONE)
        return false;
    uint32_t fn = s->frame.at[r->parent].fn;
    const au_code *c = s->fn.at[fn].code;
    const struct au_code_call *k = &c->call[c->insn[r->insn].aux];
    return au_src_direct(s, fn, k) != AU_NONE || k->kind == AU_CALL_INDIRECT ||
           (k->kind == AU_CALL_SILENT && !k->name);
}

/* The argument that a parameter's slot is. */
static au_src_value argument(au_src_values *v, uint32_t frame, uint32_t slot) {
    src *s = v->s;
    const au_src_frame *r = &s->frame.at[frame];
    const au_src_fn *g = &s->fn.at[r->fn];
    if (!au_src_frame_follows(s, frame))
        return nothing;
    const au_code *c = s->fn.at[s->frame.at[r->parent].fn].code;
    const struct au_code_call *k = &c->call[c->insn[r->insn].aux];
    for (uint32_t p = 0; p < g->f->n_params && p < k->n_args; p++) {
        const struct au_code_arg *to = &g->code->arg[g->f->param + p], *from = &c->arg[k->arg + p];
        if ((uint32_t)to->at == slot && to->slots == 1 && from->slots == 1 && !to->byval &&
            !from->byval && to->width && to->width == from->width)
            return au_src_value_of(v, r->parent, from->at);
    }
    return nothing;
}

static au_src_value operation(au_src_values *v, uint32_t frame, const au_code_insn *i,
                              uint64_t number, const au_operand *of, unsigned n) {
    expr e = {.op = i->op, .width = i->width, .from = i->from, .number = number};
    const defs *d = defs_of(v, v->s->frame.at[frame].fn);
    unsigned size = 0;
    uint64_t off = 0;
    for (unsigned k = 0; k < 3; k++)
        e.of[k] = nothing;
    for (unsigned k = 0; k < n; k++) {
        if (of[k] >= 0 && d->how[of[k]] & ODD) /* it may be another one where this is used */
            return nothing;
        e.of[k] = au_src_value_of(v, frame, of[k]);
        if (e.of[k].base == AU_NONE)
            return nothing;
        size += v->expr.at[e.of[k].base].size;
    }
    if (size > MOST_SIZE)
        return nothing;
    e.size = (uint8_t)(size ? size : 1);
    if (i->op == AU_C_SCALE) { /* the constant part of the pointer is one of the element's */
        off = e.of[0].off;
        e.of[0].off = 0;
    }
    return (au_src_value){find_expr(v, &e, true), off};
}

static au_src_value plus(au_src_value a, uint64_t n) {
    a.off += n;
    return a;
}

static au_src_value computed(au_src_values *v, uint32_t frame, const au_code_insn *i) {
    const au_code *c = v->s->fn.at[v->s->frame.at[frame].fn].code;
    const defs *d = defs_of(v, v->s->frame.at[frame].fn);
    au_operand of[3] = {i->a, i->b, i->c};
    switch (i->op) {
    case AU_C_ADD:
    case AU_C_SUB:
        if (i->width == 64 && !(i->a >= 0 && d->how[i->a] & ODD) &&
            !(i->b >= 0 && d->how[i->b] & ODD)) {
            au_src_value a = au_src_value_of(v, frame, i->a), b = au_src_value_of(v, frame, i->b);
            if (a.base == AU_NONE || b.base == AU_NONE)
                return nothing;
            if (b.base == AU_SRC_ZERO)
                return plus(a, i->op == AU_C_ADD ? b.off : -b.off);
            if (a.base == AU_SRC_ZERO && i->op == AU_C_ADD)
                return plus(b, a.off);
        }
        return operation(v, frame, i, 0, of, 2);
    case AU_C_ARITHMETIC:
    case AU_C_COMPARES:
        return operation(v, frame, i, 0, of, 2);
    case AU_C_CASTS:
        return operation(v, frame, i, 0, of, 1);
    case AU_C_MOVE:
        if (i->aux != 1 || i->width != 64 || (i->a >= 0 && d->how[i->a] & ODD))
            return nothing;
        return au_src_value_of(v, frame, i->a);
    case AU_C_SELECT:
        return i->aux == 1 && i->width ? operation(v, frame, i, 0, of, 3) : nothing;
    case AU_C_SCALE: {
        uint64_t bytes = c->immediate[i->aux];
        if (i->b < 0 && c->pool[~i->b].kind == AU_CONST_NUMBER) {
            if (i->a >= 0 && d->how[i->a] & ODD)
                return nothing;
            au_src_value a = au_src_value_of(v, frame, i->a);
            uint64_t n = c->pool[~i->b].value;
            unsigned cut = 64u - (i->from && i->from < 64 ? i->from : 64u);
            n = (uint64_t)((int64_t)(n << cut) >> cut);
            return a.base == AU_NONE ? nothing : plus(a, n * bytes);
        }
        return operation(v, frame, i, bytes, of, 2);
    }
    default:
        return nothing;
    }
}

static au_src_value constant(au_src_values *v, uint32_t frame, au_operand o) {
    const au_src_frame *r = &v->s->frame.at[frame];
    const au_src_fn *f = &v->s->fn.at[r->fn];
    const struct au_code_const *k = &f->code->pool[~o];
    if (k->kind == AU_CONST_NUMBER)
        return (au_src_value){AU_SRC_ZERO, k->value};
    if (k->kind != AU_CONST_GLOBAL)
        return nothing;
    expr e = {.op = OP_ADDRESS,
              .size = 1,
              .number = au_src_obj_of_global(v->s, f->module, k->index, r->thread)};
    return (au_src_value){find_expr(v, &e, true), k->value};
}

au_src_value au_src_value_of(au_src_values *v, uint32_t frame, au_operand o) {
    if (o < 0)
        return constant(v, frame, o);
    uint64_t key = au_key2(frame, (uint32_t)o), *at = au_map_find(&v->known, key);
    if (at)
        return v->value.at[*at - 1];
    const au_src_fn *f = &v->s->fn.at[v->s->frame.at[frame].fn];
    const defs *d = defs_of(v, v->s->frame.at[frame].fn);
    au_src_value x = nothing;
    v->depth++;
    if (v->depth > MOST_DEPTH || d->how[o] & ODD)
        x = nothing;
    else if (d->how[o] & BY_CALLER)
        x = argument(v, frame, (uint32_t)o);
    else if (d->how[o] & BY_INSN && f->code->insn[d->insn[o]].dst == (uint32_t)o)
        x = computed(v, frame, &f->code->insn[d->insn[o]]);
    v->depth--;
    if (x.base == AU_NONE)
        x = (au_src_value){au_src_value_leaf(v, frame, (uint32_t)o, true), 0};
    au_vec_push(&v->value, x);
    *au_map_put(&v->known, key, NULL) = v->value.n;
    return x;
}

au_src_values *au_src_values_new(src *s) {
    au_src_values *v = AU_NEW(au_src_values);
    v->s = s;
    v->defs = au_alloc_array(s->fn.n + 1, sizeof *v->defs);
    au_idtable_init(&v->index);
    au_map_init(&v->known);
    expr zero = {.op = OP_ZERO, .size = 1};
    AU_BUG_IF(find_expr(v, &zero, true) != AU_SRC_ZERO);
    return v;
}

void au_src_values_free(au_src_values *v) {
    for (size_t i = 0; i < v->s->fn.n; i++) {
        free(v->defs[i].insn);
        free(v->defs[i].how);
    }
    free(v->defs);
    au_idtable_release(&v->index);
    au_map_release(&v->known);
    au_vec_release(&v->expr);
    au_vec_release(&v->value);
    free(v);
}
