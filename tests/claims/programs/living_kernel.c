/* What a thread tells the kernel comes back: in no order of the threads can these assertions fail. -DECHO=n
 * chooses the way it takes. */
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The preprocessor chooses, so they are no enumeration. */
#define PIPE 0
#define EVENT 1
#define PAIR 2
#define DATAGRAM 3
#define SIZE 4
#define PLACE 5
#define MEMORY 6
#define MQUEUE 7
#define MESSAGE 8
#define SEMAPHORE 9
#define POLL 10
#define SELECT 11
#define EPOLL 12
#define TIMER 13
#define PENDING 14
#define RAISE 15
#define SIGWAIT 16
#define TCP 17
#define UDP 18
#define WAITING 19
#define LONG 20
#define MONOTONIC 21
#define SECONDS 22
#define DAY 23
#define MIXED 24
#define USED 25
#define SLEPT 26

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, end[2], fd;
static volatile int got;

static void handler(int sig) {
    got = sig;
}

static int seen(void) {
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    return v;
}

static void must(int good) {
    if (!good)
        exit(9);
}

#if ECHO < MONOTONIC
static void before(void) {
    struct sockaddr_in s = {.sin_family = AF_INET};
    socklen_t l = sizeof s;
    s.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    switch (ECHO) {
    case PIPE:
    case POLL:
    case SELECT:
    case WAITING:
    case LONG:
        must(!pipe(end));
        break;
    case EVENT:
        fd = eventfd(0, 0);
        break;
    case PAIR:
        must(!socketpair(AF_UNIX, SOCK_STREAM, 0, end));
        break;
    case DATAGRAM:
        must(!socketpair(AF_UNIX, SOCK_DGRAM, 0, end));
        break;
    case SIZE:
    case PLACE:
        fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
        break;
    case MEMORY:
        fd = memfd_create("memory", 0);
        break;
    case MQUEUE: {
        struct mq_attr a = {.mq_maxmsg = 4, .mq_msgsize = 4};
        mq_unlink("/augur-living");
        fd = mq_open("/augur-living", O_RDWR | O_CREAT, 0600, &a);
        mq_unlink("/augur-living");
        break;
    }
    case MESSAGE:
        fd = msgget(IPC_PRIVATE, 0600);
        break;
    case SEMAPHORE:
        fd = semget(IPC_PRIVATE, 1, 0600);
        break;
    case EPOLL: {
        struct epoll_event e = {.events = EPOLLIN};
        must(!pipe(end));
        fd = epoll_create1(0);
        must(!epoll_ctl(fd, EPOLL_CTL_ADD, end[0], &e));
        break;
    }
    case TIMER:
        fd = timerfd_create(CLOCK_MONOTONIC, 0);
        break;
    case PENDING:
        must(!pipe(end));
        break;
    case RAISE:
        signal(SIGUSR1, handler);
        break;
    case SIGWAIT: {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigaddset(&set, SIGUSR2);
        pthread_sigmask(SIG_BLOCK, &set, 0);
        break;
    }
    case TCP: {
        int listener = socket(AF_INET, SOCK_STREAM, 0);
        must(!bind(listener, (void *)&s, l) && !listen(listener, 4));
        must(!getsockname(listener, (void *)&s, &l));
        end[1] = socket(AF_INET, SOCK_STREAM, 0);
        must(!connect(end[1], (void *)&s, l));
        end[0] = accept(listener, 0, 0);
        break;
    }
    case UDP:
        end[0] = socket(AF_INET, SOCK_DGRAM, 0);
        must(!bind(end[0], (void *)&s, l) && !getsockname(end[0], (void *)&s, &l));
        end[1] = socket(AF_INET, SOCK_DGRAM, 0);
        must(!connect(end[1], (void *)&s, l));
        break;
    }
}

static void *echo(void *a) {
    int v = seen(), s = -1;
    char bytes[16] = {0};
#if ECHO == PIPE || ECHO == PAIR || ECHO == TCP || ECHO == UDP
    must(write(end[1], &v, sizeof v) == sizeof v && read(end[0], &s, sizeof s) == sizeof s);
    assert(s == v);
#elif ECHO == DATAGRAM
    must(send(end[1], &v, sizeof v, 0) == sizeof v && recv(end[0], &s, sizeof s, 0) == sizeof s);
    assert(s == v);
#elif ECHO == EVENT
    uint64_t w = (uint64_t)v + 1, r = 0;
    must(write(fd, &w, sizeof w) == sizeof w && read(fd, &r, sizeof r) == sizeof r);
    assert(r == w);
#elif ECHO == SIZE
    struct stat st;
    must(write(fd, bytes, (size_t)v + 1) == v + 1 && !fstat(fd, &st));
    assert(st.st_size == v + 1);
#elif ECHO == PLACE
    must(write(fd, bytes, (size_t)v + 1) == v + 1);
    assert(lseek(fd, 0, SEEK_CUR) == v + 1);
#elif ECHO == MEMORY
    must(pwrite(fd, &v, sizeof v, 0) == sizeof v && pread(fd, &s, sizeof s, 0) == sizeof s);
    assert(s == v);
#elif ECHO == MQUEUE
    must(!mq_send(fd, (char *)&v, sizeof v, 0) &&
         mq_receive(fd, (char *)&s, sizeof s, 0) == sizeof s);
    assert(s == v);
#elif ECHO == MESSAGE
    struct {
        long type;
        int v;
    } w = {1, v}, r = {0, -1};
    must(!msgsnd(fd, &w, sizeof v, 0) && msgrcv(fd, &r, sizeof v, 0, 0) == sizeof v);
    assert(r.v == v);
#elif ECHO == SEMAPHORE
    struct sembuf up = {0, (short)(v + 1), 0}, down = {0, (short)-(v + 1), 0};
    must(!semop(fd, &up, 1));
    assert(semctl(fd, 0, GETVAL) == v + 1);
    must(!semop(fd, &down, 1));
#elif ECHO == PENDING
    must(write(end[1], bytes, (size_t)v + 1) == v + 1 && !ioctl(end[0], FIONREAD, &s));
    assert(s == v + 1);
#elif ECHO == POLL || ECHO == SELECT || ECHO == EPOLL
    if (v == 5)
        must(write(end[1], "x", 1) == 1);
#if ECHO == POLL
    struct pollfd p = {end[0], POLLIN, 0};
    s = poll(&p, 1, 0);
#elif ECHO == SELECT
    fd_set set;
    struct timeval now = {0, 0};
    FD_ZERO(&set);
    FD_SET(end[0], &set);
    s = select(end[0] + 1, &set, 0, 0, &now);
#else
    struct epoll_event e;
    s = epoll_wait(fd, &e, 1, 0);
#endif
    assert(s == (v == 5));
#elif ECHO == TIMER
    struct itimerspec soon = {{0, 0}, {0, 1000}};
    if (v == 5)
        must(!timerfd_settime(fd, 0, &soon, 0));
    struct pollfd p = {fd, POLLIN, 0};
    s = poll(&p, 1, v == 5 ? -1 : 0);
    assert(s == (v == 5));
#elif ECHO == RAISE
    if (v == 5)
        raise(SIGUSR1);
    assert((got == SIGUSR1) == (v == 5));
#elif ECHO == SIGWAIT
    sigset_t set;
    int want = v == 5 ? SIGUSR2 : SIGUSR1;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    kill(getpid(), want);
    must(!sigwait(&set, &s));
    assert(s == want);
#elif ECHO == LONG
    /* More than a pipe holds: it is read while it is written. */
    static char big[100000];
    big[sizeof big - 1] = (char)v;
    must(write(end[1], big, sizeof big) == sizeof big);
#elif ECHO == WAITING
    /* The other thread reads, and writes on only if it is told 5. */
    must(write(end[1], &v, sizeof v) == sizeof v);
#endif
    (void)bytes;
    (void)s;
    return a;
}

static int y;
static void *change(void *a) {
#if ECHO == WAITING
    y++;
#endif
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
    return a;
}

static void *third(void *a) {
#if ECHO == WAITING
    int s = -1;
    must(read(end[0], &s, sizeof s) == sizeof s);
    if (s == 5)
        y++;
#elif ECHO == LONG
    static char big[100000];
    for (size_t n = 0; n < sizeof big;) {
        ssize_t k = read(end[0], big + n, sizeof big - n);
        must(k > 0);
        n += (size_t)k;
    }
    assert(big[sizeof big - 1] == 0 || big[sizeof big - 1] == 5);
#endif
    return a;
}

#else /* clocks */
static long stamp;
static long now(int other) {
    struct timespec t;
    struct timeval v;
    (void)v;
    (void)other;
#if ECHO == SECONDS
    return (long)time(0);
#elif ECHO == DAY || ECHO == MIXED
    if (ECHO == MIXED && other) {
        clock_gettime(CLOCK_REALTIME, &t);
        return t.tv_sec * 1000000 + t.tv_nsec / 1000;
    }
    gettimeofday(&v, 0);
    return v.tv_sec * 1000000 + v.tv_usec;
#elif ECHO == USED
    for (volatile int i = 0; i < 3000; i++)
        ;
    return clock();
#endif
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void before(void) {
}
static void *echo(void *a) {
#if ECHO == SLEPT
    long first = now(1);
    usleep(seen() == 5 ? 2000 : 1000);
    assert(now(1) - first >= 1000000);
#else
    pthread_mutex_lock(&m);
    long s = stamp, n = now(1);
    pthread_mutex_unlock(&m);
    assert(n >= s);
#endif
    return a;
}
static void *change(void *a) {
#if ECHO == SECONDS || ECHO == SLEPT
    usleep(ECHO == SECONDS ? 1000000 : 3000);
#endif
    pthread_mutex_lock(&m);
    stamp = now(0);
    x = 5;
    pthread_mutex_unlock(&m);
    return a;
}
static void *third(void *a) {
    return a;
}
#endif

int main(void) {
    pthread_t t[3];
    before();
    pthread_create(&t[0], 0, echo, 0);
    pthread_create(&t[1], 0, change, 0);
    pthread_create(&t[2], 0, third, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    if (ECHO == MESSAGE)
        msgctl(fd, IPC_RMID, 0);
    if (ECHO == SEMAPHORE)
        semctl(fd, 0, IPC_RMID);
    return 0;
}
