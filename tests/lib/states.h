/* tests/lib/states.h: every state of a small model, with all changes of thread or with some.
 *
 * Straight from model.h, without the stages' help, so that restricted exploration can be
 * compared with full one: what is the same in both is what a reduction keeps. */
#ifndef AU_TESTS_EXPLORE_H
#define AU_TESTS_EXPLORE_H

#include "base/hash.h"
#include "model/model.h"

/* May the running thread stop at this node and that thread go on at that one? */
typedef bool au_states_switch(void *ctx, uint32_t thread, uint32_t node, uint32_t to, uint32_t at);
/* A step was executed (or, an assert, failed): values after it, of all variables. */
typedef void au_states_seen(void *ctx, const au_step *s, bool failed, const uint64_t *value);
/* Its guard holds, and it is about to be executed: values before it. */
typedef void au_states_before(void *ctx, const au_step *s, const uint64_t *value);

typedef struct {
    au_states_switch *may; /* NULL: always */
    au_states_seen *seen;  /* may be NULL */
    au_states_before *before;
    void *ctx;
    size_t most; /* states */
} au_states_how;

typedef struct {
    bool all; /* not more than 'most' states */
    size_t states;
    au_map final;    /* hash of all values where every started thread is at its end */
    au_map failed;   /* asserts */
    au_map reached;  /* thread << 32 | node */
    au_map assigned; /* hash of step, variable that is no SYNC one, value */
} au_states;

void au_states_walk(const au_model *m, const au_states_how *how, au_states *e);
void au_states_release(au_states *e);

/* Something of a is not in b: its name, else NULL. */
const char *au_states_less(const au_states *a, const au_states *b);

#endif
