/* A thread is cancelled before or after it has counted. */
#include <assert.h>
#include <pthread.h>
static int counted;
static void *counts(void *unused) {
    pthread_testcancel();
    counted = 1;
    return unused;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, counts, NULL);
    pthread_cancel(a);
    pthread_join(a, NULL);
    assert(!counted);
    return 0;
}
