/* The program ends while a detached thread still has something to do. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static int done;
static void *works(void *unused) {
    sem_post(&s);
    done = 1;
    return unused;
}
int main(void) {
    pthread_t a;
    sem_init(&s, 0, 0);
    pthread_create(&a, NULL, works, NULL);
    pthread_detach(a);
    sem_wait(&s);
    assert(done);
    return 0;
}
