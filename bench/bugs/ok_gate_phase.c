/* Right: both orders of two locks in two phases that a barrier divides. */
#include <pthread.h>

static pthread_barrier_t phase;
static pthread_mutex_t rows = PTHREAD_MUTEX_INITIALIZER, columns = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void add(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    sum++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *early(void *unused) {
    add(&rows, &columns);
    pthread_barrier_wait(&phase);
    return unused;
}

static void *late(void *unused) {
    pthread_barrier_wait(&phase);
    add(&columns, &rows);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&phase, NULL, 2);
    pthread_create(&a, NULL, early, NULL);
    pthread_create(&b, NULL, late, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum != 2;
}
