/* bench/programs/counter.c: threads that do little else than take a mutex.
 * counter [THREADS [ROUNDS]]: prints THREADS * ROUNDS. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter, rounds = 500000;

static void *worker(void *arg) {
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 4;
    if (argc > 2)
        rounds = atol(argv[2]);
    pthread_t t[64];
    if (threads < 1 || threads > 64)
        return 2;
    for (int i = 0; i < threads; i++)
        if (pthread_create(&t[i], NULL, worker, NULL))
            return 3;
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", counter);
    return counter == threads * rounds ? 0 : 1;
}
