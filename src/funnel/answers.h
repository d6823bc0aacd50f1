/* funnel/answers.h: what the exact stage answered, so that a check can be done in shards.
 *
 * The exact stage is the part of a check whose time does not follow from the length of the trace.
 * Its questions come in calls (au_exact_ask), those of a call in batches, and for the same input
 * and options they are the same ones in the same order everywhere. Batch number b of the check
 * belongs to shard b % shards: it asks those and passes over the rest; everything else of the check
 * is done in each shard. What one asked is kept here. A check that finds the answers of all shards
 * here asks nothing, and what it says is what one check would have said: there is no second way to
 * count, to sort or to number findings.
 *
 * An answer is a function of its batch: solvers are new for each one and see it from its beginning.
 * Only a limit (time, memory) can make two answers to a question differ. */
#ifndef AU_FUNNEL_ANSWERS_H
#define AU_FUNNEL_ANSWERS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/vec.h"
#include "report/case.h"

/* Bytes that exact.c knows how to read. */
typedef struct {
    uint32_t call, question;
    uint64_t digest; /* of model and question: an answer to something else is none */
    const char *data;
    size_t size;
    bool open; /* it says that it does not know */
} au_answer_kept;

typedef struct au_answers {
    uint32_t shards;
    bool *cover; /* by shard: its questions are asked, or were */
    au_arena arena;
    AU_VEC(au_answer_kept) kept;
    au_map at;                     /* call, question: place in kept */
    uint32_t calls, batches;       /* so far in the check that runs */
    uint64_t known, asked, passed; /* questions: answered from here, asked, of other shards */
} au_answers;

/* shards: at least 1; covers none of them. */
void au_answers_init(au_answers *a, uint32_t shards);
void au_answers_release(au_answers *a);
void au_answers_cover(au_answers *a, uint32_t shard);
bool au_answers_cover_all(const au_answers *a);

/* ---- for exact.c ---- */

/* The next call, of so many batches; its number. *first: the number of its first batch. */
uint32_t au_answers_call(au_answers *a, uint32_t batches, uint32_t *first);
/* Is batch number b to be asked here? */
bool au_answers_mine(const au_answers *a, uint32_t batch);
/* NULL: none, or one to something else. */
const au_answer_kept *au_answers_find(const au_answers *a, uint32_t call, uint32_t question,
                                      uint64_t digest);
/* Copies it. Of two answers to one question the one that knows is kept; whichever came first. */
void au_answers_keep(au_answers *a, const au_answer_kept *k);

/* ---- as texts of a dossier ---- */

/* Into s->answer, in order; texts in d's arena. */
void au_answers_write(const au_answers *a, au_dossier *d);
/* Adds all of d's. AU_EFORMAT if one cannot be read. */
au_status au_answers_read(au_answers *a, const au_dossier *d, const char *name, au_error *err);

#endif
