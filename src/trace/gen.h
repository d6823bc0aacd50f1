/* trace/gen.h: synthetic traces.
 *
 * The same options and the same seed give the same events on every machine and
 * in every release (a change would need a new name: tests and bug reports name
 * traces by their seed). What comes out is valid (validate.h): the first thread
 * forks the others at the start and joins them at the end, no thread blocks,
 * every lock is released and every block is ended.
 *
 * Events come block by block; memory depends on the numbers of threads, locks
 * and variables only (the shapes of Sinha et al. keep their at most 20 640 events). */
#ifndef AU_TRACE_GEN_H
#define AU_TRACE_GEN_H

#include "base/error.h"
#include "trace/event.h"

#define AU_GEN_DEFAULT UINT32_MAX
#define AU_GEN_DEFAULT_EVENTS UINT64_MAX
/* Options beyond these are refused. */
#define AU_GEN_MAX_DEPTH 64u
#define AU_GEN_MAX_NAMES (1u << 24) /* locks; variables */

/* A number left at its default is chosen by the generator; a shape refuses the
 * numbers that it fixes itself. */
typedef struct {
    const char *shape; /* NULL: a random trace */
    uint64_t events;   /* all of them, fork and join included */
    uint32_t threads;  /* the first one included */
    uint32_t locks;
    uint32_t vars;  /* shared and private ones together */
    uint32_t depth; /* locks held at a time by a thread, at most */
    double shared;  /* part of the accesses that goes to shared variables; < 0: default */
    bool atomic;    /* atomic blocks are marked */
    bool values;    /* accesses carry values: a read what was written last, at first 0 */
    uint64_t seed;
} au_gen_options;

void au_gen_options_init(au_gen_options *o);

typedef struct au_gen au_gen;

/* NULL with AU_EUSAGE for numbers that no trace has. */
au_gen *au_gen_new(const au_gen_options *o, au_error *err);
void au_gen_free(au_gen *g);
/* All names that the trace uses, from the start. Borrowed. */
const au_names *au_gen_names(const au_gen *g);
/* How many events there will be. */
uint64_t au_gen_events(const au_gen *g);
/* The next events, b->n == 0 at the end. Borrowed until the next call. */
void au_gen_next(au_gen *g, au_block *b);
/* The names of the shapes in the order of the documentation; NULL past the last. */
const char *au_gen_shape_name(size_t i);

#endif
