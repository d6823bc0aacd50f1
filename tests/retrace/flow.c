// Switches, computed goto, recursion, tables of functions, varargs, qsort, alloca, setjmp.
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int total, calls;
static jmp_buf place;

static int sum(int n, ...) {
    va_list l;
    int s = 0;
    va_start(l, n);
    for (int i = 0; i < n; i++)
        s += va_arg(l, int);
    va_end(l);
    return s;
}

static int twice(int x) {
    total += x;
    return 2 * x;
}
static int minus(int x) {
    total -= x;
    return -x;
}
static int silent(int x) {
    return x * x + 1;
}

static const struct {
    const char *name;
    int (*fn)(int);
} table[] = {{"twice", twice}, {"minus", minus}, {"silent", silent}, {NULL, NULL}};

static int walk(const char *name, int x) {
    for (int i = 0; table[i].name; i++)
        if (!strcmp(table[i].name, name))
            return table[i].fn(x);
    return -1;
}

static int kind(int x) {
    switch (x) {
    case 1 ... 3:
        return 10;
    case 7:
        calls++;
        return 20;
    case -4:
    case 100:
        return calls;
    default:
        return x & 1 ? kind(x / 2) : 5;
    }
}

static int machine(const unsigned char *code) {
    static const void *const op[] = {&&add, &&mul, &&dec, &&stop};
    int a = 1;
    goto *op[*code++];
add:
    a += total & 3;
    goto *op[*code++];
mul:
    a *= 3;
    goto *op[*code++];
dec:
    a--;
    goto *op[*code++];
stop:
    return a;
}

static int compare(const void *a, const void *b) {
    calls++;
    return *(const int *)a - *(const int *)b;
}

static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static int ack(int m, int n) {
    calls++;
    return !m ? n + 1 : !n ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}

static void jump(int n) {
    volatile int deep[4] = {n};
    if (!n)
        longjmp(place, 7 + deep[0]);
    total++;
    jump(n - 1);
}

static void *worker(void *p) {
    int n = (int)(long)p;
    int *v = alloca((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = (i * 7919 + total) % 31;
    qsort(v, (size_t)n, sizeof *v, compare);
    for (int i = 0; i < n; i++)
        total += kind(v[i]) + v[i];
    return NULL;
}

int main(int argc, char **argv) {
    (void)argv;
    volatile int k = 0;
    total = sum(4, 1, 2, 3, argc) + walk("twice", 3) + walk("minus", 2) + walk("silent", 4) +
            walk("none", 1);
    int r = setjmp(place);
    if (!r)
        jump(5);
    k += r;
    if (k < 20)
        longjmp(place, 8);
    total += machine((const unsigned char *)"\0\1\2\0\1\3") + fib(12) + ack(2, 3) + k;
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)(6 + i));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int local[total & 7];
    memset(local, 1, sizeof local);
    printf("%d %d %zu\n", total, calls, sizeof local);
    return 0;
}
