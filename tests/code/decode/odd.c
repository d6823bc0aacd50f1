// Corners of C: variable arguments, computed and assembler jumps, by-value structures, bit
// fields, thread-local and replaceable things, what only fails.
// FLAGS: -fno-inline
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// EXPECT: ^function sum .*params 1
// EXPECT: FORGET s[0-9]+ .*aux 24
// EXPECT: COPY\.64 private .* #24
int sum(int n, ...) {
    va_list a, b;
    int s = 0;
    va_start(a, n);
    va_copy(b, a);
    for (int i = 0; i < n; i++)
        s += va_arg(a, int) + (int)va_arg(b, double);
    va_end(a);
    va_end(b);
    return s;
}
jmp_buf back;
// EXPECT: CALL\.32 foreign _setjmp.* tells 32
// EXPECT: CALL foreign longjmp noreturn
int jumps(int x) {
    if (setjmp(back))
        return 1;
    if (x)
        longjmp(back, 1);
    return 0;
}
// EXPECT: UNMODELLED 'asm goto' 0 slots
// EXPECT: INDIRECTBR\.64 \? of
int assembler_jump(int x) {
    asm goto("testl %0, %0\n\tje %l1" ::"r"(x)::yes);
    return 0;
yes:
    return 1;
}
// EXPECT: INDIRECTBR\.64 told
int computed(int x) {
    static void *to[] = {&&a, &&b};
    goto *to[x & 1];
a:
    return x * 2;
b:
    return x + 3;
}
struct big {
    int a;
    char text[60];
};
struct pair {
    int a, b;
};
// EXPECT: EV_FRAME s0 .*aux 64
// EXPECT: byval 64
int takes(struct big b) {
    return (int)strlen(b.text) + b.a;
}
struct big kept;
int gives(void) {
    return takes(kept);
}
struct pair two(int a, int b) {
    return (struct pair){a, b};
}
// A structure of two halves in one register is known as a whole once both are in.
// EXPECT: AND\.64 #0 #4294967295
// EXPECT: RET s8$
int use_two(int a) {
    struct pair p = two(a, 7);
    return p.a - p.b;
}
struct fields {
    unsigned low : 3, high : 13;
    signed s : 7;
} fields;
void set_fields(int x) {
    fields.high = (unsigned)x;
    fields.s = x;
}
// EXPECT: ^global mine .* tls private
static _Thread_local int mine;
_Thread_local int theirs;
int locals(void) {
    return ++mine + ++theirs;
}
static const char *const message = "hello";
const char *table[] = {"a", "b", 0};
// EXPECT: ^global here table .* relocs 3
void *here[] = {&table[1], &fields, (char *)locals + 1, 0};
int __attribute__((weak)) replaceable(int x) {
    return x;
}
int other_name(int) __attribute__((alias("use_two")));
static int resolved(int x) {
    return x;
}
static int (*resolve(void))(int) {
    return resolved;
}
int chosen(int) __attribute__((ifunc("resolve")));
// EXPECT: CALL\.32 foreign replaceable
// EXPECT: CALL\.32 direct use_two
// EXPECT: CALL\.32 foreign chosen
// EXPECT: CALL\.32 indirect
int calls(int (*f)(int), int x) {
    puts(message);
    return replaceable(x) + other_name(x) + chosen(x) + f(x);
}
int outside(int) __attribute__((weak));
// EXPECT: CALL\.32 silent outside
int tail(int x) {
    __attribute__((musttail)) return outside(x);
}
// EXPECT: ^function checked
// EXPECT: CONDBR\.1 .*fail-(first|second)
// EXPECT: CALL foreign __assert_fail noreturn fails
int state;
void checked(int x) {
    assert(state < x);
    state = x;
}
// A function that only fails makes its calls fail.
// EXPECT: CALL direct give_up( noreturn)? fails
void give_up(const char *why) {
    fprintf(stderr, "%s\n", why);
    abort();
}
void checked_twice(int x) {
    if (state != x)
        give_up("state");
    if (state == 3)
        __builtin_trap();
    if (state == 4)
        exit(1); // no failed check
}
// EXPECT: ALLOCA\.64 s
int variable(int n) {
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i;
    return a[n / 2];
}
int many(int x, int y) {
    for (int i = 0; i < x; i++) { // values that go round in circles
        int t = x;
        x = y;
        y = t - 1;
    }
    switch (x) {
    case 1 ... 3:
        return 5;
    case 100000:
        return 6;
    case -7:
        return y;
    default:
        return 8;
    }
}
void asm_stuff(int *p) {
    int x = *p;
    asm volatile("" ::: "memory");
    asm("addl $1, %0" : "+r"(x));
    *p = x;
}
int out[32], in[] = {3, 4, 5, 0};
static int twice(int x) {
    return 2 * x;
}
int outside(int x) {
    return x - 1;
}
int main(void) {
    strcpy(kept.text, "text");
    kept.a = in[0];
    out[0] = sum(2, in[0], in[1], 1.5, in[2]);
    out[1] = jumps(in[3]) + 2 * jumps(in[0]);
    out[3] = computed(in[0]) + computed(in[1]);
    out[4] = gives();
    out[5] = use_two(in[1]);
    set_fields(in[2] << 9 | in[0]);
    out[6] = fields.high + fields.s;
    out[7] = locals() + locals();
    out[8] = calls(twice, in[0]);
    out[9] = tail(in[0]);
    checked(in[2]);
    checked_twice(in[2]);
    out[10] = variable(in[2]);
    for (int k = 0; k < 6; k++)
        out[11 + k] = many(k, in[2] - k);
    asm_stuff(&out[17]);
    out[18] = *table[1] + (here[1] == &fields);
    return 0;
}
