/* tests/lib/sync_trace.h: small random valid traces with values that use every kind of synchronisation. */
#ifndef AU_TESTS_SYNC_TRACE_H
#define AU_TESTS_SYNC_TRACE_H

#include "base/rng.h"
#include "trace/trace.h"

#include <stdio.h>

/* What a trace may use. */
enum {
    ST_RECURSION = 1,
    ST_RWLOCK = 2,
    ST_SEM = 4,
    ST_COND = 8,
    ST_BARRIER = 16,
    ST_FORK = 32, /* threads forked and joined in the middle */
    ST_ATOMIC = 64,
    ST_ONCE = 128,
    ST_TRY = 256,
    ST_ALL = 511
};

/* Caller frees it. Objects: locks 0 and 1, recursive 2, read-write 3, semaphore 4,
 * condition 5, barrier 6 of two, once 7. Locations are few, so that they repeat. At most 4
 * threads and 32 variables. */
au_trace *au_sync_trace(au_rng *rng, uint32_t threads, uint32_t events, uint32_t vars,
                        unsigned what);

/* Makes the values of some variables need more than 32 bits: other numbers for the same. */
void au_sync_trace_widen(au_trace *t, au_rng *rng);

/* For the report of a failing case. */
void au_sync_trace_print(const au_trace *t);

#endif
