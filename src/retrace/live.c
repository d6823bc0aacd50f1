/* retrace/live.c: which slots and local variables of a function its code may still look at, at the beginning of each
 * block. A variable is looked at like a slot if nothing but loads and stores of all of it use its address (a *cell*).
 *
 * What is said to be dead is dead: uses are counted generously, what an instruction sets stingily. */
#include "retrace/live.h"

#include "base/bits.h"
#include "retrace/retrace_priv.h"

enum {
    MOST_WORDS = 1 << 20,
    WIDE = 16
}; /* of a function's sets; slots of what an instruction may set */

typedef void use_fn(void *ctx, au_operand o, uint32_t n);

static void use_call(const au_code *c, const au_code_insn *i, use_fn *use, void *ctx) {
    const struct au_code_call *call = &c->call[i->aux];
    for (uint32_t k = 0; k < call->n_args; k++)
        use(ctx, c->arg[call->arg + k].at, c->arg[call->arg + k].slots);
    if (call->kind == AU_CALL_INDIRECT)
        use(ctx, call->target, 1);
    else
        use(ctx, call->target, call->kind == AU_CALL_SILENT);
}

static uint32_t slots_of_bits(uint64_t bits) {
    return bits <= 64 ? 1 : (uint32_t)((bits + 63) / 64);
}

static uint32_t bytes_of(const au_code_insn *i) {
    return i->width ? au_bytes_of(i->width) : i->aux >> 16;
}

static void use_wide(const struct au_code_wide *w, use_fn *use, void *ctx) {
    uint32_t to = slots_of_bits((uint64_t)w->bits * w->lanes);
    uint32_t from = slots_of_bits((uint64_t)w->from_bits * w->from_lanes);
    for (uint32_t k = 0; k < w->n_operands; k++)
        use(ctx, w->operand[k], from > to ? from : to);
}

static void use_three(const au_code_insn *i, uint32_t a, uint32_t b, uint32_t c, use_fn *use,
                      void *ctx) {
    use(ctx, i->a, a);
    use(ctx, i->b, b);
    use(ctx, i->c, c);
}

/* Every slot that the instruction may look at; others perhaps, too. */
static void uses(const au_code *c, const au_code_insn *i, use_fn *use, void *ctx) {
    uint32_t n = i->width ? 1 : au_slots_of(i->aux);
    switch ((au_code_op)i->op) {
    case AU_C_MOVE:
        use(ctx, i->a, i->aux);
        return;
    case AU_C_CASTS:
    case AU_C_FORGET:
    case AU_C_EV_FRAME:
    case AU_C_EV_BYVAL:
    case AU_C_CONDBR:
    case AU_C_SWITCH:
    case AU_C_INDIRECTBR:
        use(ctx, i->a, 1);
        return;
    case AU_C_BYTES_GET:
        use(ctx, i->a, au_slots_of((i->aux & 0xffff) + bytes_of(i)));
        return;
    case AU_C_BYTES_PUT:
        use_three(i, (uint32_t)i->c, au_slots_of(bytes_of(i)) + !bytes_of(i), 0, use, ctx);
        return;
    case AU_C_OVERFLOW:
        use_three(i, slots_of_bits(i->width), slots_of_bits(i->width), 0, use, ctx);
        return;
    case AU_C_RESUME:
        use(ctx, i->a, UINT16_MAX);
        return;
    case AU_C_RET:
        use(ctx, i->a, i->aux);
        return;
    case AU_C_SELECT:
        use_three(i, 1, i->aux, i->aux, use, ctx);
        return;
    case AU_C_ALLOCA:
        use(ctx, i->b, 1);
        return;
    case AU_C_LOAD:
        use(ctx, i->a, 1);
        return;
    case AU_C_STORE:
    case AU_C_RMW:
        use_three(i, 1, n, 0, use, ctx);
        return;
    case AU_C_CMPXCHG:
        use_three(i, 1, n, n, use, ctx);
        return;
    case AU_C_WIDE:
        use_wide(&c->wide[i->aux], use, ctx);
        return;
    case AU_C_UNMODELLED:
        for (uint32_t k = 0; k < (uint32_t)i->b; k++)
            use(ctx, c->operand[(uint32_t)i->a + k], UINT16_MAX);
        return;
    case AU_C_CALL:
    case AU_C_ANNOTATE:
        use_call(c, i, use, ctx);
        return;
    case AU_C_BR:
    case AU_C_FENCE:
    case AU_C_EV_ENTER:
    case AU_C_EV_LEAVE:
    case AU_C_EV_LAND:
    case AU_C_LANDINGPAD:
    case AU_C_UNREACHABLE:
        return;
    default: /* arithmetic, comparisons, ranges of memory */
        use_three(i, 1, 1, 1, use, ctx);
        return;
    }
}

/* How many slots from dst on it certainly sets. */
static uint32_t sets(const au_code *c, const au_code_insn *i) {
    if (i->dst == AU_NONE)
        return 0;
    if (i->op == AU_C_CALL || i->op == AU_C_ANNOTATE)
        return c->call[i->aux].result_slots;
    if (i->op == AU_C_MOVE)
        return i->aux;
    if (i->op == AU_C_LOAD && !i->width)
        return au_slots_of(i->aux);
    if (i->op == AU_C_CMPXCHG)
        return au_slots_of((i->width ? au_bytes_of(i->width) : i->aux) + 1);
    return 1;
}

typedef void edge_fn(void *ctx, uint32_t edge);

/* The edges that lead out of a block, by its last instruction. */
static void edges(const au_code *c, const au_code_insn *i, edge_fn *fn, void *ctx) {
    const struct au_code_switch *s;
    const struct au_code_call *call;
    switch ((au_code_op)i->op) {
    case AU_C_BR:
        fn(ctx, (uint32_t)i->a);
        return;
    case AU_C_CONDBR:
        fn(ctx, (uint32_t)i->b);
        fn(ctx, (uint32_t)i->c);
        return;
    case AU_C_SWITCH:
    case AU_C_INDIRECTBR:
        s = &c->sw[i->aux];
        for (uint32_t k = 0; k < s->n_succ; k++)
            fn(ctx, c->index[s->succ + k]);
        if (i->op == AU_C_SWITCH)
            fn(ctx, s->otherwise);
        return;
    case AU_C_CALL:
    case AU_C_ANNOTATE:
        call = &c->call[i->aux];
        if (call->invoke) {
            fn(ctx, call->normal);
            fn(ctx, call->unwind);
        }
        return;
    default:
        return;
    }
}

/* ---- cells ----------------------------------------------------------------------------------- */

typedef struct {
    au_live_slots *l;
    const au_code *c;
    const au_code_function *f;
    uint64_t *now; /* live, while going backwards */
    uint64_t *more;
    uint32_t from; /* of an edge */
} maker;

static void no_cell(void *ctx, au_operand o, uint32_t n) {
    maker *k = ctx;
    for (uint32_t j = 0; o >= 0 && j < n && (uint32_t)o + j < k->l->slots; j++)
        k->l->cell[(uint32_t)o + j] = 0;
}

static void no_cells_across(void *ctx, uint32_t edge) {
    maker *k = ctx;
    const struct au_code_edge *e = &k->c->edge[edge];
    for (uint32_t j = 0; j < e->n_copies; j++)
        no_cell(k, k->c->copy[e->copy + j].src, k->c->copy[e->copy + j].n);
    k->l->loops |= e->target <= k->from;
}

static bool is_cell_access(const au_live_slots *l, const au_code_insn *i) {
    return (i->op == AU_C_LOAD || i->op == AU_C_STORE) && i->width && i->site == AU_NONE &&
           i->a >= 0 && (uint32_t)i->a < l->slots;
}

static void find_cells(maker *k) {
    enum { NEW = 255 };
    au_live_slots *l = k->l;
    uint32_t end = k->f->first + k->f->n;
    for (uint32_t at = k->f->first; at < end; at++) {
        const au_code_insn *i = &k->c->insn[at];
        if (i->op == AU_C_ALLOCA && i->dst < l->slots && k->c->block[at] == k->f->first)
            l->cell[i->dst] = NEW;
    }
    for (uint32_t at = k->f->first; at < end; at++) {
        const au_code_insn *i = &k->c->insn[at];
        k->from = at;
        edges(k->c, i, no_cells_across, k);
        if (!is_cell_access(l, i)) {
            uses(k->c, i, no_cell, k);
            continue;
        }
        if (i->op == AU_C_STORE)
            no_cell(k, i->b, 1);
        uint8_t *cell = &l->cell[(uint32_t)i->a];
        if (*cell == NEW)
            *cell = i->width;
        else if (*cell != i->width)
            *cell = 0;
    }
    for (uint32_t s = 0; s < l->slots; s++)
        if (l->cell[s] == NEW)
            l->cell[s] = 0;
}

/* ---- liveness ----------------------------------------------------------------------------------- */

static void put(uint64_t *set, uint32_t bit, bool on) {
    uint64_t m = UINT64_C(1) << bit % 64;
    set[bit / 64] = on ? set[bit / 64] | m : set[bit / 64] & ~m;
}

static void add_use(void *ctx, au_operand o, uint32_t n) {
    maker *k = ctx;
    for (uint32_t j = 0; o >= 0 && j < n && (uint32_t)o + j < k->l->slots; j++)
        put(k->now, (uint32_t)o + j, true);
}

static void add_edge(void *ctx, uint32_t edge) {
    maker *k = ctx;
    const struct au_code_edge *e = &k->c->edge[edge];
    const uint64_t *in = au_live_at(k->l, e->target);
    memcpy(k->more, in, k->l->words * sizeof *in);
    for (uint32_t j = 0; j < e->n_copies; j++) {
        const struct au_code_copy *c = &k->c->copy[e->copy + j];
        for (uint32_t s = 0; s < c->n; s++)
            put(k->more, c->dst + s, false);
    }
    for (uint32_t w = 0; w < k->l->words; w++)
        k->now[w] |= k->more[w];
    for (uint32_t j = 0; j < e->n_copies; j++)
        add_use(k, k->c->copy[e->copy + j].src, k->c->copy[e->copy + j].n);
}

static void back_over(maker *k, const au_code_insn *i) {
    au_live_slots *l = k->l;
    uint32_t n = sets(k->c, i);
    for (uint32_t j = 0; j < n && i->dst + j < l->slots; j++)
        put(k->now, i->dst + j, false);
    bool cell = is_cell_access(l, i) && l->cell[(uint32_t)i->a];
    if (cell)
        put(k->now, l->slots + (uint32_t)i->a, i->op == AU_C_LOAD);
    uses(k->c, i, add_use, k);
}

/* True: more is live at the beginning of the block that ends with this instruction. */
static bool one_block(maker *k, uint32_t first, uint32_t last) {
    au_live_slots *l = k->l;
    memset(k->now, 0, l->words * sizeof *k->now);
    edges(k->c, &k->c->insn[last], add_edge, k);
    for (uint32_t at = last + 1; at-- > first;)
        back_over(k, &k->c->insn[at]);
    uint64_t *in = l->in + (size_t)l->block[first - l->first] * l->words;
    bool more = memcmp(in, k->now, l->words * sizeof *in) != 0;
    memcpy(in, k->now, l->words * sizeof *in);
    return more;
}

static void find_live(maker *k) {
    bool more = true;
    uint32_t first = k->f->first, end = first + k->f->n;
    while (more) {
        more = false;
        for (uint32_t last = end; last-- > first;) {
            uint32_t begin = k->c->block[last];
            more |= one_block(k, begin, last);
            last = begin;
        }
    }
}

au_live_slots *au_live_new(const au_code *c, uint32_t function) {
    const au_code_function *f = &c->function[function];
    au_live_slots *l = AU_NEW(au_live_slots);
    l->first = f->first;
    l->slots = f->slots;
    l->words = (2 * f->slots + 63) / 64;
    l->block = au_alloc_array(f->n, sizeof *l->block);
    uint32_t blocks = 0;
    for (uint32_t at = 0; at < f->n; at++) {
        blocks += c->block[f->first + at] == f->first + at;
        l->block[at] = blocks - 1;
    }
    l->cell = au_alloc_array(f->slots, 1);
    maker k = {.l = l, .c = c, .f = f};
    find_cells(&k);
    if (!l->loops || (uint64_t)blocks * l->words > MOST_WORDS) {
        l->loops = false;
        return l;
    }
    l->in = au_alloc_array((size_t)blocks * l->words, sizeof *l->in);
    k.now = au_alloc_array(l->words, sizeof *k.now);
    k.more = au_alloc_array(l->words, sizeof *k.more);
    find_live(&k);
    free(k.now);
    free(k.more);
    return l;
}

void au_live_free(au_live_slots *l) {
    if (!l)
        return;
    free(l->block);
    free(l->cell);
    free(l->in);
    free(l);
}

/* ---- what a block sets ------------------------------------------------------------------------------ */

struct setter {
    const au_code *c;
    uint32_t slot;
    bool found;
};

static void look_across(void *ctx, uint32_t edge) {
    struct setter *s = ctx;
    const struct au_code_edge *e = &s->c->edge[edge];
    for (uint32_t j = 0; j < e->n_copies; j++) {
        const struct au_code_copy *c = &s->c->copy[e->copy + j];
        s->found |= s->slot >= c->dst && s->slot - c->dst < c->n;
    }
}

bool au_live_may_set(const au_live_slots *l, const au_code *c, uint32_t block, uint32_t var) {
    bool cell = var >= l->slots;
    struct setter s = {.c = c, .slot = cell ? var - l->slots : var};
    for (uint32_t at = block; at < c->n_insns && c->block[at] == block && !s.found; at++) {
        const au_code_insn *i = &c->insn[at];
        if (cell) {
            s.found = i->op == AU_C_STORE && i->a == (au_operand)s.slot;
            continue;
        }
        uint32_t n = sets(c, i);
        s.found = i->dst != AU_NONE && s.slot >= i->dst && s.slot - i->dst < (n > WIDE ? n : WIDE);
        edges(c, i, look_across, &s);
    }
    return s.found;
}
