// A lock of the program's own, made of system calls that nobody follows, is one by its annotations.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>
void __tsan_mutex_create(void *, unsigned);
void __tsan_mutex_pre_lock(void *, unsigned);
void __tsan_mutex_post_lock(void *, unsigned, int);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_mutex_post_unlock(void *, unsigned);
static char held; /* taken by an instruction that has no hooks */
static int n;
__attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation, noinline)) static int
try_it(void) {
    char was = 1;
    __asm__ volatile("xchgb %0, %1" : "+q"(was), "+m"(held) : : "memory");
    return !was;
}
static void lock(void) {
    __tsan_mutex_pre_lock(&held, 0);
    while (!try_it())
        sched_yield();
    __tsan_mutex_post_lock(&held, 0, 0);
}
static void unlock(void) {
    __tsan_mutex_pre_unlock(&held, 0);
    __asm__ volatile("movb $0, %0" : "=m"(held) : : "memory");
    __tsan_mutex_post_unlock(&held, 0);
}
static void *add(void *a) {
    for (int i = 0; i < 3; i++) {
        lock();
        n++;
        unlock();
    }
    return a;
}
int main(void) {
    pthread_t t, u;
    __tsan_mutex_create(&held, 0);
    pthread_create(&t, 0, add, 0);
    pthread_create(&u, 0, add, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    printf("%d\n", n);
    return n != 6;
}
