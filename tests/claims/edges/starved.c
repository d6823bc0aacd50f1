//! truth: ends under every fair schedule; link with a second file: int g(void) { return 4; }
#include <pthread.h>
#include <semaphore.h>
pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER;
sem_t up;
int g(void);
int keep = 1, data;
static void *f(void *a) {
    sem_post(&up);
    g();
    g();
    g();
    g();
    pthread_mutex_lock(&k);
    while (keep) {
        pthread_mutex_unlock(&k);
        pthread_mutex_lock(&d);
        data = g();
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
