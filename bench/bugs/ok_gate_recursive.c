/* Right: the gate is a recursive mutex that an outer function holds already; the inner one, which takes
 * the two locks in its own order, takes it again. */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t tree = PTHREAD_MUTEX_INITIALIZER, heap = PTHREAD_MUTEX_INITIALIZER;
static int nodes;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    nodes++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    pthread_mutex_unlock(&gate);
}

static void *insert(void *unused) {
    pthread_mutex_lock(&gate);
    both(&tree, &heap);
    pthread_mutex_unlock(&gate);
    return unused;
}

static void *collect(void *unused) {
    both(&heap, &tree);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, insert, NULL);
    pthread_create(&b, NULL, collect, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return nodes != 2;
}
