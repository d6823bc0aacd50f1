/* lower/index.c: functions by name, and what their graphs and slots look like. */
#include "lower/source_priv.h"

#include <string.h>
#include <sys/syscall.h>

void au_src_index(src *s) {
    s->fn_base = au_alloc_array(s->n_codes + 1, sizeof *s->fn_base);
    au_intern_init(&s->fn_name);
    for (uint32_t m = 0; m < s->n_codes; m++) {
        const au_code *c = s->code[m];
        s->fn_base[m] = (uint32_t)s->fn.n;
        for (uint32_t f = 0; f < c->n_functions; f++) {
            au_src_fn row = {.code = c, .f = &c->function[f], .module = m};
            au_vec_push(&s->fn, row);
            if (row.f->internal)
                continue;
            const char *name = au_code_text(c, row.f->name);
            uint32_t id = au_intern_add(&s->fn_name, name, strlen(name));
            if (id == s->fn_by_name.n)
                au_vec_push(&s->fn_by_name, (uint32_t)s->fn.n - 1);
        }
    }
}

void au_src_index_free(src *s) {
    for (size_t i = 0; i < s->fn.n; i++) {
        free(s->fn.at[i].cyclic);
        free(s->fn.at[i].live);
        free(s->fn.at[i].cross);
        free(s->fn.at[i].width);
        free(s->fn.at[i].vague);
        free(s->fn.at[i].last);
        free(s->fn.at[i].room);
    }
    au_vec_release(&s->fn);
    au_vec_release(&s->fn_by_name);
    au_intern_release(&s->fn_name);
    free(s->fn_base);
}

uint32_t au_src_fn_by_name(const src *s, uint32_t module, const char *name) {
    const au_code *c = s->code[module];
    for (uint32_t f = 0; f < c->n_functions; f++)
        if (!strcmp(au_code_text(c, c->function[f].name), name))
            return s->fn_base[module] + f;
    uint32_t id = au_intern_find(&s->fn_name, name, strlen(name));
    return id == AU_NONE ? AU_NONE : s->fn_by_name.at[id];
}

void au_src_each_edge(const au_code *c, const au_code_insn *i, void (*visit)(void *, uint32_t),
                      void *ctx) {
    switch (i->op) {
    case AU_C_BR:
        visit(ctx, (uint32_t)i->a);
        break;
    case AU_C_CONDBR:
        visit(ctx, (uint32_t)i->b);
        visit(ctx, (uint32_t)i->c);
        break;
    case AU_C_SWITCH:
    case AU_C_INDIRECTBR: {
        const struct au_code_switch *w = &c->sw[i->aux];
        for (uint32_t k = 0; k < w->n_succ; k++)
            visit(ctx, c->index[w->succ + k]);
        break;
    }
    case AU_C_CALL:
        if (!c->call[i->aux].invoke)
            break;
        if (c->call[i->aux].normal != AU_NONE)
            visit(ctx, c->call[i->aux].normal);
        if (c->call[i->aux].unwind != AU_NONE)
            visit(ctx, c->call[i->aux].unwind);
        break;
    default:
        break;
    }
}

uint32_t au_src_direct(const src *s, uint32_t fn, const struct au_code_call *c) {
    const au_src_fn *f = &s->fn.at[fn];
    if (c->kind == AU_CALL_DIRECT)
        return s->fn_base[f->module] + c->callee;
    if ((c->kind == AU_CALL_FOREIGN || c->kind == AU_CALL_SILENT) && c->name)
        return au_src_fn_by_name(s, f->module, au_code_text(f->code, c->name));
    return AU_NONE;
}

/* System calls that touch what their arguments point to and nothing behind it, and keep nothing. */
static bool is_plain_syscall(const au_code *c, const struct au_code_call *k) {
    static const long plain[] = {
        SYS_read,   SYS_write, SYS_open,   SYS_close,     SYS_stat,          SYS_fstat,
        SYS_lstat,  SYS_lseek, SYS_access, SYS_getpid,    SYS_fsync,         SYS_gettimeofday,
        SYS_gettid, SYS_futex, SYS_tgkill, SYS_getrandom, SYS_clock_gettime, SYS_getppid};
    au_operand o = k->n_args ? c->arg[k->arg].at : 0;
    for (size_t i = 0; o < 0 && i < sizeof plain / sizeof *plain; i++)
        if (c->pool[~o].kind == AU_CONST_NUMBER && c->pool[~o].value == (uint64_t)plain[i])
            return true;
    return false;
}

const char *au_src_call_name(const src *s, uint32_t fn, const struct au_code_call *c) {
    const char *name = au_code_text(s->fn.at[fn].code, c->name);
    return strcmp(name, "syscall") || !is_plain_syscall(s->fn.at[fn].code, c)
               ? name
               : "__augur_plain_syscall";
}

/* --- slots ----------------------------------------------------------------------- */

typedef struct {
    const au_code *c;
    au_src_fn *f;
    uint32_t *set_in; /* block that sets the slot */
    uint32_t at;
} slots;

static void defines(slots *x, uint32_t slot, uint32_t n, unsigned width, uint32_t block) {
    for (uint32_t k = 0; k < n; k++) {
        x->f->width[slot + k] = (uint8_t)(width ? width : 64);
        if (x->set_in[slot + k] != AU_NONE && x->set_in[slot + k] != block)
            x->f->cross[slot + k] = 1;
        x->set_in[slot + k] = block;
    }
}

static void uses(slots *x, au_operand o, uint32_t n, uint32_t block) {
    for (uint32_t k = 0; o >= 0 && k < n; k++) {
        if (x->set_in[(uint32_t)o + k] != block)
            x->f->cross[(uint32_t)o + k] = 1;
        x->f->last[(uint32_t)o + k] = x->at;
    }
}

uint32_t au_src_dst_slots(const au_code *c, const au_code_insn *i) {
    switch (i->op) {
    case AU_C_MOVE:
    case AU_C_SELECT:
        return i->aux;
    case AU_C_OVERFLOW:
        return i->aux / 8 + 1;
    case AU_C_BYTES_GET:
        return i->width ? 1 : ((i->aux >> 16) + 7) / 8;
    case AU_C_BYTES_PUT:
    case AU_C_UNMODELLED:
        return (uint32_t)i->c;
    case AU_C_WIDE: {
        const struct au_code_wide *w = &c->wide[i->aux];
        uint64_t bits = (uint64_t)w->bits * (w->lanes ? w->lanes : 1);
        return bits <= 64 ? 1 : (uint32_t)((bits + 63) / 64);
    }
    case AU_C_LOAD:
        return i->width ? 1 : (i->aux + 7) / 8;
    case AU_C_RMW:
        return i->width ? 1 : (i->aux + 7) / 8;
    case AU_C_CMPXCHG: {
        uint32_t bytes = i->width ? (i->width + 7u) / 8 : i->aux;
        return bytes / 8 + 1;
    }
    case AU_C_LANDINGPAD:
        return i->aux;
    case AU_C_CALL:
    case AU_C_ANNOTATE:
        return c->call[i->aux].result_slots;
    default:
        return 1;
    }
}

/* An array that decays is an addition of nothing. */
static void find_room(slots *x, const au_code_insn *i) {
    if (i->op != AU_C_ADD || i->width != 64)
        return;
    uint64_t by = i->b < 0 && x->c->pool[~i->b].kind == AU_CONST_NUMBER ? x->c->pool[~i->b].value
                                                                        : UINT64_MAX;
    if (i->aux)
        x->f->room[i->dst] = i->aux;
    else if (i->a >= 0 && by < x->f->room[i->a])
        x->f->room[i->dst] = x->f->room[i->a] - (uint32_t)by;
}

static void look_at(slots *x, uint32_t at) {
    const au_code *c = x->c;
    const au_code_insn *i = &c->insn[at];
    uint32_t b = c->block[at];
    find_room(x, i);
    x->at = at;
    switch (i->op) {
    case AU_C_MOVE:
        uses(x, i->a, i->aux, b);
        break;
    case AU_C_SELECT:
        uses(x, i->a, 1, b);
        uses(x, i->b, i->aux, b);
        uses(x, i->c, i->aux, b);
        break;
    case AU_C_OVERFLOW:
        uses(x, i->a, (i->width + 63u) / 64, b);
        uses(x, i->b, (i->width + 63u) / 64, b);
        break;
    case AU_C_BYTES_GET: {
        uint32_t end = (i->aux & 0xffff) + (i->width ? (i->width + 7u) / 8 : i->aux >> 16);
        uses(x, i->a, (end + 7) / 8, b);
        break;
    }
    case AU_C_BYTES_PUT:
        uses(x, i->a, (uint32_t)i->c, b);
        uses(x, i->b, i->width ? 1 : ((i->aux >> 16) + 7) / 8, b);
        break;
    case AU_C_WIDE: {
        const struct au_code_wide *w = &c->wide[i->aux];
        for (uint32_t k = 0; k < w->n_operands; k++)
            uses(x, w->operand[k], 1, b);
        break;
    }
    case AU_C_UNMODELLED:
        for (int32_t k = 0; k < i->b; k++)
            uses(x, c->operand[i->a + k], 1, b);
        break;
    case AU_C_ALLOCA:
        uses(x, i->b, 1, b);
        break;
    case AU_C_LOAD:
    case AU_C_FORGET:
        uses(x, i->a, 1, b);
        break;
    case AU_C_STORE:
    case AU_C_RMW:
        uses(x, i->a, 1, b);
        uses(x, i->b, i->width ? 1 : (i->aux + 7) / 8, b);
        break;
    case AU_C_CMPXCHG:
        uses(x, i->a, 1, b);
        uses(x, i->b, i->width ? 1 : (i->aux + 7) / 8, b);
        uses(x, i->c, i->width ? 1 : (i->aux + 7) / 8, b);
        break;
    case AU_C_EV_FRAME:
    case AU_C_EV_BYVAL:
    case AU_C_CONDBR:
    case AU_C_SWITCH:
    case AU_C_INDIRECTBR:
        uses(x, i->a, 1, b);
        break;
    case AU_C_RET:
        uses(x, i->a, i->aux, b);
        break;
    case AU_C_CALL:
    case AU_C_ANNOTATE: {
        const struct au_code_call *k = &c->call[i->aux];
        for (uint32_t a = 0; a < k->n_args; a++)
            uses(x, c->arg[k->arg + a].at, c->arg[k->arg + a].slots, b);
        if (k->kind == AU_CALL_INDIRECT || (k->kind == AU_CALL_SILENT && !k->name))
            uses(x, k->target, 1, b);
        break;
    }
    case AU_C_BR:
    case AU_C_EV_ENTER:
    case AU_C_EV_LEAVE:
    case AU_C_EV_LAND:
    case AU_C_FENCE:
    case AU_C_RESUME:
    case AU_C_UNREACHABLE:
    case AU_C_LANDINGPAD:
        break;
    default: /* one to three scalars */
        uses(x, i->a, 1, b);
        uses(x, i->b, 1, b);
        uses(x, i->c, 1, b);
    }
    if (i->dst != AU_NONE) {
        unsigned width = i->width;
        if (i->op == AU_C_CALL || i->op == AU_C_ANNOTATE)
            width = c->call[i->aux].result_width;
        else if (i->op >= AU_C_EQ && i->op <= AU_C_SLE)
            width = 1;
        else if (i->op == AU_C_OVERFLOW || i->op == AU_C_CMPXCHG || i->op == AU_C_BYTES_PUT)
            width = 0;
        else if (i->op == AU_C_WIDE) {
            const struct au_code_wide *w = &c->wide[i->aux];
            width = w->lanes <= 1 && w->bits <= 64 ? w->bits : 0;
        }
        uint32_t n = au_src_dst_slots(c, i);
        defines(x, i->dst, n, width, b);
        if (i->op == AU_C_WIDE || i->op == AU_C_UNMODELLED || i->op == AU_C_LANDINGPAD)
            memset(x->f->vague + i->dst, 1, n);
    }
}

static void copy_uses(slots *x, uint32_t edge, uint32_t block) {
    const struct au_code_edge *e = &x->c->edge[edge];
    for (uint32_t k = 0; k < e->n_copies; k++) {
        const struct au_code_copy *p = &x->c->copy[e->copy + k];
        uses(x, p->src, p->n, block);
        defines(x, p->dst, p->n, p->width, block);
        for (uint32_t j = 0; j < p->n; j++)
            x->f->cross[p->dst + j] = 1;
    }
}

typedef struct {
    slots *x;
    uint32_t block;
} copy_ctx;
static void visit_copies(void *ctx, uint32_t edge) {
    copy_ctx *k = ctx;
    copy_uses(k->x, edge, k->block);
}

/* --- the graph ------------------------------------------------------------------- */

typedef struct {
    const au_code *c;
    uint32_t first, n;
    uint32_t *low, *num, *stack, depth, count;
    uint8_t *on, *cyclic, *live;
    AU_VEC(uint32_t) to; /* scratch */
} tarjan;

static void push_target(void *ctx, uint32_t edge) {
    tarjan *t = ctx;
    au_vec_push(&t->to, t->c->edge[edge].target);
}

/* Targets of all edges out of a block, appended to t->to. */
static void block_targets(tarjan *t, uint32_t block) {
    for (uint32_t i = block; i < t->first + t->n && t->c->block[i] == block; i++)
        au_src_each_edge(t->c, &t->c->insn[i], push_target, t);
}

static void components(tarjan *t, uint32_t root) {
    struct walk {
        uint32_t block;
        size_t at, from, end;
    };
    AU_VEC(struct walk) w = {0};
    struct walk first = {.block = root};
    au_vec_push(&w, first);
    AU_VEC(uint32_t) targets = {0};
    while (w.n) {
        struct walk *k = &au_vec_last(&w);
        uint32_t v = k->block - t->first;
        if (!t->num[v]) {
            t->num[v] = t->low[v] = ++t->count;
            t->stack[t->depth++] = v;
            t->on[v] = 1;
            au_vec_clear(&t->to);
            block_targets(t, k->block);
            k->from = k->at = targets.n;
            au_vec_append(&targets, t->to.at, t->to.n);
            k->end = targets.n;
        }
        if (k->at < k->end) {
            uint32_t to = targets.at[k->at++], u = to - t->first;
            if (!t->num[u]) {
                struct walk next = {.block = to};
                au_vec_push(&w, next);
            } else if (t->on[u]) {
                if (t->num[u] < t->low[v])
                    t->low[v] = t->num[u];
                if (u == v)
                    t->cyclic[v] = 1;
            }
            continue;
        }
        if (t->low[v] == t->num[v]) {
            uint32_t u, size = 0, base = t->depth;
            do {
                u = t->stack[--base];
                size++;
            } while (u != v);
            for (uint32_t j = base; j < t->depth; j++) {
                t->on[t->stack[j]] = 0;
                if (size > 1)
                    t->cyclic[t->stack[j]] = 1;
            }
            t->depth = base;
        }
        targets.n = k->from;
        uint32_t low = t->low[v];
        (void)au_vec_pop(&w);
        if (w.n) {
            uint32_t p = au_vec_last(&w).block - t->first;
            if (low < t->low[p])
                t->low[p] = low;
        }
    }
    au_vec_release(&w);
    au_vec_release(&targets);
}

/* --- setjmp ------------------------------------------------------------------------ */

static bool is_setjmp(const src *s, uint32_t fn, const au_code_insn *i) {
    const au_code *c = s->fn.at[fn].code;
    if (i->op != AU_C_CALL || !c->call[i->aux].name)
        return false;
    const au_libc *l = au_libc_find(au_src_call_name(s, fn, &c->call[i->aux]));
    return l && l->does == AU_DOES_SETJMP;
}

/* The slot is 0 if and only if the one that setjmp gave is, or the other way round ('turned'). */
static bool tells(const au_code *c, const au_code_insn *i, uint32_t slot, bool *turned) {
    bool same = i->op == AU_C_SEXT || i->op == AU_C_ZEXT || (i->op == AU_C_MOVE && i->aux == 1);
    bool compared = (i->op == AU_C_EQ || i->op == AU_C_NE) && i->b < 0 &&
                    c->pool[~i->b].kind == AU_CONST_NUMBER && !c->pool[~i->b].value;
    if (i->a != (au_operand)slot || (!same && !compared))
        return false;
    *turned ^= i->op == AU_C_EQ;
    return true;
}

typedef struct {
    const au_code *c;
    uint32_t first;
    uint8_t *cyclic, *seen;
    AU_VEC(uint32_t) todo;
} again;

static void come_to(void *ctx, uint32_t edge) {
    again *x = ctx;
    uint32_t to = x->c->edge[edge].target;
    if (!x->seen[to - x->first])
        au_vec_push(&x->todo, to);
}

/* What is executed once more when a setjmp returns for the second time, with something else than 0. */
static void come_again(again *x, uint32_t end, uint32_t at) {
    const au_code *c = x->c;
    uint32_t slot = c->insn[at].dst, block = c->block[at];
    bool turned = false, known = slot != AU_NONE;
    for (uint32_t k = at + 1; k < end && c->block[k] == block && known; k++) {
        const au_code_insn *i = &c->insn[k];
        if (i->op == AU_C_CONDBR && i->a == (au_operand)slot) {
            come_to(x, (uint32_t)(turned ? i->c : i->b));
            at = end;
        } else if (tells(c, i, slot, &turned)) {
            slot = i->dst;
        } else if (i->op == AU_C_CALL) {
            known = false; /* it may be executed twice, too */
        }
    }
    if (at != end)
        au_vec_push(&x->todo, at);
    while (x->todo.n) {
        uint32_t k = au_vec_pop(&x->todo);
        block = c->block[k];
        for (; k < end && c->block[k] == block && !x->seen[k - x->first]; k++) {
            x->seen[k - x->first] = x->cyclic[k - x->first] = 1;
            au_src_each_edge(c, &c->insn[k], come_to, x);
        }
    }
}

static void find_jumps(src *s, uint32_t fn) {
    au_src_fn *f = &s->fn.at[fn];
    uint32_t first = f->f->first, end = first + f->f->n;
    again x = {.c = f->code, .first = first, .cyclic = f->cyclic};
    for (uint32_t at = first; at < end; at++)
        if (f->live[at - first] && is_setjmp(s, fn, &f->code->insn[at])) {
            f->jumps = true;
            if (!x.seen)
                x.seen = au_alloc_array(f->f->n + 1u, 1);
            come_again(&x, end, at);
        }
    free(x.seen);
    au_vec_release(&x.todo);
}

au_src_fn *au_src_fn_get(src *s, uint32_t fn) {
    au_src_fn *f = &s->fn.at[fn];
    if (f->known)
        return f;
    f->known = true;
    const au_code *c = f->code;
    uint32_t n = f->f->n, first = f->f->first;
    f->cyclic = au_alloc_array(n + 1u, 1);
    f->live = au_alloc_array(n + 1u, 1);
    f->cross = au_alloc_array(f->f->slots + 1u, 1);
    f->width = au_alloc_array(f->f->slots + 1u, 1);
    f->vague = au_alloc_array(f->f->slots + 1u, 1);
    f->last = au_alloc_array(f->f->slots + 1u, sizeof *f->last);
    f->room = au_alloc_array(f->f->slots + 1u, sizeof *f->room);
    tarjan t = {.c = c, .first = first, .n = n, .cyclic = f->cyclic, .live = f->live};
    t.low = au_alloc_array(n + 1u, sizeof *t.low);
    t.num = au_alloc_array(n + 1u, sizeof *t.num);
    t.stack = au_alloc_array(n + 1u, sizeof *t.stack);
    t.on = au_alloc_array(n + 1u, 1);
    if (n)
        components(&t, first);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = c->block[first + i] - first;
        f->live[i] = t.num[b] != 0;
        f->cyclic[i] = f->cyclic[b];
    }
    free(t.low);
    free(t.num);
    free(t.stack);
    free(t.on);
    au_vec_release(&t.to);
    find_jumps(s, fn);
    slots x = {.c = c, .f = f, .set_in = au_alloc_array(f->f->slots + 1u, sizeof *x.set_in)};
    memset(x.set_in, 0xff, (f->f->slots + 1u) * sizeof *x.set_in);
    for (uint32_t k = 0; k < f->f->n_params; k++) {
        const struct au_code_arg *a = &c->arg[f->f->param + k];
        defines(&x, (uint32_t)a->at, a->slots, a->width, AU_NONE - 1);
        for (uint32_t j = 0; j < a->slots; j++)
            f->cross[(uint32_t)a->at + j] = 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        look_at(&x, first + i);
        copy_ctx k = {&x, c->block[first + i]};
        au_src_each_edge(c, &c->insn[first + i], visit_copies, &k);
    }
    /* Blocks need not stand in an order in which what is set comes first. */
    for (uint32_t i = 0; i < n; i++) {
        look_at(&x, first + i);
        copy_ctx k = {&x, c->block[first + i]};
        au_src_each_edge(c, &c->insn[first + i], visit_copies, &k);
    }
    free(x.set_in);
    return f;
}
