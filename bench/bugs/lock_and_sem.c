/* A request is sent and its answer awaited with the connection's lock held; who answers needs that lock
 * to count. Deadlock: the asker has the lock before the answerer has counted. */
#include <pthread.h>
#include <semaphore.h>

static sem_t answers;
static int asked, answered;
static pthread_mutex_t connection = PTHREAD_MUTEX_INITIALIZER;

static void *answerer(void *unused) {
    pthread_mutex_lock(&connection); // bug
    answered++;
    pthread_mutex_unlock(&connection);
    sem_post(&answers);
    return unused;
}

static void *asker(void *unused) {
    pthread_mutex_lock(&connection);
    asked++;
    sem_wait(&answers); // bug
    pthread_mutex_unlock(&connection);
    return unused;
}

int main(void) {
    pthread_t a, b;
    sem_init(&answers, 0, 0);
    pthread_create(&a, NULL, answerer, NULL);
    pthread_create(&b, NULL, asker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
