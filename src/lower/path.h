/* lower/path.h: values by where they come from, for locks that are known by an access path only
 * (lower/path.c).
 *
 * A value is an expression plus a constant. Expressions are made of leaves: slots of frames whose value is not
 * computed from others (loads, results of calls, phis, arguments that are not known). Copies of functions that stand for
 * one call take their arguments from the caller's slots, so a path survives being handed to a helper.
 *
 * Why an expression may stand for a slot that was set earlier. Slots that are no leaves have one instruction that
 * sets them. Slots are those of SSA: where such a slot is used, its instruction was executed, and no leaf
 * of its expression was set again since (a leaf's instruction dominates it; coming there again and then
 * to the use without passing the slot's own instruction would be a way to the use that avoids it).
 * So wherever two slots with the same expression are used at the same time, in one execution of their functions, they
 * have the same value. Edges set phis one after the other, and their sources are meant before all of
 * them: who follows an edge takes the expressions first and then forgets what mentions the phis. */
#ifndef AU_LOWER_PATH_H
#define AU_LOWER_PATH_H

#include "lower/source_priv.h"

typedef struct {
    uint32_t base; /* expression; AU_NONE: nothing is known; AU_SRC_ZERO: it is the number 'off' */
    uint64_t off;
} au_src_value;
#define AU_SRC_ZERO 0

typedef struct au_src_values au_src_values;
au_src_values *au_src_values_new(src *s);
void au_src_values_free(au_src_values *v);

au_src_value au_src_value_of(au_src_values *v, uint32_t frame, au_operand o);
/* The slot as a leaf; AU_NONE if there is none yet and 'make' is false. */
uint32_t au_src_value_leaf(au_src_values *v, uint32_t frame, uint32_t slot, bool make);
/* The expression mentions this leaf; a leaf of this frame. */
bool au_src_value_mentions(const au_src_values *v, uint32_t base, uint32_t leaf);
bool au_src_value_is_of(const au_src_values *v, uint32_t base, uint32_t frame);
/* The same expressions, but for these two leaves, which stand for each other; 'settled' says yes to all others. */
bool au_src_value_alike(const au_src_values *v, au_src_value a, au_src_value b, uint32_t leaf_a,
                        uint32_t leaf_b, bool (*settled)(void *ctx, uint32_t frame, uint32_t slot),
                        void *ctx);
/* The pointer that an element's address was made of, by its index; AU_NONE: it was not. */
uint32_t au_src_value_array(const au_src_values *v, uint32_t base);
/* … and its index, and the bytes of an element. False: it was not. */
bool au_src_value_element(const au_src_values *v, uint32_t base, au_src_value *array,
                          au_src_value *index, uint64_t *bytes);
/* What a cast was made of, and to how many bits; false: it is none. */
bool au_src_value_cast(const au_src_values *v, uint32_t base, au_src_value *of, unsigned *width);
/* It is a leaf, and which; false: it is not. */
bool au_src_value_is_leaf(const au_src_values *v, uint32_t base, uint32_t *frame, uint32_t *slot);
/* It is the address of an object that is there once. */
bool au_src_value_is_address(const au_src_values *v, uint32_t base);
/* Where this lies in the objects it may point to, one offset of each: calls put for every object; what it may point to in
 * several places of an object is left out. */
void au_src_value_places(au_src_values *v, uint32_t base,
                         void (*put)(void *ctx, uint32_t obj, int64_t off), void *ctx);
/* What x being zero or not depends on: it is zero where that is not, if *turned, and where it is, if not. AU_NONE. */
uint32_t au_src_value_truth(const au_src_values *v, au_src_value x, bool *turned);

/* The call that made this copy of a function handed its arguments over, and the copy is that call's alone. */
bool au_src_frame_follows(const src *s, uint32_t frame);

#endif
