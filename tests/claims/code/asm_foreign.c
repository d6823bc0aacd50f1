/* Assembler that augur does not decode, on shared memory. B writes y, then gives x away under the lock; A
 * takes it by assembler and writes y only if it got it: no race on y. -DFORM=n picks the assembler. With -DBUG
 * A writes y anyway. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int y;

#if FORM == 1 /* a memory operand */
static int x;
static void give(void) {
    x = 5;
}
static int get(void) {
    int r;
    __asm__ volatile("movl %1,%0; roll $3,%0; rorl $3,%0" : "=r"(r) : "m"(x) : "cc");
    return r;
}
#elif FORM == 2 /* a string instruction */
static char x[40], copy[40];
static void give(void) {
    x[33] = 5;
}
static int get(void) {
    void *to = copy, *from = x;
    unsigned long n = sizeof x;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
    return copy[33];
}
#elif FORM == 3 /* through a pointer in a register */
static int x;
static void give(void) {
    x = 5;
}
static int get(void) {
    int r;
    __asm__ volatile("movl (%1),%0; bswapl %0; bswapl %0" : "=r"(r) : "r"(&x) : "memory");
    return r;
}
#elif FORM == 4 /* both sides by assembler, and a lock of it */
static volatile int held;
static int x;
static int try(void) {
    int r, none = 0;
    __asm__ volatile("movl $1,%%ecx; lock; cmpxchgl %%ecx,%1; leal (%%rax),%0"
                     : "=r"(r), "+m"(held), "+a"(none)::"ecx", "memory", "cc");
    return r == 0;
}
static void take(void) {
    while (!try())
        sched_yield();
}
static void leave(void) {
    __asm__ volatile("movl $0,%0; sahf" : "=m"(held)::"memory", "cc");
}
#define pthread_mutex_lock(m) take()
#define pthread_mutex_unlock(m) leave()
static void give(void) {
    __asm__ volatile("movl $5,%0; sahf" : "=m"(x)::"cc");
}
static int get(void) {
    int r;
    __asm__ volatile("movl %1,%0; sahf" : "=r"(r) : "m"(x) : "cc");
    return r;
}
#endif

static void *B(void *arg) {
    y++;
    pthread_mutex_lock(&m);
    give();
    pthread_mutex_unlock(&m);
    return arg;
}

static void *A(void *arg) {
    pthread_mutex_lock(&m);
    int s = get();
    pthread_mutex_unlock(&m);
#ifdef BUG
    y++;
#endif
    if (s == 5)
        y++;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, B, NULL);
    pthread_create(&a, NULL, A, NULL);
    pthread_join(b, NULL);
    pthread_join(a, NULL);
    return m.__data.__lock;
}
