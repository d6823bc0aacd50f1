/* The flag is set and signalled without the lock. Lost wake-up: the waiter has seen that the flag is
 * not set, the other one sets it and signals, and only then the waiter begins to wait. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_loaded = PTHREAD_COND_INITIALIZER;

static void *loader(void *unused) {
    loaded = 1;
    pthread_cond_signal(&is_loaded); // bug
    return unused;
}

static void *user(void *unused) {
    pthread_mutex_lock(&lock);
    while (!loaded)
        pthread_cond_wait(&is_loaded, &lock); // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, user, NULL);
    pthread_create(&a, NULL, loader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
