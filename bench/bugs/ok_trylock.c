/* Right: both orders of two locks, but the second one is only tried; who does not get it gives the
 * first one back. */
#include <pthread.h>

static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER, yours = PTHREAD_MUTEX_INITIALIZER;
static int swapped, put_off[2];

static void *give(void *unused) {
    pthread_mutex_lock(&mine);
    if (pthread_mutex_trylock(&yours) == 0) {
        swapped++;
        pthread_mutex_unlock(&yours);
    } else {
        put_off[0]++;
    }
    pthread_mutex_unlock(&mine);
    return unused;
}

static void *take(void *unused) {
    pthread_mutex_lock(&yours);
    if (pthread_mutex_trylock(&mine) == 0) {
        swapped++;
        pthread_mutex_unlock(&mine);
    } else {
        put_off[1]++;
    }
    pthread_mutex_unlock(&yours);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, give, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return swapped + put_off[0] + put_off[1] != 2;
}
