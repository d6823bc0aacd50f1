/* SPDX-License-Identifier: MIT
 *
 * rt/locks.c: locks that the kernel keeps and threads may use: flock, locks of open file descriptions (fcntl), semaphores
 * of System V. They are tried, and waited for in the scheduler, as sem.c does; other processes may have them, so waiters
 * look again by themselves.
 *
 * Events: a lock that is only ever had alone, and one unit of a semaphore, are DOWN, UP and TRYFAIL of a semaphore: who
 * unlocks need not be who locked. Everything else (shared locks, other ranges of the file, several units, waits for
 * zero) is an order: giving is a BEFORE, getting an AFTER. From the first such call on that is all that is told of
 * the lock; because of it a BEFORE goes with every event that gives. Locks of fcntl's older kind and of lockf are the
 * process's: threads never wait for each other there (io_other.c). */
#include "rt/locks.h"
#include "rt/mem.h"
#include "rt/sched.h"
#include "rt/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/sem.h>
#include <sys/stat.h>

enum what { FLOCK, RANGE, UNITS };
struct lock {
    uint64_t of, part; /* device and inode; number of the set, and in the set */
    int64_t start, len;
    uint8_t what, used;
    uint8_t order; /* an order is all that is told */
    uint8_t alone; /* somebody has it … */
    int fd;        /* … through this */
    char ordered;  /* its address is the order's */
};
/* Beyond, all that come are one lock, and an order. */
enum { MOST = 256 };
static struct lock lock[MOST];
static bool shared;

static struct lock *find(enum what what, uint64_t of, uint64_t part) {
    size_t i = 0;
    while (i < MOST - 1 && lock[i].used &&
           (lock[i].what != what || lock[i].of != of || lock[i].part != part))
        i++;
    struct lock *l = &lock[i];
    if (!l->used)
        *l = (struct lock){.of = of, .part = part, .what = (uint8_t)what, .fd = -1};
    l->order |= shared || i == MOST - 1;
    return l;
}

static struct lock *find_file(enum what what, int fd) {
    struct stat s;
    return rt_real.fstat(fd, &s) ? NULL : find(what, s.st_dev, s.st_ino);
}

/* The first time: with so many units. */
static void know(struct lock *l, int units) {
    if (!l->used)
        rt_object_init(l, AU_WIRE_OBJ_SEM, units);
    l->used = 1;
}

static void tell_got(struct lock *l, bool tried) {
    if (l->order)
        rt_event(AU_SOP_AFTER, &l->ordered, 0);
    else
        rt_event(AU_OP_DOWN, l, tried);
}

static void tell_gave(struct lock *l) {
    if (!l->order)
        rt_event(AU_OP_UP, l, 0);
    rt_event(AU_SOP_BEFORE, &l->ordered, 0);
    rt_wake(l, RT_ALL);
}

/* ---- trying and waiting -------------------------------------------------------------------------- */

struct call {
    int fd, op; /* flock, fcntl; fd: the set */
    struct flock *range;
    struct sembuf *unit;
    size_t n;
};
typedef int try_fn(const struct call *c);

static bool is_busy(int e) {
    return e == EAGAIN || e == EACCES;
}

/* 0, or the error. 'any': every handler interrupts it. */
static int get(struct lock *l, try_fn *try, const struct call *c, bool wait, bool any,
               const struct timespec *deadline) {
    uint8_t ends = any ? RT_HANDLED | RT_INTERRUPTED : RT_INTERRUPTED;
    bool late = false;
    rt_self->interrupted = 0;
    rt_wants(l);
    rt_point();
    if (wait && rt_self->interrupted & ends)
        return EINTR;
    while (rt_must_wait() || try(c)) {
        int e = errno;
        if (!is_busy(e))
            return e;
        if (!wait || late) {
            rt_event(AU_OP_TRYFAIL, l, 0);
            return e;
        }
        enum rt_wait_result r;
        rt_poll_wait(l, deadline, RT_WAIT_SEM, &r);
        if (rt_self->interrupted & ends)
            return EINTR;
        late = deadline && r == RT_TIMEOUT;
    }
    return 0;
}

static int done(int e) {
    return rt_leave_errno(e ? -1 : 0, e ? e : errno);
}

/* ---- files ------------------------------------------------------------------------------------------ */

/* Who has it alone and gets it once more has it already; nobody else can get it. */
static int take_file(struct lock *l, try_fn *try, const struct call *c, bool alone, bool wait) {
    know(l, 1);
    int e = get(l, try, c, wait, false, NULL);
    if (e)
        return e;
    bool has = l->alone && l->fd == c->fd;
    /* It was given up somewhere unseen, or has several descriptors. */
    l->order |= !alone || (l->alone && !has);
    if (has && alone)
        rt_tell(AU_SOP_RREAD, NULL, 0);
    else if (has)
        tell_gave(l);
    else
        tell_got(l, !wait);
    l->alone = alone;
    l->fd = c->fd;
    return 0;
}

static int give_file(struct lock *l, try_fn *try, const struct call *c, bool whole) {
    know(l, 1);
    rt_point();
    if (try(c))
        return errno;
    bool had = l->alone;
    l->order |= !whole;
    if (had || l->order)
        tell_gave(l);
    else
        rt_tell(AU_SOP_RREAD, NULL, 0);
    if (whole)
        l->alone = 0;
    return 0;
}

static int try_flock(const struct call *c) {
    return rt_real.flock(c->fd, c->op | LOCK_NB);
}

RT_EXPORT int flock(int fd, int op) {
    if (!rt_enter())
        return rt_real.flock(fd, op);
    struct lock *l = find_file(FLOCK, fd);
    struct call c = {.fd = fd, .op = op};
    int how = op & ~LOCK_NB;
    if (!l || (how != LOCK_UN && how != LOCK_EX && how != LOCK_SH))
        return done(rt_real.flock(fd, op) ? errno : 0);
    return done(how == LOCK_UN ? give_file(l, try_flock, &c, true)
                               : take_file(l, try_flock, &c, how == LOCK_EX, !(op & LOCK_NB)));
}

static int try_range(const struct call *c) {
    return rt_real.fcntl(c->fd, F_OFD_SETLK, c->range);
}

/* Only one range of a file is a lock of its own: others may overlap. */
static bool is_the_range(struct lock *l, const struct flock *f) {
    if (f->l_whence != SEEK_SET)
        return false;
    if (!l->used) {
        l->start = f->l_start;
        l->len = f->l_len;
    }
    return l->start == f->l_start && l->len == f->l_len;
}

int rt_locks_range(int fd, int op, struct flock *f) {
    if (!rt_enter())
        return rt_real.fcntl(fd, op, f);
    struct lock *l = find_file(RANGE, fd);
    struct call c = {.fd = fd, .range = f};
    if (!l || (f->l_type != F_UNLCK && f->l_type != F_WRLCK && f->l_type != F_RDLCK))
        return done(rt_real.fcntl(fd, op, f) ? errno : 0);
    bool all = f->l_whence == SEEK_SET && !f->l_start && !f->l_len;
    bool whole = is_the_range(l, f) || (f->l_type == F_UNLCK && all);
    l->order |= !whole;
    return done(f->l_type == F_UNLCK
                    ? give_file(l, try_range, &c, whole)
                    : take_file(l, try_range, &c, f->l_type == F_WRLCK, op == F_OFD_SETLKW));
}

int rt_locks_held(int fd) {
    for (size_t i = 0; rt_on && i < MOST && lock[i].used; i++)
        if (lock[i].fd == fd && lock[i].what != UNITS && (lock[i].alone || lock[i].order))
            return 1;
    return 0;
}

int rt_locks_closed(int fd, int result) {
    int e = errno;
    for (size_t i = 0; i < MOST && lock[i].used; i++) {
        struct lock *l = &lock[i];
        if (l->fd != fd || l->what == UNITS || !(l->alone || l->order))
            continue;
        tell_gave(l);
        l->alone = 0;
        l->fd = -1;
    }
    return rt_leave_errno(result, e);
}

RT_EXPORT int close(int fd) {
    if (!rt_locks_held(fd) || !rt_enter())
        return rt_real.close(fd);
    rt_point();
    return rt_locks_closed(fd, rt_real.close(fd));
}

void rt_locks_shared(void) {
    shared = true;
    for (size_t i = 0; i < MOST; i++)
        lock[i].order = 1;
}

/* ---- semaphores of System V ------------------------------------------------------------------------ */

enum { MOST_UNITS = 500 };

/* A replay tells the recorded numbers of sets; the kernel must hear the real ones. Beyond the numbers of processes, far
 * below any object of the program. */
static const void *set_of(int told) {
    return (const void *)(uintptr_t)(UINT64_C(1) << 32 | (uint32_t)told);
}
static int real_of(int told) {
    uint64_t real = rt_replaying() ? rt_table_get(set_of(told)) : 0;
    return real ? (int)(real - 1) : told;
}

RT_EXPORT int semget(key_t key, int n, int flags) {
    if (!rt_enter())
        return rt_real.semget(key, n, flags);
    rt_point();
    rt_asked();
    int real = rt_real.semget(key, n, flags), e = errno;
    int64_t told = real;
    size_t none;
    if (real >= 0 && !rt_input_replay(AU_INPUT_ID, &told, NULL, 0, &none))
        rt_input(AU_INPUT_ID, real, NULL, 0);
    if (told != real)
        rt_table_set(set_of((int)told), (uint64_t)real + 1);
    rt_tell(AU_SOP_RWRITE, NULL, 0);
    return rt_leave_errno((int)told, e);
}

static int try_units(const struct call *c) {
    struct sembuf own[MOST_UNITS];
    if (c->n > MOST_UNITS)
        return rt_real.semop(real_of(c->fd), c->unit,
                             c->n); /* the kernel says that it is too much */
    for (size_t i = 0; i < c->n; i++) {
        own[i] = c->unit[i];
        own[i].sem_flg |= IPC_NOWAIT;
    }
    return rt_real.semop(real_of(c->fd), own, c->n);
}

/* Before the call: what it begins with. */
static struct lock *know_unit(int id, const struct sembuf *u, bool single) {
    struct lock *l = find(UNITS, (uint64_t)id, u->sem_num);
    int now = l->used ? 0 : rt_real.semctl(real_of(id), u->sem_num, GETVAL);
    know(l, now < 0 ? 0 : now);
    l->order |= !single || (u->sem_op != 1 && u->sem_op != -1);
    return l;
}

/* Who takes units may be who others wait for, until there are none. */
static void tell_unit(struct lock *l, const struct sembuf *u, bool tried) {
    if (u->sem_op <= 0)
        tell_got(l, tried);
    if (u->sem_op > 0 && !l->order)
        rt_event(AU_OP_UP, l, 0);
    rt_event(AU_SOP_BEFORE, &l->ordered, 0);
    rt_wake(l, RT_ALL);
}

static int operate(int id, struct sembuf *u, size_t n, const struct timespec *deadline) {
    struct call c = {.fd = id, .unit = u, .n = n};
    bool wait = true;
    struct lock *first = NULL;
    for (size_t i = 0; i < n && n <= MOST_UNITS; i++) {
        struct lock *l = know_unit(id, &u[i], n == 1);
        first = first ? first : l;
        wait &= !(u[i].sem_flg & IPC_NOWAIT);
    }
    if (!first)
        return rt_real.semop(real_of(id), u, n) ? errno : 0;
    int e = get(first, try_units, &c, wait, true, deadline);
    for (size_t i = 0; i < n && !e; i++)
        tell_unit(find(UNITS, (uint64_t)id, u[i].sem_num), &u[i], !wait || deadline);
    return e;
}

RT_EXPORT int semop(int id, struct sembuf *u, size_t n) {
    if (!rt_enter())
        return rt_real.semop(id, u, n);
    return done(operate(id, u, n, NULL));
}

RT_EXPORT int semtimedop(int id, struct sembuf *u, size_t n, const struct timespec *span) {
    if (!rt_enter())
        return rt_real.semtimedop(id, u, n, span);
    struct timespec deadline;
    if (span && (span->tv_sec < 0 || span->tv_nsec < 0 || span->tv_nsec >= 1000000000))
        return done(EINVAL);
    if (span)
        rt_deadline_in(span, &deadline);
    return done(operate(id, u, n, span ? &deadline : NULL));
}

/* Values that are set are not counted. */
static void set_units(int id, int op) {
    for (size_t i = 0; i < MOST && lock[i].used; i++) {
        struct lock *l = &lock[i];
        if (l->what != UNITS || l->of != (uint64_t)id)
            continue;
        l->order = 1;
        if (op == IPC_RMID)
            l->of = UINT64_MAX; /* the next one of that number is another */
        rt_event(AU_SOP_BEFORE, &l->ordered, 0);
        rt_wake(l, RT_ALL);
    }
}

RT_EXPORT int semctl(int id, int number, int op, ...) {
    va_list ap;
    va_start(ap, op);
    void *argument = va_arg(ap, void *); /* the union, whatever it has */
    va_end(ap);
    bool sets = op == SETVAL || op == SETALL || op == IPC_RMID;
    if (!sets || !rt_enter())
        return rt_real.semctl(rt_on ? real_of(id) : id, number, op, argument);
    rt_point();
    int r = rt_real.semctl(real_of(id), number, op, argument), e = errno;
    if (!r)
        set_units(id, op);
    rt_tell(AU_SOP_RREAD, NULL, 0);
    return rt_leave_errno(r, e);
}
