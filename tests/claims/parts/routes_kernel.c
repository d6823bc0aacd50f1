// Ways through the kernel and back: each part defines 'static long route(long v)', which gives v for 0 to 9.

//! pipe
static long route(long v) {
    int p[2];
    long r = -1;
    if (pipe(p) || write(p[1], &v, 8) != 8 || read(p[0], &r, 8) != 8)
        return -1;
    close(p[0]);
    close(p[1]);
    return r;
}

//! pipe_bytes
static long route(long v) {
    int p[2];
    char c[2] = {(char)v, 7}, r = -1;
    if (pipe(p) || write(p[1], c, 2) != 2 || read(p[0], &r, 1) != 1)
        return -1;
    close(p[0]);
    close(p[1]);
    return r;
}

//! pipe_vector
static long route(long v) {
    int p[2];
    long a = 1, b = v, r[2];
    struct iovec o[2] = {{&a, 8}, {&b, 8}}, i[1] = {{r, 16}};
    if (pipe(p) || writev(p[1], o, 2) != 16 || readv(p[0], i, 1) != 16)
        return -1;
    close(p[0]);
    close(p[1]);
    return r[1];
}

//! pipe_length
static long route(long v) {
    int p[2], n = -1;
    char s[16] = "";
    if (pipe(p) || write(p[1], s, (size_t)v + 1) < 0 || ioctl(p[0], FIONREAD, &n))
        return -1;
    close(p[0]);
    close(p[1]);
    return n - 1;
}

//! pipe_count
static long route(long v) {
    int p[2];
    char s[16] = "";
    if (pipe(p) || write(p[1], s, (size_t)v + 1) < 0)
        return -1;
    long n = read(p[0], s, sizeof s);
    close(p[0]);
    close(p[1]);
    return n - 1;
}

//! socketpair_stream
static long route(long v) {
    int s[2];
    long r = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) || send(s[0], &v, 8, 0) != 8 ||
        recv(s[1], &r, 8, 0) != 8)
        return -1;
    close(s[0]);
    close(s[1]);
    return r;
}

//! socketpair_datagram
static long route(long v) {
    int s[2];
    long r = -1;
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s) || write(s[0], &v, 8) != 8 || read(s[1], &r, 8) != 8)
        return -1;
    close(s[0]);
    close(s[1]);
    return r;
}

//! socket_message
static long route(long v) {
    int s[2];
    long r = -1;
    struct iovec o = {&v, 8}, i = {&r, 8};
    struct msghdr m;
    memset(&m, 0, sizeof m);
    m.msg_iov = &o;
    m.msg_iovlen = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) || sendmsg(s[1], &m, 0) != 8)
        return -1;
    m.msg_iov = &i;
    if (recvmsg(s[0], &m, 0) != 8)
        return -1;
    close(s[0]);
    close(s[1]);
    return r;
}

//! eventfd
static long route(long v) {
    int e = eventfd(0, 0);
    uint64_t n = (uint64_t)v + 1, r = 0;
    if (write(e, &n, 8) != 8 || read(e, &r, 8) != 8)
        return -1;
    close(e);
    return (long)r - 1;
}

//! eventfd_initial
static long route(long v) {
    int e = eventfd((unsigned)v + 1, EFD_NONBLOCK);
    eventfd_t r = 0;
    if (eventfd_read(e, &r))
        return -1;
    close(e);
    return (long)r - 1;
}

//! eventfd_counter
static long route(long v) {
    int e = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK);
    uint64_t n = (uint64_t)v, r;
    if (v && write(e, &n, 8) != 8)
        return -1;
    long k = 0;
    while (read(e, &r, 8) == 8)
        k++;
    close(e);
    return k;
}

//! poll
static long route(long v) {
    long r = 0;
    for (int k = 0; k < 4; k++) {
        int p[2];
        if (pipe(p))
            return -1;
        if (v >> k & 1 && write(p[1], "x", 1) != 1)
            return -1;
        struct pollfd f = {p[0], POLLIN, 0};
        if (poll(&f, 1, 0) == 1)
            r |= 1 << k;
        close(p[0]);
        close(p[1]);
    }
    return r;
}

//! select
static long route(long v) {
    int p[2];
    struct timeval t = {0, 0};
    fd_set s;
    long r = 0;
    for (int k = 0; k < 4; k++) {
        if (pipe(p))
            return -1;
        if (v >> k & 1 && write(p[1], "x", 1) != 1)
            return -1;
        FD_ZERO(&s);
        FD_SET(p[0], &s);
        if (select(p[0] + 1, &s, 0, 0, &t) == 1)
            r |= 1 << k;
        close(p[0]);
        close(p[1]);
    }
    return r;
}

//! epoll_data
static long route(long v) {
    int p[2], e = epoll_create1(0);
    struct epoll_event ev, got;
    ev.events = EPOLLIN;
    ev.data.u64 = (uint64_t)v;
    if (pipe(p) || epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev) || write(p[1], "x", 1) != 1 ||
        epoll_wait(e, &got, 1, 0) != 1)
        return -1;
    close(e);
    close(p[0]);
    close(p[1]);
    return (long)got.data.u64;
}

//! memfd
static long route(long v) {
    int f = memfd_create("claim", 0);
    long r = -1;
    if (pwrite(f, &v, 8, 16) != 8 || pread(f, &r, 8, 16) != 8)
        return -1;
    close(f);
    return r;
}

//! file
static long route(long v) {
    char n[] = "claimXXXXXX";
    int f = mkstemp(n);
    long r = -1;
    unlink(n);
    if (write(f, &v, 8) != 8 || lseek(f, 0, SEEK_SET) || read(f, &r, 8) != 8)
        return -1;
    close(f);
    return r;
}

//! file_size
static long route(long v) {
    int f = memfd_create("claim", 0);
    struct stat s;
    if (ftruncate(f, v) || fstat(f, &s))
        return -1;
    close(f);
    return s.st_size;
}

//! file_offset
static long route(long v) {
    int f = memfd_create("claim", 0);
    lseek(f, v, SEEK_SET);
    long r = lseek(f, 0, SEEK_CUR);
    close(f);
    return r;
}

//! two_descriptors
static long route(long v) {
    int f = memfd_create("claim", 0), g = dup(f);
    char s[16] = "";
    if (write(f, s, (size_t)v) < 0)
        return -1;
    long r = lseek(g, 0, SEEK_CUR);
    close(f);
    close(g);
    return r;
}

//! mapping
static long route(long v) {
    long *p = (long *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p[5] = v;
    long r = p[5];
    munmap(p, 4096);
    return r;
}

//! two_mappings
static long route(long v) {
    int f = memfd_create("claim", 0);
    if (ftruncate(f, 4096))
        return -1;
    long *p = (long *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0),
         *q = (long *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    p[1] = v;
    long r = q[1];
    munmap(p, 4096);
    munmap(q, 4096);
    close(f);
    return r;
}

//! mapped_file
static long route(long v) {
    int f = memfd_create("claim", 0);
    if (ftruncate(f, 4096))
        return -1;
    long *p = (long *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0), r = -1;
    p[1] = v;
    if (pread(f, &r, 8, 8) != 8)
        return -1;
    munmap(p, 4096);
    close(f);
    return r;
}

//! sendfile
static long route(long v) {
    int f = memfd_create("a", 0), g = memfd_create("b", 0);
    long r = -1;
    off_t o = 0;
    if (pwrite(f, &v, 8, 0) != 8 || sendfile(g, f, &o, 8) != 8 || pread(g, &r, 8, 0) != 8)
        return -1;
    close(f);
    close(g);
    return r;
}

//! splice
static long route(long v) {
    int p[2], q[2];
    long r = -1;
    if (pipe(p) || pipe(q) || write(p[1], &v, 8) != 8 || splice(p[0], 0, q[1], 0, 8, 0) != 8 ||
        read(q[0], &r, 8) != 8)
        return -1;
    close(p[0]);
    close(p[1]);
    close(q[0]);
    close(q[1]);
    return r;
}

//! tee
static long route(long v) {
    int p[2], q[2];
    long r = -1;
    if (pipe(p) || pipe(q) || write(p[1], &v, 8) != 8 || tee(p[0], q[1], 8, 0) != 8 ||
        read(q[0], &r, 8) != 8)
        return -1;
    close(p[0]);
    close(p[1]);
    close(q[0]);
    close(q[1]);
    return r;
}

//! written_file
static long route(long v) {
    char n[] = "claimXXXXXX";
    close(mkstemp(n));
    FILE *f = fopen(n, "w");
    fprintf(f, "%ld\n", v);
    fclose(f);
    long r = -1;
    f = fopen(n, "r");
    if (fscanf(f, "%ld", &r) != 1)
        r = -1;
    fclose(f);
    unlink(n);
    return r;
}

//! segment
#include <sys/shm.h>
static long route(long v) {
    int id = shmget(IPC_PRIVATE, 4096, 0600);
    long *a = (long *)shmat(id, 0, 0), *b = (long *)shmat(id, 0, 0);
    shmctl(id, IPC_RMID, 0);
    *a = v;
    long r = *b;
    shmdt(a);
    shmdt(b);
    return r;
}

//! signal_value
static long route(long v) {
    sigset_t s;
    siginfo_t i;
    union sigval u;
    sigemptyset(&s);
    sigaddset(&s, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &s, 0);
    u.sival_int = (int)v;
    pthread_sigqueue(pthread_self(), SIGRTMIN, u);
    if (sigwaitinfo(&s, &i) != SIGRTMIN)
        return -1;
    return i.si_value.sival_int;
}

//! signal_pending
static long route(long v) {
    sigset_t s, g;
    struct timespec no = {0, 0};
    sigemptyset(&s);
    for (int k = 0; k < 4; k++)
        sigaddset(&s, SIGRTMIN + 1 + k);
    pthread_sigmask(SIG_BLOCK, &s, 0);
    long r = 0;
    for (int k = 0; k < 4; k++)
        if (v >> k & 1)
            pthread_kill(pthread_self(), SIGRTMIN + 1 + k);
    sigpending(&g);
    for (int k = 0; k < 4; k++)
        if (sigismember(&g, SIGRTMIN + 1 + k)) {
            r |= 1 << k;
            sigtimedwait(&s, 0, &no);
        }
    return r;
}

//! descriptor_flags
static long route(long v) {
    int p[2];
    if (pipe(p))
        return -1;
    fcntl(p[0], F_SETFL, v & 1 ? O_NONBLOCK : 0);
    long r = (v & ~1L) | ((fcntl(p[0], F_GETFL) & O_NONBLOCK) != 0);
    close(p[0]);
    close(p[1]);
    return r;
}

//! working_directory
static long route(long v) {
    umask((mode_t)v);
    return (long)umask(022);
}
