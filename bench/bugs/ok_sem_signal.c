/* Right: a semaphore says that the result is there, another one that its place is free again. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t full, empty;
static int place, sum;

static void *producer(void *unused) {
    for (int i = 1; i <= 3; i++) {
        sem_wait(&empty);
        place = i;
        sem_post(&full);
    }
    return unused;
}

static void *consumer(void *unused) {
    for (int i = 1; i <= 3; i++) {
        sem_wait(&full);
        sum += place;
        sem_post(&empty);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 1);
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sum == 6);
    return 0;
}
