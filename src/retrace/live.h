/* retrace/live.h: what the code of a function may still look at (live.c). */
#ifndef AU_RETRACE_LIVE_H
#define AU_RETRACE_LIVE_H

#include "ir/code.h"

#include <stddef.h>

typedef struct {
    bool loops;     /* else nothing but 'cell' is known */
    uint32_t first; /* its first instruction */
    uint32_t slots;
    uint32_t words;  /* of a set: slots, then what the cells hold whose address is in them */
    uint32_t *block; /* by instruction from 'first' on: number of its block */
    uint8_t *
        cell; /* by slot: it holds the address of a variable of so many bits, which only loads and stores
                      * of all of it use; 0: it does not */
    uint64_t *in; /* by block */
} au_live_slots;

au_live_slots *au_live_new(const au_code *c, uint32_t function);
void au_live_free(au_live_slots *l);
/* What is live at the beginning of the block that begins with this instruction. */
static inline const uint64_t *au_live_at(const au_live_slots *l, uint32_t insn) {
    return l->in + (size_t)l->block[insn - l->first] * l->words;
}
/* May the block that begins with this instruction set this slot (or cell: + slots)? */
bool au_live_may_set(const au_live_slots *l, const au_code *c, uint32_t block, uint32_t var);

#endif
