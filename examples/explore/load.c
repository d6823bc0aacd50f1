/* A load average in floating point. What comes when it is high is turned away, and
 * counted as if it had been served. The load gets so high in one order of the four only. */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 4 };
static double load;
static int served, away;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *request(void *arg) {
    pthread_mutex_lock(&lock);
    load = load * 0.5 + *(double *)arg;
    if (load > 10.6) {
        load = load - *(double *)arg;
        away++;
#ifndef RIGHT
        served++;
#endif
    } else {
        served++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t[THREADS];
    double weight[THREADS] = {8.0, 4.0, 2.0, 1.0};
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, request, &weight[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert(served + away == THREADS);
    return 0;
}
