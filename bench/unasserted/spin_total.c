/* The spin lock is let go between reading and writing. Right: it is not. */
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static int total;

static void *add(void *n) {
    pthread_spin_lock(&lock);
    int sum = total + *(int *)n;
#ifndef RIGHT
    pthread_spin_unlock(&lock);
    pthread_spin_lock(&lock);
#endif
    total = sum; // bug
    pthread_spin_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int x = 4, y = 9;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, add, &x);
    pthread_create(&b, NULL, add, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("total %d\n", total);
    return 0;
}
