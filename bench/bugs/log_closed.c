/* The log is closed when the main work is done, though a helper may still have something to say. No
 * data race: the log has a lock. */
#include <assert.h>
#include <pthread.h>

static int is_open = 1, lines;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void say(void) {
    pthread_mutex_lock(&lock);
    assert(is_open); // bug
    lines++;
    pthread_mutex_unlock(&lock);
}

static void *helper(void *unused) {
    say();
    return unused;
}

static void *work(void *unused) {
    say();
    pthread_mutex_lock(&lock);
    is_open = 0; // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, helper, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
