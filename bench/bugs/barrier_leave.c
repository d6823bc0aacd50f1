/* Two workers meet at a barrier at the end of a round; one that finds nothing to do leaves. Deadlock: the
 * helper has announced himself, so the first worker takes both items; the helper finds none and
 * leaves, and nobody else comes to the barrier. */
#include <pthread.h>

static int left = 2, helpers, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_end;

static void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    int items = helpers > 0 ? left : 1; // bug
    left -= items;
    done += items;
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&round_end); // bug
    return unused;
}

static void *helper(void *unused) {
    pthread_mutex_lock(&lock);
    helpers++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    int items = left;
    left = 0;
    done += items;
    pthread_mutex_unlock(&lock);
    if (items)
        pthread_barrier_wait(&round_end); // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&round_end, NULL, 2);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, helper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
