/* base/worker_priv.h: how children begin. Only for worker.c and aside.c. */
#ifndef AU_BASE_WORKER_PRIV_H
#define AU_BASE_WORKER_PRIV_H

#include "base/worker.h"

#include <sys/types.h>

/* As fork; buffers are flushed before, so that no child writes them a second time. */
pid_t au_fork_flushed(void);
/* In the child: limits, signals, death with the parent; limits that bit before are the parent's. */
void au_child_begin(const au_pool_limits *limits, pid_t parent);

#endif
