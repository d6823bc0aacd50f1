/* A sum in floating point that depends on the order. */
#include <assert.h>
#include <pthread.h>
static double sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *adds(void *what) {
    pthread_mutex_lock(&m);
    sum = sum / 3 + *(double *)what;
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void) {
    pthread_t a, b;
    double x[2] = {1, 5};
    pthread_create(&a, NULL, adds, &x[0]);
    pthread_create(&b, NULL, adds, &x[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sum > 3);
    return 0;
}
