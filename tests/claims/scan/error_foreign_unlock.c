// race: UNKNOWN FALSE
// A plain mutex does not care who gives it back.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *f(void *p) {
    pthread_mutex_unlock(&m);
    x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, f, 0);
    x = 2;
    pthread_join(t, 0);
    return 0;
}
