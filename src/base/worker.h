/* base/worker.h: jobs in forked processes.
 *
 * Solver and numeric-library code never runs in the parent: a job runs in a
 * child with a limit on its address space and on its wall-clock time, and its
 * result comes back over a pipe. A child that dies, runs out of memory or is
 * late gives an inconclusive result with the reason; it never takes the parent
 * with it. When the command's time is over (base/deadline.h) all children are ended, and what they had not
 * answered is cancelled.
 *
 * A child may do several jobs one after the other ('batch'), so that they can share
 * what the first of them builds. Each result is sent when it is there, the clock
 * starts anew for each job, and if the child dies the rest of its batch gets another.
 * Where answers must not depend on which batches were done before, and building takes long, children live on
 * ('prepare'): each batch is done in a fork of one, as it was after it had prepared itself (the last batch by
 * itself). Limits that bite in a child (base/limits.h) are counted in the parent, once for each job. */
#ifndef AU_BASE_WORKER_H
#define AU_BASE_WORKER_H

#include "base/error.h"
#include "base/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    AU_JOB_DONE,     /* the function returned; 'data' is what it wrote */
    AU_JOB_TIMEOUT,  /* killed at its wall-clock limit */
    AU_JOB_MEMORY,   /* out of memory under its limit */
    AU_JOB_DIED,     /* a signal or an exit of its own; see 'detail' */
    AU_JOB_CANCELLED /* stopped by the caller's 'done' before it ran to its end */
} au_job_end;

/* Runs in the child: writes its result to 'out'. The index names the job. What it leaves
 * in *ctx is seen by later jobs of its batch (if the child lives), never by the parent. */
typedef void au_job_fn(void *ctx, uint32_t index, au_out *out);

/* Runs in the child, before its first job; its time counts as that job's. */
typedef void au_job_prepare_fn(void *ctx);

typedef struct {
    uint32_t index;
    au_job_end end;
    const char *data; /* borrowed during the callback */
    size_t size;
    double seconds;
    uint64_t peak_kib;
    const char *detail; /* for a person: "killed by signal 11", … */
} au_job_result;

/* Runs in the parent, as jobs end (in any order). Returning false stops all
 * other jobs ('--first'). */
typedef bool au_job_done_fn(void *ctx, const au_job_result *r);

typedef struct {
    unsigned jobs;              /* children at once; 0 = number of cores */
    double seconds;             /* wall clock for each job; 0 = none */
    uint64_t memory_bytes;      /* RLIMIT_AS of a child beyond what the parent has; 0 = none */
    uint32_t batch;             /* jobs of a child, consecutive ones; 0 = 1 */
    au_job_prepare_fn *prepare; /* NULL: a child for each batch */
    /* The caller is somebody else's program, with threads, buffers and descriptors of its own: children
     * have no descriptor but their pipe (/dev/null stands in for all others), default signals, and
     * the caller's buffers are not flushed. For src/api. */
    bool foreign;
} au_pool_limits;

/* Every index 0 … n-1 gets exactly one result. AU_EINTERNAL only if no child
 * can be started at all. */
au_status au_pool_run(uint32_t n, const au_pool_limits *limits, au_job_fn *job,
                      au_job_done_fn *done, void *ctx, au_error *err);

/* In a child: ends it as one that is out of memory. For the handlers of libraries that
 * do not allocate through base/alloc.h. */
_Noreturn void au_job_no_memory(void);

unsigned au_cores(void); /* cores this process may use */
bool au_is_worker(void); /* is this process a child of a pool, or one of base/aside.h? */

#endif
