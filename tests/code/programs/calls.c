// Calls of code without hooks, their results; calls of our own functions have none.
#define CALLED __attribute__((noinline))
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
struct two {
    long a, b;
};
int ext_int(int);
float ext_float(float);
double ext_double(double);
void *ext_pointer(void *);
struct two ext_two(long, long);
void ext_void(void);
int ext_sum(int n, ...);
int (*pointer)(int) = ext_int;
__attribute__((weak)) int replaceable(int x) {
    return x + 1;
}
CALLED static int ours(int x) {
    return x + 1;
}
CALLED static int ours_hooked(int x) {
    return ours(x) + pointer(x);
}
CALLED int alias_target(int x) {
    return ours_hooked(x);
}
int aliased(int x) __attribute__((alias("alias_target")));
static jmp_buf env;
CALLED static void jumps(int n) {
    longjmp(env, n);
}
int global;
CALLED static int reads_time(void) {
    unsigned lo;
    __asm__ volatile("leal 7, %0" : "=r"(lo)); /* augur cc decodes a mov */
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("pause");
    return (int)lo;
}
int main(void) {
    int n = ext_int(1);
    n += (int)ext_float(2) + (int)ext_double(3);
    n += ext_pointer(0) == 0;
    struct two t = ext_two(4, 5);
    n += (int)t.a + (int)t.b;
    ext_void();
    n += ext_sum(3, 1, 2, 3);
    n += pointer(6) + replaceable(7) + ours(8) + ours_hooked(9) + aliased(10);
    int volatile came = 0;
    if (setjmp(env) == 0) {
        came = 1;
        jumps(2);
    } else {
        came += 10;
    }
    n += reads_time();
    global = n + came;
    exit(global == 103 ? 0 : 1);
}
// WITH: calls_ext.c
