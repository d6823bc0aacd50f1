// assert: UNKNOWN FALSE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void *f(void *p) {
    sem_wait(&s);
    return p;
}
int main(void) {
    pthread_t t;
    sem_init(&s, 0, 1);
    pthread_create(&t, 0, f, 0);
    assert(sem_trywait(&s) == 0);
    sem_post(&s);
    pthread_join(t, 0);
    return 0;
}
