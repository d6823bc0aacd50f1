/* A vector grows by moving to a new block. A reader keeps the old block's address over the lock: it reads
 * what was freed. */
#include <pthread.h>
#include <stdlib.h>

static int *items, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *append(void *unused) {
    pthread_mutex_lock(&lock);
    int *larger = calloc((size_t)count + 1, sizeof *larger);
    for (int i = 0; i < count; i++)
        larger[i] = items[i];
    larger[count++] = 9;
    free(items); // bug
    items = larger;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *print_first(void *first) {
    pthread_mutex_lock(&lock);
    const int *p = items;
    pthread_mutex_unlock(&lock);
    *(int *)first = p[0]; // bug
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int first = 0;
    items = calloc(1, sizeof *items);
    items[0] = 4;
    count = 1;
    pthread_create(&a, NULL, print_first, &first);
    pthread_create(&b, NULL, append, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(items);
    return first != 4;
}
