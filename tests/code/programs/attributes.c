// Promises about memory do not survive hooks; some functions are left out; musttail.
#define CALLED __attribute__((noinline))
int g, calls;
__attribute__((pure, noinline)) static int pure_one(int x) {
    return g + x;
}
__attribute__((const, noinline)) int const_one(int x) {
    calls++;
    return x;
}
__attribute__((naked)) static int bare(void) {
    __asm__("movl $5, %eax\n\tret");
}
__attribute__((disable_sanitizer_instrumentation, noinline)) static int left_out(int x) {
    return g + x;
}
CALLED static int chosen(int x) {
    return g + x;
}
static int (*choose(void))(int) {
    return chosen;
}
int by_choice(int x) __attribute__((ifunc("choose")));
CALLED static int last(int x) {
    return g + x;
}
CALLED static int tail(int x) {
    g++;
    __attribute__((musttail)) return last(x + 1);
}
static inline __attribute__((always_inline)) int melted(int x) {
    return g + x;
}
__attribute__((constructor(101))) static void early(void) {
    g = 1;
}
int main(void) {
    int r = pure_one(1) + pure_one(1) + const_one(2) + const_one(2);
    r += bare() + left_out(1) + by_choice(2) + tail(3) + melted(4);
    return r == 30 && calls == 2 ? 0 : 1;
}
