/* A semaphore as lock, taken twice for one change. Right: once. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t gate;
static int quota = 50;

static void *use(void *n) {
    sem_wait(&gate);
    int left = quota - *(int *)n;
#ifndef RIGHT
    sem_post(&gate);
    sem_wait(&gate);
#endif
    quota = left; // bug
    sem_post(&gate);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int x = 20, y = 5;
    sem_init(&gate, 0, 1);
    pthread_create(&a, NULL, use, &x);
    pthread_create(&b, NULL, use, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("quota %d\n", quota);
    return 0;
}
