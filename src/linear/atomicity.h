/* linear/atomicity.h: atomicity violations of two threads and one variable, in time
 * linear in the trace (Farzan et al., docs/papers.md).
 *
 * e1 and e2 are accesses of a variable in one atomic block of a thread, f is another
 * thread's access of it, and e1, f, e2 in this order are one of the unserialisable
 * patterns. Some interleaving has that order if there is a position e from e1 on and
 * before e2 such that the one thread can stand right after e while the other stands
 * right after f; and then, if the trace cannot deadlock, the first goes on to e2.
 *
 * Phase I goes over the trace once and keeps, for each thread and variable, which
 * contexts (lock context and must-segment) an f and an e can have. Phase II pairs them.
 *
 * What is counted is a representative: one for each ordered pair of threads,
 * variable, class of pattern and pair of lock contexts (of e and of f). Classes:
 *   AWA  f writes, e1 and e2 are any accesses (RWR RWW WWR WWW)
 *   WRW  f reads between two writes
 *
 * Read-modify-write accesses read and write. Memory depends on threads, variables and
 * contexts, not on the length of the trace. */
#ifndef AU_LINEAR_ATOMICITY_H
#define AU_LINEAR_ATOMICITY_H

#include "base/limits.h"
#include "linear/linear.h"
#include "trace/trace.h"

typedef struct {
    au_block_kind blocks;
    /* Not representatives but every triple of locations (e1, f, e2) of an ordered pair of
     * threads, a variable and a class; at most AU_LIMIT_BLOCK_LOCATIONS different e1 locations in
     * one block and variable. Slower: every access is looked at. */
    bool all;
    /* So many findings at most (0: no limit); the counts go on. The first representative of
     * each (thread pair, variable, class) has precedence. */
    uint64_t max_findings;
    /* Not 0, a power of two: of the variables only those of this part (atomicity_apart.c), 2^together neighbours in one. */
    uint32_t parts, part, together;
} au_atomicity_options;

#define AU_ATOMICITY_DEFAULTS                                                                      \
    { AU_BLOCKS_AUTO, false, AU_LIMIT_BLOCKS_LISTED, 0, 0, 0 }

/* A thread that released a lock which was not the last one it took. */
typedef struct {
    uint16_t thread;
    au_event_ref event; /* the first such release */
} au_not_nested;

typedef struct {
    uint64_t awa, wrw;    /* violations: representatives, or triples of locations with 'all' */
    uint64_t left_out;    /* … of them not among the findings: max_findings */
    uint64_t truncated;   /* 'all': accesses not taken as e1 for want of room */
    au_funnel funnel;     /* always representatives: all pairs of contexts; those that no
                         * must-happens-before rules out for every pair of segments; those with
                         * disjoint locksets and compatible histories */
    uint32_t contexts;    /* different (lockset, acquisition history) */
    au_block_kind blocks; /* what atomic blocks were: MARKED, CRITICAL or NONE */
    const au_not_nested *not_nested; /* by thread; borrowed from the analysis */
    size_t n_not_nested;
} au_atomicity_result;

typedef struct au_atomicity au_atomicity;

/* names may be NULL; else borrowed, and may grow between blocks. */
au_atomicity *au_atomicity_new(const au_names *names, const au_atomicity_options *o);
void au_atomicity_free(au_atomicity *a);
/* Feed every block, in order. */
void au_atomicity_block(au_atomicity *a, const au_block *b);
/* Between blocks, as often as wanted, for who reads a growing trace: adds and tells the first
 * violation of each (thread pair, variable, class) that the trace so far shows and that was not
 * told before. Of must-happens-before only fork and join are known before the end, and where
 * nothing is marked yet, sections count as blocks: au_atomicity_finish has the last word, and
 * tells all of them again. */
void au_atomicity_poll(au_atomicity *a, au_findings *out, au_found_fn *found, void *ctx);
/* Once, after the last block. Findings are POSSIBLE, with events e1, f, e2 and the pattern as
 * 'detail'; schedules come from linear/schedule.h. found may be NULL. */
void au_atomicity_finish(au_atomicity *a, au_findings *out, au_atomicity_result *r,
                         au_found_fn *found, void *ctx);

/* --- a long trace in memory, in parts, by two processes (atomicity_apart.c) ---------------- */

typedef struct au_atomicity_beside au_atomicity_beside;

/* Divides the variables, and says in *o that the caller's analysis is about the first part; another process begins with some of the
 * others, unless jobs is 1. NULL: it is not worth it (fewer than 'from' events a part; 0: good numbers). Borrows the
 * trace. */
au_atomicity_beside *au_atomicity_beside_start(const au_trace *t, au_atomicity_options *o,
                                               unsigned jobs, uint64_t from);
void au_atomicity_beside_free(au_atomicity_beside *b);
/* As au_atomicity_finish, of all variables: the same findings in the same order. Goes over the trace once more for each part that
 * nobody has done. Gives how many events every part has read: fewer than there are if the time was over. Afterwards a
 * is good for nothing but the result's not_nested. */
uint64_t au_atomicity_finish_both(au_atomicity *a, au_atomicity_beside *b, au_findings *out,
                                  au_atomicity_result *r, au_found_fn *found, void *ctx);

#endif
