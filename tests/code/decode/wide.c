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
// Everything once, from values that events tell into values that events tell: retracing a
// recording of this compares what it computes with what the program did.
double in_d[] = {1.5, -2.25, 1e300, 0.1, -0.0, 7, 123456.789}, out_d[64];
float in_f[] = {1.25f, -3.5f, 0.1f, 9, 1e20f}, out_f[64];
uint64_t in_u[] = {3, 0x8000000000000001, 0xfedcba9876543210, 77, 0xffffffffffffffff, 1}, out_u[64];
int in_i[] = {5, -7, 0x7fffffff, 1 << 20, 3, 0}, out_i[64];
__int128 out_w[8];
v4 out_v[8];
s8 out_s[4];
static __int128 join(uint64_t hi, uint64_t lo) {
    return (__int128)((unsigned __int128)hi << 64 | lo);
}
static void run_floats(void) {
    for (int k = 0; k < 6; k++) {
        out_d[k] = floats(in_d[k], in_d[k + 1], in_f[k % 5]);
        out_d[8 + k] = cplx(in_d[k] + I * in_d[k + 1], in_f[1] + I * in_f[2]);
        out_d[16 + k] = (double)longer(in_d[k] < 1e9 ? in_d[k] : 2.5);
        out_i[k] = classify(in_d[k] / in_d[4]);
        out_i[8 + k] = round_off(in_d[k] < 1e5 ? in_d[k] + 3 : 4.5, in_f[k % 4]);
        out_f[k] = (float)in_d[k];
        out_f[8 + k] = (float)(int)in_u[k] + (float)in_u[k] + (float)(int8_t)in_i[k];
        out_u[32 + k] = (uint64_t)(in_f[0] * (float)k) + (uint64_t)(int64_t)in_d[k % 2];
        out_i[16 + k] =
            (in_d[k] < in_d[k + 1]) + 2 * (in_d[k] != in_f[0]) + 4 * !(in_f[1] >= in_d[k]);
        add_up(in_d[k]);
    }
}
static void run_integers(void) {
    for (int k = 0; k < 5; k++) {
        __int128 a = join(in_u[k], in_u[k + 1]), b = join(in_u[(k + 3) % 6] >> 40, in_u[k]);
        out_u[k] = wide(a, b);
        out_u[8 + k] = wide(in_i[k], in_i[k + 1]);
        out_u[16 + k] = bits_of((unsigned)in_i[k], (unsigned)in_u[k], in_u[k]);
        out_w[k] = a / (b | 1) + a % 1000 - (b >> 3) + ((unsigned __int128)b >> 70) - (a < b);
        out_i[24 + k] = (int)odd((_BitInt(17))in_i[k], (_BitInt(100))a);
        out_i[32 + k] = swap16(out_w[k], a);
        out_d[32 + k] = (double)a + (double)(unsigned __int128)b;
    }
}
static void run_vectors(void) {
    v4 a = {in_f[0], in_f[1], in_f[2], in_f[3]}, b = {in_f[3], in_f[2], in_f[1], in_f[0]};
    i4 m = {in_i[0], in_i[1], in_i[2], in_i[3]}, n = {in_i[3], in_i[1], in_i[0], in_i[4]};
    for (int k = 0; k < 4; k++)
        out_v[k] = vectors(a, b, k, in_f[k]);
    out_i[40] = integers(m, n);
    c16 c, d;
    s8 s, t;
    for (int k = 0; k < 16; k++) {
        c[k] = (char)(in_u[2] >> k);
        d[k] = (char)(in_u[2] >> (k * in_i[4] % 16));
    }
    for (int k = 0; k < 8; k++) {
        s[k] = (short)in_u[k % 6];
        t[k] = (short)(in_u[2] >> k);
    }
    out_i[41] = mask(c, d);
    out_s[0] = saturated(s, t);
    out_s[1] = (s8)((s << 3) > t) - s * t;
    b8 bit = {in_i[0] > 0, in_i[1] > 0, true, false, in_i[2] > 0};
    out_i[42] = packed(bit, in_i[4])[2];
    f3 three_of = {in_f[0], in_f[1], in_f[2]};
    out_f[20] = odd_sized(three_of)[1];
}
int main(void) {
    run_floats();
    run_integers();
    run_vectors();
    return 0;
}
