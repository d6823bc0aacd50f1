// Locks: each part defines lock_open(), enter() and leave(); between enter and leave is one thread at a time.

//! mutex
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void lock_open(void) {
}
static void enter(void) {
    pthread_mutex_lock(&m);
}
static void leave(void) {
    pthread_mutex_unlock(&m);
}

//! recursive
static pthread_mutex_t m;
static void lock_open(void) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &a);
}
static void enter(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
}
static void leave(void) {
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
}

//! trylock
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void lock_open(void) {
}
static void enter(void) {
    if (pthread_mutex_trylock(&m))
        pthread_mutex_lock(&m);
}
static void leave(void) {
    pthread_mutex_unlock(&m);
}

//! spin
static pthread_spinlock_t m;
static void lock_open(void) {
    pthread_spin_init(&m, 0);
}
static void enter(void) {
    pthread_spin_lock(&m);
}
static void leave(void) {
    pthread_spin_unlock(&m);
}

//! rwlock
static pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
static void lock_open(void) {
}
static void enter(void) {
    pthread_rwlock_wrlock(&m);
}
static void leave(void) {
    pthread_rwlock_unlock(&m);
}

//! semaphore
static sem_t m;
static void lock_open(void) {
    sem_init(&m, 0, 1);
}
static void enter(void) {
    sem_wait(&m);
}
static void leave(void) {
    sem_post(&m);
}

//! condition
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static int taken;
static void lock_open(void) {
}
static void enter(void) {
    pthread_mutex_lock(&m);
    while (taken)
        pthread_cond_wait(&freed, &m);
    taken = 1;
    pthread_mutex_unlock(&m);
}
static void leave(void) {
    pthread_mutex_lock(&m);
    taken = 0;
    pthread_cond_signal(&freed);
    pthread_mutex_unlock(&m);
}

//! robust
static pthread_mutex_t m;
static void lock_open(void) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &a);
}
static void enter(void) {
    if (pthread_mutex_lock(&m) == EOWNERDEAD)
        pthread_mutex_consistent(&m);
}
static void leave(void) {
    pthread_mutex_unlock(&m);
}

//! atomic_exchange
static int m;
static void lock_open(void) {
}
static void enter(void) {
    while (__atomic_exchange_n(&m, 1, __ATOMIC_SEQ_CST))
        sched_yield();
}
static void leave(void) {
    __atomic_store_n(&m, 0, __ATOMIC_SEQ_CST);
}

//! atomic_ticket
static unsigned tickets, served;
static void lock_open(void) {
}
static void enter(void) {
    unsigned k = __atomic_fetch_add(&tickets, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&served, __ATOMIC_SEQ_CST) != k)
        sched_yield();
}
static void leave(void) {
    __atomic_fetch_add(&served, 1, __ATOMIC_SEQ_CST);
}

//! asm_exchange
static int m;
static void lock_open(void) {
}
static void enter(void) {
    int v;
    do {
        v = 1;
        __asm__ volatile("xchg %0, %1" : "+r"(v), "+m"(m) : : "memory");
        if (v)
            sched_yield();
    } while (v);
}
static void leave(void) {
    int v = 0;
    __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(m) : : "memory");
}

//! asm_compare
static int m;
static void lock_open(void) {
}
static void enter(void) {
    for (;;) {
        int o = 0;
        __asm__ volatile("lock; cmpxchgl %2, %1" : "+a"(o), "+m"(m) : "r"(1) : "memory", "cc");
        if (o == 0)
            return;
        sched_yield();
    }
}
static void leave(void) {
    __asm__ volatile("lock; decl %0" : "+m"(m) : : "memory", "cc");
}

//! pipe_token
static int token[2];
static void lock_open(void) {
    if (pipe(token) || write(token[1], "x", 1) != 1)
        abort();
}
static void enter(void) {
    char c;
    if (read(token[0], &c, 1) != 1)
        abort();
}
static void leave(void) {
    if (write(token[1], "x", 1) != 1)
        abort();
}

//! socket_token
static int token[2];
static void lock_open(void) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, token) || send(token[1], "x", 1, 0) != 1)
        abort();
}
static void enter(void) {
    char c;
    if (recv(token[0], &c, 1, 0) != 1)
        abort();
}
static void leave(void) {
    if (send(token[1], "x", 1, 0) != 1)
        abort();
}

//! eventfd_token
static int token;
static void lock_open(void) {
    token = eventfd(1, EFD_SEMAPHORE);
}
static void enter(void) {
    uint64_t n;
    if (read(token, &n, 8) != 8)
        abort();
}
static void leave(void) {
    uint64_t n = 1;
    if (write(token, &n, 8) != 8)
        abort();
}

//! unhooked_mutex: nohook
extern void lock_without_hooks(void);
extern void unlock_without_hooks(void);
static void lock_open(void) {
}
static void enter(void) {
    lock_without_hooks();
}
static void leave(void) {
    unlock_without_hooks();
}

//! futex
static int m; /* 2: held, and somebody may wait */
static void lock_open(void) {
}
static void enter(void) {
    int free = 0;
    if (__atomic_compare_exchange_n(&m, &free, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    while (__atomic_exchange_n(&m, 2, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &m, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}
static void leave(void) {
    if (__atomic_exchange_n(&m, 0, __ATOMIC_SEQ_CST) == 2)
        syscall(SYS_futex, &m, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

//! flock
static char lock_name[] = "/tmp/claimXXXXXX";
static __thread int lock_fd;
static void lock_open(void) {
    close(mkstemp(lock_name));
}
static void enter(void) {
    lock_fd = open(lock_name, O_RDWR);
    flock(lock_fd, LOCK_EX);
}
static void leave(void) {
    flock(lock_fd, LOCK_UN);
    close(lock_fd);
}

//! flock_closed
static char lock_name[] = "/tmp/claimXXXXXX";
static __thread int lock_fd;
static void lock_open(void) {
    close(mkstemp(lock_name));
}
static void enter(void) {
    lock_fd = open(lock_name, O_RDWR);
    while (flock(lock_fd, LOCK_EX | LOCK_NB))
        sched_yield();
}
static void leave(void) {
    close(lock_fd);
}

//! description_lock
static char lock_name[] = "/tmp/claimXXXXXX";
static __thread int lock_fd;
static void lock_open(void) {
    close(mkstemp(lock_name));
}
static void lock_set(short type) {
    struct flock l;
    memset(&l, 0, sizeof l);
    l.l_type = type;
    l.l_whence = SEEK_SET;
    l.l_len = 8;
    fcntl(lock_fd, F_OFD_SETLKW, &l);
}
static void enter(void) {
    lock_fd = open(lock_name, O_RDWR);
    lock_set(F_WRLCK);
}
static void leave(void) {
    lock_set(F_UNLCK);
    close(lock_fd);
}

//! semop
static int lock_set;
static void lock_do(short by) {
    struct sembuf b;
    b.sem_num = 0;
    b.sem_op = by;
    b.sem_flg = SEM_UNDO;
    semop(lock_set, &b, 1);
}
static void lock_gone(void) {
    semctl(lock_set, 0, IPC_RMID);
}
static void lock_open(void) {
    lock_set = semget(IPC_PRIVATE, 1, 0600);
    atexit(lock_gone);
    lock_do(1);
}
static void enter(void) {
    lock_do(-1);
}
static void leave(void) {
    lock_do(1);
}
