/* A variable that is written only behind a branch. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int first;
static int odd;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *unused) {
    first = 1;
    pthread_mutex_lock(&m);
    assert(!odd);
    pthread_mutex_unlock(&m);
    return unused;
}
static void *two(void *unused) {
    if (!first) {
        pthread_mutex_lock(&m);
        odd = 1;
        pthread_mutex_unlock(&m);
    }
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
