// Floating point, vectors and wide integers: what code.h calls wide.
// FLAGS: -msse4.1 -mcx16
#include <complex.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef float v4 __attribute__((ext_vector_type(4)));
typedef int i4 __attribute__((vector_size(16)));
typedef char c16 __attribute__((vector_size(16)));
typedef short s8 __attribute__((vector_size(16)));
typedef bool b8 __attribute__((ext_vector_type(8)));
typedef float f3 __attribute__((ext_vector_type(3)));

// EXPECT: ^function floats
// EXPECT: WIDE\.64 FMUL  0 64 x1 <- 64 x1
// EXPECT: WIDE\.64 FADD  0 64 x1 <- 64 x1
double floats(double a, double b, float f) {
    double c = a * b + f; // fmuladd without fma: two roundings
    c += fmod(a, 3) - b / a;
    return c > f ? sqrt(fabs(c)) : -floor(c) + (float)a;
}
// EXPECT: WIDE\.64 FMATH fma 0 64
__attribute__((target("fma"))) double fused(double a, double b, double c) {
    return a * b + c;
}
// EXPECT: WIDE FADD  0 80 x1 <- 80 x1
// EXPECT: LOAD .*aux 10 site
long double extended;
long double longer(long double a) {
    extended = a + 1.5L;
    return extended * (long double)(int)a;
}
// EXPECT: WIDE\.16 FPTRUNC|UNMODELLED\.16 'arithmetic of a type that is not modelled'
_Float16 half(_Float16 a, _Float16 b) {
    return a * b;
}
// EXPECT: WIDE INT  2 128 x1 <- 128 x1
// EXPECT: OVERFLOW\.128 signed .*aux 16 from 2
// EXPECT: WIDE\.64 CAST  20 64 x1 <- 128 x1
// EXPECT: WIDE\.1 ICMP  17 1 x1 <- 128 x1
__int128 huge;
uint64_t wide(__int128 a, __int128 b) {
    __int128 r;
    if (__builtin_mul_overflow(a, b, &r))
        return 0;
    huge = r;
    if (a < b)
        return (uint64_t)(r >> 64);
    return (uint64_t)(a * b - (__int128)17 * ((__int128)1 << 100) / (b | 1));
}
// EXPECT: ADD\.17
// EXPECT: WIDE INT  0 100 x1 <- 100 x1
_BitInt(17) odd(_BitInt(17) a, _BitInt(100) b) {
    return a + (_BitInt(17))(b + 3);
}
// Wider than anything we compute with.
// EXPECT: UNMODELLED 'arithmetic of a type that is not modelled'
_BitInt(200) too_wide(_BitInt(200) a) {
    return a + 1;
}
// EXPECT: WIDE FADD  0 32 x4 <- 32 x4
// EXPECT: WIDE SHUFFLE  0 32 x4 <- 32 x4 .* mask 3,2,1,0
// EXPECT: BYTES_GET\.32 .*aux 8
// EXPECT: WIDE\.32 EXTRACT
// EXPECT: WIDE INSERT
v4 vectors(v4 a, v4 b, int k, float f) {
    v4 c = a + b * a[2];
    c[k] = f + c[k];
    return __builtin_shufflevector(c, c, 3, 2, 1, 0);
}
// EXPECT: WIDE ICMP  17 1 x4 <- 32 x4
// EXPECT: WIDE CAST  22 32 x4 <- 1 x4
// EXPECT: WIDE\.32 REDUCE  0 32 x1 <- 32 x4
int integers(i4 a, i4 b) {
    i4 less = a < b;
    i4 least = __builtin_elementwise_min(a, b);
    return __builtin_reduce_add(least ^ less) + __builtin_reduce_max(a) + least[0];
}
// movmsk is a comparison with zero whose bits are the result
// EXPECT: WIDE\.32 ICMP  17 1 x16 <- 8 x16
int mask(c16 a, c16 b) {
    return __builtin_ia32_pmovmskb128(a == b);
}
s8 saturated(s8 a, s8 b) {
    return __builtin_elementwise_add_sat(a, b) << 2;
}
b8 bits;
b8 packed(b8 x, int n) {
    x[n] = true;
    bits = x;
    return bits;
}
f3 three;
f3 odd_sized(f3 a) {
    three = a * 2;
    return three;
}
double complex cplx(double complex a, float complex b) {
    return a * b;
}
// EXPECT: OVERFLOW\.32 .*aux 4
// EXPECT: FSHL\.32
// EXPECT: BSWAP\.64
// EXPECT: CTPOP\.64
unsigned bits_of(unsigned a, unsigned b, uint64_t c) {
    unsigned r;
    if (__builtin_add_overflow(a, b, &r))
        r = __builtin_rotateleft32(a, 7);
    return r + (unsigned)__builtin_bswap64(c) + (unsigned)__builtin_popcountll(c) +
           (unsigned)__builtin_clz(a | 1) + (unsigned)__builtin_ctzll(c | 1) +
           __builtin_bitreverse32(b) + (unsigned)__builtin_abs((int)a);
}
// EXPECT: CMPXCHG atomic .*aux 16 site
_Atomic __int128 shared;
bool swap16(__int128 from, __int128 to) {
    return atomic_compare_exchange_strong(&shared, &from, to);
}
// EXPECT: RMW\.64 atomic .*from 11 site
_Atomic double total;
double sum;
void add_up(double x) {
    total += x;
    __scoped_atomic_fetch_add(&sum, x, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}
int classify(double x) {
    return __builtin_isinf(x) + 2 * __builtin_isnan(x) + 4 * __builtin_isnormal(x);
}
int round_off(double x, float y) {
    return (int)lrint(x) + (int)y + (int)(unsigned long)x + (int)copysign(x, y) + (int)fmax(x, y) +
           (int)round(x) + (int)trunc(x) + (int)rint(x) + (int)exp2(x) + (int)pow(x, y);
}
int main(void) {
    return 0;
}
