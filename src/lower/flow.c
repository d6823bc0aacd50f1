/* lower/flow.c: what each instruction does to pointers. */
#include "lower/source_priv.h"

#include <string.h>

uint32_t au_src_const_loc(src *s, uint32_t frame, au_operand o) {
    const au_src_frame *r = &s->frame.at[frame];
    const au_src_fn *f = &s->fn.at[r->fn];
    const struct au_code_const *k = &f->code->pool[~o];
    if (k->kind == AU_CONST_GLOBAL) {
        uint32_t obj = au_src_obj_of_global(s, f->module, k->index, r->thread);
        return au_src_loc_of(s, (au_src_loc){.obj = obj, .off = (int64_t)k->value});
    }
    if (k->kind == AU_CONST_FUNCTION) {
        uint32_t fn = au_src_fn_by_name(s, f->module, au_code_text(f->code, k->index));
        if (fn != AU_NONE)
            return au_src_loc_of(s, (au_src_loc){.obj = au_src_obj_of_function(s, fn)});
    }
    return AU_NONE;
}

au_src_set au_src_points(src *s, uint32_t frame, au_operand o) {
    if (o >= 0) {
        const au_src_node *n = &s->node.at[s->frame.at[frame].node + (uint32_t)o];
        return (au_src_set){.at = n->loc.at, .n = n->loc.n};
    }
    uint32_t loc = au_src_const_loc(s, frame, o);
    return (au_src_set){.at = NULL, .n = loc != AU_NONE, .one = loc};
}

typedef struct {
    src *s;
    uint32_t frame, base;
    const au_code *c;
    uint32_t at;
} flow;

static au_operand later(au_operand o, uint32_t k) {
    return o >= 0 ? o + (au_operand)k : o - (au_operand)k;
}

/* A node that holds what the operand points to. */
static uint32_t node_of(flow *x, au_operand o) {
    if (o >= 0)
        return x->base + (uint32_t)o;
    uint32_t n = au_src_node_add(x->s, 1), loc = au_src_const_loc(x->s, x->frame, o);
    if (loc != AU_NONE)
        au_src_points_add(x->s, n, loc);
    return n;
}

static bool may_point(flow *x, au_operand o) {
    if (o >= 0)
        return true;
    uint8_t k = x->c->pool[~o].kind;
    return k == AU_CONST_GLOBAL || k == AU_CONST_FUNCTION;
}

static void use(flow *x, au_operand o, au_src_use u) {
    if (may_point(x, o))
        au_src_use_add(x->s, node_of(x, o), u);
}

static void copy(flow *x, au_operand o, uint32_t slot) {
    use(x, o, (au_src_use){.kind = USE_COPY, .to = x->base + slot});
}

static void any(flow *x, au_operand o, uint32_t slot) {
    use(x, o, (au_src_use){.kind = USE_ANY, .to = x->base + slot});
}

static void outside(flow *x, uint32_t slot) {
    au_src_edge(x->s, x->s->handed, x->base + slot);
}

static void load(flow *x, au_operand pointer, uint32_t slot, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        use(x, pointer,
            (au_src_use){.kind = USE_LOAD, .to = x->base + slot + k, .number = (int64_t)k * 8});
}

static void store(flow *x, au_operand pointer, au_operand value, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        au_operand v = later(value, k);
        if (may_point(x, v))
            use(x, pointer,
                (au_src_use){.kind = USE_STORE, .to = node_of(x, v), .number = (int64_t)k * 8});
    }
}

static void bulk(flow *x, au_operand to, au_operand from, au_operand bytes) {
    src *s = x->s;
    int64_t n = -1;
    if (bytes < 0 && x->c->pool[~bytes].kind == AU_CONST_NUMBER)
        n = (int64_t)x->c->pool[~bytes].value;
    uint32_t a = node_of(x, to), b = node_of(x, from), id = (uint32_t)s->bulk_call.n;
    au_src_bulk_call k = {.to = a, .from = b, .bytes = n};
    au_vec_push(&s->bulk_call, k);
    au_src_use_add(s, a, (au_src_use){.kind = USE_BULK_TO, .to = id});
    au_src_use_add(s, b, (au_src_use){.kind = USE_BULK_FROM, .to = id});
}

static bool number_of(flow *x, au_operand o, int64_t *n) {
    if (o >= 0 || x->c->pool[~o].kind != AU_CONST_NUMBER)
        return false;
    *n = (int64_t)x->c->pool[~o].value;
    return true;
}

/* --- calls ----------------------------------------------------------------------- */

static au_operand arg(flow *x, const struct au_code_call *c, uint32_t k) {
    return x->c->arg[c->arg + k].at;
}

static void fresh(flow *x, uint32_t slot, bool zeroed, uint64_t size) {
    uint32_t obj = au_src_obj_of_heap(x->s, x->frame, x->at, zeroed, size, false);
    au_src_points_add(x->s, x->base + slot, au_src_loc_of(x->s, (au_src_loc){.obj = obj}));
}

static uint64_t size_of(flow *x, const struct au_code_call *c, const char *which) {
    int64_t n = 1, one;
    bool found = false;
    for (uint32_t k = 0; which[k] && k < c->n_args; k++)
        if (which[k] == 's') {
            if (!number_of(x, arg(x, c, k), &one) || one < 0 || one > INT32_MAX)
                return 0;
            n *= one;
            found = true;
        }
    return found ? (uint64_t)n : 0;
}

static void unknown(flow *x, const au_code_insn *i, const struct au_code_call *c) {
    for (uint32_t k = 0; k < c->n_args; k++)
        for (uint32_t j = 0; j < x->c->arg[c->arg + k].slots; j++) {
            use(x, later(arg(x, c, k), j), (au_src_use){.kind = USE_COPY, .to = x->s->out_node});
            use(x, later(arg(x, c, k), j), (au_src_use){.kind = USE_COPY, .to = x->s->handed});
        }
    if (i->dst != AU_NONE)
        for (uint32_t j = 0; j < c->result_slots; j++)
            outside(x, i->dst + j);
    uint32_t fn = x->s->frame.at[x->frame].fn;
    if (c->name && au_src_library_quiet(au_src_call_name(x->s, fn, c)))
        return;
    au_src_use_add(x->s, x->s->out_node,
                   (au_src_use){.kind = USE_INSIDE, .frame = x->frame, .to = x->at});
}

void au_src_flow_unknown(src *s, uint32_t frame, uint32_t insn) {
    bool first;
    au_map_put(&s->outside_call, au_key2(frame, insn), &first);
    const au_code *c = s->fn.at[s->frame.at[frame].fn].code;
    flow x = {.s = s, .frame = frame, .base = s->frame.at[frame].node, .c = c, .at = insn};
    if (first)
        unknown(&x, &c->insn[insn], &c->call[c->insn[insn].aux]);
}

static void sync(flow *x, const au_libc *l, const struct au_code_call *c) {
    src *s = x->s;
    for (uint32_t k = 0; l->args[k] && k < c->n_args; k++) {
        if (l->args[k] == 'S') {
            uint32_t object = au_src_node_add(s, 3);
            *au_map_put(&s->start_at, au_key2(x->frame, x->at), NULL) = object + 1;
            use(x, arg(x, c, k), (au_src_use){.kind = USE_LOAD, .to = object});
            au_src_use_add(s, object, (au_src_use){.kind = USE_LOAD, .to = object + 1});
            au_src_use_add(s, object + 1,
                           (au_src_use){.kind = USE_LOAD, .to = object + 2, .number = 16});
            au_src_use_add(s, object + 2,
                           (au_src_use){.kind = USE_CREATE, .frame = x->frame, .to = x->at});
        }
        if (l->args[k] == 'f')
            use(x, arg(x, c, k),
                (au_src_use){.kind = l->sync == AU_SYNC_ONCE ? USE_CALL : USE_CREATE,
                             .frame = x->frame,
                             .to = x->at});
        if (l->args[k] == 'v') /* where the result of a thread goes */
            use(x, arg(x, c, k), (au_src_use){.kind = USE_STORE, .to = s->joined});
        if (l->args[k] == 'x') /* a result */
            use(x, arg(x, c, k), (au_src_use){.kind = USE_COPY, .to = s->joined});
    }
}

static void library(flow *x, const au_libc *l, const au_code_insn *i,
                    const struct au_code_call *c) {
    src *s = x->s;
    switch ((au_libc_does)l->does) {
    case AU_DOES_ALLOC:
        if (i->dst != AU_NONE)
            fresh(x, i->dst, strchr(l->args, 'z') != NULL, size_of(x, c, l->args));
        break;
    case AU_DOES_REALLOC:
        if (i->dst == AU_NONE || !c->n_args)
            break;
        fresh(x, i->dst, false, 0);
        s->obj.at[au_src_obj_of_heap(s, x->frame, x->at, false, 0, false)].vague = true;
        copy(x, arg(x, c, 0), i->dst);
        bulk(x, (au_operand)i->dst, arg(x, c, 0), (au_operand)i->dst);
        break;
    case AU_DOES_CALLBACK:
        for (uint32_t k = 0; k < c->n_args && l->args[k]; k++)
            if (l->args[k] == 'f')
                use(x, arg(x, c, k),
                    (au_src_use){.kind = USE_CALL, .frame = x->frame, .to = x->at});
        if (i->dst != AU_NONE && c->result_width == 64)
            for (uint32_t k = 0; k < c->n_args; k++)
                any(x, arg(x, c, k), i->dst);
        break;
    case AU_DOES_SYNC:
        sync(x, l, c);
        break;
    case AU_DOES_SPECIFIC:
        if (l->result == 'i' && c->n_args > 1)
            use(x, arg(x, c, 1),
                (au_src_use){.kind = USE_COPY, .to = s->specific.at[s->frame.at[x->frame].thread]});
        else if (i->dst != AU_NONE)
            au_src_edge(s, s->specific.at[s->frame.at[x->frame].thread], x->base + i->dst);
        break;
    case AU_DOES_MEMORY: {
        if (!strncmp(l->name, "mem", 3) && c->n_args > 2 && l->args[0] == 'w' && l->args[1] == 'r')
            bulk(x, arg(x, c, 0), arg(x, c, 1), arg(x, c, 2));
        /* 'p': a pointer to fresh memory is put there */
        for (uint32_t k = 0; l->args[k] && k < c->n_args; k++)
            if (l->args[k] == 'k') {
                use(x, arg(x, c, k), (au_src_use){.kind = USE_COPY, .to = s->out_node});
                use(x, arg(x, c, k), (au_src_use){.kind = USE_COPY, .to = s->handed});
            }
        for (uint32_t k = 0; l->args[k] && k < c->n_args; k++)
            if (l->args[k] == 'p' || l->args[k] == 'P') {
                uint32_t obj = l->args[k] == 'p'
                                   ? au_src_obj_of_heap(s, x->frame, x->at, false, 0, false)
                                   : s->outside;
                use(x, arg(x, c, k),
                    (au_src_use){.kind = USE_PUT,
                                 .to = au_src_loc_of(s, (au_src_loc){.obj = obj})});
            }
    } /* fall through */
    default:
        if (i->dst == AU_NONE)
            break;
        if (l->result >= '0' && l->result <= '9') {
            if ((uint32_t)(l->result - '0') < c->n_args)
                any(x, arg(x, c, (uint32_t)(l->result - '0')), i->dst);
        } else if (l->result == 't') {
            uint32_t obj = au_src_obj_of_thread(s, s->frame.at[x->frame].thread, l->name);
            au_src_points_add(s, x->base + i->dst, au_src_loc_of(s, (au_src_loc){.obj = obj}));
        } else if (l->result == 'o') {
            au_src_points_add(s, x->base + i->dst,
                              au_src_loc_of(s, (au_src_loc){.obj = s->outside}));
        }
    }
}

static void call(flow *x, const au_code_insn *i) {
    const struct au_code_call *c = &x->c->call[i->aux];
    src *s = x->s;
    uint32_t fn = s->frame.at[x->frame].fn, direct = au_src_direct(s, fn, c);
    if (direct != AU_NONE) {
        au_src_call_found(s, x->frame, x->at, direct, false);
        return;
    }
    if (c->kind == AU_CALL_INDIRECT || (c->kind == AU_CALL_SILENT && !c->name)) {
        use(x, c->target, (au_src_use){.kind = USE_CALL, .frame = x->frame, .to = x->at});
        /* It may also be one of the outside. */
        if (i->dst != AU_NONE)
            for (uint32_t j = 0; j < c->result_slots; j++)
                outside(x, i->dst + j);
        return;
    }
    const au_libc *l = c->name ? au_src_library_find(au_src_call_name(s, fn, c)) : NULL;
    if (l)
        library(x, l, i, c);
    else
        unknown(x, i, c);
}

/* --- instructions ---------------------------------------------------------------- */

static void bytes_get(flow *x, const au_code_insn *i) {
    uint32_t off = i->aux & 0xffff, n = au_src_dst_slots(x->c, i);
    if (i->width && i->width != 64)
        return;
    for (uint32_t k = 0; k < n; k++) {
        copy(x, later(i->a, off / 8 + k), i->dst + k);
        if (off % 8)
            copy(x, later(i->a, off / 8 + k + 1), i->dst + k);
    }
}

static void bytes_put(flow *x, const au_code_insn *i) {
    uint32_t off = i->aux & 0xffff, slots = (uint32_t)i->c;
    uint32_t n = i->width ? 1 : ((i->aux >> 16) + 7) / 8;
    for (uint32_t k = 0; k < slots; k++)
        copy(x, later(i->a, k), i->dst + k);
    if (i->width && i->width != 64)
        return;
    for (uint32_t k = 0; k < n && off / 8 + k < slots; k++)
        copy(x, later(i->b, k), i->dst + off / 8 + k);
}

static void instruction(flow *x, const au_code_insn *i) {
    int64_t n;
    au_operand stored;
    switch (i->op) {
    case AU_C_ADD:
        if (i->width != 64)
            break;
        if (number_of(x, i->b, &n))
            use(x, i->a, (au_src_use){.kind = USE_ADD, .to = x->base + i->dst, .number = n});
        else if (number_of(x, i->a, &n))
            use(x, i->b, (au_src_use){.kind = USE_ADD, .to = x->base + i->dst, .number = n});
        else {
            any(x, i->a, i->dst);
            any(x, i->b, i->dst);
        }
        break;
    case AU_C_SUB:
        if (i->width != 64)
            break;
        if (number_of(x, i->b, &n) && n != INT64_MIN)
            use(x, i->a, (au_src_use){.kind = USE_ADD, .to = x->base + i->dst, .number = -n});
        else
            any(x, i->a, i->dst);
        break;
    case AU_C_AND:
    case AU_C_OR:
    case AU_C_XOR:
        if (i->width != 64)
            break;
        any(x, i->a, i->dst);
        any(x, i->b, i->dst);
        break;
    case AU_C_MOVE:
        for (uint32_t k = 0; k < i->aux; k++)
            copy(x, later(i->a, k), i->dst + k);
        break;
    case AU_C_SELECT:
        for (uint32_t k = 0; k < i->aux; k++) {
            copy(x, later(i->b, k), i->dst + k);
            copy(x, later(i->c, k), i->dst + k);
        }
        break;
    case AU_C_SCALE: {
        uint64_t elements = x->c->immediate[i->aux + 1];
        use(x, i->a,
            (au_src_use){.kind = USE_SCALE,
                         .to = x->base + i->dst,
                         .number = (int64_t)x->c->immediate[i->aux],
                         .count = elements > 1 && elements <= INT32_MAX ? (uint32_t)elements : 0});
        break;
    }
    case AU_C_BYTES_GET:
        bytes_get(x, i);
        break;
    case AU_C_BYTES_PUT:
        bytes_put(x, i);
        break;
    case AU_C_UNMODELLED:
        if (i->dst != AU_NONE)
            for (int32_t k = 0; k < i->b; k++)
                for (int32_t j = 0; j < i->c; j++)
                    any(x, x->c->operand[i->a + k], i->dst + (uint32_t)j);
        break;
    case AU_C_WIDE: {
        const struct au_code_wide *w = &x->c->wide[i->aux];
        if (w->lane != AU_LANE_PTR && w->from_lane != AU_LANE_PTR)
            break;
        for (uint32_t k = 0; k < w->n_operands; k++)
            for (uint32_t j = 0; j < au_src_dst_slots(x->c, i); j++)
                any(x, w->operand[k], i->dst + j);
        break;
    }
    case AU_C_ALLOCA: {
        int64_t count;
        uint64_t size =
            number_of(x, i->b, &count) && count > 0 ? x->c->immediate[i->aux] * (uint64_t)count : 0;
        uint32_t obj = au_src_obj_of_heap(x->s, x->frame, x->at, false, size, true);
        au_src_points_add(x->s, x->base + i->dst, au_src_loc_of(x->s, (au_src_loc){.obj = obj}));
        break;
    }
    case AU_C_LOAD:
        if (au_src_forwarded(x->s, x->s->frame.at[x->frame].fn, x->at, &stored))
            copy(x, stored, i->dst);
        else if (i->width == 64 || !i->width)
            load(x, i->a, i->dst, au_src_dst_slots(x->c, i));
        break;
    case AU_C_STORE:
        if (i->width == 64 || !i->width)
            store(x, i->a, i->b, i->width ? 1 : (i->aux + 7) / 8);
        break;
    case AU_C_COPY:
        bulk(x, i->a, i->b, i->c);
        break;
    case AU_C_FORGET: /* a va_list */
        use(x, i->a,
            (au_src_use){.kind = USE_PUT,
                         .to = au_src_loc_of(x->s, (au_src_loc){.obj = x->s->outside}),
                         .number = 8});
        use(x, i->a,
            (au_src_use){.kind = USE_PUT,
                         .to = au_src_loc_of(x->s, (au_src_loc){.obj = x->s->outside}),
                         .number = 16});
        break;
    case AU_C_RMW:
        if (i->width != 64 && i->width)
            break;
        load(x, i->a, i->dst, au_src_dst_slots(x->c, i));
        store(x, i->a, i->b, i->width ? 1 : (i->aux + 7) / 8);
        if (i->from != AU_RMW_XCHG) {
            uint32_t t = au_src_node_add(x->s, 1);
            au_src_use_add(x->s, x->base + i->dst, (au_src_use){.kind = USE_ANY, .to = t});
            use(x, i->a, (au_src_use){.kind = USE_STORE, .to = t});
        }
        break;
    case AU_C_CMPXCHG:
        if (i->width != 64 && i->width)
            break;
        load(x, i->a, i->dst, i->width ? 1 : (i->aux + 7) / 8);
        store(x, i->a, i->c, i->width ? 1 : (i->aux + 7) / 8);
        break;
    case AU_C_RET:
        for (uint32_t k = 0; k < i->aux; k++)
            use(x, later(i->a, k),
                (au_src_use){.kind = USE_COPY, .to = x->s->frame.at[x->frame].result + k});
        break;
    case AU_C_LANDINGPAD:
        if (i->aux)
            outside(x, i->dst);
        break;
    case AU_C_CALL:
        call(x, i);
        break;
    default:
        break;
    }
}

static void edge_copies(void *ctx, uint32_t edge) {
    flow *x = ctx;
    const struct au_code_edge *e = &x->c->edge[edge];
    for (uint32_t k = 0; k < e->n_copies; k++) {
        const struct au_code_copy *p = &x->c->copy[e->copy + k];
        for (uint32_t j = 0; j < p->n; j++)
            copy(x, later(p->src, j), p->dst + j);
    }
}

void au_src_flow_frame(src *s, uint32_t frame) {
    const au_src_fn *f = au_src_fn_get(s, s->frame.at[frame].fn);
    flow x = {.s = s, .frame = frame, .base = s->frame.at[frame].node, .c = f->code};
    uint32_t first = f->f->first, n = f->f->n;
    const uint8_t *live = f->live;
    for (uint32_t k = 0; k < n; k++) {
        if (!live[k])
            continue;
        x.at = first + k;
        instruction(&x, &x.c->insn[first + k]);
        au_src_each_edge(x.c, &x.c->insn[first + k], edge_copies, &x);
    }
}

/* --- which of several ------------------------------------------------------------- */

static bool leads_to(const src *s, au_src_set set, uint32_t obj) {
    for (size_t i = 0; i < set.n; i++) {
        uint32_t o = s->loc.at[set.at ? set.at[i] : set.one].obj;
        if (o == obj || o == s->outside)
            return true;
    }
    return false;
}

static void compare(src *s, uint32_t frame, au_operand a, const au_operand *with) {
    au_src_set set = au_src_points(s, frame, a);
    for (size_t i = 0; i < set.n; i++) {
        uint32_t o = s->loc.at[set.at ? set.at[i] : set.one].obj;
        if (s->obj.at[o].many && !s->obj.at[o].compared)
            s->obj.at[o].compared = !with || leads_to(s, au_src_points(s, frame, *with), o);
    }
}

/* Pointers to an object of a malloc that is executed again and again are all one address in the model
 * where this cannot be seen: they are only compared with zero and with pointers to other things (what
 * else one can do with addresses gives any value: address_matters in lower/value.c). */
void au_src_find_compared(src *s) {
    for (uint32_t f = 0; f < s->frame.n; f++) {
        const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
        for (uint32_t k = 0; k < g->f->n; k++) {
            const au_code_insn *i = &g->code->insn[g->f->first + k];
            if (!g->live[k])
                continue;
            switch (i->op) {
            case AU_C_EQ:
            case AU_C_NE:
                compare(s, f, i->a, &i->b);
                compare(s, f, i->b, &i->a);
                break;
            case AU_C_CMPXCHG:
                compare(s, f, i->b, NULL);
                break;
            case AU_C_TRUNC:
            case AU_C_SWITCH:
                compare(s, f, i->a, NULL);
                break;
            default:
                break;
            }
        }
    }
}
