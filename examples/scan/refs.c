/* An object with references: the last one to give his back takes it down, whoever comes then makes it anew.
 * Both do so after the lock was given back, so an object can be taken down while it is made. */
#include <pthread.h>
#include <stdlib.h>

#define FIRST 12 /* references that the owner has to begin with */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int refs = FIRST;
static int content;

static void ref_put(void) {
    pthread_mutex_lock(&lock);
    int left = --refs;
    pthread_mutex_unlock(&lock);
    if (left == 0)
        content = 0; // race: real content
}

static void ref_get(void) {
    pthread_mutex_lock(&lock);
    int fresh = refs == 0;
    refs = refs + 1;
    pthread_mutex_unlock(&lock);
    if (fresh)
        content = 7; // race: real content
}

static void *owns(void *unused) {
    for (int i = 0; i < FIRST; i++)
        ref_put();
    return unused;
}
static void *uses(void *rounds) {
    for (long i = (long)rounds; i > 0; i--) {
        ref_get();
        ref_put();
    }
    return NULL;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 3);
    pthread_t a, b;
    pthread_create(&a, NULL, owns, NULL);
    pthread_create(&b, NULL, uses, rounds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
