#!/usr/bin/env bash
# Two bodies of every function with hooks (src/llvm/twin.h): a program that is run without augur executes no hook,
# and both bodies do what the source says, however arguments are passed and whoever calls.
# SANITIZED: no, because it mostly runs clang; llvm runs the same code sanitized
. "$(dirname "$0")/lib.sh"

code=$SRC/tests/code
for program in "$code"/programs/*.hooks; do
    program=${program%.hooks}
    name=$(basename "$program")
    check "no hook of $name without a recording"
    "$code/run.sh" "$program" O2 "$TMP" >with.txt
    STUB_OFF=1 "$TMP/$name.exe" >without.txt
    # What is left are functions with labels whose addresses are taken: they have one body.
    case $name in
    branches.c) expect_true "fewer hooks" test "$(wc -l <without.txt)" -lt "$(wc -l <with.txt)" ;;
    *) expect_true "no hook: $(head -n 1 without.txt)" test ! -s without.txt ;;
    esac
done

cat >passing.c <<'END_C'
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
struct big { long a[7]; };
struct odd { char c; double d; float f; };
struct big shared;
int total;
static jmp_buf back;
long by_value(struct big b, int x, struct big c, double d) {
    shared.a[1] += x;
    return b.a[0] + b.a[6] + x + c.a[3] + (long)d + shared.a[1];
}
struct big returned(struct big b, long double e, __int128 q) {
    b.a[2] += (long)e + (long)(q >> 70);
    shared = b;
    return b;
}
struct odd small(struct odd o, int a, int b, int c, int d, int e, int f, int g, int h) {
    total += a + b + c + d + e + f + g + h;
    o.d += total;
    return o;
}
int variable(const char *s, ...) {
    va_list l;
    va_start(l, s);
    int sum = 0;
    for (; *s; s++)
        sum += *s == 'd' ? va_arg(l, int) : (int)va_arg(l, double);
    va_end(l);
    total += sum;
    return sum;
}
int both(int a, struct big b, ...) {
    va_list l;
    va_start(l, b);
    int sum = va_arg(l, int) + (int)b.a[1] + a;
    struct big z = va_arg(l, struct big);
    va_end(l);
    total += sum;
    return sum + (int)z.a[6];
}
int labels(int n) {
    static void *const table[] = {&&one, &&two, &&out};
    goto *table[n % 3];
one:
    total++;
    n++;
two:
    total += 2;
    return n;
out:
    return -n;
}
int factorial(int n) { return n < 2 ? (total++, 1) : n * factorial(n - 1); }
__attribute__((noreturn)) void jumps(int n) {
    total += n;
    longjmp(back, n);
}
__attribute__((weak)) int weak(int n) { return total += n; }
static int hidden(int n) { return total -= n; }
int (*pointer)(int) = hidden;
long (*p1)(struct big, int, struct big, double) = by_value;
struct big (*p2)(struct big, long double, __int128) = returned;
struct odd (*p3)(struct odd, int, int, int, int, int, int, int, int) = small;
int (*p4)(const char *, ...) = variable;
int (*p5)(int, struct big, ...) = both;
void (*p6)(int) __attribute__((noreturn)) = jumps;
static void *thread(void *p) {
    total++;
    return p;
}
int main(void) {
    struct big b = {{1, 2, 3, 4, 5, 6, 7}}, c = {{10, 20, 30, 40, 50, 60, 70}};
    pthread_t h;
    pthread_create(&h, 0, thread, 0);
    pthread_join(h, 0);
    long x = by_value(b, 5, c, 2.5), y = p1(c, 6, b, 3.5);
    printf("%ld %ld\n", x, y);
    struct big r = p2(b, 3.0L, ((__int128)5 << 70) + 5);
    printf("%ld %ld %ld\n", r.a[2], r.a[6], shared.a[2]);
    struct odd o = p3(small((struct odd){'x', 1.5, 2.5f}, 1, 2, 3, 4, 5, 6, 7, 8), 8, 7, 6, 5, 4, 3, 2, 1);
    printf("%c %g %g\n", o.c, o.d, o.f);
    int m = p4("dfd", 1, 2.0, 3), n = p5(1, b, 2, c);
    printf("%d %d\n", m, n);
    printf("%d %d\n", labels(3), labels(5));
    m = factorial(6);
    printf("%d\n", m);
    if ((n = setjmp(back)) == 0)
        p6(7);
    m = weak(1);
    printf("%d %d %d\n", n, m, pointer(2));
    printf("%d %d\n", pointer == hidden, total);
    return 0;
}
END_C
clang-19 -O1 -pthread passing.c -o native 2>/dev/null && ./native >expected
for level in O0 O1 O2 O3 Os; do
    check "arguments and results at -$level, not recorded and recorded"
    run "$AUGUR" cc -$level -g -pthread passing.c -o passing
    expect_status 0
    ./passing >plain.txt
    expect_same plain.txt expected
    "$AUGUR" record -q -o passing.trace ./passing >recorded.txt
    expect_same recorded.txt expected
    expect_true "a body without hooks" grep -q . <(nm passing | grep '\.recorded$')
done

check "inline functions of two modules, exceptions, virtual functions, a shared library"
cat >both.h <<'END_C'
#include <stdexcept>
#include <string>
extern int total;
struct shape {
    virtual ~shape() {}
    virtual int area() const { return total++; }
};
inline int counted(int n) {
    static int calls;
    total += n;
    return ++calls;
}
template <class T> T checked(T n) {
    if (counted(1) > 3)
        throw std::runtime_error("more than " + std::to_string(n));
    return n + total;
}
int other(int n);
using function = int (*)(int);
function which();
END_C
cat >one.cpp <<'END_C'
#include "both.h"
#include <cstdio>
#include <thread>
int total;
struct square : shape {
    int n = 3;
    int area() const override { return n * n + shape::area(); }
};
int main() {
    square s;
    shape *p = &s;
    int area = 0;
    std::thread t([&] { area = p->area(); });
    t.join();
    printf("%d %d\n", area, counted(1));
    try {
        for (int i = 0; i < 5; i++)
            printf("%d %d\n", checked(i), other(i));
    } catch (const std::exception &e) {
        printf("%s\n", e.what());
    }
    printf("%d %d\n", which() == counted, total);
}
END_C
cat >two.cpp <<'END_C'
#include "both.h"
int other(int n) { return checked(n) + counted(n); }
function which() { return counted; }
END_C
clang++-19 -O1 -pthread one.cpp two.cpp -o native && ./native >expected
for level in O0 O2; do
    "$AUGUR" c++ -$level -g -pthread one.cpp two.cpp -o together
    ./together >out.txt
    expect_same out.txt expected
    "$AUGUR" record -q -o together.trace ./together >out.txt
    expect_same out.txt expected
    "$AUGUR" c++ -$level -g -fPIC -shared -pthread two.cpp -o libtwo.so
    "$AUGUR" c++ -$level -g -pthread one.cpp -L. -ltwo -Wl,-rpath,"$PWD" -o apart
    ./apart >out.txt
    expect_same out.txt expected
    "$AUGUR" record -q -o apart.trace ./apart >out.txt
    expect_same out.txt expected
done
