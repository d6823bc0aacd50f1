/* llvm/decode_fails.c: which branches lead only to a failed check (ir/code.h).
 *
 * The least fixed point: a block only fails if it comes to a call that fails before it can leave,
 * or if it goes on and all blocks it may go to only fail. A circle without such a call never
 * gets in. A function whose first block only fails makes its calls fail. */
#include "llvm/decode_priv.h"

#include "base/bitset.h"
#include "wire/libc.h"

#include <string.h>

bool au_dec_is_failure(const char *name) {
    const au_libc *row = au_libc_find(name);
    if (row && row->fails)
        return true;
    /* __ubsan_handle_add_overflow_abort … */
    size_t n = strlen(name);
    return strncmp(name, "__ubsan_handle_", 15) == 0 && n > 6 &&
           strcmp(name + n - 6, "_abort") == 0;
}

typedef struct {
    au_dec *d;
    au_bitset block, function; /* by first instruction, by place */
} finder;

static bool edge_fails(const finder *x, uint32_t edge) {
    return au_bitset_has(&x->block, x->d->edge.at[edge].target);
}

static bool call_fails(const finder *x, const struct au_code_call *c) {
    return c->fails || (c->kind == AU_CALL_DIRECT && au_bitset_has(&x->function, c->callee));
}

/* Whether the block that begins at i only fails, as far as is known. */
static bool block_fails(const finder *x, uint32_t i) {
    const au_dec *d = x->d;
    for (;; i++) {
        const au_code_insn *n = &d->insn.at[i];
        switch (n->op) {
        case AU_C_CALL:
        case AU_C_ANNOTATE: {
            const struct au_code_call *c = &d->call.at[n->aux];
            if (call_fails(x, c))
                return true;
            if (c->noreturn)
                return false;
            if (c->invoke)
                return edge_fails(x, c->normal) && edge_fails(x, c->unwind);
            break;
        }
        case AU_C_BR:
            return edge_fails(x, (uint32_t)n->a);
        case AU_C_CONDBR:
            return edge_fails(x, (uint32_t)n->b) && edge_fails(x, (uint32_t)n->c);
        case AU_C_SWITCH: {
            const struct au_code_switch *s = &d->sw.at[n->aux];
            for (uint32_t k = 0; k < s->n_succ; k++)
                if (!edge_fails(x, d->index.at[s->succ + k]))
                    return false;
            return true;
        }
        case AU_C_RET:
        case AU_C_RESUME:
        case AU_C_UNREACHABLE:
        case AU_C_INDIRECTBR:
            return false;
        default:
            break;
        }
    }
}

static bool grow(finder *x, uint32_t place) {
    const au_code_function *f = &x->d->function.at[place];
    bool any = false;
    if (f->n == 0)
        return false;
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t i = f->first + f->n; i-- > f->first;)
            if (x->d->block.at[i] == i && !au_bitset_has(&x->block, i) && block_fails(x, i)) {
                au_bitset_add(&x->block, i);
                any = grew = true;
            }
    }
    if (any && au_bitset_has(&x->block, f->first))
        au_bitset_add(&x->function, place);
    return any;
}

void au_dec_mark_fails(au_dec *d) {
    finder x = {.d = d};
    au_bitset_init(&x.block, d->insn.n);
    au_bitset_init(&x.function, d->function.n);
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t i = 0; i < d->function.n; i++)
            grew |= grow(&x, i);
    }
    for (size_t i = 0; i < d->insn.n; i++) {
        au_code_insn *n = &d->insn.at[i];
        if (n->op == AU_C_CONDBR) {
            if (edge_fails(&x, (uint32_t)n->b))
                n->flags |= AU_CF_FAIL_FIRST;
            if (edge_fails(&x, (uint32_t)n->c))
                n->flags |= AU_CF_FAIL_SECOND;
        } else if (n->op == AU_C_CALL) {
            d->call.at[n->aux].fails = call_fails(&x, &d->call.at[n->aux]);
        }
    }
    au_bitset_release(&x.block);
    au_bitset_release(&x.function);
}
