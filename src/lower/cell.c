/* lower/cell.c: which memory each instruction touches, and the cells that follow from it.
 *
 * Loads and stores of scalars cut objects: what two of them may both take, fully or in part, is one cell.
 * Copies of whole structures, calls of the C library and so on do not cut: they touch every cell they
 * overlap, and one more for the bytes that nobody takes singly (a cell of bulk records). */
#include "base/limits.h"
#include "lower/source_priv.h"

#include <string.h>

/* --- touches --------------------------------------------------------------------- */

void au_src_touch_operand(src *s, uint32_t frame, au_operand o, uint64_t bytes, bool known,
                          bool write, au_src_touches *out) {
    au_src_set set = au_src_points(s, frame, o);
    for (size_t i = 0; i < set.n; i++) {
        uint32_t loc = set.at ? set.at[i] : set.one;
        if (s->obj.at[s->loc.at[loc].obj].absorbed)
            loc = au_src_loc_of(s, (au_src_loc){.obj = s->outside});
        const au_src_obj *obj = &s->obj.at[s->loc.at[loc].obj];
        if (obj->kind == OBJ_FUNCTION || (obj->constant && write))
            continue;
        au_src_touch t = {.loc = loc, .bytes = (uint32_t)bytes, .write = write};
        if (!known || bytes > 8) {
            t.bulk = true;
            if (!known || bytes > UINT32_MAX || obj->collapsed) {
                uint32_t id = s->loc.at[loc].obj;
                t.loc = au_src_loc_of(s, (au_src_loc){.obj = id, .stride = 1});
                t.bytes = 1;
            }
        } else if (obj->collapsed) {
            uint32_t id = s->loc.at[loc].obj;
            t.loc = au_src_loc_of(s, (au_src_loc){.obj = id, .stride = 1});
        }
        set = au_src_points(s, frame, o);
        if (t.bytes)
            au_vec_push(out, t);
    }
}

/* From where it points on, no more than so many bytes; 0: to the end of the object. Functions of libraries and copies go
 * upwards from the pointer that they are given. Does not cut. */
static void touch_upwards(src *s, uint32_t frame, au_operand o, uint64_t bytes, bool write,
                          au_src_touches *out) {
    size_t first = out->n;
    au_src_touch_operand(s, frame, o, 0, false, write, out);
    au_src_set set = au_src_points(s, frame, o);
    for (size_t i = 0, k = first; i < set.n && k < out->n; i++) {
        uint32_t id = set.at ? set.at[i] : set.one;
        const au_src_loc l = s->loc.at[id];
        const au_src_obj *obj = &s->obj.at[l.obj];
        if (obj->kind == OBJ_FUNCTION || (obj->constant && write))
            continue;
        au_src_touch *t = &out->at[k++];
        if (obj->collapsed || obj->absorbed || obj->kind == OBJ_OUTSIDE || l.off < 0)
            continue;
        if (bytes && bytes <= INT32_MAX) {
            t->loc = id;
            t->bytes = (uint32_t)bytes;
        } else if (l.off && (!l.stride || l.count)) {
            t->loc = au_src_loc_of(
                s, (au_src_loc){.obj = l.obj, .off = l.off, .stride = 1, .count = INT32_MAX});
            set = au_src_points(s, frame, o);
        }
    }
}

/* Strings and what is put out end in the member that they are given (source.h); what is put there by length may be more. */
static uint64_t room_at(const src *s, uint32_t frame, au_operand o, const au_libc *l, uint32_t arg,
                        bool write) {
    const au_src_fn *f = &s->fn.at[s->frame.at[frame].fn];
    bool by_length = l->most && arg < strlen(l->most) && l->most[arg] != '-';
    if (o < 0 || !strncmp(l->name, "mem", 3) || !strncmp(l->name, "b", 1) || (write && by_length))
        return 0;
    return f->room[o];
}

static bool constant(const au_code *c, au_operand o, uint64_t *n) {
    if (o >= 0 || c->pool[~o].kind != AU_CONST_NUMBER)
        return false;
    *n = c->pool[~o].value;
    return true;
}

void au_src_reach(src *s, uint32_t frame, const struct au_code_call *c, au_src_touches *out) {
    const au_code *code = s->fn.at[s->frame.at[frame].fn].code;
    AU_VEC(uint32_t) todo = {0};
    bool outside = false;
    au_map seen;
    au_map_init(&seen);
    for (uint32_t k = 0; k < c->n_args; k++)
        for (uint32_t j = 0; j < code->arg[c->arg + k].slots; j++) {
            au_operand at = code->arg[c->arg + k].at;
            at = at >= 0 ? at + (au_operand)j : at - (au_operand)j;
            au_src_set set = au_src_points(s, frame, at);
            for (size_t i = 0; i < set.n; i++) {
                bool fresh;
                uint32_t obj = s->loc.at[set.at ? set.at[i] : set.one].obj;
                au_map_put(&seen, obj, &fresh);
                if (fresh)
                    au_vec_push(&todo, obj);
            }
        }
    while (todo.n) {
        uint32_t obj = au_vec_pop(&todo);
        const au_src_obj *o = &s->obj.at[obj];
        bool of_outside = o->absorbed || (o->kind == OBJ_OUTSIDE && s->absorb);
        if (of_outside && !outside) {
            outside = true;
            au_src_touch t = {.bytes = 1, .write = true, .bulk = true};
            t.loc = au_src_loc_of(s, (au_src_loc){.obj = s->outside});
            au_vec_push(out, t);
        }
        o = &s->obj.at[obj];
        if (o->kind == OBJ_FUNCTION || o->kind == OBJ_OUTSIDE || o->absorbed)
            continue;
        for (size_t p = 0; p < o->part.n; p++) {
            const au_src_node *n = &s->node.at[o->part.at[p].loaded];
            for (size_t i = 0; i < n->loc.n; i++) {
                bool fresh;
                uint32_t to = s->loc.at[n->loc.at[i]].obj;
                au_map_put(&seen, to, &fresh);
                if (fresh)
                    au_vec_push(&todo, to);
            }
        }
        if (o->constant)
            continue;
        au_src_touch t = {.bytes = 1, .write = true, .bulk = true};
        t.loc = au_src_loc_of(s, (au_src_loc){.obj = obj, .stride = 1});
        au_vec_push(out, t);
    }
    au_map_release(&seen);
    au_vec_release(&todo);
}

static void call_touches(src *s, uint32_t frame, uint32_t insn, au_src_touches *out) {
    uint32_t fn = s->frame.at[frame].fn;
    const au_code *c = s->fn.at[fn].code;
    const struct au_code_call *k = &c->call[c->insn[insn].aux];
    const au_src_call *found = au_src_calls(s, frame, insn);
    for (uint32_t a = 0; a < k->n_args; a++)
        if (c->arg[k->arg + a].byval)
            au_src_touch_operand(s, frame, c->arg[k->arg + a].at, c->arg[k->arg + a].byval, true,
                                 false, out);
    for (const au_src_call *r = found; r; r = r->next ? &s->call.at[r->next - 1] : NULL) {
        const au_src_fn *g = &s->fn.at[r->fn];
        for (uint32_t p = 0; p < g->f->n_params; p++) {
            const struct au_code_arg *arg = &g->code->arg[g->f->param + p];
            uint64_t *obj = au_map_find(&s->heap_at, au_key2(r->frame, UINT32_MAX - 16 - p));
            if (arg->byval && obj) {
                au_src_touch t = {.bytes = arg->byval, .write = true, .bulk = arg->byval > 8};
                t.loc = au_src_loc_of(s, (au_src_loc){.obj = (uint32_t)*obj - 1});
                au_vec_push(out, t);
            }
        }
    }
    bool outside = au_map_find(&s->outside_call, au_key2(frame, insn)) != NULL;
    if (au_src_direct(s, fn, k) != AU_NONE)
        return;
    if (k->kind == AU_CALL_INDIRECT || (k->kind == AU_CALL_SILENT && !k->name)) {
        if (outside)
            au_src_reach(s, frame, k, out);
        return;
    }
    const au_libc *l = k->name ? au_src_library_find(au_src_call_name(s, fn, k)) : NULL;
    if (!l) {
        au_src_reach(s, frame, k, out);
        return;
    }
    if (l->does == AU_DOES_SYNC) {
        for (uint32_t a = 0; l->args[a] && a < k->n_args; a++)
            if ((l->args[a] == 'h' && (l->sync == AU_SYNC_CREATE || l->sync == AU_SYNC_START)) ||
                l->args[a] == 'v')
                au_src_touch_operand(s, frame, c->arg[k->arg + a].at, au_src_bytes_of(l, a), true,
                                     true, out);
        return;
    }
    if ((l->does == AU_DOES_FREE || l->does == AU_DOES_REALLOC) && k->n_args) {
        /* Giving memory back is a write of all of it: nobody may be using it. */
        size_t first = out->n, keep = out->n;
        au_src_touch_operand(s, frame, c->arg[k->arg].at, 0, false, true, out);
        for (size_t i = first; i < out->n; i++)
            if (s->obj.at[s->loc.at[out->at[i].loc].obj].kind == OBJ_HEAP)
                out->at[keep++] = out->at[i];
        out->n = keep;
        return;
    }
    if (l->does != AU_DOES_MEMORY && l->does != AU_DOES_CALLBACK && l->does != AU_DOES_ALLOC)
        return;
    uint64_t bytes = 0;
    bool known =
        !strncmp(l->name, "mem", 3) && k->n_args > 2 && constant(c, c->arg[k->arg + 2].at, &bytes);
    size_t n = strlen(l->args), bounded = l->most ? strlen(l->most) : 0;
    for (uint32_t a = 0; a < k->n_args && n; a++) {
        uint64_t most = 0;
        bool bound = a < bounded && l->most[a] != '-' &&
                     constant(c, c->arg[k->arg + (uint32_t)(l->most[a] - '0')].at, &most);
        char what = a < n && l->args[a] != '*'       ? l->args[a]
                    : l->args[n - 1] == '*' && n > 1 ? l->args[n - 2]
                                                     : '-';
        if (bound && !most)
            continue;
        if (!known && (what == 'r' || what == 'b'))
            touch_upwards(s, frame, c->arg[k->arg + a].at,
                          most ? most : room_at(s, frame, c->arg[k->arg + a].at, l, a, false),
                          false, out);
        else if (what == 'r' || what == 'b')
            au_src_touch_operand(s, frame, c->arg[k->arg + a].at, bytes, known, false, out);
        if (!known && (what == 'w' || what == 'b'))
            touch_upwards(s, frame, c->arg[k->arg + a].at,
                          most ? most : room_at(s, frame, c->arg[k->arg + a].at, l, a, true), true,
                          out);
        else if (what == 'w' || what == 'b')
            au_src_touch_operand(s, frame, c->arg[k->arg + a].at, bytes, known, true, out);
        if (what == 'p' || what == 'P')
            au_src_touch_operand(s, frame, c->arg[k->arg + a].at, 8, true, true, out);
    }
}

void au_src_touches_of(src *s, uint32_t frame, uint32_t insn, au_src_touches *out) {
    const au_code *c = s->fn.at[s->frame.at[frame].fn].code;
    const au_code_insn *i = &c->insn[insn];
    uint64_t n;
    au_vec_clear(out);
    switch (i->op) {
    case AU_C_LOAD:
        au_src_touch_operand(s, frame, i->a, i->width ? (i->width + 7u) / 8 : i->aux, true, false,
                             out);
        break;
    case AU_C_STORE:
    case AU_C_RMW:
    case AU_C_CMPXCHG:
        au_src_touch_operand(s, frame, i->a, i->width ? (i->width + 7u) / 8 : i->aux, true, true,
                             out);
        break;
    case AU_C_COPY:
        if (constant(c, i->c, &n) && n == 0)
            break;
        if (!constant(c, i->c, &n)) {
            touch_upwards(s, frame, i->b, 0, false, out);
            touch_upwards(s, frame, i->a, 0, true, out);
            break;
        }
        au_src_touch_operand(s, frame, i->b, n, true, false, out);
        au_src_touch_operand(s, frame, i->a, n, true, true, out);
        break;
    case AU_C_SET:
        if (constant(c, i->c, &n) && n == 0)
            break;
        if (constant(c, i->c, &n))
            au_src_touch_operand(s, frame, i->a, n, true, true, out);
        else
            touch_upwards(s, frame, i->a, 0, true, out);
        break;
    case AU_C_FORGET:
        au_src_touch_operand(s, frame, i->a, i->aux, true, true, out);
        break;
    case AU_C_CALL:
        call_touches(s, frame, insn, out);
        break;
    default:
        break;
    }
    if (i->op != AU_C_CALL && i->op != AU_C_LOAD && i->op != AU_C_STORE && i->op != AU_C_RMW &&
        i->op != AU_C_CMPXCHG)
        for (size_t k = 0; k < out->n; k++)
            out->at[k].bulk = true;
}

/* --- records ------------------------------------------------------------------- */

uint32_t au_src_cell_root(src *s, uint32_t record) {
    while (s->cell.at[record].parent != record) {
        uint32_t up = s->cell.at[record].parent;
        s->cell.at[record].parent = s->cell.at[up].parent;
        record = up;
    }
    return record;
}

static void unite(src *s, uint32_t a, uint32_t b) {
    a = au_src_cell_root(s, a);
    b = au_src_cell_root(s, b);
    if (a != b)
        s->cell.at[a > b ? a : b].parent = a > b ? b : a;
}

static uint32_t record_of(src *s, const au_src_touch *t) {
    uint64_t key = (uint64_t)t->loc << 32 | (uint64_t)(t->bytes & 0x7fffffff) << 1 | t->bulk;
    uint64_t *at = au_map_find(&s->cell_at, key);
    return at ? (uint32_t)*at - 1 : AU_NONE;
}

static void add_record(src *s, const au_src_touch *t) {
    if (s->obj.at[s->loc.at[t->loc].obj].constant || record_of(s, t) != AU_NONE)
        return;
    uint64_t key = (uint64_t)t->loc << 32 | (uint64_t)(t->bytes & 0x7fffffff) << 1 | t->bulk;
    uint32_t id = (uint32_t)s->cell.n;
    au_src_cell c = {.parent = id,
                     .loc = t->loc,
                     .bytes = t->bytes,
                     .bulk = t->bulk,
                     .thread = AU_NONE,
                     .var = AU_NONE};
    au_vec_push(&s->cell, c);
    *au_map_put(&s->cell_at, key, NULL) = id + 1;
    uint32_t obj = s->loc.at[t->loc].obj;
    if (obj >= s->n_records_of) { /* a constant that is only passed on has its object late */
        size_t n = s->obj.n;
        s->records_of = au_realloc_array(s->records_of, n, sizeof *s->records_of);
        memset(s->records_of + s->n_records_of, 0, (n - s->n_records_of) * sizeof *s->records_of);
        s->n_records_of = n;
    }
    struct au_src_ids *of = &s->records_of[obj];
    au_vec_push(of, id);
}

static bool meets(const src *s, uint32_t a, uint32_t b) {
    const au_src_cell *x = &s->cell.at[a], *y = &s->cell.at[b];
    return au_src_loc_meets(&s->loc.at[x->loc], x->bytes, &s->loc.at[y->loc], y->bytes);
}

static void cut_object(src *s, uint32_t obj) {
    const struct au_src_ids *r = &s->records_of[obj];
    if (r->n > AU_LIMIT_SRC_RECORDS && s->obj.at[obj].kind != OBJ_OUTSIDE &&
        !s->obj.at[obj].collapsed)
        au_src_over_limit(s, AU_AT_SRC_RECORDS);
    bool all = r->n > AU_LIMIT_SRC_RECORDS || s->obj.at[obj].kind == OBJ_OUTSIDE ||
               s->obj.at[obj].collapsed;
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = i + 1; k < r->n; k++) {
            if (all ? k == i + 1
                    : s->cell.at[r->at[i]].bulk == s->cell.at[r->at[k]].bulk &&
                          meets(s, r->at[i], r->at[k]))
                unite(s, r->at[i], r->at[k]);
            if (all)
                break;
        }
}

static int by_offset(const void *a, const void *b, void *ctx) {
    const src *s = ctx;
    const au_src_cell *x = &s->cell.at[*(const uint32_t *)a],
                      *y = &s->cell.at[*(const uint32_t *)b];
    const au_src_loc *l = &s->loc.at[x->loc], *m = &s->loc.at[y->loc];
    if (l->obj != m->obj)
        return l->obj < m->obj ? -1 : 1;
    if (l->off != m->off)
        return l->off < m->off ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b
               ? -1
               : *(const uint32_t *)a > *(const uint32_t *)b;
}

void au_src_cells_of(src *s, const au_src_touch *t, au_src_u32s *out) {
    au_vec_clear(out);
    uint32_t own = record_of(s, t);
    if (own == AU_NONE)
        return;
    au_vec_push(out, au_src_cell_root(s, own));
    if (!t->bulk)
        return;
    const struct au_src_ids *r = &s->records_of[s->loc.at[t->loc].obj];
    for (size_t i = 0; i < r->n; i++) {
        if (s->cell.at[r->at[i]].bulk || !meets(s, own, r->at[i]))
            continue;
        uint32_t root = au_src_cell_root(s, r->at[i]);
        bool known = false;
        for (size_t k = 0; k < out->n && !known; k++)
            known = out->at[k] == root;
        if (!known)
            au_vec_push(out, root);
    }
    qsort_r(out->at, out->n, sizeof *out->at, by_offset, s);
}

/* --- all of them ----------------------------------------------------------------- */

typedef void touch_fn(src *s, uint32_t frame, uint32_t insn, au_src_touches *t,
                      au_src_u32s *scratch);

static void each(src *s, touch_fn *fn) {
    au_src_touches t = {0};
    au_src_u32s scratch = {0};
    for (uint32_t f = 0; f < s->frame.n; f++) {
        const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
        for (uint32_t k = 0; k < g->f->n; k++) {
            if (!g->live[k])
                continue;
            au_src_touches_of(s, f, g->f->first + k, &t);
            if (t.n)
                fn(s, f, g->f->first + k, &t, &scratch);
        }
    }
    au_vec_release(&t);
    au_vec_release(&scratch);
}

static void record_all(src *s, uint32_t frame, uint32_t insn, au_src_touches *t,
                       au_src_u32s *scratch) {
    (void)frame, (void)insn, (void)scratch;
    for (size_t i = 0; i < t->n; i++)
        add_record(s, &t->at[i]);
}

/* Too many targets of one instruction become one. */
static void limit_all(src *s, uint32_t frame, uint32_t insn, au_src_touches *t,
                      au_src_u32s *scratch) {
    (void)frame, (void)insn;
    au_src_u32s all = {0};
    bool bulk = false;
    for (size_t i = 0; i < t->n; i++) {
        au_src_cells_of(s, &t->at[i], scratch);
        bulk |= t->at[i].bulk;
        for (size_t k = 0; k < scratch->n; k++) {
            bool known = false;
            for (size_t j = 0; j < all.n && !known; j++)
                known = all.at[j] == scratch->at[k];
            if (!known)
                au_vec_push(&all, scratch->at[k]);
        }
        size_t most = (size_t)s->o.most_targets * (bulk ? 4 : 1);
        if (all.n > most) {
            for (size_t j = 1; j < all.n; j++)
                unite(s, all.at[0], all.at[j]);
            all.at[0] = au_src_cell_root(s, all.at[0]);
            all.n = 1;
        }
    }
    au_vec_release(&all);
}

static void touch_all(src *s, uint32_t frame, uint32_t insn, au_src_touches *t,
                      au_src_u32s *scratch) {
    (void)insn;
    uint32_t thread = s->frame.at[frame].thread;
    for (size_t i = 0; i < t->n; i++) {
        au_src_cells_of(s, &t->at[i], scratch);
        for (size_t k = 0; k < scratch->n; k++) {
            au_src_cell *c = &s->cell.at[scratch->at[k]];
            c->written |= t->at[i].write;
            c->thread = c->thread == AU_NONE || c->thread == thread ? thread : MANY;
        }
    }
}

/* The first value of an exact cell; false if it is not known. */
static bool first_value(src *s, const au_src_cell *c, uint64_t *value) {
    const au_src_loc *l = &s->loc.at[c->loc];
    const au_src_obj *o = &s->obj.at[l->obj];
    *value = 0;
    if (o->kind != OBJ_GLOBAL)
        return o->zeroed;
    const au_code *code = s->code[o->module];
    const struct au_code_global *g = &code->global[o->place];
    if (l->off < 0 || (uint64_t)l->off + c->bytes > g->size)
        return false;
    for (uint32_t i = 0; i < g->n_relocs; i++) {
        const struct au_code_reloc *r = &code->reloc[g->reloc + i];
        if (r->offset >= (uint64_t)l->off + c->bytes || r->offset + 8 <= (uint64_t)l->off)
            continue;
        const struct au_code_const *k = &code->pool[r->constant];
        if (r->offset != (uint64_t)l->off || c->bytes != 8 || r->size != 8)
            return false;
        if (k->kind == AU_CONST_GLOBAL) {
            uint32_t to = au_src_obj_of_global(s, o->module, k->index, o->thread);
            *value = s->obj.at[to].address + k->value;
            return true;
        }
        uint32_t fn = k->kind == AU_CONST_FUNCTION
                          ? au_src_fn_by_name(s, o->module, au_code_text(code, k->index))
                          : AU_NONE;
        if (fn == AU_NONE)
            return false;
        *value = s->obj.at[au_src_obj_of_function(s, fn)].address;
        return true;
    }
    for (uint32_t i = 0; i < c->bytes && !g->zero; i++)
        *value |= (uint64_t)code->bytes[g->data + (uint64_t)l->off + i] << (8 * i);
    return true;
}

void au_src_cells(src *s) {
    each(s, record_all);
    for (uint32_t o = 0; o < s->n_records_of; o++)
        cut_object(s, o);
    each(s, limit_all);
    each(s, touch_all);
    for (uint32_t i = 0; i < s->cell.n; i++) {
        au_src_cell *c = &s->cell.at[i];
        const au_src_loc *l = &s->loc.at[c->loc];
        const au_src_obj *o = &s->obj.at[l->obj];
        if (c->parent == i)
            c->exact = !c->bulk && !l->stride && !o->many && !o->vague && !o->collapsed &&
                       o->kind != OBJ_OUTSIDE &&
                       (c->bytes == 1 || c->bytes == 2 || c->bytes == 4 || c->bytes == 8);
    }
    for (uint32_t i = 0; i < s->cell.n; i++) {
        uint32_t root = au_src_cell_root(s, i);
        if (root != i)
            s->cell.at[root].exact = false; /* two records that differ */
    }
    for (uint32_t i = 0; i < s->cell.n; i++) {
        au_src_cell *c = &s->cell.at[i];
        if (c->parent != i || !c->exact)
            continue;
        uint64_t value;
        bool known = first_value(s, c, &value);
        c = &s->cell.at[i];
        c->value = value;
        const au_src_obj *o = &s->obj.at[s->loc.at[c->loc].obj];
        if (!known && o->kind == OBJ_GLOBAL)
            c->exact = false;
        c->constant = c->exact && known && !c->written;
    }
}
