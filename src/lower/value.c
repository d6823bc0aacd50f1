/* lower/value.c: instructions on values as terms. Addresses are constants of the model that stand for
 * those of a run: what is computed from them must not depend on which they are, else it is any value. */
#include "lower/build.h"

#include <stdio.h>

static const au_src_fn *here(const bld *b) {
    return &b->s->fn.at[b->s->frame.at[b->block->frame].fn];
}

uint32_t au_bld_slot_var(bld *b, uint32_t frame, uint32_t slot) {
    au_src_frame *r = &b->s->frame.at[frame];
    const au_src_fn *f = &b->s->fn.at[r->fn];
    while (r->slot_var.n < f->f->slots)
        au_vec_push(&r->slot_var, AU_NONE);
    if (r->slot_var.at[slot] == AU_NONE) {
        char name[48];
        snprintf(name, sizeof name, "f%u.s%u", frame, slot);
        uint32_t v = au_bld_new_local(b, name, f->width[slot] ? f->width[slot] : 64);
        b->s->frame.at[frame].slot_var.at[slot] = v;
        return v;
    }
    return r->slot_var.at[slot];
}

bool au_bld_points(bld *b, au_operand o) {
    return au_src_points(b->s, b->block->frame, o).n > 0;
}

static au_term fit(bld *b, au_term x, unsigned width) {
    unsigned w = au_term_width(b->t, x);
    if (w < width)
        return au_term_zext(b->t, x, width);
    return w > width ? au_term_extract(b->t, x, 0, width) : x;
}

static uint64_t name_address(bld *b, uint32_t module, uint32_t name) {
    const char *text = au_code_text(b->s->code[module], name);
    bool fresh;
    uint64_t *at = au_map_put(&b->names, au_hash_bytes(text, strlen(text)), &fresh);
    if (fresh)
        *at = UINT64_C(0x6000000000000000) + (b->names.n << 8);
    return *at;
}

au_term au_bld_value_of(bld *b, au_operand o, unsigned width) {
    const au_src_fn *f = here(b);
    if (o < 0) {
        const struct au_code_const *k = &f->code->pool[~o];
        switch (k->kind) {
        case AU_CONST_NUMBER:
            return au_term_const(b->t, width, k->value);
        case AU_CONST_GLOBAL: {
            uint32_t obj = au_src_obj_of_global(b->s, f->module, k->index, b->thread);
            return fit(b, au_term_const(b->t, 64, b->s->obj.at[obj].address + k->value), width);
        }
        case AU_CONST_FUNCTION: {
            uint32_t loc = au_src_const_loc(b->s, b->block->frame, o);
            uint64_t at = loc != AU_NONE ? b->s->obj.at[b->s->loc.at[loc].obj].address
                                         : name_address(b, f->module, k->index);
            return fit(b, au_term_const(b->t, 64, at), width);
        }
        default:
            break;
        }
    }
    uint32_t slot = (uint32_t)o; /* large for a constant that is not known */
    for (size_t i = b->block->value.n; i-- > 0;)
        if (b->block->value.at[i].slot == slot)
            return fit(b, b->block->value.at[i].term, width);
    if (o >= 0 && !f->vague[slot])
        return fit(b, au_bld_local(b, au_bld_slot_var(b, b->block->frame, slot)), width);
    /* Any value, the same in all of this block. */
    uint32_t v;
    if (o < 0) {
        char name[32];
        snprintf(name, sizeof name, "any%u", b->n_locals);
        v = au_bld_new_local(b, name, 64);
    } else {
        v = au_bld_slot_var(b, b->block->frame, slot);
    }
    au_bld_havoc(b, v, AU_OVER);
    au_bld_value entry = {.slot = slot, .term = au_model_var_term(b->m, v)};
    au_vec_push(&b->block->value, entry);
    return fit(b, entry.term, width);
}

void au_bld_set(bld *b, uint32_t slot, au_term value) {
    const au_src_fn *f = here(b);
    unsigned width = f->width[slot] ? f->width[slot] : 64;
    value = fit(b, value, width);
    if (f->cross[slot])
        au_bld_assign(b, au_bld_slot_var(b, b->block->frame, slot), value);
    for (size_t i = 0; i < b->block->value.n; i++)
        if (b->block->value.at[i].slot == slot) {
            b->block->value.at[i].term = value;
            return;
        }
    au_bld_value v = {.slot = slot, .term = value};
    au_vec_push(&b->block->value, v);
}

void au_bld_set_any(bld *b, uint32_t slot, au_exactness how) {
    const au_src_fn *f = here(b);
    uint32_t v = au_bld_slot_var(b, b->block->frame, slot);
    au_bld_havoc(b, v, how);
    if (!f->cross[slot])
        au_bld_set(b, slot, au_model_var_term(b->m, v));
}

/* --- instructions ---------------------------------------------------------------- */

static au_operand later(au_operand o, uint32_t k) {
    return o >= 0 ? o + (au_operand)k : o - (au_operand)k;
}

static au_term_op binary_op(unsigned op) {
    switch (op) {
    case AU_C_ADD:
        return AU_T_ADD;
    case AU_C_SUB:
        return AU_T_SUB;
    case AU_C_MUL:
        return AU_T_MUL;
    case AU_C_UDIV:
        return AU_T_UDIV;
    case AU_C_SDIV:
        return AU_T_SDIV;
    case AU_C_UREM:
        return AU_T_UREM;
    case AU_C_SREM:
        return AU_T_SREM;
    case AU_C_SHL:
        return AU_T_SHL;
    case AU_C_LSHR:
        return AU_T_LSHR;
    case AU_C_ASHR:
        return AU_T_ASHR;
    case AU_C_AND:
        return AU_T_AND;
    case AU_C_OR:
        return AU_T_OR;
    case AU_C_XOR:
        return AU_T_XOR;
    case AU_C_EQ:
    case AU_C_NE:
        return AU_T_EQ;
    case AU_C_ULT:
        return AU_T_ULT;
    case AU_C_ULE:
        return AU_T_ULE;
    case AU_C_SLT:
        return AU_T_SLT;
    case AU_C_SLE:
        return AU_T_SLE;
    default:
        return AU_T_OPS;
    }
}

/* Both point into one object that is there once: what lies between them is known. */
static bool same_object(bld *b, au_operand x, au_operand y) {
    au_src_set p = au_src_points(b->s, b->block->frame, x);
    uint32_t obj = AU_NONE;
    for (size_t i = 0; i < p.n; i++) {
        uint32_t o = b->s->loc.at[p.at ? p.at[i] : p.one].obj;
        if (obj != AU_NONE && o != obj)
            return false;
        obj = o;
    }
    p = au_src_points(b->s, b->block->frame, y);
    for (size_t i = 0; i < p.n; i++) {
        uint32_t o = b->s->loc.at[p.at ? p.at[i] : p.one].obj;
        if (obj != AU_NONE && o != obj)
            return false;
        obj = o;
    }
    return obj != AU_NONE && !b->s->obj.at[obj].many && !b->s->obj.at[obj].absorbed &&
           b->s->obj.at[obj].kind != OBJ_OUTSIDE;
}

/* Whether the result would depend on where things lie in memory. */
static bool address_matters(bld *b, const au_code_insn *i) {
    bool p = i->width == 64 && au_bld_points(b, i->a), q = i->width == 64 && au_bld_points(b, i->b);
    if (!p && !q)
        return false;
    switch (i->op) {
    case AU_C_ADD:
        return p && q;
    case AU_C_SUB:
        return q && !(p && same_object(b, i->a, i->b));
    case AU_C_EQ:
    case AU_C_NE:
        return false;
    case AU_C_ULT:
    case AU_C_ULE:
    case AU_C_SLT:
    case AU_C_SLE:
        return !(p && q && same_object(b, i->a, i->b));
    default:
        return true;
    }
}

static void binary(bld *b, const au_code_insn *i) {
    if (address_matters(b, i)) {
        au_src_over(b->s, b->block->frame, b->insn, "arithmetic on addresses");
        au_bld_set_any(b, i->dst, AU_OVER);
        return;
    }
    au_term x = au_bld_value_of(b, i->a, i->width), y = au_bld_value_of(b, i->b, i->width);
    x = au_bld_value_of(b, i->a, i->width); /* the second may have made a step */
    au_term r = au_term_make(b->t, binary_op(i->op), x, y);
    au_bld_set(b, i->dst, i->op == AU_C_NE ? au_term_not(b->t, r) : r);
}

static void min_max(bld *b, const au_code_insn *i) {
    bool is_signed = i->op == AU_C_SMIN || i->op == AU_C_SMAX;
    bool least = i->op == AU_C_SMIN || i->op == AU_C_UMIN;
    au_term y = au_bld_value_of(b, i->b, i->width), x = au_bld_value_of(b, i->a, i->width);
    y = au_bld_value_of(b, i->b, i->width);
    au_term less = au_term_make(b->t, is_signed ? AU_T_SLT : AU_T_ULT, x, y);
    au_bld_set(b, i->dst, least ? au_term_ite(b->t, less, x, y) : au_term_ite(b->t, less, y, x));
}

static void overflow(bld *b, const au_code_insn *i) {
    unsigned w = i->width;
    if (w > 31 + 33 || (i->from == AU_C_MUL && w > 32) || i->aux / 8 > 1 || w == 0) {
        for (uint32_t k = 0; k < au_src_dst_slots(here(b)->code, i); k++)
            au_bld_set_any(b, i->dst + k, AU_OVER);
        return;
    }
    au_term x = au_bld_value_of(b, i->a, w), y = au_bld_value_of(b, i->b, w), over, r;
    x = au_bld_value_of(b, i->a, w);
    au_terms *t = b->t;
    au_term_op op = i->from == AU_C_ADD ? AU_T_ADD : i->from == AU_C_SUB ? AU_T_SUB : AU_T_MUL;
    bool is_signed = i->flags & AU_CF_SIGNED;
    r = au_term_make(t, op, x, y);
    if (w <= 32) {
        au_term X = is_signed ? au_term_sext(t, x, 2 * w) : au_term_zext(t, x, 2 * w);
        au_term Y = is_signed ? au_term_sext(t, y, 2 * w) : au_term_zext(t, y, 2 * w);
        au_term R = is_signed ? au_term_sext(t, r, 2 * w) : au_term_zext(t, r, 2 * w);
        over = au_term_not(t, au_term_eq(t, au_term_make(t, op, X, Y), R));
    } else if (!is_signed) {
        over = op == AU_T_ADD ? au_term_make(t, AU_T_ULT, r, x) : au_term_make(t, AU_T_ULT, x, y);
    } else {
        au_term zero = au_term_const(t, w, 0);
        au_term nx = au_term_make(t, AU_T_SLT, x, zero), ny = au_term_make(t, AU_T_SLT, y, zero),
                nr = au_term_make(t, AU_T_SLT, r, zero);
        au_term same = au_term_eq(t, nx, ny);
        if (op == AU_T_SUB)
            same = au_term_not(t, same);
        over = au_term_and(t, same, au_term_not(t, au_term_eq(t, nx, nr)));
    }
    if (i->aux / 8 == 0) { /* both in the first slot */
        au_term bit = au_term_zext(t, over, 64 - i->aux * 8);
        au_bld_set(b, i->dst, au_term_make(t, AU_T_CONCAT, bit, fit(b, r, i->aux * 8)));
    } else {
        au_bld_set(b, i->dst, fit(b, r, 64));
        au_bld_set(b, i->dst + 1, au_term_zext(t, over, 64));
    }
}

static void bytes_get(bld *b, const au_code_insn *i) {
    uint32_t off = i->aux & 0xffff;
    if (!i->width) {
        for (uint32_t k = 0; k < au_src_dst_slots(here(b)->code, i); k++)
            if (off % 8 == 0 &&
                ((i->aux >> 16) % 8 == 0 || k + 1 < au_src_dst_slots(here(b)->code, i)))
                au_bld_set(b, i->dst + k, au_bld_value_of(b, later(i->a, off / 8 + k), 64));
            else
                au_bld_set_any(b, i->dst + k, AU_OVER);
        return;
    }
    if (off % 8 * 8 + i->width > 64) {
        au_bld_set_any(b, i->dst, AU_OVER);
        return;
    }
    au_term x = au_bld_value_of(b, later(i->a, off / 8), 64);
    au_bld_set(b, i->dst, au_term_extract(b->t, x, off % 8 * 8, i->width));
}

static void bytes_put(bld *b, const au_code_insn *i) {
    uint32_t off = i->aux & 0xffff, slots = (uint32_t)i->c;
    unsigned bits = (i->width + 7u) / 8 * 8;
    for (uint32_t k = 0; k < slots; k++) {
        bool touched = i->width ? k == off / 8 : k * 8 + 8 > off && k * 8 < off + (i->aux >> 16);
        if (!touched) {
            au_bld_set(b, i->dst + k, au_bld_value_of(b, later(i->a, k), 64));
        } else if (!i->width) {
            if (off % 8 == 0 && off + (i->aux >> 16) >= k * 8 + 8)
                au_bld_set(b, i->dst + k, au_bld_value_of(b, later(i->b, k - off / 8), 64));
            else
                au_bld_set_any(b, i->dst + k, AU_OVER);
        } else if (off % 8 * 8 + bits > 64) {
            au_bld_set_any(b, i->dst + k, AU_OVER);
        } else {
            unsigned low = off % 8 * 8;
            au_term v = au_bld_value_of(b, i->b, i->width),
                    old = au_bld_value_of(b, later(i->a, k), 64);
            v = fit(b, au_bld_value_of(b, i->b, i->width), bits);
            if (low)
                v = au_term_make(b->t, AU_T_CONCAT, v, au_term_extract(b->t, old, 0, low));
            if (low + bits < 64)
                v = au_term_make(b->t, AU_T_CONCAT,
                                 au_term_extract(b->t, old, low + bits, 64 - low - bits), v);
            au_bld_set(b, i->dst + k, v);
        }
    }
}

/* What touches memory is missed there; of the rest only the value is not known. */
static void unmodelled(bld *b, const char *what) {
    static const char *const touches[] = {"segment", "asm goto", "load",     "store",
                                          "gather",  "scatter",  "llvm.mem", "llvm.x86"};
    for (size_t k = 0; k < sizeof touches / sizeof *touches; k++)
        if (strstr(what, touches[k])) {
            au_src_lost(b->s, b->block->frame, b->insn, "%s", what);
            return;
        }
    au_src_over(b->s, b->block->frame, b->insn, "%s", what);
}

bool au_bld_compute(bld *b, const au_code_insn *i) {
    au_terms *t = b->t;
    switch (i->op) {
    case AU_C_ADD:
    case AU_C_SUB:
    case AU_C_ARITHMETIC:
    case AU_C_COMPARES:
        binary(b, i);
        return true;
    case AU_C_MOVE:
        for (uint32_t k = 0; k < i->aux; k++) {
            unsigned w = i->width ? i->width : 64;
            au_bld_set(b, i->dst + k, au_bld_value_of(b, later(i->a, k), w));
        }
        return true;
    case AU_C_TRUNC:
        if (i->from == 64 && au_bld_points(b, i->a))
            au_bld_set_any(b, i->dst, AU_OVER);
        else
            au_bld_set(b, i->dst,
                       au_term_extract(t, au_bld_value_of(b, i->a, i->from), 0, i->width));
        return true;
    case AU_C_ZEXT:
        au_bld_set(b, i->dst, au_term_zext(t, au_bld_value_of(b, i->a, i->from), i->width));
        return true;
    case AU_C_SEXT:
        au_bld_set(b, i->dst, au_term_sext(t, au_bld_value_of(b, i->a, i->from), i->width));
        return true;
    case AU_C_SELECT:
        for (uint32_t k = 0; k < i->aux; k++) {
            unsigned w = i->width ? i->width : 64;
            /* Whatever makes a step does so the first time. */
            au_bld_value_of(b, i->a, 1);
            au_bld_value_of(b, later(i->b, k), w);
            au_term z = au_bld_value_of(b, later(i->c, k), w);
            au_term c = au_bld_value_of(b, i->a, 1), y = au_bld_value_of(b, later(i->b, k), w);
            au_bld_set(b, i->dst + k, au_term_ite(t, c, y, z));
        }
        return true;
    case AU_C_SCALE: {
        au_term y = au_term_sext(t, au_bld_value_of(b, i->b, i->from), 64);
        au_term x = au_bld_value_of(b, i->a, 64);
        au_term k = au_term_const(t, 64, here(b)->code->immediate[i->aux]);
        au_bld_set(b, i->dst, au_term_make(t, AU_T_ADD, x, au_term_make(t, AU_T_MUL, y, k)));
        return true;
    }
    case AU_C_SMIN:
    case AU_C_SMAX:
    case AU_C_UMIN:
    case AU_C_UMAX:
        min_max(b, i);
        return true;
    case AU_C_ABS: {
        au_term x = au_bld_value_of(b, i->a, i->width), zero = au_term_const(t, i->width, 0);
        au_bld_set(
            b, i->dst,
            au_term_ite(t, au_term_make(t, AU_T_SLT, x, zero), au_term_make(t, AU_T_NEG, x, x), x));
        return true;
    }
    case AU_C_OVERFLOW:
        overflow(b, i);
        return true;
    case AU_C_BYTES_GET:
        bytes_get(b, i);
        return true;
    case AU_C_BYTES_PUT:
        bytes_put(b, i);
        return true;
    case AU_C_INTRINSICS:
        au_bld_set_any(b, i->dst, AU_OVER);
        return true;
    case AU_C_UNMODELLED:
        unmodelled(b, au_code_text(here(b)->code, i->aux));
        return true; /* any value, when it is asked for */
    case AU_C_WIDE:
    case AU_C_LANDINGPAD:
        return true;
    default:
        return false;
    }
}
