/* Errors of the functions that the runtime defines before the C library: one line for each call, with what it gave.
 * tests/e2e/libc_errors.sh runs it without augur and recorded, and compares the two. Only calls whose answer is
 * defined, by POSIX or by glibc's code, and the same in every run. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Functions that give an error's number, and those that give -1 and set errno. */
#define GIVES(call)                                                                                \
    do {                                                                                           \
        errno = 0;                                                                                 \
        long r_ = (long)(call);                                                                    \
        printf("%s: %s\n", #call, r_ ? strerrorname_np((int)r_) : "0");                            \
    } while (0)
#define SETS(call)                                                                                 \
    do {                                                                                           \
        errno = 0;                                                                                 \
        long r_ = (long)(call);                                                                    \
        printf("%s: %ld %s\n", #call, r_, errno ? strerrorname_np(errno) : "0");                   \
    } while (0)

static struct timespec past = {1, 0}, wrong = {1, 1000000000}, negative = {1, -1},
                       short_ = {0, 1000};

/* ---- threads ---- */

static sem_t go;
static void *waits(void *nothing) {
    sem_wait(&go);
    return nothing;
}
static void *ends(void *nothing) {
    return nothing;
}
static void threads(void) {
    pthread_t a, self = pthread_self();
    sem_init(&go, 0, 0);
    GIVES(pthread_create(&a, NULL, waits, NULL));
    GIVES(pthread_tryjoin_np(a, NULL));
    GIVES(pthread_timedjoin_np(a, NULL, &past));
    GIVES(pthread_clockjoin_np(a, NULL, CLOCK_MONOTONIC, &past));
    GIVES(pthread_clockjoin_np(a, NULL, CLOCK_PROCESS_CPUTIME_ID, &past));
    GIVES(pthread_kill(a, 0));
    GIVES(pthread_kill(a, 1000));
    GIVES(pthread_kill(a, -1));
    GIVES(pthread_setname_np(a, "a name that is too long for it"));
    sem_post(&go);
    GIVES(pthread_join(a, NULL));
    GIVES(pthread_join(a, NULL));
    GIVES(pthread_detach(a));
    GIVES(pthread_tryjoin_np(a, NULL));
    GIVES(pthread_cancel(a));
    GIVES(pthread_kill(a, 0));
    GIVES(pthread_create(&a, NULL, waits, NULL));
    GIVES(pthread_detach(a));
    GIVES(pthread_detach(a));
    GIVES(pthread_join(a, NULL));
    GIVES(pthread_tryjoin_np(a, NULL));
    GIVES(pthread_timedjoin_np(a, NULL, &past));
    sem_post(&go);
    GIVES(pthread_join(self, NULL));
    GIVES(pthread_create(&a, NULL, ends, NULL));
    GIVES(pthread_join(a, NULL));
    GIVES(pthread_setcancelstate(77, NULL));
    GIVES(pthread_setcanceltype(77, NULL));
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    GIVES(pthread_attr_setstacksize(&attr, 1));
    GIVES(pthread_attr_setdetachstate(&attr, 77));
    GIVES(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
    GIVES(pthread_create(&a, &attr, waits, NULL));
    GIVES(pthread_join(a, NULL));
    GIVES(pthread_detach(a));
    sem_post(&go);
    pthread_key_t key;
    GIVES(pthread_key_create(&key, NULL));
    GIVES(pthread_key_delete(key));
    GIVES(pthread_key_delete(key));
    GIVES(pthread_setspecific(key, &key));
    GIVES(pthread_key_delete(100000));
    GIVES(pthread_atfork(NULL, NULL, NULL));
}

/* ---- locks ---- */

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, checked, again, robust;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static void *others(void *nothing) {
    GIVES(pthread_mutex_trylock(&plain));
    GIVES(pthread_mutex_timedlock(&plain, &past));
    GIVES(pthread_mutex_timedlock(&plain, &wrong));
    GIVES(pthread_mutex_timedlock(&plain, &negative));
    GIVES(pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &past));
    GIVES(pthread_mutex_clocklock(&plain, CLOCK_PROCESS_CPUTIME_ID, &past));
    GIVES(pthread_mutex_clocklock(&plain, 77, &past));
    GIVES(pthread_mutex_trylock(&checked));
    GIVES(pthread_mutex_unlock(&checked));
    GIVES(pthread_mutex_trylock(&again));
    GIVES(pthread_mutex_unlock(&again));
    GIVES(pthread_mutex_unlock(&robust));
    GIVES(pthread_spin_trylock(&spin));
    return nothing;
}
static void *dies(void *lock) {
    GIVES(pthread_mutex_lock(lock));
    return NULL;
}
static void *reads(void *nothing) {
    GIVES(pthread_rwlock_tryrdlock(&rw));
    GIVES(pthread_rwlock_trywrlock(&rw));
    GIVES(pthread_rwlock_timedrdlock(&rw, &past));
    GIVES(pthread_rwlock_timedwrlock(&rw, &past));
    GIVES(pthread_rwlock_timedrdlock(&rw, &wrong));
    GIVES(pthread_rwlock_timedwrlock(&rw, &negative));
    GIVES(pthread_rwlock_clockrdlock(&rw, CLOCK_PROCESS_CPUTIME_ID, &past));
    GIVES(pthread_rwlock_clockwrlock(&rw, 77, &past));
    GIVES(pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &past));
    return nothing;
}
static void in_thread(void *(*f)(void *), void *argument) {
    pthread_t a;
    pthread_create(&a, NULL, f, argument);
    pthread_join(a, NULL);
}

static void locks(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    GIVES(pthread_mutexattr_settype(&attr, 77));
    GIVES(pthread_mutexattr_setrobust(&attr, 77));
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    GIVES(pthread_mutex_init(&checked, &attr));
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    GIVES(pthread_mutex_init(&again, &attr));
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    GIVES(pthread_mutex_init(&robust, &attr));
    GIVES(pthread_mutex_unlock(&checked));
    GIVES(pthread_mutex_unlock(&again));
    GIVES(pthread_mutex_unlock(&robust));
    GIVES(pthread_mutex_consistent(&robust));
    GIVES(pthread_mutex_consistent(&plain));
    GIVES(pthread_mutex_lock(&plain));
    GIVES(pthread_mutex_trylock(&plain));
    GIVES(pthread_mutex_timedlock(&plain, &past));
    GIVES(pthread_mutex_destroy(&plain));
    GIVES(pthread_mutex_lock(&checked));
    GIVES(pthread_mutex_lock(&checked));
    GIVES(pthread_mutex_trylock(&checked));
    GIVES(pthread_mutex_timedlock(&checked, &past));
    GIVES(pthread_mutex_clocklock(&checked, CLOCK_MONOTONIC, &past));
    GIVES(pthread_mutex_destroy(&checked));
    GIVES(pthread_mutex_lock(&again));
    GIVES(pthread_mutex_lock(&again));
    GIVES(pthread_mutex_trylock(&again));
    GIVES(pthread_mutex_lock(&robust));
    pthread_spin_init(&spin, 0);
    GIVES(pthread_spin_lock(&spin));
    GIVES(pthread_spin_trylock(&spin));
    in_thread(others, NULL);
    GIVES(pthread_spin_unlock(&spin));
    GIVES(pthread_mutex_unlock(&robust));
    GIVES(pthread_mutex_unlock(&again));
    GIVES(pthread_mutex_unlock(&again));
    GIVES(pthread_mutex_unlock(&again));
    GIVES(pthread_mutex_unlock(&again));
    GIVES(pthread_mutex_unlock(&checked));
    GIVES(pthread_mutex_unlock(&plain));
    /* Time that is wrong is not looked at when the lock is free. */
    GIVES(pthread_mutex_timedlock(&plain, &wrong));
    GIVES(pthread_mutex_unlock(&plain));
    in_thread(dies, &robust);
    GIVES(pthread_mutex_trylock(&robust));
    GIVES(pthread_mutex_consistent(&robust));
    GIVES(pthread_mutex_consistent(&robust));
    GIVES(pthread_mutex_unlock(&robust));
    in_thread(dies, &robust);
    GIVES(pthread_mutex_lock(&robust));
    GIVES(pthread_mutex_unlock(&robust));
    GIVES(pthread_mutex_lock(&robust));
    GIVES(pthread_mutex_trylock(&robust));
    GIVES(pthread_mutex_timedlock(&robust, &past));
    GIVES(pthread_mutex_destroy(&robust));

    GIVES(pthread_rwlock_rdlock(&rw));
    GIVES(pthread_rwlock_tryrdlock(&rw));
    GIVES(pthread_rwlock_trywrlock(&rw));
    GIVES(pthread_rwlock_timedwrlock(&rw, &past));
    GIVES(pthread_rwlock_unlock(&rw));
    GIVES(pthread_rwlock_unlock(&rw));
    GIVES(pthread_rwlock_wrlock(&rw));
    GIVES(pthread_rwlock_wrlock(&rw));
    GIVES(pthread_rwlock_rdlock(&rw));
    GIVES(pthread_rwlock_tryrdlock(&rw));
    GIVES(pthread_rwlock_trywrlock(&rw));
    GIVES(pthread_rwlock_timedrdlock(&rw, &past));
    GIVES(pthread_rwlock_timedwrlock(&rw, &past));
    in_thread(reads, NULL);
    GIVES(pthread_rwlock_unlock(&rw));
    GIVES(pthread_rwlock_timedrdlock(&rw, &wrong));
    GIVES(pthread_rwlock_clockwrlock(&rw, 77, &past));
    GIVES(pthread_rwlock_trywrlock(&rw));
    GIVES(pthread_rwlock_unlock(&rw));
    GIVES(pthread_rwlock_destroy(&rw));
}

/* ---- conditions, semaphores, barriers ---- */

static void waiting(void) {
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    pthread_mutexattr_t attr;
    pthread_mutex_t mine;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mine, &attr);
    GIVES(pthread_cond_wait(&c, &mine));
    GIVES(pthread_cond_timedwait(&c, &mine, &past));
    pthread_mutex_lock(&mine);
    GIVES(pthread_cond_timedwait(&c, &mine, &past));
    GIVES(pthread_cond_timedwait(&c, &mine, &wrong));
    GIVES(pthread_cond_timedwait(&c, &mine, &negative));
    GIVES(pthread_cond_clockwait(&c, &mine, CLOCK_MONOTONIC, &past));
    GIVES(pthread_cond_clockwait(&c, &mine, CLOCK_PROCESS_CPUTIME_ID, &past));
    GIVES(pthread_cond_clockwait(&c, &mine, CLOCK_MONOTONIC, &wrong));
    pthread_mutex_unlock(&mine);
    GIVES(pthread_cond_signal(&c));
    GIVES(pthread_cond_broadcast(&c));
    GIVES(pthread_cond_destroy(&c));
    pthread_condattr_t how;
    pthread_condattr_init(&how);
    GIVES(pthread_condattr_setclock(&how, CLOCK_PROCESS_CPUTIME_ID));
    GIVES(pthread_condattr_setclock(&how, 77));

    sem_t s, *named;
    int v;
    SETS(sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1u));
    SETS(sem_init(&s, 0, 1));
    SETS(sem_trywait(&s));
    SETS(sem_trywait(&s));
    SETS(sem_timedwait(&s, &past));
    SETS(sem_timedwait(&s, &wrong));
    SETS(sem_timedwait(&s, &negative));
    SETS(sem_clockwait(&s, CLOCK_MONOTONIC, &past));
    SETS(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &past));
    SETS(sem_clockwait(&s, CLOCK_MONOTONIC, &wrong));
    SETS(sem_post(&s));
    SETS(sem_timedwait(&s, &past));
    SETS(sem_getvalue(&s, &v));
    SETS(sem_init(&s, 0, SEM_VALUE_MAX));
    SETS(sem_post(&s));
    SETS(sem_destroy(&s));
    SETS(sem_open("/augur-no-such-semaphore", 0) == SEM_FAILED);
    SETS(sem_open("/augur/no/such", 0) == SEM_FAILED);
    SETS(sem_unlink("/augur-no-such-semaphore"));
    char name[40];
    snprintf(name, sizeof name, "/augur-errors-%d", (int)getpid());
    named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    SETS(sem_open(name, O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED);
    SETS(sem_trywait(named));
    sem_unlink(name);
    SETS(sem_close(named));
    SETS(sem_open(name, O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1u) == SEM_FAILED);

    pthread_barrier_t b;
    GIVES(pthread_barrier_init(&b, NULL, 0));
    GIVES(pthread_barrier_init(&b, NULL, (unsigned)INT_MAX + 1u));
    GIVES(pthread_barrier_init(&b, NULL, 1));
    GIVES(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : EIO);
    GIVES(pthread_barrier_destroy(&b));

    mtx_t m;
    cnd_t d;
    SETS(mtx_init(&m, 77));
    SETS(mtx_init(&m, mtx_timed));
    SETS(mtx_lock(&m));
    SETS(mtx_trylock(&m) == thrd_busy);
    SETS(mtx_timedlock(&m, &past) == thrd_timedout);
    SETS(mtx_timedlock(&m, &wrong) == thrd_error);
    SETS(cnd_init(&d));
    SETS(cnd_timedwait(&d, &m, &past) == thrd_timedout);
    SETS(cnd_timedwait(&d, &m, &wrong) == thrd_error);
    SETS(mtx_unlock(&m));
    cnd_destroy(&d);
    mtx_destroy(&m);
    SETS(thrd_sleep(&wrong, NULL));
}

/* ---- the kernel ---- */

/* Two descriptions of one file, and a semaphore with one unit. */
static void locks_of_the_kernel(void) {
    char name[] = "/tmp/errorsXXXXXX";
    int a = mkstemp(name), b = open(name, O_RDWR);
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET}, part = all, none = all, odd = all;
    part.l_len = 1;
    none.l_type = F_UNLCK;
    odd.l_type = 77;
    unlink(name);
    SETS(flock(a, LOCK_EX));
    SETS(flock(a, LOCK_EX | LOCK_NB));
    SETS(flock(b, LOCK_EX | LOCK_NB));
    SETS(flock(b, LOCK_SH | LOCK_NB));
    SETS(flock(b, LOCK_UN));
    SETS(flock(a, LOCK_SH));
    SETS(flock(b, LOCK_SH));
    SETS(flock(b, LOCK_EX | LOCK_NB));
    SETS(flock(a, LOCK_UN));
    SETS(flock(b, LOCK_EX | LOCK_NB));
    SETS(fcntl(a, F_OFD_SETLKW, &all));
    SETS(fcntl(b, F_OFD_SETLK, &part));
    SETS(fcntl(b, F_OFD_SETLK, &odd));
    SETS(fcntl(a, F_OFD_SETLK, &none));
    SETS(fcntl(b, F_OFD_SETLKW, &part));
    SETS(close(b));
    SETS(flock(a, LOCK_EX | LOCK_NB));
    SETS(close(a));
    int set = semget(IPC_PRIVATE, 2, 0600);
    struct timespec moment = {0, 1000000}, wrong = {0, -1};
    SETS(semop(set, &(struct sembuf){0, -1, IPC_NOWAIT}, 1));
    SETS(semop(set, &(struct sembuf){0, 0, 0}, 1));
    SETS(semop(set, &(struct sembuf){0, 1, 0}, 1));
    SETS(semop(set, &(struct sembuf){0, 0, IPC_NOWAIT}, 1));
    SETS(semop(set, &(struct sembuf){0, -1, 0}, 1));
    SETS(semop(set, &(struct sembuf){2, 1, 0}, 1));
    SETS(semop(set, (struct sembuf[]){{0, 2, 0}, {1, 1, 0}}, 2));
    SETS(semop(set, (struct sembuf[]){{0, -1, IPC_NOWAIT}, {1, -2, IPC_NOWAIT}}, 2));
    SETS(semop(set, &(struct sembuf){0, -2, 0}, 1));
    SETS(semop(set, &(struct sembuf){0, 1, 0}, 0));
    SETS(semtimedop(set, &(struct sembuf){0, -1, 0}, 1, &moment));
    SETS(semtimedop(set, &(struct sembuf){0, -1, 0}, 1, &wrong));
    SETS(semctl(set, 0, GETVAL));
    SETS(semctl(set, 1, GETVAL));
    SETS(semctl(set, 7, GETVAL));
    SETS(semctl(set, 0, IPC_RMID));
    SETS(semop(set, &(struct sembuf){0, 1, 0}, 1));
}

static void descriptors(void) {
    int p[2], q[2], flags = O_NONBLOCK;
    char buffer[16] = "";
    struct iovec v = {buffer, sizeof buffer};
    signal(SIGPIPE, SIG_IGN);
    SETS(read(-1, buffer, 1));
    SETS(write(-1, buffer, 1));
    SETS(readv(-1, &v, 1));
    SETS(writev(-1, &v, 1));
    SETS(pread(-1, buffer, 1, 0));
    SETS(pwrite(-1, buffer, 1, 0));
    SETS(pipe2(p, 0x7fffffff));
    SETS(pipe2(p, flags));
    SETS(read(p[0], buffer, 1));
    SETS(read(p[1], buffer, 1));
    SETS(write(p[0], buffer, 1));
    SETS(pread(p[0], buffer, 1, 0));
    SETS(pwrite(p[1], buffer, 1, 0));
    SETS(readv(p[0], &v, -1));
    SETS(writev(p[1], &v, -1));
    SETS(lseek(p[0], 0, SEEK_SET));
    SETS(ioctl(p[0], FIONREAD, NULL));
    SETS(splice(p[0], NULL, p[0], NULL, 1, 0));
    SETS(splice(-1, NULL, p[1], NULL, 1, 0));
    SETS(tee(p[0], -1, 1, 0));
    SETS(tee(p[0], p[1], 1, 0));
    close(p[0]);
    SETS(write(p[1], buffer, 1));
    close(p[1]);
    SETS(close(-1));
    SETS(fcntl(-1, F_GETFL));
    SETS(fcntl(1, 7777));
    SETS(flock(-1, LOCK_EX));
    SETS(flock(1, 77));
    locks_of_the_kernel();
    SETS(lockf(-1, F_LOCK, 0));
    SETS(lockf(1, 77, 0));
    struct stat st;
    int file = memfd_create("errors", 0), waits[4];
    SETS(mmap(NULL, 0, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED);
    SETS(mmap(NULL, 1, PROT_READ, MAP_SHARED, -1, 0) == MAP_FAILED);
    SETS(mmap(NULL, 1, PROT_READ, 0, file, 0) == MAP_FAILED);
    SETS(mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 1) == MAP_FAILED);
    SETS(munmap((void *)1, 1));
    SETS(shmat(-1, NULL, 0) == (void *)-1);
    SETS(lseek(-1, 0, SEEK_CUR));
    SETS(lseek(file, 0, 99));
    SETS(lseek(file, -1, SEEK_SET));
    SETS(ioctl(-1, FIONREAD, waits));
    SETS(ioctl(file, TIOCGWINSZ, waits));
    SETS(fstat(-1, &st));
    SETS(stat("/augur/no/such", &st));
    SETS(lstat("/augur/no/such", &st));
    SETS(fstatat(-1, "x", &st, 0));
    SETS(fstatat(AT_FDCWD, "/augur/no/such", &st, 0));
    SETS(fstatat(AT_FDCWD, "/", &st, 0x40000000));

    struct pollfd f = {-1, POLLIN, 0}, bad = {4000, POLLIN, 0};
    SETS(poll(&f, 1, 0));
    SETS(poll(&bad, 1, 0));
    SETS(bad.revents);
    SETS(ppoll(&f, 1, &wrong, NULL));
    SETS(ppoll(&f, 1, &short_, NULL));
    fd_set set;
    FD_ZERO(&set);
    struct timeval zero = {0, 0}, odd = {0, -1};
    SETS(select(-1, &set, NULL, NULL, &zero));
    SETS(select(0, NULL, NULL, NULL, &odd));
    SETS(select(0, NULL, NULL, NULL, &zero));
    SETS(pselect(0, NULL, NULL, NULL, &wrong, NULL));
    struct epoll_event e;
    int ep = epoll_create1(0);
    SETS(epoll_wait(-1, &e, 1, 0));
    SETS(epoll_wait(1, &e, 1, 0));
    SETS(epoll_wait(ep, &e, 0, 0));
    SETS(epoll_wait(ep, &e, -1, 0));
    SETS(epoll_pwait(ep, &e, 1, 0, NULL));
    close(ep);

    int s = socket(AF_UNIX, SOCK_STREAM, 0), n = 0;
    socklen_t length = sizeof n;
    struct sockaddr_un to = {AF_UNIX, "/augur/no/such"};
    SETS(connect(s, (struct sockaddr *)&to, sizeof to));
    SETS(connect(-1, (struct sockaddr *)&to, sizeof to));
    SETS(connect(1, (struct sockaddr *)&to, sizeof to));
    SETS(accept(s, NULL, NULL));
    SETS(accept(-1, NULL, NULL));
    SETS(accept(1, NULL, NULL));
    SETS(accept4(s, NULL, NULL, 0x7fffffff));
    SETS(send(s, buffer, 1, 0));
    SETS(sendto(s, buffer, 1, 0, NULL, 0));
    SETS(recv(s, buffer, 1, 0));
    SETS(recvfrom(s, buffer, 1, 0, NULL, NULL));
    SETS(recv(-1, buffer, 1, 0));
    SETS(recv(1, buffer, 1, 0));
    SETS(shutdown(s, SHUT_RD));
    SETS(shutdown(s, 77));
    SETS(shutdown(-1, SHUT_RD));
    SETS(getsockopt(s, SOL_SOCKET, 77777, &n, &length));
    SETS(getsockopt(-1, SOL_SOCKET, SO_ERROR, &n, &length));
    SETS(setsockopt(s, SOL_SOCKET, 77777, &n, length));
    SETS(getpeername(s, (struct sockaddr *)&to, &length));
    SETS(getsockname(-1, (struct sockaddr *)&to, &length));
    struct msghdr h = {.msg_iov = &v, .msg_iovlen = 1};
    SETS(sendmsg(s, &h, 0));
    SETS(recvmsg(s, &h, 0));
    close(s);
    SETS(socketpair(AF_UNIX, SOCK_STREAM, 0, q));
    SETS(recv(q[0], buffer, 1, MSG_DONTWAIT));
    close(q[1]);
    SETS(recv(q[0], buffer, 1, 0));
    SETS(send(q[0], buffer, 1, 0));
    close(q[0]);
    int ev = eventfd(0, EFD_NONBLOCK);
    eventfd_t x = 0;
    SETS(eventfd_read(ev, &x));
    SETS(eventfd_read(-1, &x));
    SETS(eventfd_write(ev, UINT64_MAX));
    SETS(read(ev, buffer, 1));
    close(ev);
    SETS(mq_receive(-1, buffer, sizeof buffer, NULL));
    SETS(mq_send(-1, buffer, 1, 0));
    SETS(msgrcv(-1, buffer, 1, 0, IPC_NOWAIT));
    SETS(msgsnd(-1, buffer, 1, IPC_NOWAIT));
    SETS(semop(-1, &(struct sembuf){0}, 1));
    SETS(semtimedop(-1, &(struct sembuf){0}, 1, &short_));
}

static void processes(void) {
    int status;
    siginfo_t info;
    SETS(wait(&status));
    SETS(waitpid(-1, &status, 0));
    SETS(waitpid(-1, &status, 0x7fffffff));
    SETS(wait3(&status, 0, NULL));
    SETS(wait4(-1, &status, 0, NULL));
    SETS(waitid(P_ALL, 0, &info, WEXITED));
    SETS(waitid(P_ALL, 0, &info, 0));
    SETS(execv("/augur/no/such", (char *[]){(char *)"x", NULL}));
    SETS(execvp("augur-no-such-program", (char *[]){(char *)"x", NULL}));
    SETS(kill(getpid(), 0));
    SETS(kill(getpid(), 1000));
    SETS(kill(INT_MAX, 0));
    struct sigaction a = {.sa_handler = SIG_IGN};
    SETS(sigaction(0, &a, NULL));
    SETS(sigaction(65, &a, NULL));
    SETS(sigaction(SIGKILL, &a, NULL));
    SETS(sigaction(SIGSTOP, &a, NULL));
    SETS(sigaction(SIGKILL, NULL, &a));
    SETS(signal(SIGKILL, SIG_IGN) == SIG_ERR);
    SETS(signal(1000, SIG_IGN) == SIG_ERR);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    SETS(sigtimedwait(&set, NULL, &(struct timespec){0, 0}));
    SETS(sigtimedwait(&set, NULL, &wrong));
    SETS(nanosleep(&wrong, NULL));
    SETS(nanosleep(&negative, NULL));
    SETS(nanosleep(&short_, NULL));
    GIVES(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL));
    GIVES(clock_nanosleep(77, 0, &short_, NULL));
    GIVES(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &short_, NULL));
    GIVES(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL));
    SETS(clock_gettime(77, &(struct timespec){0}));
    SETS(getrandom(&status, sizeof status, 0x7fffffff));
    SETS(getentropy(&set, 257));
    SETS(getrusage(77, &(struct rusage){0}));
    SETS(syscall(100000));
}

/* ---- memory and text ---- */

static void memory(void) {
    void *p = NULL;
    volatile size_t much = SIZE_MAX / 2, half = SIZE_MAX / 3;
    GIVES(posix_memalign(&p, 3, 8));
    GIVES(posix_memalign(&p, 2, 8));
    GIVES(posix_memalign(&p, 4096, much));
    SETS(malloc(much) == NULL);
    SETS(calloc(half, 4) == NULL);
    SETS(realloc(NULL, much) == NULL);
    SETS(reallocarray(NULL, half, 4) == NULL);
    SETS(aligned_alloc(64, much) == NULL);
    char *end;
    SETS(strtol("99999999999999999999", &end, 10));
    SETS(*end);
    SETS(strtol("-99999999999999999999x", &end, 10));
    SETS(*end);
    SETS(strtol("12", &end, 77));
    SETS(strtoul("99999999999999999999", NULL, 10));
    SETS(strtol("", &end, 10));
    SETS(strtod("1e999", &end) > 1);
    SETS(strtod("x", &end) > 1);
    SETS(atoi("12x"));
    SETS(atol(" -7"));
    SETS(setenv("a=b", "c", 1));
    SETS(setenv("", "c", 1));
    SETS(unsetenv("="));
    SETS(getenv("AUGUR_NO_SUCH_VARIABLE") == NULL);
    int x = 5, y = 6;
    char text[8] = "";
    SETS(sscanf("", "%d", &x));
    SETS(sscanf("x", "%d", &x));
    SETS(sscanf("7 8", "%d%n%d", &x, &y, &x));
    SETS(sscanf("abc", "%2s%c", text, text + 4));
    SETS(snprintf(text, 4, "%s", "abcdef"));
    SETS(snprintf(NULL, 0, "%s %d %5.2f %n", "abcdef", 7, 1.5, &y));
    SETS(y);
    printf("%2$s|%1$d|%2$s\n", 7, text);
    printf("%3$*1$.*2$s|\n", 9, 3, "abcdef");
    printf("%*d|%-*.*f|%s|%.*s|%5s|%c|%ls|%Lf|%zu|%hhd|%p|%%|%n|%lld\n", 5, 3, 9, 2, 1.25, text, 2,
           "xyz", text, 'c', L"wide", 1.5L, sizeof text, (char)3, (void *)0, &y, 77LL);
    SETS(y);
    double d;
    float g;
    char letter, *made;
    SETS(sscanf("1 2 ab 2.5 3.5 q xyz", "%d %n%*d %7s %lf %f %c %ms", &x, &y, text, &d, &g, &letter,
                &made));
    printf("%d %d %s %g %g %c %s\n", x, y, text, d, g, letter, made);
    free(made);
    SETS(fgetc(stdin));
    SETS(feof(stdin) != 0);
    FILE *f = fopen("/augur/no/such", "r");
    SETS(f == NULL);
    f = tmpfile();
    SETS(fseek(f, -1, SEEK_SET));
    SETS(ftell(f));
    SETS(fread(text, 1, 4, f));
    SETS(ungetc('x', f));
    SETS(fgetc(f));
    SETS(ftrylockfile(f));
    funlockfile(f);
    fclose(f);
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    threads();
    locks();
    waiting();
    descriptors();
    processes();
    memory();
    return 0;
}
