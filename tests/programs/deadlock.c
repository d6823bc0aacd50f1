/* Two locks in two orders, each thread with one of them before the other is wanted.
 *
 * ONLY recorded
 * ENDS deadlock
 * EXIT 1
 * T1 acq a, arrive both, leave both
 * T2 acq b, arrive both, leave both */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *first(void *unused) {
    pthread_mutex_lock(&a);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&b);
    return unused;
}
static void *second(void *unused) {
    pthread_mutex_lock(&b);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&a);
    return unused;
}

int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    return 0;
}
