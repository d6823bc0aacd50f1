/* retrace/decided.c: which branches a write depends on, as the thread goes: from a branch to the place where its ways meet again
 * (its immediate postdominator), and in everything that is called in between. What ends in a call that never returns meets
 * nothing. For stale decisions: only branches whose condition is a term are kept. */
#include "base/limits.h"
#include "retrace/retrace_priv.h"

/* Blocks of a function by number, the end behind them; where the ways from each meet again. */
typedef struct {
    const au_code *code;
    const au_code_function *fn;
    uint32_t *number; /* instruction - first: its block, AU_NONE: begins none */
    AU_VEC(uint32_t) start;
    AU_VEC(uint32_t) edge; /* pairs: from, to */
    uint32_t *order;       /* block: place in reverse post-order of the graph turned round */
    uint32_t *meet;        /* block: where its ways meet; AU_NONE: not known */
} shape;

static void lead(shape *s, uint32_t from, uint32_t target) {
    au_vec_push(&s->edge, from);
    au_vec_push(&s->edge, s->number[target - s->fn->first]);
}

static void leads(shape *s, uint32_t from, const au_code_insn *i) {
    const au_code *c = s->code;
    uint32_t end = (uint32_t)s->start.n;
    switch (i->op) {
    case AU_C_BR:
        lead(s, from, c->edge[i->a].target);
        return;
    case AU_C_CONDBR:
        lead(s, from, c->edge[i->b].target);
        lead(s, from, c->edge[i->c].target);
        return;
    case AU_C_SWITCH:
    case AU_C_INDIRECTBR:
        for (uint32_t k = 0; k < c->sw[i->aux].n_succ; k++)
            lead(s, from, c->edge[c->index[c->sw[i->aux].succ + k]].target);
        return;
    case AU_C_RET:
    case AU_C_RESUME:
        au_vec_push(&s->edge, from);
        au_vec_push(&s->edge, end);
        return;
    case AU_C_CALL:
    case AU_C_ANNOTATE:
        if (c->call[i->aux].invoke) { /* what is thrown is another story */
            lead(s, from, c->edge[c->call[i->aux].normal].target);
        }
        return;
    default: /* AU_C_UNREACHABLE */
        return;
    }
}

static void find_blocks(shape *s) {
    const au_code_function *fn = s->fn;
    s->number = au_alloc_array(fn->n + 1, sizeof *s->number);
    for (uint32_t k = 0; k < fn->n; k++) {
        bool begins = s->code->block[fn->first + k] == fn->first + k;
        s->number[k] = begins ? (uint32_t)s->start.n : AU_NONE;
        if (begins)
            au_vec_push(&s->start, fn->first + k);
    }
    for (uint32_t b = 0; b < s->start.n; b++) {
        uint32_t next = b + 1 < s->start.n ? s->start.at[b + 1] : fn->first + fn->n;
        leads(s, b, &s->code->insn[next - 1]);
    }
}

/* From the end back. */
static void number_blocks(shape *s, uint32_t *by_order) {
    uint32_t n = (uint32_t)s->start.n + 1, next = n, *stack = au_alloc_array(n + 1, sizeof *stack);
    size_t depth = 0, *at = au_alloc_array(n + 1, sizeof *at);
    bool *seen = au_alloc_array(n + 1, sizeof *seen);
    for (uint32_t b = 0; b < n; b++)
        s->order[b] = AU_NONE;
    stack[depth++] = n - 1;
    seen[n - 1] = true;
    while (depth) {
        uint32_t b = stack[depth - 1];
        while (at[b] < s->edge.n && (s->edge.at[at[b] + 1] != b || seen[s->edge.at[at[b]]]))
            at[b] += 2;
        if (at[b] < s->edge.n) {
            uint32_t to = s->edge.at[at[b]];
            seen[to] = true;
            stack[depth++] = to;
            continue;
        }
        s->order[b] = --next;
        by_order[next] = b;
        depth--;
    }
    for (uint32_t k = 0; k < next; k++)
        by_order[k] = AU_NONE;
    free(stack);
    free(at);
    free(seen);
}

static uint32_t both(const shape *s, uint32_t a, uint32_t b) {
    while (a != b) {
        while (s->order[a] > s->order[b])
            a = s->meet[a];
        while (s->order[b] > s->order[a])
            b = s->meet[b];
    }
    return a;
}

/* Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm". */
static void find_meets(shape *s) {
    uint32_t n = (uint32_t)s->start.n + 1, end = n - 1;
    uint32_t *by_order = au_alloc_array(n + 1, sizeof *by_order);
    s->order = au_alloc_array(n + 1, sizeof *s->order);
    s->meet = au_alloc_array(n + 1, sizeof *s->meet);
    number_blocks(s, by_order);
    for (uint32_t b = 0; b < n; b++)
        s->meet[b] = AU_NONE;
    s->meet[end] = end;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t b = by_order[k], meet = AU_NONE;
            if (b == AU_NONE || b == end)
                continue;
            for (size_t e = 0; e < s->edge.n; e += 2)
                if (s->edge.at[e] == b && s->meet[s->edge.at[e + 1]] != AU_NONE)
                    meet = meet == AU_NONE ? s->edge.at[e + 1] : both(s, meet, s->edge.at[e + 1]);
            changed |= meet != s->meet[b];
            s->meet[b] = meet;
        }
    }
    free(by_order);
}

/* The first instruction of the block where the ways from block 'at' meet; AU_NONE: at the function's end. */
static void learn(au_rmodule *m, uint32_t function) {
    shape s = {.code = m->code, .fn = &m->code->function[function]};
    find_blocks(&s);
    if (s.start.n > AU_LIMIT_DECIDED_BLOCKS) {
        au_limit_reached(AU_AT_DECIDED_BLOCKS, 1);
    } else {
        find_meets(&s);
        for (uint32_t b = 0; b < s.start.n; b++)
            if (s.order[b] != AU_NONE && s.meet[b] != AU_NONE)
                *au_map_put(&m->meet, s.start.at[b] + 1, NULL) =
                    s.meet[b] == s.start.n ? (uint64_t)AU_NONE : s.start.at[s.meet[b]];
    }
    free(s.number);
    free(s.order);
    free(s.meet);
    au_vec_release(&s.start);
    au_vec_release(&s.edge);
}

static bool meet_of(const au_rthread *t, uint32_t pc, uint32_t *meet) {
    const au_rframe *f = &au_vec_last(&t->frame);
    bool fresh;
    au_map_put(&f->module->shaped, f->function + 1, &fresh);
    if (fresh)
        learn(f->module, f->function);
    const uint64_t *k = au_map_find(&f->module->meet, f->module->code->block[pc] + 1);
    *meet = k ? (uint32_t)*k : AU_NONE;
    return k;
}

/* Frames that are gone take their branches along. */
static void forget(au_rthread *t, size_t frames) {
    for (; t->decided.n; t->decided.n--) {
        const au_rdecision *d = &au_vec_last(&t->decided);
        if (d->frame < frames && t->frame.at[d->frame].serial == d->call)
            break;
    }
}

void au_retrace_decide(au_rthread *t, uint32_t pc, au_term cond) {
    size_t frame = t->frame.n - 1;
    uint32_t meet;
    forget(t, t->frame.n);
    for (size_t i = t->decided.n; i-- > 0 && t->decided.at[i].frame == frame;)
        if (t->decided.at[i].pc == pc) { /* another round */
            t->decided.n = i;
            break;
        }
    if (meet_of(t, pc, &meet))
        au_vec_push(&t->decided, ((au_rdecision){.frame = frame,
                                                 .call = t->frame.at[frame].serial,
                                                 .pc = pc,
                                                 .meet = meet,
                                                 .cond = cond}));
}

void au_retrace_meet(au_rthread *t, uint32_t target) {
    forget(t, t->frame.n);
    size_t frame = t->frame.n - 1;
    for (size_t i = t->decided.n; i-- > 0 && t->decided.at[i].frame == frame;)
        if (t->decided.at[i].meet == target)
            t->decided.n = i; /* … and what was decided since */
}

void au_retrace_acts(au_retracer *x, au_rthread *t) {
    if (x->symbolic->trace->events.n > AU_LIMIT_OPEN_EVENTS)
        return; /* nobody asks */
    forget(t, t->frame.n);
    size_t from = t->decided.n > AU_LIMIT_DECIDED ? t->decided.n - AU_LIMIT_DECIDED : 0;
    if (from && x->n_parts)
        au_limit_reached(AU_AT_DECIDED, 1);
    for (size_t k = 0; k < x->n_parts && t->decided.n; k++)
        for (size_t i = from; i < t->decided.n; i++)
            au_vec_push(&x->symbolic->decided,
                        ((au_decided){x->part[k].event, t->decided.at[i].cond}));
}
