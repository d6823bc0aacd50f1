/* Accesses that nothing predicts, for a stream longer than the ring; prints what it read. */
#include "hook.h"

static uint32_t cell[1 << 16];

int main(int argc, char **argv) {
    __augur_enter(&site[0]);
    long n = argc > 1 ? atol(argv[1]) : 1000;
    uint64_t x = 88172645463325252u, sum = 0;
    for (long i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        uint32_t v = (uint32_t)(x >> 32);
        ST(1, cell[x & 0xffff], v);
        sum += LD(2, cell[x >> 16 & 0xffff]);
        if (x % 3 == 0)
            cell[x >> 32 & 0xffff] ^= 1; /* behind the hooks' back */
    }
    __augur_leave(&site[3]);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
