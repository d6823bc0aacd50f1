/* Locks of inline assembler, as programs before C11 and libraries such as liburcu have them. -DLOCK=n picks
 * one. 'shared' is only touched with the lock held: no race. With -DBUG one thread forgets it. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

struct big {
    unsigned long all[10];
};
#define WHOLE(p) (*(volatile struct big *)(p))

#if LOCK == 1 /* exchange; a volatile store opens it */
static volatile int held;
static int try(void) {
    int r = 1;
    __asm__ volatile("lock; xchgl %0,%1" : "+q"(r), "+m"(held)::"memory", "cc");
    return !r;
}
static void open(void) {
    __asm__ volatile("" ::: "memory");
    held = 0;
}
#elif LOCK == 2 /* compare and exchange of a byte behind a pointer; a mov opens it */
static struct lock {
    int before;
    volatile char held;
} lock;
static __attribute__((noinline)) int cas(volatile char *p, char from, char to) {
    char done;
    __asm__ volatile("lock; cmpxchgb %3,%1\n\tsete %0"
                     : "=q"(done), "+m"(*p), "+a"(from)
                     : "q"(to)
                     : "memory", "cc");
    return done;
}
static int try(void) {
    return cas(&lock.held, 0, 1);
}
static void open(void) {
    __asm__ volatile("movb $0, %0" : "=m"(lock.held)::"memory");
}
#elif LOCK == 3 /* tickets, as Linux had them */
static struct { volatile unsigned next, serving; } t;
static int try(void) {
    unsigned mine = 1;
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(mine), "+m"(t.next)::"memory", "cc");
    while (t.serving != mine)
        sched_yield();
    return 1;
}
static void open(void) {
    __asm__ volatile("" ::: "memory");
    t.serving++;
}
#elif LOCK == 4 /* a bit; a store behind a compiler barrier opens it */
static unsigned long bits;
static int try(void) {
    unsigned char was;
    __asm__ volatile("lock; btsq $3,%1; setc %0" : "=q"(was), "+m"(bits)::"memory");
    return !was;
}
static void open(void) {
    __asm__ volatile("lock; btrq $3,%0" : "+m"(bits)::"memory");
}
#elif LOCK == 5 /* liburcu's way: all of a structure is the operand */
static unsigned long word;
static inline __attribute__((always_inline)) unsigned long cmpxchg(void *addr, unsigned long old,
                                                                   unsigned long to) {
    unsigned long result = old;
    __asm__ volatile("lock; cmpxchgq %2, %1"
                     : "+a"(result), "+m"(WHOLE(addr))
                     : "r"(to)
                     : "memory");
    return result;
}
static int try(void) {
    return cmpxchg(&word, 0, 5) == 0;
}
static void open(void) {
    unsigned long none = 0;
    __asm__ volatile("xchgq %0, %1" : "=r"(none), "+m"(WHOLE(&word)) : "0"(none) : "memory");
}
#elif LOCK == 6 /* counts down; the flag is an output */
static volatile int left = 1;
static int try(void) {
    int negative;
    __asm__ volatile("lock decl %0" : "+m"(left), "=@ccs"(negative)::"memory");
    if (negative)
        __asm__ volatile("lock incl %0" : "+m"(left)::"memory");
    return !negative;
}
static void open(void) {
    __asm__ volatile("lock incl %0" : "+m"(left)::"memory");
}
#endif

static int shared;

static void *work(void *arg) {
#ifdef BUG
    if (arg) {
        shared++;
        return NULL;
    }
#endif
    while (!try())
        sched_yield();
    shared++;
    open();
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &shared);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", shared);
    return shared != 2;
}
