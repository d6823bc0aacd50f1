/* lower/access.c: loads, stores and copies as steps. */
#include "lower/build.h"

#include <stdio.h>
#include <string.h>

static const au_src_cell *cell_at(const bld *b, uint32_t cell) {
    return &b->s->cell.at[cell];
}

/* The address of an exact cell. */
static uint64_t address_of(const bld *b, uint32_t loc) {
    const au_src_loc *l = &b->s->loc.at[loc];
    return b->s->obj.at[l->obj].address + (uint64_t)l->off;
}

static void add_access(bld *b, au_step *p, uint32_t var, bool write) {
    const uint64_t *guard = au_map_find(&b->s->guard_at, au_key2(b->block->frame, b->insn));
    au_step_add_access(b->m, p, var, write);
    b->s->out->unknown.at[p->id] = b->unknown;
    if (guard)
        b->s->out->guard.at[p->id] = (uint32_t)(write ? *guard : *guard >> 32);
}

/* --- one cell -------------------------------------------------------------------- */

/* Reads a cell into a slot. */
static void read_cell(bld *b, uint32_t cell, uint32_t slot, bool atomic) {
    const au_src_cell *c = cell_at(b, cell);
    uint32_t frame = b->block->frame;
    const au_src_fn *f = &b->s->fn.at[b->s->frame.at[frame].fn];
    if (c->constant) {
        au_bld_set(b, slot, au_term_const(b->t, c->bytes * 8, c->value));
        return;
    }
    if (c->exact && c->var != AU_NONE && b->m->var.at[c->var].kind == AU_VAR_LOCAL) {
        au_bld_set(b, slot, au_bld_local(b, c->var));
        return;
    }
    if (c->var == AU_NONE ||
        b->m->var.at[c->var].kind != AU_VAR_SHARED) { /* a summary of its own, or never written */
        au_bld_set_any(b, slot, AU_OVER);
        return;
    }
    uint32_t v = au_bld_slot_var(b, frame, slot);
    if (c->exact) {
        au_step *p = au_bld_step_setting(b, AU_STEP_ASSIGN, v);
        au_term x = au_model_var_term(b->m, c->var);
        unsigned w = b->m->var.at[v].width, have = au_term_width(b->t, x);
        if (have > w)
            x = au_term_extract(b->t, x, 0, w);
        else if (have < w)
            x = au_term_zext(b->t, x, w);
        au_step_add_update(b->m, p, v, x);
        add_access(b, p, c->var, false);
        p->indivisible = atomic;
    } else {
        b->how = AU_OVER;
        au_step *p = au_bld_step_setting(b, AU_STEP_HAVOC, v);
        p->havoc = v;
        add_access(b, p, c->var, false);
        p->indivisible = atomic;
    }
    if (!f->cross[slot])
        au_bld_set(b, slot, au_model_var_term(b->m, v));
}

static void write_cell(bld *b, uint32_t cell, au_term value, bool atomic) {
    const au_src_cell *c = cell_at(b, cell);
    if (c->var == AU_NONE)
        return;
    if (b->m->var.at[c->var].kind == AU_VAR_LOCAL) {
        au_bld_assign(b, c->var, value);
        return;
    }
    if (c->exact) {
        au_step *p = au_bld_step(b, AU_STEP_ASSIGN);
        au_step_add_update(b->m, p, c->var, value);
        add_access(b, p, c->var, true);
        p->indivisible = atomic;
        return;
    }
    b->how = AU_OVER;
    au_step *p = au_bld_step(b, AU_STEP_HAVOC);
    p->havoc = c->var;
    add_access(b, p, c->var, true);
    p->indivisible = atomic;
}

/* Any value is put there. */
static void spoil_cell(bld *b, uint32_t cell, au_exactness how) {
    const au_src_cell *c = cell_at(b, cell);
    if (c->var == AU_NONE)
        return;
    if (!c->exact)
        how = AU_OVER;
    if (b->m->var.at[c->var].kind == AU_VAR_LOCAL) {
        au_bld_havoc(b, c->var, how);
        return;
    }
    b->how = how;
    au_step *p = au_bld_step(b, AU_STEP_HAVOC);
    p->havoc = c->var;
    add_access(b, p, c->var, true);
}

/* A read of which nobody uses the value. sure: it is one of this cell. */
static void look_at_cell(bld *b, uint32_t cell, bool sure) {
    const au_src_cell *c = cell_at(b, cell);
    if (c->var == AU_NONE || b->m->var.at[c->var].kind == AU_VAR_LOCAL)
        return;
    b->how = sure && c->exact ? AU_EXACT : AU_OVER;
    au_step *p = au_bld_step(b, AU_STEP_NOP);
    add_access(b, p, c->var, false);
}

/* --- one of several -------------------------------------------------------------- */

typedef struct {
    uint32_t cell;
    uint32_t loc;   /* of the touch */
    bool addressed; /* an address says whether it is this one */
    uint64_t address;
} target;
typedef AU_VEC(target) targets;

static void targets_of(bld *b, const au_src_touches *t, targets *out) {
    au_src_u32s cells = {0};
    for (size_t i = 0; i < t->n; i++) {
        const au_src_loc *l = &b->s->loc.at[t->at[i].loc];
        const au_src_obj *o = &b->s->obj.at[l->obj];
        target k = {.loc = t->at[i].loc, .cell = AU_NONE};
        if (!o->constant) {
            au_src_cells_of(b->s, &t->at[i], &cells);
            if (cells.n)
                k.cell = cells.at[0];
        }
        k.addressed = !l->stride && !o->many && !o->collapsed && o->kind != OBJ_OUTSIDE;
        k.address = k.addressed ? address_of(b, k.loc) : 0;
        bool known = false;
        for (size_t j = 0; j < out->n && !known; j++)
            if (out->at[j].cell == k.cell && (k.cell != AU_NONE || out->at[j].loc == k.loc)) {
                known = true;
                if (out->at[j].loc != k.loc)
                    out->at[j].addressed = false;
            }
        if (!known)
            au_vec_push(out, k);
    }
    au_vec_release(&cells);
}

/* A constant object: its bytes, if the place is known. */
static bool constant_at(bld *b, uint32_t loc, uint32_t bytes, uint64_t *value) {
    const au_src_loc *l = &b->s->loc.at[loc];
    const au_src_obj *o = &b->s->obj.at[l->obj];
    *value = 0;
    if (o->kind != OBJ_GLOBAL || l->stride || o->many || bytes > 8 || l->off < 0)
        return false;
    const au_code *code = b->s->code[o->module];
    const struct au_code_global *g = &code->global[o->place];
    if (!g->defined || (uint64_t)l->off + bytes > g->size)
        return false;
    for (uint32_t i = 0; i < g->n_relocs; i++) {
        const struct au_code_reloc *r = &code->reloc[g->reloc + i];
        if (r->offset >= (uint64_t)l->off + bytes || r->offset + 8 <= (uint64_t)l->off)
            continue;
        const struct au_code_const *k = &code->pool[r->constant];
        if (r->offset != (uint64_t)l->off || bytes != 8 || k->kind == AU_CONST_UNKNOWN)
            return false;
        if (k->kind == AU_CONST_GLOBAL) {
            uint32_t to = au_src_obj_of_global(b->s, o->module, k->index, b->thread);
            *value = b->s->obj.at[to].address + k->value;
            return true;
        }
        uint32_t fn = au_src_fn_by_name(b->s, o->module, au_code_text(code, k->index));
        if (fn == AU_NONE)
            return false;
        *value = b->s->obj.at[au_src_obj_of_function(b->s, fn)].address;
        return true;
    }
    for (uint32_t i = 0; i < bytes && !g->zero; i++)
        *value |= (uint64_t)code->bytes[g->data + (uint64_t)l->off + i] << (8 * i);
    return true;
}

typedef struct {
    const au_code_insn *i;
    au_term value; /* what is stored */
    au_operand pointer;
    bool load, atomic, rmw;
} access_of;

static au_term rmw_result(bld *b, const au_code_insn *i, au_term old, au_term by, bool *known) {
    au_terms *t = b->t;
    *known = true;
    switch (i->from) {
    case AU_RMW_XCHG:
        return by;
    case AU_RMW_ADD:
        return au_term_make(t, AU_T_ADD, old, by);
    case AU_RMW_SUB:
        return au_term_make(t, AU_T_SUB, old, by);
    case AU_RMW_AND:
        return au_term_make(t, AU_T_AND, old, by);
    case AU_RMW_NAND:
        return au_term_not(t, au_term_make(t, AU_T_AND, old, by));
    case AU_RMW_OR:
        return au_term_make(t, AU_T_OR, old, by);
    case AU_RMW_XOR:
        return au_term_make(t, AU_T_XOR, old, by);
    case AU_RMW_MAX:
        return au_term_ite(t, au_term_make(t, AU_T_SLT, old, by), by, old);
    case AU_RMW_MIN:
        return au_term_ite(t, au_term_make(t, AU_T_SLT, old, by), old, by);
    case AU_RMW_UMAX:
        return au_term_ite(t, au_term_make(t, AU_T_ULT, old, by), by, old);
    case AU_RMW_UMIN:
        return au_term_ite(t, au_term_make(t, AU_T_ULT, old, by), old, by);
    default:
        *known = false;
        return old;
    }
}

/* An atomic read and write, or compare and exchange, of one cell: one step. */
static void rmw_cell(bld *b, uint32_t cell, const au_code_insn *i) {
    unsigned w = i->width;
    bool exchange = i->op == AU_C_CMPXCHG, known = true;
    const au_src_cell *c = cell_at(b, cell);
    uint32_t frame = b->block->frame, var = c->var;
    bool local = var != AU_NONE && b->m->var.at[var].kind == AU_VAR_LOCAL;
    au_operand second = exchange ? i->c : i->b;
    au_bld_value_of(b, i->b, w);
    au_term y = au_bld_value_of(b, second, w), x = au_bld_value_of(b, i->b, w);
    au_term old = var == AU_NONE ? x : local ? au_bld_local(b, var) : au_model_var_term(b->m, var);
    if (!c->exact || var == AU_NONE || i->from == AU_RMW_OTHER || !w ||
        au_term_width(b->t, old) != w) {
        known = false;
    }
    uint32_t slots = au_src_dst_slots(b->s->fn.at[b->s->frame.at[frame].fn].code, i);
    if (!known) {
        uint32_t v = au_bld_slot_var(b, frame, i->dst);
        if (var != AU_NONE && !local) {
            b->how = AU_OVER;
            au_step *p = au_bld_step_setting(b, AU_STEP_HAVOC, v);
            p->havoc = v;
            p->indivisible = true;
            au_step_add_update(b->m, p, var, au_model_var_term(b->m, var));
            add_access(b, p, var, false);
            add_access(b, p, var, true);
            if (c->exact) /* it has a value, and that is not known now */
                spoil_cell(b, cell, AU_OVER);
        } else {
            if (local)
                au_bld_havoc(b, var, AU_OVER);
            au_bld_havoc(b, v, AU_OVER);
        }
        for (uint32_t k = 0; k < slots; k++) {
            uint32_t vk = au_bld_slot_var(b, frame, i->dst + k);
            if (k)
                au_bld_havoc(b, vk, AU_OVER);
            if (!b->s->fn.at[b->s->frame.at[frame].fn].cross[i->dst + k])
                au_bld_set(b, i->dst + k, au_model_var_term(b->m, vk));
        }
        return;
    }
    au_terms *t = b->t;
    au_term made, result;
    if (exchange) {
        au_term same = au_term_eq(t, old, x);
        made = au_term_ite(t, same, y, old);
        if (w < 64)
            result = au_term_make(t, AU_T_CONCAT, au_term_zext(t, same, 64 - w), old);
        else
            result = old;
        if (local) {
            au_bld_set(b, i->dst, result);
            if (w == 64)
                au_bld_set(b, i->dst + 1, au_term_zext(t, same, 64));
            au_bld_assign(b, var, made);
            return;
        }
        uint32_t v = au_bld_slot_var(b, frame, i->dst), v2 = AU_NONE;
        if (w == 64)
            v2 = au_bld_slot_var(b, frame, i->dst + 1);
        au_step *p = au_bld_step_setting(b, AU_STEP_ASSIGN, v);
        au_step_add_update(b->m, p, v, result);
        if (v2 != AU_NONE)
            au_step_add_update(b->m, p, v2, au_term_zext(t, same, 64));
        au_step_add_update(b->m, p, var, made);
        add_access(b, p, var, false);
        add_access(b, p, var, true);
        p->indivisible = true;
    } else {
        made = rmw_result(b, i, old, y, &known);
        if (local) {
            au_bld_set(b, i->dst, old);
            au_bld_assign(b, var, made);
            return;
        }
        uint32_t v = au_bld_slot_var(b, frame, i->dst);
        au_step *p = au_bld_step_setting(b, AU_STEP_ASSIGN, v);
        au_step_add_update(b->m, p, v, old);
        au_step_add_update(b->m, p, var, made);
        add_access(b, p, var, false);
        add_access(b, p, var, true);
        p->indivisible = true;
    }
    for (uint32_t k = 0; k < slots; k++)
        if (!b->s->fn.at[b->s->frame.at[frame].fn].cross[i->dst + k])
            au_bld_set(b, i->dst + k,
                       au_model_var_term(b->m, au_bld_slot_var(b, frame, i->dst + k)));
}

static void at_target(bld *b, const target *k, const access_of *a) {
    if (a->load) {
        uint64_t value;
        uint32_t bytes = (a->i->width + 7u) / 8;
        if (k->cell != AU_NONE)
            read_cell(b, k->cell, a->i->dst, a->atomic);
        else if (constant_at(b, k->loc, bytes, &value))
            au_bld_set(b, a->i->dst, au_term_const(b->t, a->i->width, value));
        else
            au_bld_set_any(b, a->i->dst, AU_OVER);
        return;
    }
    if (k->cell == AU_NONE) {
        if (a->rmw)
            for (uint32_t j = 0; j < 1; j++)
                au_bld_set_any(b, a->i->dst + j, AU_OVER);
        return;
    }
    if (a->rmw) {
        rmw_cell(b, k->cell, a->i);
        return;
    }
    au_term v = a->value;
    if (a->i && a->i->op == AU_C_STORE)
        v = au_bld_value_of(b, a->i->b, a->i->width);
    const au_src_cell *c = cell_at(b, k->cell);
    if (c->exact && au_term_width(b->t, v) != c->bytes * 8) {
        unsigned w = c->bytes * 8;
        v = au_term_width(b->t, v) < w ? au_term_zext(b->t, v, w) : au_term_extract(b->t, v, 0, w);
    }
    write_cell(b, k->cell, v, a->atomic);
}

static void scalar(bld *b, const access_of *a, au_src_touches *t) {
    targets all = {0};
    targets_of(b, t, &all);
    if (!all.n) {
        au_src_lost(b->s, b->block->frame, b->insn,
                    "access through a pointer with no known target");
        if (a->load || a->rmw)
            au_bld_set_any(b, a->i->dst, AU_OVER);
        au_vec_release(&all);
        return;
    }
    if (all.n == 1) {
        at_target(b, &all.at[0], a);
        au_vec_release(&all);
        return;
    }
    if (!a->load && a->i && a->i->op == AU_C_STORE)
        au_bld_value_of(b, a->i->b, a->i->width);
    if (a->rmw) {
        au_bld_value_of(b, a->i->b, a->i->width ? a->i->width : 64);
        if (a->i->op == AU_C_CMPXCHG)
            au_bld_value_of(b, a->i->c, a->i->width ? a->i->width : 64);
    }
    au_bld_value_of(b, a->pointer, 64);
    au_bld_settle(b);
    uint32_t end = au_bld_node(b);
    au_bld_value *saved = au_alloc_array(b->block->value.n + 1, sizeof *saved);
    size_t n = b->block->value.n;
    if (n)
        memcpy(saved, b->block->value.at, n * sizeof *saved);
    bool open = false;
    for (size_t i = 0; i < all.n; i++)
        open |= !all.at[i].addressed;
    if (open)
        au_src_over(b->s, b->block->frame, b->insn,
                    "access through a pointer to one of several objects");
    uint32_t frame = b->block->frame;
    const au_src_fn *f = &b->s->fn.at[b->s->frame.at[frame].fn];
    bool result = a->load || a->rmw;
    uint32_t slots = !result ? 0 : a->load ? 1 : au_src_dst_slots(f->code, a->i);
    for (size_t i = 0; i < all.n; i++) {
        uint32_t rest = AU_NONE;
        if (i + 1 < all.n) {
            if (all.at[i].addressed && !open) {
                au_term is = au_term_eq(b->t, au_bld_value_of(b, a->pointer, 64),
                                        au_term_const(b->t, 64, all.at[i].address));
                if (au_term_is_const(b->t, is)) {
                    if (au_term_is_false(b->t, is))
                        continue;
                } else {
                    au_bld_branch(b, is, &rest);
                }
            } else {
                au_bld_choose(b, &rest, AU_OVER);
            }
        }
        at_target(b, &all.at[i], a);
        for (uint32_t k = 0; k < slots; k++) { /* into the local: the ways meet */
            uint32_t v = au_bld_slot_var(b, frame, a->i->dst + k);
            if (!f->cross[a->i->dst + k])
                au_bld_assign(
                    b, v, au_bld_value_of(b, (au_operand)(a->i->dst + k), b->m->var.at[v].width));
        }
        au_bld_goto(b, end);
        b->block->value.n = 0;
        au_vec_append(&b->block->value, saved, n);
        b->node = rest;
        if (rest == AU_NONE)
            break;
    }
    b->node = end;
    for (uint32_t k = 0; k < slots; k++)
        if (!f->cross[a->i->dst + k])
            au_bld_set(b, a->i->dst + k,
                       au_model_var_term(b->m, au_bld_slot_var(b, frame, a->i->dst + k)));
    free(saved);
    au_vec_release(&all);
}

/* --- many bytes ------------------------------------------------------------------ */

/* Whether the cell lies wholly in an exact touch. */
static bool covers(const bld *b, const au_src_touch *t, uint32_t cell) {
    const au_src_loc *l = &b->s->loc.at[t->loc], *m = &b->s->loc.at[cell_at(b, cell)->loc];
    return !l->stride && !m->stride && cell_at(b, cell)->exact && l->obj == m->obj &&
           m->off >= l->off && m->off + cell_at(b, cell)->bytes <= l->off + (int64_t)t->bytes;
}

void au_bld_touch(bld *b, const au_src_touch *t, bool maybe, au_exactness how) {
    au_src_u32s cells = {0};
    au_src_cells_of(b->s, t, &cells);
    for (size_t i = 0; i < cells.n; i++) {
        uint32_t skip = AU_NONE;
        if (cell_at(b, cells.at[i])->var == AU_NONE)
            continue;
        if (maybe)
            au_bld_choose(b, &skip, AU_OVER);
        if (t->write)
            spoil_cell(b, cells.at[i], how);
        else
            look_at_cell(b, cells.at[i], covers(b, t, cells.at[i]));
        if (skip != AU_NONE) {
            au_bld_settle(b);
            au_bld_goto(b, skip);
            b->node = skip;
        }
    }
    au_vec_release(&cells);
}

/* Several places it may be: any of them, each cell or not. */
static void touch_all(bld *b, au_src_touches *t, bool several) {
    for (size_t i = 0; i < t->n; i++)
        au_bld_touch(b, &t->at[i], several, AU_OVER);
}

void au_bld_copy(bld *b, au_src_touches *from, au_src_touches *to) {
    au_src_u32s cells = {0}, sources = {0};
    if (from->n != 1 || to->n != 1 || b->s->loc.at[to->at[0].loc].stride ||
        b->s->loc.at[from->at[0].loc].stride || from->at[0].bytes != to->at[0].bytes) {
        touch_all(b, from, from->n > 1);
        touch_all(b, to, to->n > 1);
        return;
    }
    const au_src_loc a = b->s->loc.at[from->at[0].loc]; /* copies: new ones may move them */
    const au_src_loc z = b->s->loc.at[to->at[0].loc];
    bool source_constant = b->s->obj.at[a.obj].constant;
    au_src_cells_of(b->s, &from->at[0], &sources);
    au_src_cells_of(b->s, &to->at[0], &cells);
    uint64_t *done = au_alloc_array(sources.n + 1, sizeof *done);
    for (size_t i = 0; i < cells.n; i++) {
        const au_src_cell *c = cell_at(b, cells.at[i]);
        if (c->var == AU_NONE)
            continue;
        int64_t off = b->s->loc.at[c->loc].off - z.off + a.off;
        uint64_t value;
        if (covers(b, &to->at[0], cells.at[i])) {
            uint32_t loc = au_src_loc_of(b->s, (au_src_loc){.obj = a.obj, .off = off});
            if (source_constant && constant_at(b, loc, c->bytes, &value)) {
                write_cell(b, cells.at[i], au_term_const(b->t, c->bytes * 8, value), false);
                continue;
            }
            size_t k = 0;
            while (k < sources.n &&
                   !(cell_at(b, sources.at[k])->exact && cell_at(b, sources.at[k])->loc == loc &&
                     cell_at(b, sources.at[k])->bytes == c->bytes))
                k++;
            if (k < sources.n) {
                const au_src_cell *x = cell_at(b, sources.at[k]);
                done[k] = 1;
                if (x->constant) {
                    write_cell(b, cells.at[i], au_term_const(b->t, c->bytes * 8, x->value), false);
                } else if (x->var == AU_NONE) {
                    spoil_cell(b, cells.at[i], AU_OVER);
                } else if (b->m->var.at[x->var].kind == AU_VAR_LOCAL) {
                    write_cell(b, cells.at[i], au_bld_local(b, x->var), false);
                } else {
                    char name[32];
                    snprintf(name, sizeof name, "copy%u", b->n_locals);
                    uint32_t v = au_bld_new_local(b, name, c->bytes * 8);
                    au_step *p = au_bld_step_setting(b, AU_STEP_ASSIGN, v);
                    au_step_add_update(b->m, p, v, au_model_var_term(b->m, x->var));
                    add_access(b, p, x->var, false);
                    write_cell(b, cells.at[i], au_model_var_term(b->m, v), false);
                }
                continue;
            }
        }
        spoil_cell(b, cells.at[i], AU_OVER);
    }
    for (size_t k = 0; k < sources.n; k++)
        if (!done[k])
            look_at_cell(b, sources.at[k], covers(b, &from->at[0], sources.at[k]));
    free(done);
    au_vec_release(&cells);
    au_vec_release(&sources);
}

static void set_bytes(bld *b, const au_code_insn *i, au_src_touches *t) {
    const au_code *c = b->s->fn.at[b->s->frame.at[b->block->frame].fn].code;
    bool known = i->b < 0 && c->pool[~i->b].kind == AU_CONST_NUMBER && t->n == 1;
    if (!known) {
        touch_all(b, t, t->n > 1);
        return;
    }
    uint64_t byte = c->pool[~i->b].value & 0xff;
    byte *= UINT64_C(0x0101010101010101);
    au_src_u32s cells = {0};
    au_src_cells_of(b->s, &t->at[0], &cells);
    for (size_t k = 0; k < cells.n; k++) {
        if (covers(b, &t->at[0], cells.at[k]))
            write_cell(b, cells.at[k],
                       au_term_const(b->t, cell_at(b, cells.at[k])->bytes * 8, byte), false);
        else
            spoil_cell(b, cells.at[k], AU_OVER);
    }
    au_vec_release(&cells);
}

static void wide_load(bld *b, const au_code_insn *i, au_src_touches *t) {
    const au_code *c = b->s->fn.at[b->s->frame.at[b->block->frame].fn].code;
    touch_all(b, t, t->n > 1);
    for (uint32_t k = 0; k < au_src_dst_slots(c, i); k++)
        au_bld_set_any(b, i->dst + k, AU_OVER);
}

void au_bld_memory(bld *b, const au_code_insn *i) {
    src *s = b->s;
    au_src_touches t = {0};
    uint32_t frame = b->block->frame;
    au_src_touches_of(s, frame, b->insn, &t);
    size_t first = b->m->step.n;
    bool bulk = !i->width || i->width > 64;
    access_of a = {.i = i, .pointer = i->a, .atomic = i->flags & AU_CF_ATOMIC};
    switch (i->op) {
    case AU_C_LOAD:
        a.load = true;
        if (bulk)
            wide_load(b, i, &t);
        else
            scalar(b, &a, &t);
        break;
    case AU_C_STORE:
        if (bulk) {
            touch_all(b, &t, t.n > 1);
        } else {
            a.value = au_bld_value_of(b, i->b, i->width);
            scalar(b, &a, &t);
        }
        break;
    case AU_C_RMW:
    case AU_C_CMPXCHG:
        a.rmw = a.atomic = true;
        if (bulk) {
            touch_all(b, &t, t.n > 1);
            for (uint32_t k = 0; k < au_src_dst_slots(s->fn.at[s->frame.at[frame].fn].code, i); k++)
                au_bld_set_any(b, i->dst + k, AU_OVER);
        } else {
            scalar(b, &a, &t);
        }
        break;
    case AU_C_COPY: {
        au_src_touches from = {0}, to = {0};
        for (size_t k = 0; k < t.n; k++)
            if (t.at[k].write)
                au_vec_push(&to, t.at[k]);
            else
                au_vec_push(&from, t.at[k]);
        au_bld_copy(b, &from, &to);
        au_vec_release(&from);
        au_vec_release(&to);
        break;
    }
    case AU_C_SET:
        set_bytes(b, i, &t);
        break;
    default:
        touch_all(b, &t, t.n > 1);
    }
    au_vec_release(&t);
    bool shared = false;
    for (size_t k = first; k < b->m->step.n; k++)
        shared |= b->m->step.at[k].n_accesses != 0;
    if (shared && i->flags & AU_CF_WEAK && !s->out->weak) {
        const au_code *c = s->fn.at[s->frame.at[frame].fn].code;
        s->out->weak = au_src_text(s, "%s:%u", au_code_text(c, c->file[b->insn]), c->line[b->insn]);
    }
}

void au_bld_store_at(bld *b, au_operand pointer, au_term value) {
    au_src_touches t = {0};
    au_src_touch_operand(b->s, b->block->frame, pointer, 8, true, true, &t);
    access_of a = {.pointer = pointer, .value = value};
    if (t.n)
        scalar(b, &a, &t);
    au_vec_release(&t);
}
