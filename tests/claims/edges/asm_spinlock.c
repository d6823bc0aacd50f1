//! truth: no race on n: the lock is an x86 exchange in inline assembler
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static volatile int lk;
static int n;
static inline int tas(volatile int *l) {
    int r = 1;
    __asm__ __volatile__("lock; xchgl %0,%1" : "+q"(r), "+m"(*l) : : "memory", "cc");
    return r;
}
static void lock(void) {
    while (tas(&lk))
        sched_yield();
}
static void unlock(void) {
    __asm__ __volatile__("" ::: "memory");
    lk = 0;
}
static void *t(void *a) {
    lock();
    n++;
    unlock();
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, t, 0);
    pthread_create(&b, 0, t, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("%d\n", n);
    return n != 2;
}
