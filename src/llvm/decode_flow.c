/* llvm/decode_flow.c: edges with the copies that phis make, and what ends blocks. */
#include "llvm/decode_priv.h"

#include "base/vec.h"

/* Edges ------------------------------------------------------------------- */

typedef AU_VEC(struct au_code_copy) copies;

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from) {
    for (unsigned k = 0, n = LLVMCountIncoming(phi); k < n; k++)
        if (LLVMGetIncomingBlock(phi, k) == from)
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

static bool is_read(const copies *c, size_t but, uint32_t slot) {
    for (size_t k = 0; k < c->n; k++)
        if (k != but && c->at[k].src == (au_operand)slot)
            return true;
    return false;
}

/* All copies happen at once: one whose target nobody reads any more goes first; in a
 * circle a value is put aside. */
static void put_in_order(au_dec *d, copies *c) {
    while (c->n > 0) {
        bool moved = false;
        for (size_t k = 0; k < c->n; k++) {
            if (is_read(c, k, c->at[k].dst))
                continue;
            au_vec_push(&d->copy, c->at[k]);
            c->at[k--] = c->at[--c->n];
            moved = true;
        }
        if (moved || c->n == 0)
            continue;
        /* Whoever reads what the last one overwrites reads it aside instead. */
        struct au_code_copy aside = au_vec_last(c);
        uint32_t victim = aside.dst;
        aside.src = (au_operand)victim;
        aside.dst = d->temp;
        if (d->temp_slots < aside.n)
            d->temp_slots = aside.n;
        /* Several circles one after the other share the place: each is closed before the next
         * is opened, since its copies can go as soon as one of them can. */
        au_vec_push(&d->copy, aside);
        for (size_t k = 0; k < c->n; k++)
            if (c->at[k].src == (au_operand)victim)
                c->at[k].src = (au_operand)d->temp;
        /* … and take the whole circle now. */
        uint32_t free_slot = victim;
        for (bool more = true; more;) {
            more = false;
            for (size_t k = 0; k < c->n; k++)
                if (c->at[k].dst == free_slot && !is_read(c, k, free_slot)) {
                    au_operand next = c->at[k].src;
                    au_vec_push(&d->copy, c->at[k]);
                    c->at[k] = c->at[--c->n];
                    free_slot = next >= 0 ? (uint32_t)next : AU_NONE;
                    more = true;
                    break;
                }
        }
    }
}

uint32_t au_dec_edge(au_dec *d, LLVMBasicBlockRef to) {
    copies c = {0};
    for (LLVMValueRef i = LLVMGetFirstInstruction(to); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef v = incoming(i, d->in);
        if (!v)
            continue;
        au_shape s = au_dec_shape(d, LLVMTypeOf(i));
        struct au_code_copy one = {
            .dst = au_dec_slot(d, i), .src = au_dec_operand(d, v), .n = s.slots, .width = s.width};
        if (one.src != (au_operand)one.dst)
            au_vec_push(&c, one);
    }
    struct au_code_edge e = {.target = AU_NONE, .copy = (uint32_t)d->copy.n};
    put_in_order(d, &c);
    e.n_copies = (uint32_t)d->copy.n - e.copy;
    au_vec_release(&c);
    au_vec_push(&d->edge, e);
    au_vec_push(&d->edge_to, to);
    return (uint32_t)d->edge.n - 1;
}

void au_dec_set_targets(au_dec *d, size_t first) {
    for (size_t i = first; i < d->edge.n; i++)
        d->edge.at[i].target =
            (uint32_t)*au_map_find(&d->block_at, (uint64_t)(uintptr_t)d->edge_to.at[i]);
}

/* Ends of blocks ---------------------------------------------------------- */

void au_dec_br(au_dec *d) {
    LLVMBasicBlockRef yes = LLVMGetSuccessor(d->at, 0);
    if (!LLVMIsConditional(d->at) || LLVMGetSuccessor(d->at, 1) == yes) {
        uint32_t e = au_dec_edge(d, yes);
        au_dec_add(d, AU_C_BR)->a = (au_operand)e;
        return;
    }
    au_operand condition = au_dec_operand(d, LLVMGetCondition(d->at));
    uint32_t first = au_dec_edge(d, yes), second = au_dec_edge(d, LLVMGetSuccessor(d->at, 1));
    au_code_insn *i = au_dec_add(d, AU_C_CONDBR);
    i->a = condition;
    i->b = (au_operand)first;
    i->c = (au_operand)second;
    i->width = 1;
    i->flags = au_dec_hook(d, AU_HOOK_BRANCH) ? AU_CF_TOLD : 0;
}

/* One edge for each different successor, in the order in which outcomes are numbered
 * (plan.h); edge_of maps blocks to edges. */
static void add_successors(au_dec *d, struct au_code_switch *s, au_map *edge_of) {
    AU_VEC(uint32_t) all = {0};
    for (unsigned k = 0, n = LLVMGetNumSuccessors(d->at); k < n; k++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(d->at, k);
        bool fresh;
        au_map_put(edge_of, (uint64_t)(uintptr_t)to, &fresh);
        if (!fresh)
            continue;
        uint32_t e = au_dec_edge(d, to);
        *au_map_put(edge_of, (uint64_t)(uintptr_t)to, NULL) = e;
        au_vec_push(&all, e);
    }
    s->succ = (uint32_t)d->index.n;
    s->n_succ = (uint32_t)all.n;
    s->bits = 1;
    while (all.n > UINT64_C(1) << s->bits)
        s->bits++;
    au_vec_append(&d->index, all.at, all.n);
    au_vec_release(&all);
}

void au_dec_indirect(au_dec *d, bool told) {
    struct au_code_switch s = {.otherwise = AU_NONE};
    au_map edge_of;
    au_map_init(&edge_of);
    add_successors(d, &s, &edge_of);
    au_map_release(&edge_of);
    au_operand a = ~(au_operand)au_dec_unknown(d, 1);
    if (LLVMIsAIndirectBrInst(d->at))
        a = au_dec_operand(d, LLVMGetOperand(d->at, 0));
    au_vec_push(&d->sw, s);
    au_code_insn *i = au_dec_add(d, AU_C_INDIRECTBR);
    i->a = a;
    i->width = 64;
    i->aux = (uint32_t)d->sw.n - 1;
    i->flags = told ? AU_CF_TOLD : 0;
}

void au_dec_switch(au_dec *d) {
    LLVMValueRef v = LLVMGetOperand(d->at, 0);
    au_shape shape = au_dec_shape(d, LLVMTypeOf(v));
    bool told = au_dec_hook(d, AU_HOOK_SWITCH) != NULL;
    if (!shape.width) {
        au_dec_indirect(d, told);
        return;
    }
    struct au_code_switch s = {.first = (uint32_t)d->kase.n, .width = shape.width};
    au_map edge_of;
    au_map_init(&edge_of);
    add_successors(d, &s, &edge_of);
    s.otherwise =
        (uint32_t)*au_map_find(&edge_of, (uint64_t)(uintptr_t)LLVMGetSwitchDefaultDest(d->at));
    /* Operands: value, default, then pairs of a value and a block. */
    for (unsigned k = 1, n = LLVMGetNumSuccessors(d->at); k < n; k++) {
        uint64_t *e = au_map_find(&edge_of, (uint64_t)(uintptr_t)LLVMGetSuccessor(d->at, k));
        struct au_code_case one = {.value = LLVMConstIntGetZExtValue(LLVMGetOperand(d->at, 2 * k)),
                                   .edge = (uint32_t)*e};
        au_vec_push(&d->kase, one);
    }
    s.n = (uint32_t)d->kase.n - s.first;
    au_map_release(&edge_of);
    au_operand a = au_dec_operand(d, v);
    au_vec_push(&d->sw, s);
    au_code_insn *i = au_dec_add(d, AU_C_SWITCH);
    i->a = a;
    i->width = shape.width;
    i->aux = (uint32_t)d->sw.n - 1;
    i->flags = told ? AU_CF_TOLD : 0;
}
