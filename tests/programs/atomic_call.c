/* Atomics that are calls: 16 bytes, an odd size, and the sized ones by name.
 *
 * EXIT 0
 * SHOWS T1 .* rmw +word .* 1$
 * SHOWS T0 .* ar +word
 * SHOWS T0 .* aw +word .* 40$
 * OUT 40 40 40 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct odd {
    long a, b, c; /* no padding: a compare would see it */
};
static _Atomic struct odd odd;
static _Atomic __int128 wide;
static unsigned long word;
/* Called by name, as compilers do where they do not know the alignment. */
unsigned long fetch_add_8(volatile void *p, unsigned long v,
                          int order) __asm__("__atomic_fetch_add_8");
_Bool compare_8(volatile void *p, void *e, unsigned long d, int y,
                int n) __asm__("__atomic_compare_exchange_8");
unsigned long load_8(const volatile void *p, int order) __asm__("__atomic_load_8");
void store_8(volatile void *p, unsigned long v, int order) __asm__("__atomic_store_8");
unsigned long exchange_8(volatile void *p, unsigned long v,
                         int order) __asm__("__atomic_exchange_8");

static void *work(void *unused) {
    for (int i = 0; i < 20; i++) {
        struct odd was = odd, now;
        do {
            now = was;
            now.a++;
            now.c--;
        } while (!__c11_atomic_compare_exchange_strong(&odd, &was, now, 5, 5));
        __int128 w = wide;
        while (!__c11_atomic_compare_exchange_strong(&wide, &w, w + 1, 5, 5))
            ;
        fetch_add_8(&word, 1, 5);
    }
    return unused;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    struct odd o = odd;
    unsigned long e = 41;
    if (compare_8(&word, &e, 7, 5, 5) || e != 40)
        return 1;
    if (exchange_8(&word, 1, 5) != 40 || load_8(&word, 5) != 1)
        return 2;
    store_8(&word, 40, 5);
    printf("%ld %d %lu\n", o.a, (int)wide, word);
    return o.c != -40;
}
