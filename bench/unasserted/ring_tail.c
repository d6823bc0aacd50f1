/* A place in the ring is taken in one section and the tail moved on in another: two items get one place. Right: both in
 * one section. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int slot[8];
static unsigned tail;

static void *put(void *item) {
    pthread_mutex_lock(&lock);
    unsigned at = tail;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    slot[at % 8] = *(int *)item;
    tail = at + 1; // bug
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int x = 11, y = 22;
    pthread_create(&a, NULL, put, &x);
    pthread_create(&b, NULL, put, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%u items\n", tail);
    return 0;
}
