/* Right: a semaphore with one token used as a lock. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t token;
static int counter;

static void *count(void *unused) {
    for (int i = 0; i < 2; i++) {
        sem_wait(&token);
        counter++;
        sem_post(&token);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    sem_init(&token, 0, 1);
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 4);
    return 0;
}
