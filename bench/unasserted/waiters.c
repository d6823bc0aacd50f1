/* Who waits counts itself again after each wait, from the number that it saw before. Right: counts anew. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int open, seen_open;

static void *enter(void *unused) {
    pthread_mutex_lock(&lock);
    int n = seen_open;
    while (!open)
        pthread_cond_wait(&turn, &lock);
#ifdef RIGHT
    n = seen_open;
#endif
    seen_open = n + 1; // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *unlock_door(void *unused) {
    pthread_mutex_lock(&lock);
    open = 1;
    seen_open += 10;
    pthread_cond_broadcast(&turn);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, enter, NULL);
    pthread_create(&b, NULL, unlock_door, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", seen_open);
    return 0;
}
