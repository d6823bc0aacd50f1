/* A value that travels by a route that is no ordinary assignment still decides what it decided. B writes y,
 * then stores x == 5 under the lock; A writes y only if it got 5 from x under the lock: no race on y.
 * -DROUTE=n picks the way from x to A's decision. With -DBUG A decides without it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <ucontext.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

#if ROUTE == 1 /* a variadic function */
static int first(int n, ...) {
    va_list v;
    va_start(v, n);
    int s = va_arg(v, int);
    va_end(v);
    return s;
}
static int route(int v) {
    return first(1, v);
}
#elif ROUTE == 2 /* beyond the registers, through a va_list that is passed on and copied */
static long nth(int n, va_list l) {
    va_list own;
    va_copy(own, l);
    long v = 0;
    while (n--)
        v = va_arg(own, long);
    va_end(own);
    return v;
}
static __attribute__((noinline)) long pick(int n, ...) {
    va_list l;
    va_start(l, n);
    long v = nth(n, l);
    va_end(l);
    return v;
}
static int route(int v) {
    return (int)pick(9, 0L, 1L, 2L, 3L, 4L, 6L, 7L, 8L, (long)v);
}
#elif ROUTE == 3 /* a structure, a double and a call through a pointer */
struct pair {
    long a, b, c;
};
static double get(int n, ...) {
    va_list l;
    va_start(l, n);
    struct pair p = va_arg(l, struct pair);
    double d = va_arg(l, double);
    va_end(l);
    return (double)p.b + d;
}
static double (*volatile through)(int, ...) = get;
static int route(int v) {
    struct pair p = {1, v, 2};
    return (int)through(2, p, 0.0);
}
#elif ROUTE == 4 /* the second return of setjmp */
static int route(int v) {
    jmp_buf env;
    int got = setjmp(env);
    if (got == 0)
        longjmp(env, v + 1);
    return got - 1;
}
#elif ROUTE == 5 /* from a deeper function; sigsetjmp */
static sigjmp_buf env;
static __attribute__((noinline)) void deep(int n, int v) {
    if (n)
        deep(n - 1, v);
    siglongjmp(env, v + 1);
}
static int route(int v) {
    int got = sigsetjmp(env, 1);
    if (got)
        return got - 1;
    deep(3, v);
    return -1;
}
#elif ROUTE == 6 /* another context: its argument, and what it writes */
static ucontext_t back, there;
static char stack[65536];
static int result;
static void inside(int v) {
    result = v;
    swapcontext(&there, &back);
}
static int route(int v) {
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &back;
    makecontext(&there, (void (*)(void))inside, 1, v);
    swapcontext(&back, &there);
    return result;
}
#elif ROUTE == 7 /* a local variable of another context, which is left and entered again */
static ucontext_t back, there;
static char stack[65536];
static int in, out;
static void inside(void) {
    int mine = in;
    swapcontext(&there, &back);
    out = mine;
}
static int route(int v) {
    in = v;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &back;
    makecontext(&there, inside, 0);
    swapcontext(&back, &there);
    in = 0;
    swapcontext(&back, &there);
    return out;
}
#elif ROUTE == 8 /* getcontext returns twice, a volatile variable says which */
static ucontext_t here;
static int route(int v) {
    volatile int times = 0, kept = v;
    getcontext(&here);
    if (times++ == 0)
        setcontext(&here);
    return kept;
}
#endif

static void *B(void *arg) {
    y++;
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *A(void *arg) {
    pthread_mutex_lock(&m);
    int s = route(x);
    pthread_mutex_unlock(&m);
#ifdef BUG
    s = 5;
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
    return 0;
}
