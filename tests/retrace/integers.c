// Integers of every width, signed and not, shifts, divisions, bit fields, intrinsics.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct bits {
    unsigned a : 3, b : 7;
    signed c : 5;
    uint64_t d : 37;
    int8_t e;
} __attribute__((packed));

union both {
    uint64_t whole;
    uint32_t half[2];
    uint8_t byte[8];
};

volatile int64_t sink[64];
struct bits shared;
union both u;
int8_t i8 = -5;
int16_t i16 = -300;
int32_t i32 = -70000;
int64_t i64 = -5000000000;
unsigned _BitInt(24) b24 = 0xabcdef;
_BitInt(40) b40 = -12345678901;
unsigned __int128 wide = 7;

static void *worker(void *p) {
    int n = *(int *)p;
    for (int i = 1; i <= n; i++) {
        sink[0] += i8 / i + i16 % i + (i32 >> i) + (int64_t)((uint64_t)i64 >> i);
        sink[1] ^= (int64_t)__builtin_popcountll((uint64_t)i64) * __builtin_clz((unsigned)i) +
                   __builtin_ctz((unsigned)i) + (int64_t)__builtin_bswap32((uint32_t)i32);
        shared.a += (unsigned)i;
        shared.b = (unsigned)(shared.a * 5u) & 127;
        shared.c -= 3;
        shared.d = shared.d * 31 + (uint64_t)i;
        shared.e = (int8_t)(shared.e + i8);
        u.whole = u.whole * 6364136223846793005u + 1442695040888963407u;
        sink[2] += u.half[1] ^ u.byte[i & 7];
        b24 = b24 * 3 + 1;
        b40 = b40 / 3 - i;
        wide = wide * 1000003u + (unsigned)i;
        sink[3] += (int64_t)(wide >> 64) + (int64_t)(wide % 1000007u);
        int r;
        sink[4] += __builtin_mul_overflow(i32, i, &r) ? -1 : r;
        int64_t l;
        sink[5] += __builtin_add_overflow(i64, (int64_t)i << 60, &l) ? 1 : l;
        sink[6] += (uint8_t)__builtin_rotateleft8((uint8_t)i8, (uint8_t)i);
        sink[7] += (int64_t)b24 + (int64_t)b40;
        float f = (float)i / 3;
        uint32_t as;
        memcpy(&as, &f, 4);
        sink[8] += as;
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int n[2] = {9, 11};
    memset(&shared, 0, sizeof shared);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &n[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 9; i++)
        printf("%lld ", (long long)sink[i]);
    printf("%u\n", shared.b);
    return 0;
}
