/* A semaphore that is to let one thread in lets two in. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t room;
static long counter;

static void *count(void *unused) {
    sem_wait(&room);
    counter += 3;
    sem_post(&room);
    return unused;
}

int main(void) {
    pthread_t a, b;
#ifdef RIGHT
    sem_init(&room, 0, 1);
#else
    sem_init(&room, 0, 2);
#endif
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 6);
    return 0;
}
