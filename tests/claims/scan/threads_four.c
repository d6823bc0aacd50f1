// race: TRUE
// assert: TRUE
// Four threads are told apart.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *f(void *p) {
    pthread_mutex_lock(&m);
    n++;
    assert(n < 5);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}
