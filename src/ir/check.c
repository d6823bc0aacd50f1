/* ir/check.c: is decoded code well formed? The decoder and whoever executes what it made
 * are different programs' parts (augur-llvm.so, augur): this is the customs between them. */
#include "ir/code.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const op_names[AU_C_OPS] = {
    [AU_C_ADD] = "ADD",
    [AU_C_SUB] = "SUB",
    [AU_C_MUL] = "MUL",
    [AU_C_UDIV] = "UDIV",
    [AU_C_SDIV] = "SDIV",
    [AU_C_UREM] = "UREM",
    [AU_C_SREM] = "SREM",
    [AU_C_SHL] = "SHL",
    [AU_C_LSHR] = "LSHR",
    [AU_C_ASHR] = "ASHR",
    [AU_C_AND] = "AND",
    [AU_C_OR] = "OR",
    [AU_C_XOR] = "XOR",
    [AU_C_EQ] = "EQ",
    [AU_C_NE] = "NE",
    [AU_C_ULT] = "ULT",
    [AU_C_ULE] = "ULE",
    [AU_C_SLT] = "SLT",
    [AU_C_SLE] = "SLE",
    [AU_C_MOVE] = "MOVE",
    [AU_C_TRUNC] = "TRUNC",
    [AU_C_ZEXT] = "ZEXT",
    [AU_C_SEXT] = "SEXT",
    [AU_C_SELECT] = "SELECT",
    [AU_C_SCALE] = "SCALE",
    [AU_C_SMIN] = "SMIN",
    [AU_C_SMAX] = "SMAX",
    [AU_C_UMIN] = "UMIN",
    [AU_C_UMAX] = "UMAX",
    [AU_C_ABS] = "ABS",
    [AU_C_CTPOP] = "CTPOP",
    [AU_C_CTLZ] = "CTLZ",
    [AU_C_CTTZ] = "CTTZ",
    [AU_C_BSWAP] = "BSWAP",
    [AU_C_BITREVERSE] = "BITREVERSE",
    [AU_C_FSHL] = "FSHL",
    [AU_C_FSHR] = "FSHR",
    [AU_C_USUB_SAT] = "USUB_SAT",
    [AU_C_UADD_SAT] = "UADD_SAT",
    [AU_C_SSUB_SAT] = "SSUB_SAT",
    [AU_C_SADD_SAT] = "SADD_SAT",
    [AU_C_OVERFLOW] = "OVERFLOW",
    [AU_C_BYTES_GET] = "BYTES_GET",
    [AU_C_BYTES_PUT] = "BYTES_PUT",
    [AU_C_WIDE] = "WIDE",
    [AU_C_UNMODELLED] = "UNMODELLED",
    [AU_C_ALLOCA] = "ALLOCA",
    [AU_C_LOAD] = "LOAD",
    [AU_C_STORE] = "STORE",
    [AU_C_COPY] = "COPY",
    [AU_C_SET] = "SET",
    [AU_C_FORGET] = "FORGET",
    [AU_C_RMW] = "RMW",
    [AU_C_CMPXCHG] = "CMPXCHG",
    [AU_C_FENCE] = "FENCE",
    [AU_C_EV_ENTER] = "EV_ENTER",
    [AU_C_EV_LEAVE] = "EV_LEAVE",
    [AU_C_EV_LAND] = "EV_LAND",
    [AU_C_EV_FRAME] = "EV_FRAME",
    [AU_C_EV_BYVAL] = "EV_BYVAL",
    [AU_C_BR] = "BR",
    [AU_C_CONDBR] = "CONDBR",
    [AU_C_SWITCH] = "SWITCH",
    [AU_C_INDIRECTBR] = "INDIRECTBR",
    [AU_C_RET] = "RET",
    [AU_C_CALL] = "CALL",
    [AU_C_LANDINGPAD] = "LANDINGPAD",
    [AU_C_RESUME] = "RESUME",
    [AU_C_UNREACHABLE] = "UNREACHABLE",
    [AU_C_ANNOTATE] = "ANNOTATE",
};

const char *au_code_op_name(unsigned op) {
    return op < AU_C_OPS && op_names[op] ? op_names[op] : "?";
}

const char *au_code_wide_name(unsigned op) {
    static const char *const names[] = {
        "FADD",  "FSUB",   "FMUL",    "FDIV",   "FREM",    "FNEG",   "FCMP", "FPTRUNC",
        "FPEXT", "FPTOSI", "FPTOUI",  "SITOFP", "UITOFP",  "FMATH",  "INT",  "ICMP",
        "CAST",  "SELECT", "EXTRACT", "INSERT", "SHUFFLE", "REDUCE", "OTHER"};
    return op < sizeof names / sizeof *names ? names[op] : "?";
}

typedef struct {
    const au_code *c;
    au_error *err;
    const au_code_function *f; /* of the instruction that is looked at */
    uint32_t at;
    uint8_t *sites; /* how often each was seen */
    bool bad;
} checker;

static void bad(checker *x, const char *what) {
    if (x->bad)
        return;
    x->bad = true;
    au_error_set(
        x->err, AU_EINTERNAL,
        "decoded module %016" PRIx64 " is wrong at instruction %" PRIu32 " (%s of '%s'): %s",
        x->c->module, x->at, x->at < x->c->n_insns ? au_code_op_name(x->c->insn[x->at].op) : "none",
        x->f ? au_code_text(x->c, x->f->name) : "", what);
}

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            bad(x, #cond);                                                                         \
            return;                                                                                \
        }                                                                                          \
    } while (0)

static bool inside(uint64_t first, uint64_t n, uint64_t all) {
    return first <= all && n <= all - first;
}

/* Operands ---------------------------------------------------------------- */

static void slots(checker *x, uint32_t slot, uint64_t n) {
    MUST(inside(slot, n, x->f->slots));
}

static void operand(checker *x, au_operand o, uint64_t n) {
    if (o >= 0)
        MUST(inside((uint32_t)o, n, x->f->slots));
    else
        MUST(inside((uint32_t)~o, n, x->c->n_consts));
}

static void scalar(checker *x, au_operand o) {
    operand(x, o, 1);
}

static void text(checker *x, uint32_t s) {
    MUST(s < x->c->n_strings);
}

static void edge(checker *x, uint32_t e) {
    MUST(e < x->c->n_edges);
    const struct au_code_edge *g = &x->c->edge[e];
    MUST(g->target >= x->f->first && g->target - x->f->first < x->f->n);
    MUST(x->c->block[g->target] == g->target);
    MUST(inside(g->copy, g->n_copies, x->c->n_copies));
    for (uint32_t k = 0; k < g->n_copies; k++) {
        const struct au_code_copy *y = &x->c->copy[g->copy + k];
        MUST(y->n > 0 && (y->width == 0 || y->n == 1) && y->width <= 64);
        slots(x, y->dst, y->n);
        operand(x, y->src, y->n);
    }
}

static void site(checker *x, uint32_t s, uint8_t part) {
    if (s == AU_NONE)
        return;
    MUST(s < x->c->n_sites);
    MUST(x->c->site_insn[s] == x->at && x->c->site_part[s] == part);
    MUST(x->sites[s]++ == 0);
}

static uint64_t slots_of_bits(uint64_t bits) {
    return bits <= 64 ? 1 : (bits + 63) / 64;
}

/* Instructions ------------------------------------------------------------ */

static void check_wide(checker *x, const au_code_insn *i) {
    MUST(i->aux < x->c->n_wides);
    const struct au_code_wide *w = &x->c->wide[i->aux];
    MUST(w->op <= AU_W_OTHER && w->n_operands <= 4);
    MUST(w->lane <= AU_LANE_OTHER && w->from_lane <= AU_LANE_OTHER);
    MUST(w->bits > 0 && w->bits <= 128 && w->from_bits > 0 && w->from_bits <= 128);
    MUST(w->lanes > 0 && w->from_lanes > 0);
    uint64_t to = slots_of_bits((uint64_t)w->bits * w->lanes);
    uint64_t from = slots_of_bits((uint64_t)w->from_bits * w->from_lanes);
    slots(x, i->dst, to);
    text(x, w->name);
    for (uint32_t k = 0; k < w->n_operands; k++) {
        uint64_t n = from;
        if (w->op == AU_W_SELECT && k > 0)
            n = to;
        else if (w->op == AU_W_EXTRACT && k == 1)
            n = 1;
        else if (w->op == AU_W_INSERT && k > 0)
            n = k == 1 ? slots_of_bits(w->bits) : 1;
        operand(x, w->operand[k], n);
    }
    if (w->op != AU_W_SHUFFLE)
        return;
    MUST(w->n_mask == w->lanes && inside(w->mask, w->n_mask, x->c->n_indexes));
    for (uint32_t k = 0; k < w->n_mask; k++) {
        uint32_t m = x->c->index[w->mask + k];
        MUST(m == AU_NONE || m < 2 * (uint64_t)w->from_lanes);
    }
}

static void check_switch(checker *x, const au_code_insn *i) {
    scalar(x, i->a);
    MUST(i->aux < x->c->n_switches);
    const struct au_code_switch *s = &x->c->sw[i->aux];
    MUST(inside(s->first, s->n, x->c->n_cases) && inside(s->succ, s->n_succ, x->c->n_indexes));
    MUST(s->n_succ > 0 && s->bits > 0 && s->bits < 64 && s->n_succ <= UINT64_C(1) << s->bits);
    for (uint32_t k = 0; k < s->n_succ; k++)
        edge(x, x->c->index[s->succ + k]);
    if (i->op == AU_C_INDIRECTBR)
        return;
    MUST(s->width > 0 && s->width <= 64);
    edge(x, s->otherwise);
    for (uint32_t k = 0; k < s->n; k++) {
        const struct au_code_case *y = &x->c->kase[s->first + k];
        bool told = false;
        for (uint32_t j = 0; j < s->n_succ && !told; j++)
            told = x->c->index[s->succ + j] == y->edge;
        MUST(told);
        MUST(s->width == 64 || y->value >> s->width == 0);
    }
}

static void check_call(checker *x, const au_code_insn *i) {
    MUST(i->aux < x->c->n_calls);
    const struct au_code_call *c = &x->c->call[i->aux];
    MUST(c->kind <= AU_CALL_SILENT);
    text(x, c->name);
    MUST(i->site == c->xcall);
    site(x, c->land, 1);
    site(x, c->xret, 2);
    MUST((c->kind == AU_CALL_DIRECT) == (c->callee != AU_NONE));
    MUST(inside(c->arg, c->n_args, x->c->n_args));
    for (uint32_t k = 0; k < c->n_args; k++) {
        const struct au_code_arg *a = &x->c->arg[c->arg + k];
        MUST(a->width <= 64 && (a->width == 0 || a->slots == 1));
        operand(x, a->at, a->slots);
    }
    if (c->kind == AU_CALL_DIRECT) {
        MUST(c->callee < x->c->n_functions);
        MUST(!x->c->function[c->callee].left_out);
    }
    if (c->kind == AU_CALL_INDIRECT)
        scalar(x, c->target);
    if (i->dst != AU_NONE)
        slots(x, i->dst, c->result_slots);
    MUST((i->dst != AU_NONE) == (c->result_slots > 0));
    MUST(c->invoke == (c->normal != AU_NONE) && c->invoke == (c->unwind != AU_NONE));
    if (c->invoke) {
        edge(x, c->normal);
        edge(x, c->unwind);
    }
}

static void check_memory(checker *x, const au_code_insn *i) {
    uint64_t n;
    MUST(i->width <= 64 && (i->width > 0 || (i->aux > 0 && i->aux <= UINT32_MAX - 8)));
    uint64_t bytes = i->width ? (i->width + 7u) / 8 : i->aux;
    n = (bytes + 7) / 8;
    scalar(x, i->a);
    if (i->op != AU_C_LOAD)
        operand(x, i->b, n);
    if (i->op == AU_C_CMPXCHG)
        operand(x, i->c, n);
    /* What has no event is memory of one's own. */
    MUST(i->site != AU_NONE || x->f->left_out || i->flags & (AU_CF_PRIVATE | AU_CF_CONST));
    MUST(i->site == AU_NONE || !(i->flags & (AU_CF_PRIVATE | AU_CF_CONST)));
    if (i->op == AU_C_STORE)
        MUST(i->dst == AU_NONE);
    else
        slots(x, i->dst, i->op == AU_C_CMPXCHG ? (bytes + 8) / 8 : n);
    MUST(i->op != AU_C_RMW || i->from <= AU_RMW_OTHER);
}

/* dst and a to c are scalars of 'width' bits. */
static void check_scalars(checker *x, const au_code_insn *i, unsigned operands) {
    MUST(i->width > 0 && i->width <= 64);
    slots(x, i->dst, 1);
    scalar(x, i->a);
    if (operands > 1)
        scalar(x, i->b);
    if (operands > 2)
        scalar(x, i->c);
}

static void check_insn(checker *x, const au_code_insn *i) {
    MUST(i->op < AU_C_OPS);
    site(x, i->site, 0);
    switch ((au_code_op)i->op) {
    case AU_C_MOVE:
        MUST(i->aux > 0 && (i->width == 0 || i->aux == 1));
        slots(x, i->dst, i->aux);
        operand(x, i->a, i->aux);
        break;
    case AU_C_CASTS:
        check_scalars(x, i, 1);
        MUST(i->from > 0 && i->from <= 64);
        MUST(i->op == AU_C_TRUNC ? i->width < i->from : i->width > i->from);
        break;
    case AU_C_SELECT:
        MUST(i->aux > 0 && (i->width == 0 || i->aux == 1));
        scalar(x, i->a);
        slots(x, i->dst, i->aux);
        operand(x, i->b, i->aux);
        operand(x, i->c, i->aux);
        break;
    case AU_C_SCALE:
        check_scalars(x, i, 2);
        MUST(i->from > 0 && i->from <= 64);
        MUST(i->aux < x->c->n_immediates && x->c->n_immediates - i->aux > 1);
        break;
    case AU_C_OVERFLOW:
        MUST(i->width > 0 && i->width <= 128);
        MUST(i->from == AU_C_ADD || i->from == AU_C_SUB || i->from == AU_C_MUL);
        MUST(i->aux >= (i->width + 7u) / 8 && i->aux < 32);
        slots(x, i->dst, i->aux / 8 + 1);
        operand(x, i->a, slots_of_bits(i->width));
        operand(x, i->b, slots_of_bits(i->width));
        break;
    case AU_C_BYTES_GET:
    case AU_C_BYTES_PUT: {
        uint64_t bytes = i->width ? (i->width + 7u) / 8 : i->aux >> 16;
        uint64_t offset = i->aux & 0xffff, part = bytes ? (bytes + 7) / 8 : 1;
        MUST(i->width <= 64);
        if (i->op == AU_C_BYTES_GET) {
            slots(x, i->dst, part);
            operand(x, i->a, (offset + bytes + 7) / 8);
            break;
        }
        MUST(i->c > 0 && offset + bytes <= (uint64_t)i->c * 8);
        slots(x, i->dst, (uint32_t)i->c);
        operand(x, i->a, (uint32_t)i->c);
        operand(x, i->b, part);
        break;
    }
    case AU_C_WIDE:
        check_wide(x, i);
        break;
    case AU_C_UNMODELLED:
        MUST(i->a >= 0 && i->b >= 0 && i->c >= 0);
        MUST(inside((uint32_t)i->a, (uint32_t)i->b, x->c->n_operands));
        for (int32_t k = 0; k < i->b; k++)
            scalar(x, x->c->operand[i->a + k]);
        text(x, i->aux);
        MUST((i->dst != AU_NONE) == (i->c > 0));
        if (i->dst != AU_NONE)
            slots(x, i->dst, (uint32_t)i->c);
        break;
    case AU_C_ALLOCA:
        slots(x, i->dst, 1);
        scalar(x, i->b);
        MUST(i->aux < x->c->n_immediates);
        break;
    case AU_C_LOAD:
    case AU_C_STORE:
    case AU_C_RMW:
    case AU_C_CMPXCHG:
        check_memory(x, i);
        break;
    case AU_C_COPY:
        site(x, i->aux, 1);
        /* fall through */
    case AU_C_SET:
        MUST(i->width > 0 && i->width <= 64);
        scalar(x, i->a);
        scalar(x, i->b);
        scalar(x, i->c);
        break;
    case AU_C_FORGET:
        scalar(x, i->a);
        break;
    case AU_C_FENCE:
    case AU_C_EV_ENTER:
    case AU_C_EV_LEAVE:
    case AU_C_EV_LAND:
        MUST(i->site != AU_NONE);
        break;
    case AU_C_EV_FRAME:
    case AU_C_EV_BYVAL:
        MUST(i->site != AU_NONE);
        MUST(i->a >= 0 || i->op == AU_C_EV_BYVAL);
        scalar(x, i->a);
        break;
    case AU_C_BR:
        edge(x, (uint32_t)i->a);
        break;
    case AU_C_CONDBR:
        scalar(x, i->a);
        edge(x, (uint32_t)i->b);
        edge(x, (uint32_t)i->c);
        break;
    case AU_C_SWITCH:
    case AU_C_INDIRECTBR:
        check_switch(x, i);
        break;
    case AU_C_RET:
        MUST(i->aux == x->f->result_slots);
        if (i->aux)
            operand(x, i->a, i->aux);
        break;
    case AU_C_CALL:
    case AU_C_ANNOTATE:
        check_call(x, i);
        break;
    case AU_C_LANDINGPAD:
        MUST(i->aux > 0);
        slots(x, i->dst, i->aux);
        break;
    case AU_C_RESUME:
    case AU_C_UNREACHABLE:
    case AU_C_OPS:
        break;
    case AU_C_FSHL:
    case AU_C_FSHR:
        check_scalars(x, i, 3);
        break;
    case AU_C_ABS:
    case AU_C_CTPOP:
    case AU_C_CTLZ:
    case AU_C_CTTZ:
    case AU_C_BSWAP:
    case AU_C_BITREVERSE:
        check_scalars(x, i, 1);
        break;
    default: /* of two scalars */
        check_scalars(x, i, 2);
    }
}

static bool ends_block(const au_code *c, const au_code_insn *i) {
    switch (i->op) {
    case AU_C_BR:
    case AU_C_CONDBR:
    case AU_C_SWITCH:
    case AU_C_INDIRECTBR:
    case AU_C_RET:
    case AU_C_RESUME:
    case AU_C_UNREACHABLE:
        return true;
    case AU_C_CALL:
        return i->aux < c->n_calls && c->call[i->aux].invoke;
    default:
        return false;
    }
}

static void check_function(checker *x, uint32_t place) {
    const au_code *c = x->c;
    const au_code_function *f = x->f = &c->function[place];
    x->at = f->first;
    MUST(inside(f->first, f->n, c->n_insns) && f->n > 0);
    text(x, f->name);
    MUST(inside(f->param, f->n_params, c->n_args));
    MUST(f->enter_site == AU_NONE || f->enter_site < c->n_sites);
    MUST(!f->hooked || f->enter_site != AU_NONE);
    for (uint32_t k = 0; k < f->n_params; k++) {
        MUST(c->arg[f->param + k].at >= 0);
        operand(x, c->arg[f->param + k].at, c->arg[f->param + k].slots);
    }
    uint32_t block = f->first;
    for (uint32_t k = 0; k < f->n && !x->bad; k++) {
        x->at = f->first + k;
        const au_code_insn *i = &c->insn[x->at];
        MUST(c->function_of[x->at] == place && c->block[x->at] == block);
        text(x, c->file[x->at]);
        MUST(!c->alias_at || !c->alias_at[x->at] || c->alias_at[x->at] < c->n_aliases);
        MUST(!c->around || !c->around[x->at] || c->around[x->at] < c->n_inlined);
        check_insn(x, i);
        if (ends_block(c, i))
            block = x->at + 1;
    }
    MUST(block == f->first + f->n);
}

/* The rest ---------------------------------------------------------------- */

static void check_inlined(checker *x) {
    const au_code *c = x->c;
    for (uint32_t k = 1; k < c->n_inlined && !x->bad; k++) {
        text(x, c->inlined[k].callee);
        text(x, c->inlined[k].file);
        MUST(c->inlined[k].around < k); /* no circles: the outer one came first */
    }
}

static void check_aliases(checker *x) {
    const au_code *c = x->c;
    for (uint32_t k = 1; k < c->n_aliases && !x->bad; k++)
        MUST(c->alias[k].n <= c->n_immediates / 2 &&
             c->alias[k].first <= c->n_immediates - 2 * c->alias[k].n);
}

static void check_constants(checker *x) {
    const au_code *c = x->c;
    MUST(c->n_strings > 0 && c->string[0] == 0 && c->string[c->n_strings - 1] == 0);
    for (uint32_t k = 0; k < c->n_consts; k++) {
        const struct au_code_const *y = &c->pool[k];
        MUST(y->kind <= AU_CONST_UNKNOWN);
        MUST(y->kind != AU_CONST_GLOBAL || y->index < c->n_globals);
        MUST(y->kind != AU_CONST_FUNCTION || y->index < c->n_strings);
    }
    uint32_t table = 0;
    for (uint32_t k = 0; k < c->n_globals; k++) {
        const struct au_code_global *g = &c->global[k];
        text(x, g->name);
        MUST(g->table == AU_NONE || g->table == table++);
        if (!g->defined || g->zero)
            continue;
        MUST(inside(g->data, g->size, c->n_bytes));
        MUST(inside(g->reloc, g->n_relocs, c->n_relocs));
        for (uint32_t r = 0; r < g->n_relocs; r++) {
            const struct au_code_reloc *y = &c->reloc[g->reloc + r];
            MUST(y->constant < c->n_consts && y->size > 0 && y->size <= 8);
            MUST(inside(y->offset, y->size, g->size));
            MUST(y->size == 8 || c->pool[y->constant].kind == AU_CONST_UNKNOWN);
        }
    }
}

au_status au_code_check(const au_code *c, au_error *err) {
    checker x = {.c = c, .err = err, .at = AU_NONE};
    x.sites = au_alloc_array((size_t)c->n_sites + 1, 1);
    check_constants(&x);
    check_inlined(&x);
    check_aliases(&x);
    uint32_t next = 0;
    for (uint32_t k = 0; k < c->n_functions && !x.bad; k++) {
        check_function(&x, k);
        if (c->function[k].first != next)
            bad(&x, "functions leave a gap");
        next = c->function[k].first + c->function[k].n;
    }
    for (uint32_t s = 0; s < c->n_sites && !x.bad; s++)
        if (!x.sites[s])
            bad(&x, "a site has no instruction");
    free(x.sites);
    return x.bad ? AU_EINTERNAL : AU_OK;
}
