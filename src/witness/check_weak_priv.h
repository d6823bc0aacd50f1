/* witness/check_weak_priv.h: between the files of the checker of executions only. */
#ifndef AU_WITNESS_CHECK_WEAK_PRIV_H
#define AU_WITNESS_CHECK_WEAK_PRIV_H

#include "witness/check_weak.h"

/* Entry i is event 2 i (a read, a fence, an operation of an object) and 2 i + 1 (a write). */
static inline uint32_t au_wev_read(uint32_t entry) {
    return 2 * entry;
}
static inline uint32_t au_wev_write(uint32_t entry) {
    return 2 * entry + 1;
}

typedef struct {
    bool there, write, fence, object;
    uint32_t thread, entry;
    uint32_t var; /* of an access; AU_NONE */
    au_memory_order order;
} au_wev;

typedef struct {
    const au_model *m;
    const au_weak_finding *f;
    au_weak_verdict *v;
    uint32_t entries, n, words;
    au_wev *event;
    bool *writes;    /* by entry: it wrote */
    bool *failed;    /* by entry: an assert whose condition was false */
    bool *as_writer; /* by entry: a release of a rwlock by its writer */
    uint64_t *wrote; /* by entry */
    uint32_t *place; /* by entry: in modification order, from 0 */
    uint64_t *value; /* by variable */
    uint32_t *node;  /* by thread */
    bool *stopped;   /* by thread */
    uint64_t *sb, *rf, *mo, *rb, *sync, *line, *hb, *eco; /* n rows */
} au_wexec;

static inline bool au_wexec_has(const au_wexec *x, const uint64_t *r, uint32_t a, uint32_t b) {
    return r[(size_t)a * x->words + b / 64] >> (b % 64) & 1;
}
static inline void au_wexec_add(const au_wexec *x, uint64_t *r, uint32_t a, uint32_t b) {
    r[(size_t)a * x->words + b / 64] |= UINT64_C(1) << (b % 64);
}

/* check_weak.c */
bool __attribute__((format(printf, 3, 4)))
au_wexec_no(au_wexec *x, uint32_t entry, const char *fmt, ...);

/* check_weak_sync.c: x->sync and x->line. */
void au_wexec_objects(au_wexec *x);

/* check_weak_axioms.c: does the memory model allow it? Makes hb and eco (rc11). */
bool au_wexec_allowed(au_wexec *x);
bool au_wexec_race(const au_wexec *x, uint32_t a, uint32_t b); /* of events */

#endif
