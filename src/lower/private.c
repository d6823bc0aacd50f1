/* lower/private.c: objects that no other thread ever gets a pointer to.
 *
 * An object (a local, what malloc gave) is private if every copy of a pointer to it stays in slots of its thread's frames and in
 * other private objects. Nobody else can reach it, so no access of it races with anything. Points-to sets of large
 * programs cannot say that: once a pointer may lead to too many objects, they are all 'memory of the outside'.
 *
 * Values are followed from each allocation (a site: one instruction of one frame) through slots, calls, results and what lies in
 * objects that are followed. Of a value (a node) it is known
 *   - which sites it may point into, if they are few (else it is 'full');
 *   - 'foreign': it may point to something that is not private;
 * and, against the flow, what becomes of it:
 *   - 'leaks': it comes to where it is not followed: memory of others, unknown functions, new threads. So do all values that flow
 *     into it, and the sites among them are not private: whatever lies there leaks, and what is found there is foreign;
 *   - 'exposed': memory that it points to is read or written by who does not follow it; the pointer itself is not kept.
 * A node that is full is not looked through: what is stored by it leaks, what is loaded by it is foreign, and it is exposed.
 * If there are such nodes, all is done once more with larger sites: what one instruction of a function allocates in all
 * frames of a thread is one. A function that allocates, called in many places, fills nodes else; and what either says holds.
 *
 * Numbers are neither: what is narrower than a pointer, and results of arithmetic that makes no pointer of one.
 *
 * All of this only grows, until nothing changes. Assumed is what lower/source.h says of pointers: they are not taken apart into
 * bytes; what an index was added to stays in its object. An object that was given back and made again is another one. */
#include "lower/build.h"

#include <string.h>

enum { FEW = 32 };

typedef struct {
    uint32_t site[FEW];
    uint8_t n;
    bool full, foreign, leaks, exposed;
} node;

typedef struct {
    src *s;
    uint32_t *base, *result; /* by frame: node of slot 0, of the first of what it returns */
    AU_VEC(node) node;
    AU_VEC(uint32_t) contents; /* by site: node of all pointers that lie there */
    au_map site_at; /* frame << 32 | insn, or 'large' those of all frames of a thread: site + 1 */
    bool changed, large, filled; /* filled: some node is full */
    uint32_t frame;
    const au_code *c;
} owned;

/* --- nodes -------------------------------------------------------------------------------------------- */

static void mark(owned *x, bool *what) {
    x->changed |= !*what;
    *what = true;
}

static void leak(owned *x, uint32_t at) {
    mark(x, &x->node.at[at].leaks);
}
static void foreign(owned *x, uint32_t at) {
    mark(x, &x->node.at[at].foreign);
}
static void expose(owned *x, uint32_t at) {
    mark(x, &x->node.at[at].exposed);
}

static void put(owned *x, uint32_t at, uint32_t site) {
    node *n = &x->node.at[at];
    for (uint32_t k = 0; k < n->n; k++)
        if (n->site[k] == site)
            return;
    if (n->n == FEW) {
        x->filled = true;
        mark(x, &n->full);
        return;
    }
    n->site[n->n++] = site;
    x->changed = true;
}

static void flow(owned *x, uint32_t from, uint32_t to) {
    if (from == to)
        return;
    for (uint32_t k = 0; k < x->node.at[from].n; k++)
        put(x, to, x->node.at[from].site[k]);
    node *a = &x->node.at[from], *b = &x->node.at[to];
    if (a->full)
        mark(x, &b->full);
    if (a->foreign)
        mark(x, &b->foreign);
    if (b->leaks)
        mark(x, &a->leaks);
    if (b->exposed)
        mark(x, &a->exposed);
}

static uint64_t site_key(const owned *x, uint32_t insn) {
    const au_src_frame *f = &x->s->frame.at[x->frame];
    return x->large ? au_hash_join(au_key2(f->thread, f->fn), insn) : au_key2(x->frame, insn);
}

/* The value at 'at' is a new object. */
static void make(owned *x, uint32_t at, uint32_t insn) {
    uint64_t *known = au_map_put(&x->site_at, site_key(x, insn), NULL);
    if (!*known) {
        au_vec_push(&x->contents, (uint32_t)x->node.n);
        au_vec_push(&x->node, (node){0});
        *known = x->contents.n;
        x->changed = true;
    }
    uint32_t in = x->contents.at[*known - 1];
    put(x, at, (uint32_t)*known - 1);
    if (x->node.at[at].leaks)
        foreign(x, at);
    if (x->node.at[at].leaks || x->node.at[at].exposed) {
        leak(x, in);
        foreign(x, in);
        expose(x, in);
    }
}

/* --- operands ----------------------------------------------------------------------------------------- */

static au_operand later(au_operand o, uint32_t k) {
    return o >= 0 ? o + (au_operand)k : o - (au_operand)k;
}

static uint32_t slot(const owned *x, uint32_t at) {
    return x->base[x->frame] + at;
}

static bool is_number(const owned *x, au_operand o) {
    return o < 0 && x->c->pool[~o].kind == AU_CONST_NUMBER;
}

/* A constant that somebody may access: no number, no function, not what was never set. */
static bool points_elsewhere(const owned *x, au_operand o) {
    const struct au_code_const *k = &x->c->pool[~o];
    return k->kind == AU_CONST_UNKNOWN ? k->value != AU_CONST_UNSET : k->kind == AU_CONST_GLOBAL;
}

static void flow_operand(owned *x, au_operand o, uint32_t to) {
    if (o >= 0)
        flow(x, slot(x, (uint32_t)o), to);
    else if (points_elsewhere(x, o))
        foreign(x, to);
}

static void leak_operand(owned *x, au_operand o) {
    if (o >= 0)
        leak(x, slot(x, (uint32_t)o));
}
static void expose_operand(owned *x, au_operand o) {
    if (o >= 0)
        expose(x, slot(x, (uint32_t)o));
}

/* Nothing is followed through this pointer. */
static bool is_lost(const owned *x, au_operand pointer) {
    return pointer < 0 || x->node.at[slot(x, (uint32_t)pointer)].full ||
           x->node.at[slot(x, (uint32_t)pointer)].foreign;
}

static uint32_t n_sites(const owned *x, au_operand pointer) {
    return pointer < 0 ? 0 : x->node.at[slot(x, (uint32_t)pointer)].n;
}
static uint32_t contents(const owned *x, au_operand pointer, uint32_t k) {
    return x->contents.at[x->node.at[slot(x, (uint32_t)pointer)].site[k]];
}

static void look_through(owned *x, au_operand pointer) {
    if (pointer >= 0 && x->node.at[slot(x, (uint32_t)pointer)].full)
        expose_operand(x, pointer);
}

/* --- memory ------------------------------------------------------------------------------------------- */

static void store(owned *x, au_operand pointer, au_operand value) {
    look_through(x, pointer);
    for (uint32_t k = 0; k < n_sites(x, pointer); k++)
        flow_operand(x, value, contents(x, pointer, k));
    if (is_lost(x, pointer))
        leak_operand(x, value);
}

static void load(owned *x, au_operand pointer, uint32_t to) {
    look_through(x, pointer);
    for (uint32_t k = 0; k < n_sites(x, pointer); k++)
        flow(x, contents(x, pointer, k), to);
    if (is_lost(x, pointer))
        foreign(x, to);
}

/* What is found there from now on is not known. */
static void forget(owned *x, au_operand pointer) {
    look_through(x, pointer);
    for (uint32_t k = 0; k < n_sites(x, pointer); k++)
        foreign(x, contents(x, pointer, k));
}

static void copy(owned *x, au_operand to, au_operand from) {
    look_through(x, to);
    look_through(x, from);
    for (uint32_t i = 0; i < n_sites(x, from); i++) {
        for (uint32_t k = 0; k < n_sites(x, to); k++)
            flow(x, contents(x, from, i), contents(x, to, k));
        if (is_lost(x, to))
            leak(x, contents(x, from, i));
    }
    if (is_lost(x, from))
        forget(x, to);
}

/* --- calls -------------------------------------------------------------------------------------------- */

static void each_slot(owned *x, const struct au_code_arg *arg, void (*visit)(owned *, au_operand)) {
    for (uint32_t j = 0; j < arg->slots; j++)
        visit(x, later(arg->at, j));
}

static void leak_arguments(owned *x, const struct au_code_call *k, uint32_t from) {
    for (uint32_t a = from; a < k->n_args; a++)
        each_slot(x, &x->c->arg[k->arg + a], leak_operand);
}

static void library_memory(owned *x, const struct au_code_call *k, const au_libc *l) {
    size_t n = l->args ? strlen(l->args) : 0;
    bool bytes = !strncmp(l->name, "mem", 3) && k->n_args > 2 && n > 1 && l->args[0] == 'w' &&
                 l->args[1] == 'r';
    if (bytes)
        copy(x, x->c->arg[k->arg].at, x->c->arg[k->arg + 1].at);
    for (uint32_t a = 0; a < k->n_args; a++) {
        const struct au_code_arg *arg = &x->c->arg[k->arg + a];
        char what = a < n && l->args[a] != '*'       ? l->args[a]
                    : n > 1 && l->args[n - 1] == '*' ? l->args[n - 2]
                                                     : '-';
        if (arg->byval || what == 'p' || what == 'P')
            expose_operand(x, arg->at);
        else if (what == 'r' || what == 'w' || what == 'b') {
            /* Pointers may go out with the bytes, and come in with them; strings have none. */
            if (!bytes && (l->class != AU_CLASS_HARMLESS || l->channel))
                expose_operand(x, arg->at);
        } else if (what != '-')
            each_slot(x, arg, leak_operand);
    }
}

static void library_sync(owned *x, const struct au_code_call *k, const au_libc *l) {
    size_t n = l->args ? strlen(l->args) : 0;
    for (uint32_t a = 0; a < k->n_args; a++) {
        const struct au_code_arg *arg = &x->c->arg[k->arg + a];
        char what = a < n ? l->args[a] : '-';
        if (what == 'v')
            forget(x, arg->at);
        if (!strchr("-hdlcnkv", what))
            each_slot(x, arg, leak_operand);
    }
}

/* Sets the result, and says what becomes of the arguments. */
static void library(owned *x, uint32_t insn, const au_code_insn *i, const struct au_code_call *k,
                    const au_libc *l) {
    uint32_t to = i->dst == AU_NONE ? AU_NONE : slot(x, i->dst);
    bool argument = l->result >= '0' && l->result <= '9' && (uint32_t)(l->result - '0') < k->n_args;
    switch ((au_libc_does)l->does) {
    case AU_DOES_ALLOC:
        if (to != AU_NONE)
            make(x, to, insn);
        return;
    case AU_DOES_REALLOC:
        if (to == AU_NONE || !k->n_args)
            return;
        make(x, to, insn);
        flow_operand(x, x->c->arg[k->arg].at, to);
        copy(x, (au_operand)i->dst, x->c->arg[k->arg].at);
        return;
    case AU_DOES_PURE:
    case AU_DOES_FREE:
        break;
    case AU_DOES_MEMORY:
        library_memory(x, k, l);
        break;
    case AU_DOES_SYNC:
        library_sync(x, k, l);
        break;
    default:
        leak_arguments(x, k, 0);
        argument = false;
        break;
    }
    if (to == AU_NONE)
        return;
    if (argument)
        flow_operand(x, x->c->arg[k->arg + (uint32_t)(l->result - '0')].at, to);
    else if (!l->result || !strchr("ibz", l->result)) /* a number */
        for (uint32_t j = 0; j < k->result_slots; j++)
            foreign(x, to + j);
}

/* Arguments into the copy that is entered. */
static void pass(owned *x, const struct au_code_call *k, const au_src_call *r, bool plain) {
    const au_src_fn *g = &x->s->fn.at[r->fn];
    for (uint32_t p = 0; p < g->f->n_params; p++) {
        const struct au_code_arg *to = &g->code->arg[g->f->param + p];
        const struct au_code_arg *from = p < k->n_args ? &x->c->arg[k->arg + p] : NULL;
        for (uint32_t j = 0; j < to->slots; j++) {
            uint32_t at = x->base[r->frame] + (uint32_t)to->at + j;
            if (to->byval && from)
                expose_operand(x, from->at);
            if (!plain || to->byval || !from || j >= from->slots || from->byval)
                foreign(x, at);
            else
                flow_operand(x, later(from->at, j), at);
        }
        for (uint32_t j = to->slots; from && j < from->slots; j++)
            leak_operand(x, later(from->at, j));
    }
    leak_arguments(x, k, g->f->n_params);
}

static void call(owned *x, uint32_t insn, const au_code_insn *i) {
    src *s = x->s;
    const struct au_code_call *k = &x->c->call[i->aux];
    const au_libc *l = au_src_call_library(s, x->frame, k);
    const au_src_call *found = au_src_calls(s, x->frame, insn);
    bool named = au_src_direct(s, s->frame.at[x->frame].fn, k) != AU_NONE;
    bool plain = named || k->kind == AU_CALL_INDIRECT || (k->kind == AU_CALL_SILENT && !k->name);
    bool outside = au_map_find(&s->outside_call, au_key2(x->frame, insn)) != NULL;
    bool known = plain && found && !outside;
    if (!plain && l && !outside)
        library(x, insn, i, k, l);
    else if (!known)
        leak_arguments(x, k, 0);
    uint32_t to = i->dst == AU_NONE ? AU_NONE : slot(x, i->dst);
    for (uint32_t j = 0; to != AU_NONE && j < k->result_slots && !known && (plain || !l || outside);
         j++)
        foreign(x, to + j);
    for (const au_src_call *r = found; r; r = r->next ? &s->call.at[r->next - 1] : NULL) {
        const au_code_function *g = s->fn.at[r->fn].f;
        pass(x, k, r, known);
        for (uint32_t j = 0; j < g->result_slots; j++) {
            if (!known)
                leak(x, x->result[r->frame] + j);
            else if (to != AU_NONE && j < k->result_slots)
                flow(x, x->result[r->frame] + j, to + j);
        }
        for (uint32_t j = g->result_slots; to != AU_NONE && j < k->result_slots; j++)
            foreign(x, to + j);
    }
}

/* --- instructions --------------------------------------------------------------------------------------- */

static void set_foreign(owned *x, const au_code_insn *i) {
    uint32_t n = i->dst == AU_NONE ? 0 : au_src_dst_slots(x->c, i);
    for (uint32_t k = 0; k < n; k++)
        foreign(x, slot(x, i->dst + k));
}

/* Of wide values: no pointer in them is followed. */
static void not_followed(owned *x, const au_code_insn *i) {
    switch (i->op) {
    case AU_C_BYTES_GET: {
        uint32_t end = (i->aux & 0xffff) + (i->width ? (i->width + 7u) / 8 : i->aux >> 16);
        for (uint32_t k = 0; k < (end + 7) / 8; k++)
            leak_operand(x, later(i->a, k));
        break;
    }
    case AU_C_BYTES_PUT:
        for (uint32_t k = 0; k < (uint32_t)i->c; k++)
            leak_operand(x, later(i->a, k));
        for (uint32_t k = 0; k < (i->width ? 1 : ((i->aux >> 16) + 7) / 8); k++)
            leak_operand(x, later(i->b, k));
        break;
    case AU_C_WIDE:
        for (uint32_t k = 0; k < x->c->wide[i->aux].n_operands; k++)
            leak_operand(x, x->c->wide[i->aux].operand[k]);
        break;
    case AU_C_UNMODELLED:
        for (int32_t k = 0; k < i->b; k++)
            leak_operand(x, x->c->operand[i->a + k]);
        break;
    case AU_C_ANNOTATE:
        leak_arguments(x, &x->c->call[i->aux], 0);
        break;
    case AU_C_COMPARES: /* numbers */
    case AU_C_CASTS:
    case AU_C_INTRINSICS:
    case AU_C_ABS:
    case AU_C_MUL:
    case AU_C_UDIV:
    case AU_C_SDIV:
    case AU_C_UREM:
    case AU_C_SREM:
        return; /* not so what can be a pointer again: the less of two, a shift and back */
    default:
        break;
    }
    set_foreign(x, i);
}

static void instruction(owned *x, uint32_t insn) {
    const au_code_insn *i = &x->c->insn[insn];
    bool pointers = i->width == 64 || !i->width; /* may have some in it */
    uint32_t wide = i->width ? 1 : (i->aux + 7) / 8;
    switch (i->op) {
    case AU_C_CALL:
        call(x, insn, i);
        break;
    case AU_C_RET:
        for (uint32_t k = 0; k < i->aux; k++)
            flow_operand(x, later(i->a, k), x->result[x->frame] + k);
        break;
    case AU_C_ALLOCA:
        make(x, slot(x, i->dst), insn);
        break;
    case AU_C_LOAD:
        if (pointers)
            for (uint32_t k = 0; k < wide; k++)
                load(x, i->a, slot(x, i->dst + k));
        break;
    case AU_C_STORE:
        for (uint32_t k = 0; pointers && k < wide; k++)
            store(x, i->a, later(i->b, k));
        break;
    case AU_C_RMW:
    case AU_C_CMPXCHG:
        for (uint32_t k = 0; k < wide; k++)
            leak_operand(x, later(i->op == AU_C_RMW ? i->b : i->c, k));
        expose_operand(x, i->a);
        set_foreign(x, i);
        break;
    case AU_C_COPY:
        copy(x, i->a, i->b);
        break;
    case AU_C_FORGET:
        forget(x, i->a);
        break;
    case AU_C_ADD:
        if (!is_number(x, i->a))
            flow_operand(x, i->a, slot(x, i->dst));
        if (!is_number(x, i->b))
            flow_operand(x, i->b, slot(x, i->dst));
        break;
    case AU_C_SUB:
    case AU_C_SCALE:
        flow_operand(x, i->a, slot(x, i->dst));
        break;
    case AU_C_AND:
    case AU_C_OR:
    case AU_C_XOR:
        flow_operand(x, i->a, slot(x, i->dst));
        flow_operand(x, i->b, slot(x, i->dst));
        break;
    case AU_C_MOVE:
        for (uint32_t k = 0; k < i->aux; k++)
            flow_operand(x, later(i->a, k), slot(x, i->dst + k));
        break;
    case AU_C_SELECT:
        for (uint32_t k = 0; k < i->aux; k++) {
            flow_operand(x, later(i->b, k), slot(x, i->dst + k));
            flow_operand(x, later(i->c, k), slot(x, i->dst + k));
        }
        break;
    default:
        not_followed(x, i);
        break;
    }
}

static void edge(void *ctx, uint32_t edge) {
    owned *x = ctx;
    const struct au_code_edge *e = &x->c->edge[edge];
    for (uint32_t k = 0; k < e->n_copies; k++) {
        const struct au_code_copy *p = &x->c->copy[e->copy + k];
        for (uint32_t j = 0; j < p->n; j++)
            flow_operand(x, later(p->src, j), slot(x, p->dst + j));
    }
}

/* Frames that nobody of the thread calls: of threads, constructors, callbacks. */
static void begin(owned *x) {
    src *s = x->s;
    uint8_t *called = au_alloc_array(s->frame.n + 1, 1);
    for (size_t i = 0; i < s->call.n; i++)
        called[s->call.at[i].frame] = 1;
    for (uint32_t f = 0; f < s->frame.n; f++) {
        const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
        for (uint32_t p = 0; p < g->f->n_params && !called[f]; p++) {
            const struct au_code_arg *to = &g->code->arg[g->f->param + p];
            for (uint32_t j = 0; j < to->slots; j++)
                foreign(x, x->base[f] + (uint32_t)to->at + j);
        }
        for (uint32_t j = 0; j < g->f->result_slots && !called[f]; j++)
            leak(x, x->result[f] + j);
    }
    free(called);
}

static void follow(owned *x, uint32_t frame, bool back) {
    src *s = x->s;
    const au_src_fn *g = &s->fn.at[s->frame.at[frame].fn];
    x->frame = frame;
    x->c = g->code;
    for (uint32_t n = 0; n < g->f->n; n++) {
        uint32_t k = back ? g->f->n - 1 - n : n;
        if (!g->live[k])
            continue;
        instruction(x, g->f->first + k);
        au_src_each_edge(x->c, &x->c->insn[g->f->first + k], edge, x);
    }
}

/* What is known goes both ways, so it is followed both ways. */
static void solve(owned *x) {
    src *s = x->s;
    bool back = false;
    do {
        x->changed = false;
        for (uint32_t n = 0; n < s->frame.n && !au_src_late(s); n++)
            follow(x, back ? (uint32_t)s->frame.n - 1 - n : n, back);
        back = !back;
    } while (x->changed && !s->failed);
}

/* --- accesses ------------------------------------------------------------------------------------------- */

typedef struct {
    const owned *x;
    bool is, any;
} asking;

static void ask(void *ctx, au_operand o, bool plain) {
    asking *a = ctx;
    const node *n = plain && o >= 0 ? &a->x->node.at[slot(a->x, (uint32_t)o)] : NULL;
    a->is &= n && n->n && !n->foreign;
    a->any = true;
}

static bool is_private(const owned *x, const au_code_insn *i, bool write) {
    asking a = {x, true, false};
    return au_src_each_pointer(x->s, x->frame, i, write, ask, &a) && a.any && a.is;
}

static void tell(owned *x, uint32_t frame) {
    src *s = x->s;
    const au_src_fn *g = &s->fn.at[s->frame.at[frame].fn];
    x->frame = frame;
    x->c = g->code;
    for (uint32_t k = 0; k < g->f->n; k++) {
        const au_code_insn *i = &x->c->insn[g->f->first + k];
        if (!g->live[k])
            continue;
        bool reads = is_private(x, i, false), writes = is_private(x, i, true);
        if (reads || writes)
            au_bld_guard_root(s, frame, g->f->first + k, reads ? AU_GUARD_PRIVATE : 0,
                              writes ? AU_GUARD_PRIVATE : 0);
    }
}

/* Whether a node was full. */
static bool find(src *s, bool large) {
    owned x = {.s = s, .large = large};
    x.base = au_alloc_array(s->frame.n + 1, sizeof *x.base);
    x.result = au_alloc_array(s->frame.n + 1, sizeof *x.result);
    au_map_init(&x.site_at);
    for (uint32_t f = 0; f < s->frame.n; f++) {
        const au_code_function *g = s->fn.at[s->frame.at[f].fn].f;
        x.base[f] = (uint32_t)x.node.n;
        x.result[f] = x.base[f] + g->slots;
        for (uint32_t k = 0; k < g->slots + g->result_slots; k++)
            au_vec_push(&x.node, (node){0});
    }
    begin(&x);
    solve(&x);
    for (uint32_t f = 0; f < s->frame.n && !s->failed; f++)
        tell(&x, f);
    au_map_release(&x.site_at);
    au_vec_release(&x.node);
    au_vec_release(&x.contents);
    free(x.base);
    free(x.result);
    return x.filled;
}

void au_bld_private(bld *b) {
    if (find(b->s, false))
        (void)find(b->s, true);
}
