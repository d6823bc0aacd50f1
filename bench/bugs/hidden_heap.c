/* Two workers take blocks from a pool with a lock, and note in the block they got before who had it last. The
 * pool's lock orders them by accident. In the other order: a data race on the note. */
#include <pthread.h>
#include <stdlib.h>

struct block {
    int owner;
};
static struct block *shared;
static int given;
static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER;

static void take_one(void) {
    pthread_mutex_lock(&pool);
    given++;
    pthread_mutex_unlock(&pool);
}

static void *first(void *unused) {
    shared->owner = 1; // bug
    take_one();
    return unused;
}

static void *second(void *unused) {
    take_one();
    shared->owner = 2; // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    shared = calloc(1, sizeof *shared);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(shared);
    return 0;
}
