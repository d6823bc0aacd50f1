/* llvm/loops.c: circles of blocks without an event, where a thread could spin unseen. */
#include "llvm/paths_priv.h"

typedef struct {
    uint32_t node, next; /* its next successor */
} visit;

typedef struct {
    uint32_t head, latch;
} closing; /* the edge from latch to head closes a circle */
typedef AU_VEC(closing) closings;

/* The natural loop of the edge from 'latch' to 'head': what reaches latch without head. */
static void natural_loop(const au_paths *x, uint32_t head, uint32_t latch, au_bitset *in) {
    AU_VEC(uint32_t) todo = {0};
    au_bitset_add(in, head);
    if (latch != head) {
        au_bitset_add(in, latch);
        au_vec_push(&todo, latch);
    }
    while (todo.n) {
        LLVMBasicBlockRef b = x->node.at[au_vec_pop(&todo)].block;
        for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user))
                continue;
            uint32_t from =
                (uint32_t)(au_path_node_of(x, LLVMGetInstructionParent(user)) - x->node.at);
            if (au_bitset_has(in, from))
                continue;
            au_bitset_add(in, from);
            au_vec_push(&todo, from);
        }
    }
    au_vec_release(&todo);
}

/* v counts in the loop if it is a phi of head (or that plus a constant) that starts at a
 * constant and moves by one with every round over the edge from latch. Sets the largest
 * distance from a start to 'limit', in steps; false: it does not count towards it. */
static bool counts_to(LLVMValueRef v, int64_t limit, LLVMBasicBlockRef head,
                      LLVMBasicBlockRef latch, int64_t *step, int64_t *rounds, bool *exact) {
    int64_t ahead = 0;
    *step = *rounds = 0;
    *exact = true;
    /* Constants are small, so that widening changes nothing. */
    if (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v))
        v = LLVMGetOperand(v, 0);
    if (LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd &&
        LLVMIsAConstantInt(LLVMGetOperand(v, 1))) {
        ahead = LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
        v = LLVMGetOperand(v, 0);
    }
    if (!LLVMIsAPHINode(v) || LLVMGetInstructionParent(v) != head)
        return false;
    unsigned n = LLVMCountIncoming(v);
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef from = LLVMGetIncomingValue(v, k);
        if (LLVMGetIncomingBlock(v, k) != latch)
            continue;
        if (!LLVMIsABinaryOperator(from) || LLVMGetInstructionOpcode(from) != LLVMAdd ||
            LLVMGetOperand(from, 0) != v || !LLVMIsAConstantInt(LLVMGetOperand(from, 1)))
            return false;
        *step = LLVMConstIntGetSExtValue(LLVMGetOperand(from, 1));
    }
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef from = LLVMGetIncomingValue(v, k);
        int64_t start, way;
        if (LLVMGetIncomingBlock(v, k) == latch)
            continue;
        if (*step == 0 || *step == INT64_MIN || !LLVMIsAConstantInt(from))
            return false;
        start = LLVMConstIntGetSExtValue(from);
        if (__builtin_add_overflow(start, ahead, &start) ||
            __builtin_sub_overflow(limit, start, &way) || (way != 0 && (way < 0) != (*step < 0)))
            return false;
        *exact = *exact && way % *step == 0;
        if (way / *step > *rounds)
            *rounds = way / *step;
    }
    return true;
}

static LLVMIntPredicate negated(LLVMIntPredicate p) {
    switch (p) {
    case LLVMIntEQ:
        return LLVMIntNE;
    case LLVMIntNE:
        return LLVMIntEQ;
    case LLVMIntUGT:
        return LLVMIntULE;
    case LLVMIntUGE:
        return LLVMIntULT;
    case LLVMIntULT:
        return LLVMIntUGE;
    case LLVMIntULE:
        return LLVMIntUGT;
    case LLVMIntSGT:
        return LLVMIntSLE;
    case LLVMIntSGE:
        return LLVMIntSLT;
    case LLVMIntSLT:
        return LLVMIntSGE;
    default:
        return LLVMIntSGT;
    }
}

/* Whether the circle closed by the edge from latch to head ends after at most
 * AU_PATHS_ROUNDS rounds, whatever other threads do: head or latch leaves it when a counter
 * has reached a constant. Only of innermost circles: nested ones multiply. */
static bool is_bounded(const au_paths *x, const closings *all, uint32_t head, uint32_t latch) {
    au_bitset in;
    au_bitset_init(&in, x->node.n);
    natural_loop(x, head, latch, &in);
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].head != head && au_bitset_has(&in, all->at[i].head) &&
            au_bitset_has(&in, all->at[i].latch)) {
            au_bitset_release(&in);
            return false;
        }
    bool bounded = false;
    uint32_t ends[] = {head, latch};
    for (int i = 0; i < 2 && !bounded; i++) {
        LLVMValueRef br = x->node.at[ends[i]].last, c;
        if (!LLVMIsABranchInst(br) || !LLVMIsConditional(br))
            continue;
        c = LLVMGetCondition(br);
        if (!LLVMIsAICmpInst(c) || !LLVMIsAConstantInt(LLVMGetOperand(c, 1)) ||
            LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(c, 1))) > 64)
            continue;
        bool stays[2], exact;
        for (unsigned k = 0; k < 2; k++)
            stays[k] = au_bitset_has(
                &in, (size_t)(au_path_node_of(x, LLVMGetSuccessor(br, k)) - x->node.at));
        int64_t step, rounds, limit = LLVMConstIntGetSExtValue(LLVMGetOperand(c, 1));
        if (stays[0] == stays[1] ||
            !counts_to(LLVMGetOperand(c, 0), limit, x->node.at[head].block, x->node.at[latch].block,
                       &step, &rounds, &exact) ||
            rounds > AU_PATHS_ROUNDS)
            continue;
        LLVMIntPredicate p = LLVMGetICmpPredicate(c);
        if (!stays[0])
            p = negated(p);
        if (step > 0)
            bounded = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
        else
            bounded = p == LLVMIntSGT || p == LLVMIntSGE || p == LLVMIntUGT;
        bounded = bounded || (p == LLVMIntNE && exact);
    }
    au_bitset_release(&in);
    return bounded;
}

/* Depth first over blocks without a sure event; an edge to a block that is still open
 * closes a circle. */
void au_paths_loops(const au_paths *x, au_bitset *closes) {
    enum { NEW, OPEN, DONE };
    uint8_t *state = au_alloc_array(x->node.n, 1);
    AU_VEC(visit) stack = {0};
    closings found = {0};
    for (uint32_t root = 0; root < x->node.n; root++) {
        if (state[root] != NEW || x->node.at[root].sure)
            continue;
        state[root] = OPEN;
        au_vec_push(&stack, ((visit){root, 0}));
        while (stack.n) {
            uint32_t at = au_vec_last(&stack).node, k = au_vec_last(&stack).next++;
            const au_path_node *b = &x->node.at[at];
            if (k >= LLVMGetNumSuccessors(b->last)) {
                state[at] = DONE;
                stack.n--;
                continue;
            }
            uint32_t to = (uint32_t)(au_path_node_of(x, LLVMGetSuccessor(b->last, k)) - x->node.at);
            if (x->node.at[to].sure)
                continue;
            if (state[to] == OPEN) {
                au_vec_push(&found, ((closing){to, at}));
            } else if (state[to] == NEW) {
                state[to] = OPEN;
                au_vec_push(&stack, ((visit){to, 0}));
            }
        }
    }
    for (size_t i = 0; i < found.n; i++)
        if (!is_bounded(x, &found, found.at[i].head, found.at[i].latch))
            au_bitset_add(closes, found.at[i].latch);
    au_vec_release(&found);
    au_vec_release(&stack);
    free(state);
}
