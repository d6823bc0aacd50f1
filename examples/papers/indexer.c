/* examples/papers/indexer.c: N threads put four messages each into one hash table, by
 * compare-and-set and linear probing. From 12 threads on two threads may want one entry.
 *
 * The property: one message of the first thread finds its entry free. With -DRIGHT it is one
 * whose entry nobody else wants; without, the twelfth thread's first message can get there
 * before it (and with fewer than 12 threads it cannot).
 *
 *     indexer-N     -DN=N -DRIGHT
 *     indexer-Na    -DN=N */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 12
#endif
enum { MESSAGES = 4, SIZE = N * MESSAGES > 128 ? 256 : 128 }; /* it must not be full */
#ifdef RIGHT
enum { LOOKED_AT = 1 };
#else
enum { LOOKED_AT = 2 };
#endif

static atomic_int table[SIZE];

static int put(int entry, int message) {
    int nothing = 0;
    return atomic_compare_exchange_strong(&table[entry], &nothing, message);
}

static void *insert(void *arg) {
    int me = *(int *)arg;
    for (int m = 1; m <= MESSAGES; m++) {
        int message = m * 11 + me, entry = message * 7 % SIZE;
        int done = put(entry, message);
        if (me == 1 && m == LOOKED_AT)
            assert(done);
        while (!done) {
            entry = (entry + 1) % SIZE;
            done = put(entry, message);
        }
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int number[N];
    for (int i = 0; i < N; i++) {
        number[i] = i + 1;
        pthread_create(&t[i], NULL, insert, &number[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
