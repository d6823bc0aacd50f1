/* Two readers of a ring take the head in one section and move it in the next: one element is taken twice. Right: one section. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int ring[8] = {11, 22, 33, 44}, head, tail = 4, sum;

static void *take(void *unused) {
    pthread_mutex_lock(&lock);
    int at = head;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (at < tail) {
        sum += ring[at % 8];
        head = at + 1; // bug
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("sum %d, %d left\n", sum, tail - head);
    return 0;
}
