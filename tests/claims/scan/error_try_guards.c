// race: TRUE
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *f(void *p) {
    if (pthread_mutex_trylock(&m) == 0) {
        x++;
        pthread_mutex_unlock(&m);
    }
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    f(0);
    pthread_join(t, 0);
    return 0;
}
