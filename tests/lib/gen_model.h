/* tests/lib/gen_model.h: random small models as .ctp text, and a shrinker.
 *
 * Models come as text so that a failing one can be shown, shrunk and kept. They are
 * always well-formed; races, deadlocks, lost wake-ups and values that depend on the
 * order are common. The same seed and options give the same text everywhere. */
#ifndef AU_TESTS_GEN_MODEL_H
#define AU_TESTS_GEN_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Counts are upper bounds: each model draws its own numbers up to them. */
typedef struct {
    unsigned threads;    /* 2 … this */
    unsigned statements; /* a thread, about; what stands in brackets or blocks counts */
    unsigned vars;       /* shared, at least one */
    unsigned locks, rlocks, rwlocks, sems, conds, barriers;
    unsigned depth;      /* of blocks within blocks */
    unsigned arithmetic; /* 0: constants and copies, 1: + and comparisons, 2: all operators */
    bool branches;       /* if */
    bool loops;          /* while: at most two turns each, read with unroll >= 2 */
    bool blocks;         /* atomic { … } */
    bool asserts, assumes;
    bool forks;       /* fork and join */
    bool indivisible; /* [ … ], also [assume …], which waits */
    bool widths;      /* variables of 1 to 64 bits, casts and unsigned operators */
    bool havoc;       /* any 32-bit value: not for exhaustive search */
    bool misuse;      /* now and then a rel or an acq too many or too few */
    bool tries;       /* now and then 'try acq' for 'acq' */
} au_gen_ctp_options;

/* Everything on but loops, widths, havoc, misuse and tries. Size 1 gives models whose
 * interleavings can be counted in a blink (about 4 statements a thread), each
 * further size about 3 more statements a thread; from size 3 on up to 3 threads. */
au_gen_ctp_options au_gen_ctp_defaults(unsigned size);

/* The text; free it. o may be NULL: au_gen_ctp_defaults(2). */
char *au_gen_ctp(uint64_t seed, const au_gen_ctp_options *o);

/* A smaller text for which still_fails holds, found by leaving out threads, names,
 * blocks, statements and parts of expressions until nothing more can go. Requires:
 * still_fails(text) holds; it must be false for text that is not well-formed (tries
 * are only roughly so). Works on any .ctp text with a statement a line, as
 * au_gen_ctp writes it. The result is the caller's to free. */
char *au_shrink_ctp(const char *text, bool (*still_fails)(const char *text, void *ctx), void *ctx);

#endif
