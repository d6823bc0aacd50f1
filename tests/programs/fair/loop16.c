/* A round of the thread's loop has 16 events and divides a time slice: where it ends once, it always ends. */
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER;
static sem_t up;
static int keep = 1, data;
static void *f(void *a) {
    sem_post(&up);
    pthread_mutex_lock(&k);
    while (keep) {
        pthread_mutex_unlock(&k);
        pthread_mutex_lock(&d);
        data = 4;
        data = 5;
        pthread_mutex_unlock(&d);
        pthread_mutex_lock(&k);
    }
    pthread_mutex_unlock(&k);
    return 0;
}
int main(void) {
    pthread_t t;
    sem_init(&up, 0, 0);
    pthread_create(&t, 0, f, 0);
    sem_wait(&up);
    pthread_mutex_lock(&k);
    keep = 0;
    pthread_mutex_unlock(&k);
    pthread_join(t, 0);
    return 0;
}
