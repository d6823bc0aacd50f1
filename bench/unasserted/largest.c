/* The larger one is chosen without a branch, of a value that may be old. Right: chosen under the lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int largest = 1;

static void *offer(void *n) {
    int mine = *(int *)n;
    pthread_mutex_lock(&lock);
    int now = largest;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    int bits = -(now < mine);
    largest = (mine & bits) | (now & ~bits); // bug
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int x = 7, y = 40;
    pthread_create(&a, NULL, offer, &x);
    pthread_create(&b, NULL, offer, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("largest %d\n", largest);
    return 0;
}
