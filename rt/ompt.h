/* SPDX-License-Identifier: MIT
 *
 * rt/ompt.h: what the runtime uses of OpenMP's tools interface (OMPT, OpenMP 5.2 chapter 19), as
 * libomp has it. Written by hand: the interface is a fixed ABI, and programs without OpenMP are
 * recorded on machines that have no <omp-tools.h>. */
#ifndef AUGUR_RT_OMPT_H
#define AUGUR_RT_OMPT_H

#include <stdint.h>

typedef union {
    uint64_t value;
    void *ptr;
} rt_ompt_data;

typedef struct {
    rt_ompt_data variable;
    int type;
} rt_ompt_dependence;

typedef void (*rt_ompt_fn)(void);
typedef rt_ompt_fn (*rt_ompt_lookup)(const char *name);
typedef int (*rt_ompt_set_callback)(int which, rt_ompt_fn callback);

struct rt_ompt_tool {
    int (*initialize)(rt_ompt_lookup lookup, int device, rt_ompt_data *tool);
    void (*finalize)(rt_ompt_data *tool);
    rt_ompt_data tool;
};

enum { /* callbacks */
       OMPT_PARALLEL_BEGIN = 3,
       OMPT_PARALLEL_END = 4,
       OMPT_TASK_CREATE = 5,
       OMPT_TASK_SCHEDULE = 6,
       OMPT_IMPLICIT_TASK = 7,
       OMPT_SYNC_REGION_WAIT = 16,
       OMPT_MUTEX_RELEASED = 17,
       OMPT_DEPENDENCES = 18,
       OMPT_WORK = 20,
       OMPT_SYNC_REGION = 23,
       OMPT_LOCK_INIT = 24,
       OMPT_LOCK_DESTROY = 25,
       OMPT_MUTEX_ACQUIRE = 26,
       OMPT_MUTEX_ACQUIRED = 27,
       OMPT_REDUCTION = 31,
       OMPT_DISPATCH = 32
};

enum { OMPT_BEGIN = 1, OMPT_END = 2 };

enum { /* synchronising regions */
       OMPT_TASKWAIT = 5,
       OMPT_TASKGROUP = 6,
       OMPT_REDUCTION_REGION = 7,
       OMPT_BARRIER_OF_PARALLEL = 9,
       OMPT_BARRIER_OF_TEAMS = 10
};

enum { /* mutual exclusion */
       OMPT_TEST_LOCK = 2,
       OMPT_TEST_NEST_LOCK = 4,
       OMPT_ORDERED = 7
};

enum { /* flags of tasks */
       OMPT_TASK_INITIAL = 1,
       OMPT_TASK_IMPLICIT = 2
};

enum { /* why a task gives way to another */
       OMPT_TASK_COMPLETE = 1,
       OMPT_TASK_CANCEL = 3,
       OMPT_TASK_DETACH = 4,
       OMPT_TASK_EARLY_FULFILL = 5,
       OMPT_TASK_LATE_FULFILL = 6,
       OMPT_TASKWAIT_COMPLETE = 8
};

enum { /* shared work */
       OMPT_WORK_SECTIONS = 2,
       OMPT_WORK_TASKLOOP = 7,
       OMPT_WORK_STATIC = 10
};

enum { /* dependences */
       OMPT_DEP_IN = 1,
       OMPT_DEP_MUTEXINOUTSET = 4,
       OMPT_DEP_SOURCE = 5,
       OMPT_DEP_SINK = 6,
       OMPT_DEP_INOUTSET = 7,
       OMPT_DEP_ALL_MEMORY = 34
};

#endif
