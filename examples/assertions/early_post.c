/* A semaphore says "finished" before the result is written. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t finished;
static signed char result;

static void *work(void *unused) {
#ifdef RIGHT
    result = -7;
    sem_post(&finished);
#else
    sem_post(&finished);
    result = -7;
#endif
    return unused;
}

int main(void) {
    pthread_t a;
    sem_init(&finished, 0, 0);
    pthread_create(&a, NULL, work, NULL);
    sem_wait(&finished);
    assert(result < 0);
    pthread_join(a, NULL);
    return 0;
}
