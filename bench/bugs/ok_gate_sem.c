/* Right: the gate is a semaphore with one token. */
#include <pthread.h>
#include <semaphore.h>

static sem_t gate;
static pthread_mutex_t in = PTHREAD_MUTEX_INITIALIZER, out = PTHREAD_MUTEX_INITIALIZER;
static int copied;

static void copy(pthread_mutex_t *first, pthread_mutex_t *second) {
    sem_wait(&gate);
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    copied++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    sem_post(&gate);
}

static void *forward(void *unused) {
    copy(&in, &out);
    return unused;
}

static void *backward(void *unused) {
    copy(&out, &in);
    return unused;
}

int main(void) {
    pthread_t a, b;
    sem_init(&gate, 0, 1);
    pthread_create(&a, NULL, forward, NULL);
    pthread_create(&b, NULL, backward, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return copied != 2;
}
