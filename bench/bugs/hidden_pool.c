/* A semaphore lets one thread at a time use a connection; a debug name is set outside of it. The semaphore
 * orders the two by accident. In the other order: a data race on the name. */
#include <pthread.h>
#include <semaphore.h>

static sem_t connection;
static int sent;
static const char *phase = "none";

static void *query(void *unused) {
    phase = "query"; // bug
    sem_wait(&connection);
    sent++;
    sem_post(&connection);
    return unused;
}

static void *ping(void *unused) {
    sem_wait(&connection);
    sent++;
    sem_post(&connection);
    phase = "idle"; // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    sem_init(&connection, 0, 1);
    pthread_create(&a, NULL, query, NULL);
    pthread_create(&b, NULL, ping, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
