/* A player can be paused, resumed and stopped. 'Resume' looks at nothing: if it comes after 'stop', the
 * player that is about to be torn down plays again. No data race. */
#include <assert.h>
#include <pthread.h>

static enum { PLAYING, PAUSED, STOPPED } state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set(int to) {
    pthread_mutex_lock(&lock);
    state = to; // bug
    pthread_mutex_unlock(&lock);
}

static void *user(void *unused) {
    set(PAUSED);
    set(PLAYING);
    return unused;
}

static void *end_of_song(void *unused) {
    set(STOPPED);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, end_of_song, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(state == STOPPED);
    return 0;
}
