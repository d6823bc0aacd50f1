/* A thread sleeps in the kernel inside a function that nobody wraps; another must wake it. */
#include "hook.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fd, x, about;

/* The C library's read and write are wrapped, the kernel's are not. */
static long raw(long n, long a, void *b, long c) {
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}

static void *sleeps(void *a) {
    __augur_enter(&site[0]);
    uint64_t n = 0;
    ST(5, about, 1);
    long r = CALL(1, raw, SYS_read, fd, &n, 8);
    ST(3, x, x + (int)n + (int)r);
    __augur_leave(&site[4]);
    return a;
}

int main(void) {
    __augur_enter(&site[10]);
    fd = eventfd(0, 0);
    pthread_t t;
    CALL(11, pthread_create, &t, NULL, sleeps, NULL);
    while (!LD(13, about))
        CALL(14, sched_yield);
    ST(24, x, 1);
    uint64_t n = 100;
    CALL(16, raw, SYS_write, fd, &n, 8);
    CALL(18, pthread_join, t, NULL);
    CALL(20, printf, "%d\n", LD(22, x));
    __augur_leave(&site[23]);
    return 0;
}
