/* Threads that a loop creates, more than the model has: two of those that get far enough race. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
enum { N = 40 };
static int total;
#ifdef RIGHT
static atomic_int hits;
#else
static int hits;
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) {
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    if ((long)p >= 3)
        hits++;
    return p;
}
int main(int argc, char **argv) {
    pthread_t t[N];
    int n = argc > 1 ? atoi(argv[1]) : N;
    for (long i = 0; i < n && i < N; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (long i = 0; i < n && i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
