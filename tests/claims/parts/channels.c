// Channels: each part defines channel_open(), put(v) and get(): what one thread puts another gets, in this order.

//! pipe
static int p[2];
static void channel_open(void) {
    if (pipe(p))
        abort();
}
static void put(long v) {
    if (write(p[1], &v, 8) != 8)
        abort();
}
static long get(void) {
    long v;
    if (read(p[0], &v, 8) != 8)
        abort();
    return v;
}

//! pipe_polled
static int p[2];
static void channel_open(void) {
    if (pipe(p))
        abort();
}
static void put(long v) {
    if (write(p[1], &v, 8) != 8)
        abort();
}
static long get(void) {
    long v;
    struct pollfd f = {p[0], POLLIN, 0};
    if (poll(&f, 1, -1) != 1 || read(p[0], &v, 8) != 8)
        abort();
    return v;
}

//! pipe_epoll
static int p[2], e;
static void channel_open(void) {
    if (pipe(p))
        abort();
    e = epoll_create1(0);
    struct epoll_event v;
    v.events = EPOLLIN;
    v.data.fd = p[0];
    if (epoll_ctl(e, EPOLL_CTL_ADD, p[0], &v))
        abort();
}
static void put(long v) {
    if (write(p[1], &v, 8) != 8)
        abort();
}
static long get(void) {
    long v;
    struct epoll_event g;
    if (epoll_wait(e, &g, 1, -1) != 1 || read(g.data.fd, &v, 8) != 8)
        abort();
    return v;
}

//! pipe_stream
static FILE *reader, *writer;
static void channel_open(void) {
    int p[2];
    if (pipe(p))
        abort();
    reader = fdopen(p[0], "r");
    writer = fdopen(p[1], "w");
    setvbuf(reader, 0, _IONBF, 0);
}
static void put(long v) {
    fprintf(writer, "%ld\n", v);
    fflush(writer);
}
static long get(void) {
    char s[32];
    if (!fgets(s, sizeof s, reader))
        abort();
    return atol(s);
}

//! stream_pair
static int p[2];
static void channel_open(void) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, p))
        abort();
}
static void put(long v) {
    if (send(p[1], &v, 8, 0) != 8)
        abort();
}
static long get(void) {
    long v;
    if (recv(p[0], &v, 8, MSG_WAITALL) != 8)
        abort();
    return v;
}

//! datagram_pair
static int p[2];
static void channel_open(void) {
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, p))
        abort();
}
static void put(long v) {
    if (write(p[1], &v, 8) != 8)
        abort();
}
static long get(void) {
    long v;
    if (read(p[0], &v, 8) != 8)
        abort();
    return v;
}

//! queue
static pthread_mutex_t qm = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t qc = PTHREAD_COND_INITIALIZER;
static long q[64];
static int first, last;
static void channel_open(void) {
}
static void put(long v) {
    pthread_mutex_lock(&qm);
    q[last++] = v;
    pthread_cond_signal(&qc);
    pthread_mutex_unlock(&qm);
}
static long get(void) {
    pthread_mutex_lock(&qm);
    while (first == last)
        pthread_cond_wait(&qc, &qm);
    long v = q[first++];
    pthread_mutex_unlock(&qm);
    return v;
}

//! semaphores
static sem_t full;
static pthread_mutex_t qm = PTHREAD_MUTEX_INITIALIZER;
static long q[64];
static int first, last;
static void channel_open(void) {
    sem_init(&full, 0, 0);
}
static void put(long v) {
    pthread_mutex_lock(&qm);
    q[last++] = v;
    pthread_mutex_unlock(&qm);
    sem_post(&full);
}
static long get(void) {
    sem_wait(&full);
    pthread_mutex_lock(&qm);
    long v = q[first++];
    pthread_mutex_unlock(&qm);
    return v;
}

//! eventfd_wake
static int e;
static pthread_mutex_t qm = PTHREAD_MUTEX_INITIALIZER;
static long q[64];
static int first, last;
static void channel_open(void) {
    e = eventfd(0, EFD_SEMAPHORE);
}
static void put(long v) {
    uint64_t n = 1;
    pthread_mutex_lock(&qm);
    q[last++] = v;
    pthread_mutex_unlock(&qm);
    if (write(e, &n, 8) != 8)
        abort();
}
static long get(void) {
    uint64_t n;
    if (read(e, &n, 8) != 8)
        abort();
    pthread_mutex_lock(&qm);
    long v = q[first++];
    pthread_mutex_unlock(&qm);
    return v;
}

//! signal_wait
static sigset_t set;
static void channel_open(void) {
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 9);
    pthread_sigmask(SIG_BLOCK, &set, 0);
}
static void put(long v) {
    union sigval u;
    u.sival_int = (int)v;
    if (sigqueue(getpid(), SIGRTMIN + 9, u))
        abort();
}
static long get(void) {
    siginfo_t i;
    if (sigwaitinfo(&set, &i) < 0)
        abort();
    return i.si_value.sival_int;
}

//! unhooked_queue: nohook
extern void put_without_hooks(long v);
extern long get_without_hooks(void);
static void channel_open(void) {
}
static void put(long v) {
    put_without_hooks(v);
}
static long get(void) {
    return get_without_hooks();
}

//! two_mappings
static long *there, *here;
static void channel_open(void) {
    int f = memfd_create("claim", 0);
    if (ftruncate(f, 4096))
        abort();
    there = (long *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    here = (long *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
}
static void put(long v) {
    long i = __atomic_fetch_add(&there[0], 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&there[2 + i], v + 1, __ATOMIC_SEQ_CST);
}
static long get(void) {
    long v, i = __atomic_fetch_add(&here[1], 1, __ATOMIC_SEQ_CST);
    while (!(v = __atomic_load_n(&here[2 + i], __ATOMIC_SEQ_CST)))
        sched_yield();
    return v - 1;
}

//! futex_slots
static int slot[64], slot_in, slot_out;
static void channel_open(void) {
}
static void put(long v) {
    int i = __atomic_fetch_add(&slot_in, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&slot[i], (int)v + 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &slot[i], FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
static long get(void) {
    int v, i = __atomic_fetch_add(&slot_out, 1, __ATOMIC_SEQ_CST);
    while (!(v = __atomic_load_n(&slot[i], __ATOMIC_SEQ_CST)))
        syscall(SYS_futex, &slot[i], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return v - 1;
}

//! semop_queue
static long sent[64];
static int sent_n, taken_n, units;
static void unit(unsigned short which, short by) {
    struct sembuf b;
    b.sem_num = which;
    b.sem_op = by;
    b.sem_flg = 0;
    semop(units, &b, 1);
}
static void units_gone(void) {
    semctl(units, 0, IPC_RMID);
}
static void channel_open(void) { /* 0: a lock, 1: messages */
    units = semget(IPC_PRIVATE, 2, 0600);
    atexit(units_gone);
    unit(0, 1);
}
static void put(long v) {
    unit(0, -1);
    sent[sent_n++] = v;
    unit(0, 1);
    unit(1, 1);
}
static long get(void) {
    unit(1, -1);
    unit(0, -1);
    long v = sent[taken_n++];
    unit(0, 1);
    return v;
}
