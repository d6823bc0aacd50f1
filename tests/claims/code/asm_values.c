/* Every form of assembler that augur cc turns into instructions: does the program still compute what
 * the machine computes? Compiled with -DPLAIN nothing is decoded: each text begins with what augur
 * does not know. The two must print the same. */
#include <stdint.h>
#include <stdio.h>

#ifdef PLAIN
#define X ".intel_syntax noprefix\n.att_syntax prefix\n"
#else
#define X
#endif

typedef uint64_t u64;
static volatile uint8_t b8;
static volatile uint16_t b16;
static volatile uint32_t b32;
static volatile u64 b64, words[4];
static _Alignas(16) volatile u64 pair[2];
static u64 hash = 14695981039346656037u;
static unsigned n;

static void told(u64 v) {
    hash = (hash ^ v) * 1099511628211u;
    printf("%u: %llx\n", ++n, (unsigned long long)v);
}

static void state(void) {
    told(b8), told(b16), told(b32), told(b64);
}

#define EACH(size, suffix, name, v)                                                                \
    __asm__ volatile(X "lock; " name suffix " %1, %0" : "+m"(b##size) : "ir"(v) : "memory", "cc")
#define ALL(name)                                                                                  \
    do {                                                                                           \
        __asm__ volatile(X "lock; " name "b %1, %0" : "+m"(b8) : "iq"((uint8_t)0x35) : "memory");  \
        EACH(16, "w", name, (uint16_t)0x8135);                                                     \
        EACH(32, "l", name, 0x71234567);                                                           \
        EACH(64, "q", name, (u64)0x5123456789abcdef + n);                                          \
        state();                                                                                   \
    } while (0)
#define ONE(name)                                                                                  \
    do {                                                                                           \
        __asm__ volatile(X "lock " name "b %0" : "+m"(b8)::"memory", "cc");                        \
        __asm__ volatile(X "lock\n\t" name "w %0" : "+m"(b16)::"memory", "cc");                    \
        __asm__ volatile(X "LOCK ; " name "l %0;" : "=m"(b32) : "m"(b32) : "memory", "cc");        \
        __asm__ volatile(X "lock; " name "q (%0)" ::"r"(&b64) : "memory", "cc");                   \
        state();                                                                                   \
    } while (0)

static void arithmetic(void) {
    for (int round = 0; round < 3; round++) {
        ALL("add");
        ALL("sub");
        ALL("or");
        ALL("xor");
        ALL("and");
        ALL("add");
        ONE("inc");
        ONE("dec");
        ONE("not");
    }
}

static void exchanges(void) {
    uint8_t a = 17;
    uint16_t b = 4711;
    uint32_t c = 0xdeadbeef;
    u64 d = 0x123456789abcdef;
    __asm__ volatile(X "xchgb %0, %1" : "+q"(a), "+m"(b8)::"memory");
    __asm__ volatile(X "lock; xchgw %0, %1" : "+r"(b), "+m"(b16)::"memory");
    __asm__ volatile(X "xchgl %1, %0" : "+r"(c), "+m"(b32)::"memory");
    __asm__ volatile(X "xchg %0, %1" : "=r"(d), "+m"(b64) : "0"(d) : "memory");
    told(a), told(b), told(c), told(d);
    __asm__ volatile(X "lock; xaddb %b0, %1" : "+q"(a), "+m"(b8)::"memory", "cc");
    __asm__ volatile(X "lock; xaddw %w0, %1" : "+r"(b), "+m"(b16)::"memory", "cc");
    __asm__ volatile(X "lock; xaddl %k0, %1" : "+r"(c), "+m"(b32)::"memory", "cc");
    __asm__ volatile(X "lock; xadd %[v], %[m]" : [v] "+r"(d), [m] "+m"(b64)::"memory", "cc");
    told(a), told(b), told(c), told(d);
    state();
}

static void compares(void) {
    for (int hit = 0; hit < 2; hit++) {
        uint8_t a = (uint8_t)(b8 + !hit), z;
        uint32_t c = b32 + !hit, old = c;
        u64 d = b64 + !hit;
        uint16_t s = (uint16_t)(b16 - !hit);
        int e;
        __asm__ volatile(X "lock; cmpxchgb %2, %1"
                         : "+a"(a), "+m"(b8)
                         : "q"((uint8_t)9)
                         : "memory", "cc");
        __asm__ volatile(X "lock cmpxchgw %3, %1; sete %0"
                         : "=q"(z), "+m"(b16), "+a"(s)
                         : "r"((uint16_t)77)
                         : "memory", "cc");
        told(a), told(z), told(s);
        __asm__ volatile(X "lock; cmpxchgl %4, %2; setne %1"
                         : "=a"(c), "=q"(z), "+m"(b32)
                         : "0"(c), "r"(c * 3)
                         : "memory", "cc");
        told(c), told(z), told(old);
        __asm__ volatile(X "lock; cmpxchgq %3, %1"
                         : "+a"(d), "+m"(b64), "=@ccz"(e)
                         : "r"(d + 5)
                         : "memory");
        told(d), told((u64)e);
        /* As DPDK: the result in al, the expected value in ax. */
        uint8_t res;
        __asm__ volatile(X "lock ; cmpxchgl %[src], %[dst];sete %[res];"
                         : [res] "=a"(res), [dst] "=m"(b32)
                         : [src] "r"(5), "a"(b32 + !hit), "m"(b32)
                         : "memory");
        told(res);
        u64 lo = pair[0] + !hit, hi = pair[1];
        __asm__ volatile(X "lock; cmpxchg16b %1; setz %0"
                         : "=q"(z), "+m"(*pair), "+a"(lo), "+d"(hi)
                         : "b"(pair[0] + 3), "c"(pair[1] * 7 + 1)
                         : "memory", "cc");
        told(z), told(lo), told(hi), told(pair[0]), told(pair[1]);
        uint32_t l = (uint32_t)b64, h = (uint32_t)(b64 >> 32) + !hit;
        __asm__ volatile(X "lock; cmpxchg8b (%3); setz %0"
                         : "=q"(z), "+a"(l), "+d"(h)
                         : "r"(&b64), "b"(1), "c"(2)
                         : "memory", "cc");
        told(z), told(l), told(h), told(b64);
    }
}

#define FLAG(cond, text, ...)                                                                      \
    do {                                                                                           \
        int f_;                                                                                    \
        __asm__ volatile(X "lock; " text : "+m"(b32), "=@cc" cond(f_) : __VA_ARGS__ : "memory");   \
        told((u64)f_);                                                                             \
    } while (0)
#define CONDITIONS(text, ...)                                                                      \
    FLAG("e", text, __VA_ARGS__);                                                                  \
    FLAG("ne", text, __VA_ARGS__);                                                                 \
    FLAG("c", text, __VA_ARGS__);                                                                  \
    FLAG("s", text, __VA_ARGS__);                                                                  \
    FLAG("o", text, __VA_ARGS__);                                                                  \
    FLAG("a", text, __VA_ARGS__);                                                                  \
    FLAG("be", text, __VA_ARGS__);                                                                 \
    FLAG("l", text, __VA_ARGS__);                                                                  \
    FLAG("ge", text, __VA_ARGS__);                                                                 \
    FLAG("le", text, __VA_ARGS__);                                                                 \
    FLAG("g", text, __VA_ARGS__)

static void flags(void) {
    static const uint32_t with[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff};
    for (unsigned i = 0; i < 6; i++)
        for (unsigned j = 0; j < 6; j++) {
            b32 = with[i];
            CONDITIONS("addl %2, %0", "r"(with[j]));
            CONDITIONS("subl %2, %0", "r"(with[j]));
            CONDITIONS("andl %2, %0", "r"(with[j] | 5));
            CONDITIONS("xorl %2, %0", "r"(with[j]));
        }
    for (unsigned i = 0; i < 6; i++) {
        int f;
        b32 = with[i];
        __asm__ volatile(X "lock; decl %0" : "+m"(b32), "=@cce"(f)::"memory");
        told((u64)f);
        __asm__ volatile(X "lock; incl %0" : "+m"(b32), "=@ccs"(f)::"memory");
        told((u64)f);
    }
}

static void bits(void) {
    for (int i = -70; i < 200; i += 27) {
        uint8_t c;
        int m;
        volatile u64 *w = words + 2;
        long k = i < -64 ? -i : i;
        __asm__ volatile(X "lock; btsq %2,%1; setc %0"
                         : "=q"(c), "+m"(*w)
                         : "r"(i < 100 ? (long)i : 3)
                         : "memory");
        told(c);
        __asm__ volatile(X "lock; btcq %2,%1\n\tsbb %0,%0"
                         : "=r"(m), "+m"(*words)
                         : "r"(k & 127)
                         : "memory", "cc");
        told((unsigned)m);
        __asm__ volatile(X "lock; btrl %2,%1; setc %0"
                         : "=q"(c), "+m"(*(volatile uint32_t *)words)
                         : "Ir"(i & 31)
                         : "memory");
        told(c);
        __asm__ volatile(X "lock; btsw $3,%0" : "+m"(b16)::"memory");
        told(words[0]), told(words[1]), told(words[2]), told(b16);
    }
}

static void moves(void) {
    uint32_t v;
    u64 q;
    __asm__ volatile(X "movl %1, %0" : "=r"(v) : "m"(b32) : "memory");
    __asm__ volatile(X "movq %1, %0" : "=m"(b64) : "ri"((u64)v + 1) : "memory");
    __asm__ volatile(X "mov 8(%1), %0" : "=r"(q) : "r"(words) : "memory");
    told(v), told(q), told(b64);
    __asm__ volatile(X "movl $7, %0" : "=m"(b32)::"memory");
    __asm__ volatile(X "movb $0, %0" : "=m"(b8)::"memory");
    long i = 2;
    __asm__ volatile(X "lock; addq $3, -8(%0,%1,8)" ::"r"(words), "r"(i) : "memory");
    told(words[1]);
    __asm__ volatile(X "movl $41, %%eax; lock; xaddl %%eax, %0; movl %%eax, %1"
                     : "+m"(b32), "=r"(v)::"eax", "memory");
    told(v);
    __asm__ volatile(X "addl $5, %0" : "+m"(b32)::"cc");
    __asm__ volatile(X "mfence" ::: "memory");
    __asm__ volatile(X "lfence; sfence" ::: "memory");
    __asm__ volatile(X "lock; addl $0,0(%%rsp)" ::: "memory", "cc");
    __asm__ volatile(X "lock; orl $0,-4(%%rsp)" ::: "memory", "cc");
    __asm__ volatile(X "rep; nop" ::: "memory");
    __asm__ volatile(X "pause" ::: "memory");
    __asm__("" : "=r"(v) : "0"(v + 1));
    told(v);
    state();
}

int main(void) {
    arithmetic();
    exchanges();
    compares();
    flags();
    bits();
    moves();
    printf("%u values, hash %llx\n", n, (unsigned long long)hash);
    return 0;
}
