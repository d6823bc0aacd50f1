// assert: UNKNOWN FALSE
// race: TRUE UNKNOWN
// Only the third thread of the loop is too many.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *f(void *p) {
    pthread_mutex_lock(&m);
    n++;
    assert(n < 60);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t[60];
    for (int i = 0; i < 60; i++)
        pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 60; i++)
        pthread_join(t[i], 0);
    return 0;
}
