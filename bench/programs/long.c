/* bench/programs/long.c: a long run of which little is distinct: threads that count, read what others count and meet
 * at a mutex now and then. The first thing and the last that they do are races.
 * long [THREADS [ROUNDS]]: prints a sum; ten events a round of two threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 64, EVERY = 1 << 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long cell[CELLS], total, rounds = 1000000, first, last;

static void *worker(void *arg) {
    long me = (long)arg, sum = 0;
    first = me;
    for (long i = 0; i < rounds; i++) {
        cell[me]++;
        sum += cell[(me + 1) % 2 + 2] + (cell[i % CELLS & ~3] != 0);
        if (i % EVERY == EVERY - 1) {
            pthread_mutex_lock(&lock);
            total += sum;
            pthread_mutex_unlock(&lock);
            sum = 0;
        }
    }
    last = me;
    return NULL;
}

int main(int argc, char **argv) {
    long threads = argc > 1 ? atol(argv[1]) : 2;
    if (argc > 2)
        rounds = atol(argv[2]);
    pthread_t t[CELLS];
    if (threads < 1 || threads > CELLS)
        return 2;
    for (long i = 0; i < threads; i++)
        if (pthread_create(&t[i], NULL, worker, (void *)i))
            return 3;
    for (long i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    printf("%s\n", total >= 0 && cell[0] == rounds ? "done" : "wrong");
    return 0;
}
