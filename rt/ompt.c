/* SPDX-License-Identifier: MIT
 *
 * rt/ompt.c: what libomp tells of a program through OpenMP's tools interface, as events that the
 * analyses know: semaphores for what must come before what, locks for what excludes.
 *
 *   parallel       'F': one UP for each thread that may come, DOWN at the begin of each implicit task
 *   barrier        'B': UP where a thread other than the first arrives (and where it completes a task
 *                  inside); the first thread takes all of them when it leaves and gives one UP of 'R' to each
 *                  other one, which leaves with a DOWN. The last barrier of a region has no second half.
 *   task           'S': UP where it is created, DOWN where it begins. Where it completes: UP of the parent's
 *                  children (taken by taskwait), of the task group (taken at its end) and, if it
 *                  has dependences, of its own end, which each successor takes and gives back.
 *   critical, locks   ACQ before libomp takes its lock, so that no thread waits in libomp for one;
 *                  REL behind. Nested locks: the outermost.
 *   ordered        a chain in the order in which libomp let them in
 *   dynamic chunks, sections   a chain in the order in which they were given out: pinned
 *
 * A thread's number of events does not depend on who came first, so that other schedules can be
 * executed. Semaphores have addresses that no program has. Everything here runs with the token. */
#include "rt/ompt.h"
#include "rt/omp.h"
#include "rt/policy.h"
#include "rt/stream.h"
#include "rt/sync.h"

#include <string.h>
#include <sys/mman.h>

#define SEMAPHORES RT_OMP_OBJECTS
#define DOACROSS (RT_OMP_OBJECTS + UINT64_C(0x8000000000))
#define DOACROSS_SLOTS                                                                             \
    (UINT64_C(1) << 24) /* two iterations in one slot are ordered: nothing false */

/* Where a thread is in a reduction (rt_thread.reducing). */
enum { NOT_REDUCING, REDUCES, IN_TREE, LOCKED, ROOT };

struct semaphore {
    const void *at;
    uint32_t count;
};

struct team {
    uint32_t unstarted; /* tasks */
    struct semaphore fork, order, chunk, reduced, split;
    struct semaphore arrived[2], released[2]; /* of every second barrier */
    uint32_t leaving[2];
    uint32_t threads;
};

struct task_group {
    struct task_group *outer;
    uint32_t open; /* tasks that are not complete */
    struct semaphore done;
};

struct tasks {
    struct rt_omp_task **at;
    uint32_t n, room;
};

/* What tasks of one parent depend on: an address, who wrote it last, who read it since. */
struct variable {
    struct variable *next;
    uint64_t at;
    struct tasks writers, readers, before; /* before: what a set of writers waits for */
    int set;                               /* writers are a set of this type; 0: one writer */
};

struct rt_omp_task {
    struct rt_omp_task *parent, *outer; /* outer: the implicit task of this thread around it */
    struct team *team;
    struct task_group *group, *created_in; /* that its children are in; that it is in itself */
    struct semaphore start, done, children;
    struct variable *variables;
    struct tasks after; /* tasks that it depends on */
    uint64_t *locks;    /* mutexinoutset */
    uint32_t n_locks, room_locks;
    uint32_t index, barrier;
    uint32_t open;   /* children that are not complete */
    uint8_t waiting; /* OMPT_TASKWAIT, OMPT_TASKGROUP: in one of these */
    uint8_t implicit, started, ended, in_barrier, dynamic, early;
};

/* ---- memory: what is allocated stays, as the objects of a recording do ---- */

static void *room_for(size_t n) {
    static uint8_t *at, *limit;
    n = (n + 15) & ~(size_t)15;
    if ((size_t)(limit - at) < n) {
        size_t size = n > 1u << 20 ? n : 1u << 20;
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            rt_die("no memory for the tasks of OpenMP");
        limit = at + size;
    }
    void *p = at;
    at += n;
    return p;
}

static void add(struct tasks *list, struct rt_omp_task *t) {
    if (list->n == list->room) {
        struct rt_omp_task **old = list->at;
        list->room = list->room ? 2 * list->room : 4;
        list->at = room_for(list->room * sizeof *list->at);
        if (list->n)
            memcpy(list->at, old, list->n * sizeof *old);
    }
    list->at[list->n++] = t;
}

/* ---- events ---- */

static void tell(struct semaphore *s) {
    static uint64_t n;
    if (!s->at)
        s->at = (const void *)(uintptr_t)(SEMAPHORES + 64 * n++);
    rt_object(s->at, AU_WIRE_OBJ_SEM, 0);
}

static void up(struct semaphore *s) {
    rt_point();
    tell(s);
    s->count++;
    rt_event(AU_OP_UP, s->at, 0);
    rt_wake(s->at, 1);
}

static void down(struct semaphore *s) {
    rt_point();
    tell(s);
    while (!s->count)
        rt_wait(s->at, NULL, RT_WAIT_SEM);
    s->count--;
    rt_event(AU_OP_DOWN, s->at, 0);
}

static void down_all(struct semaphore *s) {
    while (s->count)
        down(s);
}

/* A chain: each link is a semaphore of its own, taken by the next that comes and by nobody else. An event
 * for the first one, too. */
static void take_link(struct semaphore *s) {
    static struct semaphore nothing;
    if (s->count)
        down(s);
    else
        up(&nothing);
    *s = (struct semaphore){0};
}

static void acquire(const void *lock, int by_try) {
    rt_object(lock, AU_WIRE_OBJ_LOCK, 0);
    rt_table_set(lock, 1 + rt_hot.self->number);
    rt_owner(lock, 1);
    rt_event(AU_OP_ACQ, lock, (uint64_t)by_try);
}

static void release(const void *lock) {
    rt_object(lock, AU_WIRE_OBJ_LOCK, 0);
    rt_table_set(lock, 0);
    rt_owner(lock, 0);
    rt_event(AU_OP_REL, lock, 0);
    rt_wake(lock, 1);
}

static const void *address(uint64_t wait_id) {
    return (const void *)(uintptr_t)wait_id;
}

/* ---- regions ---- */

static struct rt_omp_task *task_of(rt_ompt_data *data) {
    if (!data)
        return NULL;
    if (!data->ptr)
        data->ptr = room_for(sizeof(struct rt_omp_task));
    return data->ptr;
}

static struct team *team_here(void) {
    struct rt_omp_task *t = rt_self->implicit_task;
    return t ? t->team : NULL;
}

static void on_parallel_begin(rt_ompt_data *parent, const void *frame, rt_ompt_data *parallel,
                              unsigned requested, int flags, const void *from) {
    (void)parent, (void)frame, (void)flags, (void)from;
    if (!rt_enter_omp())
        return;
    struct team *team = room_for(sizeof *team);
    parallel->ptr = team;
    for (unsigned i = 1; i < requested; i++)
        up(&team->fork);
    rt_leave(0);
}

static void on_parallel_end(rt_ompt_data *parallel, rt_ompt_data *parent, int flags,
                            const void *from) {
    (void)parent, (void)flags, (void)from;
    struct team *team = parallel ? parallel->ptr : NULL;
    if (!team || !rt_enter_omp())
        return;
    down_all(&team->arrived[0]);
    down_all(&team->arrived[1]);
    rt_leave(0);
}

static void on_implicit_task(int endpoint, rt_ompt_data *parallel, rt_ompt_data *task,
                             unsigned threads, unsigned index, int flags) {
    struct rt_thread *self = rt_self;
    struct team *team = parallel ? parallel->ptr : NULL;
    if (!self || (flags & OMPT_TASK_INITIAL))
        return;
    if (endpoint == OMPT_END) {
        if (self->implicit_task)
            self->implicit_task = self->implicit_task->outer;
        return;
    }
    if (!team || !rt_enter_omp())
        return;
    struct rt_omp_task *t = room_for(sizeof *t);
    task->ptr = t;
    t->team = team;
    t->index = index;
    t->implicit = t->started = 1;
    t->outer = self->implicit_task;
    self->implicit_task = t;
    team->threads = threads;
    if (index)
        down(&team->fork);
    else
        rt_yield(); /* the others begin, too */
    rt_leave(0);
}

/* ---- barriers, taskwait, taskgroup ---- */

static void arrive(struct rt_omp_task *t) {
    struct team *team = t->team;
    t->in_barrier = 1;
    if (t->index)
        up(&team->arrived[t->barrier & 1]);
    if (rt_self->reducing == REDUCES) {
        rt_self->reducing = IN_TREE;
        up(&team->reduced);
    }
}

static void leave(struct rt_omp_task *t, int last) {
    struct team *team = t->team;
    uint32_t k = t->barrier++ & 1;
    t->in_barrier = 0;
    if (!t->index) {
        /* Fresh ones for the next time: nobody uses these any more. */
        down_all(&team->arrived[k]);
        team->arrived[k] = team->reduced = (struct semaphore){0};
        team->leaving[k] = team->threads - 1;
        for (uint32_t i = 1; !last && i < team->threads; i++)
            up(&team->released[k]);
    } else if (!last) {
        down(&team->released[k]);
        if (!--team->leaving[k])
            team->released[k] = (struct semaphore){0};
    }
}

/* A thread that waits for tasks of others would spin in libomp until they are complete, and the watchdog
 * would take the token from it. It waits here, unless there is one that it could take. */
static void wait_for_tasks(struct rt_omp_task *t) {
    struct team *team = team_here();
    while (team && !team->unstarted && rt_self->state == RT_RUNNING &&
           (t->waiting == OMPT_TASKWAIT ? t->open : t->waiting && t->group && t->group->open))
        rt_wait_quietly(team);
}

static void on_sync_region(int kind, int endpoint, rt_ompt_data *parallel, rt_ompt_data *data,
                           const void *from) {
    (void)parallel, (void)from;
    struct rt_omp_task *t = task_of(data);
    if (!t || !rt_enter_omp())
        return;
    if (kind == OMPT_TASKWAIT) {
        if (endpoint == OMPT_END) {
            t->waiting = 0;
            down_all(&t->children);
        } else {
            t->waiting = OMPT_TASKWAIT;
            wait_for_tasks(t);
        }
    } else if (kind == OMPT_TASKGROUP) {
        if (endpoint == OMPT_BEGIN) {
            struct task_group *g = room_for(sizeof *g);
            g->outer = t->group;
            t->group = g;
        } else if (t->group) {
            t->waiting = 0;
            down_all(&t->group->done);
            t->group = t->group->outer;
        }
    } else if (kind != OMPT_REDUCTION_REGION && t->implicit && t->team->threads > 1) {
        if (endpoint == OMPT_BEGIN)
            arrive(t);
        else if (t->in_barrier)
            leave(t, kind == OMPT_BARRIER_OF_PARALLEL || kind == OMPT_BARRIER_OF_TEAMS);
    }
    rt_leave(0);
}

/* Reductions of tasks are combined between the end of the wait and that of the region. */
static void on_sync_region_wait(int kind, int endpoint, rt_ompt_data *parallel, rt_ompt_data *data,
                                const void *from) {
    (void)parallel, (void)from;
    struct rt_omp_task *t = task_of(data);
    if (!t || kind != OMPT_TASKGROUP || !t->group || !rt_enter_omp())
        return;
    if (endpoint == OMPT_END) {
        down_all(&t->group->done);
    } else {
        t->waiting = OMPT_TASKGROUP;
        wait_for_tasks(t);
    }
    rt_leave(0);
}

/* A thread combines what those who arrived have, and passes it on. */
static void on_reduction(int kind, int endpoint, rt_ompt_data *parallel, rt_ompt_data *data,
                         const void *from) {
    (void)kind, (void)parallel, (void)data, (void)from;
    struct team *team = rt_self ? team_here() : NULL;
    if (!team || !rt_enter_omp())
        return;
    uint32_t n = endpoint == OMPT_END;
    for (; endpoint == OMPT_BEGIN && team->reduced.count; n++) /* more may come meanwhile */
        down(&team->reduced);
    while (n--)
        up(&team->reduced);
    rt_leave(0);
}

void rt_omp_reduction_begins(void) {
    rt_self->reducing = REDUCES;
}

void rt_omp_reduction_goes_on(int how, const void *lock, int blocking) {
    struct team *team = team_here();
    int in_tree = rt_self->reducing == IN_TREE;
    rt_self->reducing = NOT_REDUCING;
    if (how == 1 && !in_tree) {
        acquire(lock, 0);
        rt_self->reducing = LOCKED;
    } else if (team && in_tree && blocking) { /* the others go on when the root has combined */
        if (how == 1)
            rt_self->reducing = ROOT;
        else
            down(&team->split);
    }
}

void rt_omp_reduction_ends(const void *lock) {
    struct team *team = team_here();
    int was = rt_self->reducing;
    rt_self->reducing = NOT_REDUCING;
    if (was == LOCKED) {
        rt_point();
        release(lock);
    } else if (was == ROOT && team) {
        for (uint32_t i = 1; i < team->threads; i++)
            up(&team->split);
    }
}

/* ---- mutual exclusion ---- */

static void on_mutex_acquire(int kind, unsigned hint, unsigned impl, uint64_t wait_id,
                             const void *from) {
    (void)hint, (void)impl, (void)from;
    if (kind == OMPT_ORDERED || !rt_enter_omp())
        return;
    const void *lock = address(wait_id);
    rt_point();
    int tries = kind == OMPT_TEST_LOCK || kind == OMPT_TEST_NEST_LOCK;
    int mine = kind >= 3 && kind <= 4 && rt_table_get(lock) == 1 + rt_hot.self->number;
    if (!tries && !mine) {
        while (rt_table_get(lock))
            rt_wait(lock, NULL, RT_WAIT_LOCK);
        acquire(lock, 0);
    }
    rt_leave(0);
}

static void on_mutex_acquired(int kind, uint64_t wait_id, const void *from) {
    (void)from;
    int tries = kind == OMPT_TEST_LOCK || kind == OMPT_TEST_NEST_LOCK;
    if ((kind != OMPT_ORDERED && !tries) || !rt_enter_omp())
        return;
    if (tries) {
        if (!rt_table_get(address(wait_id)))
            acquire(address(wait_id), 1);
    } else if (team_here()) {
        take_link(&team_here()->order);
    }
    rt_leave(0);
}

static void on_mutex_released(int kind, uint64_t wait_id, const void *from) {
    (void)from;
    if (!rt_enter_omp())
        return;
    if (kind == OMPT_ORDERED) {
        if (team_here())
            up(&team_here()->order);
    } else {
        rt_point();
        release(address(wait_id));
    }
    rt_leave(0);
}

static void on_lock_init(int kind, unsigned hint, unsigned impl, uint64_t wait_id,
                         const void *from) {
    (void)kind, (void)hint, (void)impl, (void)from;
    if (!rt_enter_omp())
        return;
    rt_point();
    rt_table_set(address(wait_id), 0);
    rt_object_init(address(wait_id), AU_WIRE_OBJ_LOCK, 0);
    rt_event(AU_OP_INIT, address(wait_id), 0);
    rt_leave(0);
}

static void on_lock_destroy(int kind, uint64_t wait_id, const void *from) {
    (void)kind, (void)from;
    if (!rt_enter_omp())
        return;
    rt_point();
    rt_object(address(wait_id), AU_WIRE_OBJ_LOCK, 0);
    if (rt_table_get(address(wait_id)))
        rt_event(AU_OP_LOCKERR, address(wait_id), AU_LOCKERR_DESTROY);
    else
        rt_event(AU_OP_DESTROY, address(wait_id), 0);
    rt_leave(0);
}

/* ---- shared work ---- */

static struct tasks completed; /* for taskloop, which uses their memory again */

static void after(const struct tasks *list) {
    for (uint32_t i = 0; i < list->n; i++) {
        struct rt_omp_task *before = list->at[i];
        if (before->ended && before->done.count) {
            down(&before->done);
            up(&before->done);
        }
    }
}

static void on_work(int kind, int endpoint, rt_ompt_data *parallel, rt_ompt_data *data,
                    uint64_t count, const void *from) {
    (void)parallel, (void)count, (void)from;
    struct rt_omp_task *t = task_of(data);
    if (!t || !rt_enter_omp())
        return;
    if (kind == OMPT_WORK_TASKLOOP && endpoint == OMPT_BEGIN) {
        after(&completed);
        completed.n = 0;
    } else if (kind == OMPT_WORK_SECTIONS || kind >= OMPT_WORK_STATIC) {
        t->dynamic = endpoint == OMPT_BEGIN && kind != OMPT_WORK_STATIC;
    }
    rt_leave(0);
}

static void on_dispatch(rt_ompt_data *parallel, rt_ompt_data *data, int kind,
                        rt_ompt_data instance) {
    (void)parallel, (void)kind, (void)instance;
    struct rt_omp_task *t = task_of(data);
    if (!t || !t->dynamic || !t->team || !rt_enter_omp())
        return;
    take_link(&t->team->chunk);
    up(&t->team->chunk);
    rt_yield(); /* the others want some, too */
    rt_leave(0);
}

/* ---- tasks ---- */

/* Tasks of one thread come one after the other, in every interleaving that is predicted: it is better to
 * record them on several. One that looks for a task gives way several times on the way to it; who begins
 * one gives way longer. After so many tasks once is enough: what they do has been seen. */
#define OFFERS 16
#define OFFERED_TASKS 1000

static uint32_t n_begun;

void rt_omp_offer(void) {
    struct team *team = team_here();
    uint32_t there = team ? team->unstarted : 0;
    int most = n_begun < OFFERED_TASKS ? OFFERS : 1;
    for (int i = 0; i < most && there && team->unstarted >= there && !rt_replaying(); i++)
        rt_yield();
}

static void give_way(void) {
    int most = n_begun++ < OFFERED_TASKS ? 2 * OFFERS : 1;
    for (int i = 0; i < most && !rt_replaying(); i++)
        rt_yield();
}

static void on_task_create(rt_ompt_data *parent, const void *frame, rt_ompt_data *data, int flags,
                           int has_dependences, const void *from) {
    (void)frame, (void)has_dependences, (void)from;
    if ((flags & (OMPT_TASK_INITIAL | OMPT_TASK_IMPLICIT)) || !rt_enter_omp())
        return;
    struct rt_omp_task *t = room_for(sizeof *t);
    data->ptr = t;
    t->parent = task_of(parent);
    t->team = team_here();
    if (t->parent) {
        t->group = t->parent->group;
        t->parent->open++;
    }
    t->created_in = t->group;
    if (t->group)
        t->group->open++;
    up(&t->start);
    if (t->team) {
        t->team->unstarted++;
        rt_wake(t->team, RT_ALL);
    }
    rt_leave(0);
}

static void depend(struct rt_omp_task *t, const struct tasks *list) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i] != t)
            add(&t->after, list->at[i]);
}

static void depend_on(struct rt_omp_task *t, struct variable *v, int type) {
    if (type == OMPT_DEP_IN) {
        depend(t, &v->writers);
        add(&v->readers, t);
        return;
    }
    int set = type == OMPT_DEP_MUTEXINOUTSET || type == OMPT_DEP_INOUTSET ? type : 0;
    if (set && v->set == set && !v->readers.n) {
        depend(t, &v->before);
    } else {
        depend(t, &v->writers);
        depend(t, &v->readers);
        v->before = (struct tasks){0};
        for (uint32_t i = 0; i < v->writers.n; i++)
            add(&v->before, v->writers.at[i]);
        for (uint32_t i = 0; i < v->readers.n; i++)
            add(&v->before, v->readers.at[i]);
        v->writers = v->readers = (struct tasks){0};
    }
    v->set = set;
    add(&v->writers, t);
    if (type == OMPT_DEP_MUTEXINOUTSET) {
        if (t->n_locks == t->room_locks) {
            uint64_t *old = t->locks;
            t->room_locks = t->room_locks ? 2 * t->room_locks : 4;
            t->locks = room_for(t->room_locks * sizeof *t->locks);
            if (t->n_locks)
                memcpy(t->locks, old, t->n_locks * sizeof *old);
        }
        t->locks[t->n_locks++] = v->at;
    }
}

/* Iterations of a loop with ordered(n) and depend(source), depend(sink). */
static void across(const rt_ompt_dependence *d, int n) {
    uint64_t hash = (uint64_t)(uintptr_t)team_here();
    for (int i = 0; i < n; i++)
        hash = (hash ^ d[i].variable.value) * UINT64_C(0x9e3779b97f4a7c15);
    struct semaphore s = {.at = address(DOACROSS + 64 * (hash >> 40 & (DOACROSS_SLOTS - 1)))};
    s.count = (uint32_t)rt_table_get(s.at);
    if (d->type == OMPT_DEP_SINK) {
        if (!s.count)
            return;
        down(&s);
    }
    up(&s);
    rt_table_set(s.at, s.count);
}

static void on_dependences(rt_ompt_data *data, const rt_ompt_dependence *d, int n) {
    struct rt_omp_task *t = task_of(data);
    if (!t || n <= 0 || !rt_enter_omp())
        return;
    if (d->type == OMPT_DEP_SOURCE || d->type == OMPT_DEP_SINK) {
        across(d, n);
        rt_leave(0);
        return;
    }
    for (int i = 0; t->parent && i < n; i++) {
        if (d[i].type >= OMPT_DEP_ALL_MEMORY) {
            for (struct variable *v = t->parent->variables; v; v = v->next)
                depend_on(t, v, 0);
        }
        uint64_t at = d[i].type >= OMPT_DEP_ALL_MEMORY ? 0 : d[i].variable.value;
        struct variable *v = t->parent->variables;
        while (v && v->at != at)
            v = v->next;
        if (!v) {
            v = room_for(sizeof *v);
            v->at = at;
            for (struct variable *all = t->parent->variables; all; all = all->next)
                if (!all->at) /* what depended on all memory wrote this one, too */
                    for (uint32_t k = 0; k < all->writers.n; k++)
                        add(&v->writers, all->writers.at[k]);
            v->next = t->parent->variables;
            t->parent->variables = v;
        }
        depend_on(t, v, d[i].type);
    }
    rt_leave(0);
}

static void begin_task(struct rt_omp_task *t) {
    after(&t->after);
    for (uint32_t i = 0; i < t->n_locks; i++) {
        rt_point();
        acquire(address(t->locks[i]), 0);
    }
}

static void end_task(struct rt_omp_task *t) {
    struct rt_omp_task *here = rt_self->implicit_task;
    if (t->ended)
        return;
    if (t->early)
        down(&t->start);
    for (uint32_t i = t->n_locks; i--;) {
        rt_point();
        release(address(t->locks[i]));
    }
    t->ended = 1;
    up(&t->done);
    if (t->parent)
        up(&t->parent->children);
    if (t->created_in)
        up(&t->created_in->done);
    if (here && here->in_barrier && here->index)
        up(&here->team->arrived[here->barrier & 1]);
    add(&completed, t);
    if (t->parent && t->parent->open)
        t->parent->open--;
    if (t->created_in && t->created_in->open)
        t->created_in->open--;
    if (t->team)
        rt_wake(t->team, RT_ALL);
}

static void on_task_schedule(rt_ompt_data *prior, int status, rt_ompt_data *next) {
    if (!rt_enter_omp())
        return;
    struct rt_omp_task *t = prior ? prior->ptr : NULL;
    if (t && !t->implicit && t->parent) {
        if (status == OMPT_TASKWAIT_COMPLETE) {
            begin_task(t);
        } else if (status == OMPT_TASK_DETACH) { /* it ends when its event is fulfilled */
            up(&t->start);
        } else if (status == OMPT_TASK_LATE_FULFILL) {
            down(&t->start);
            end_task(t);
        } else if (status == OMPT_TASK_EARLY_FULFILL) {
            up(&t->start);
            t->early = 1;
        } else if (status == OMPT_TASK_COMPLETE || status == OMPT_TASK_CANCEL) {
            end_task(t);
        }
    }
    t = next ? next->ptr : NULL;
    if (t && !t->started && t->start.at) {
        t->started = 1;
        if (t->team && t->team->unstarted)
            t->team->unstarted--;
        down(&t->start);
        begin_task(t);
        give_way();
    }
    rt_leave(0);
}

/* ---- the tool ---- */

static void on_exit_of_program(int status, void *nothing) {
    (void)status, (void)nothing;
    if (rt_on)
        rt_quiet_ends();
}

static int initialize(rt_ompt_lookup lookup, int device, rt_ompt_data *tool) {
    (void)device, (void)tool;
    rt_ompt_set_callback set = (rt_ompt_set_callback)lookup("ompt_set_callback");
    if (!set)
        return 0;
    static const struct {
        int which;
        rt_ompt_fn callback;
    } all[] = {{OMPT_PARALLEL_BEGIN, (rt_ompt_fn)on_parallel_begin},
               {OMPT_PARALLEL_END, (rt_ompt_fn)on_parallel_end},
               {OMPT_IMPLICIT_TASK, (rt_ompt_fn)on_implicit_task},
               {OMPT_SYNC_REGION, (rt_ompt_fn)on_sync_region},
               {OMPT_SYNC_REGION_WAIT, (rt_ompt_fn)on_sync_region_wait},
               {OMPT_REDUCTION, (rt_ompt_fn)on_reduction},
               {OMPT_MUTEX_ACQUIRE, (rt_ompt_fn)on_mutex_acquire},
               {OMPT_MUTEX_ACQUIRED, (rt_ompt_fn)on_mutex_acquired},
               {OMPT_MUTEX_RELEASED, (rt_ompt_fn)on_mutex_released},
               {OMPT_LOCK_INIT, (rt_ompt_fn)on_lock_init},
               {OMPT_LOCK_DESTROY, (rt_ompt_fn)on_lock_destroy},
               {OMPT_WORK, (rt_ompt_fn)on_work},
               {OMPT_DISPATCH, (rt_ompt_fn)on_dispatch},
               {OMPT_TASK_CREATE, (rt_ompt_fn)on_task_create},
               {OMPT_TASK_SCHEDULE, (rt_ompt_fn)on_task_schedule},
               {OMPT_DEPENDENCES, (rt_ompt_fn)on_dependences}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        set(all[i].which, all[i].callback);
    on_exit(on_exit_of_program, NULL); /* before libomp's own end, which waits for its threads */
    return 1;
}

static void finalize(rt_ompt_data *tool) {
    (void)tool;
}

/* libomp calls it when it begins. NULL: no callbacks. */
RT_EXPORT struct rt_ompt_tool *ompt_start_tool(unsigned version, const char *name);
RT_EXPORT struct rt_ompt_tool *ompt_start_tool(unsigned version, const char *name) {
    static struct rt_ompt_tool tool = {.initialize = initialize, .finalize = finalize};
    (void)version, (void)name;
    return rt_on && rt_omp_size ? &tool : NULL;
}
