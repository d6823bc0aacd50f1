/* A pool of two buffers; a job needs two and takes them one by one. Deadlock: two jobs have one buffer
 * each. */
#include <pthread.h>
#include <semaphore.h>

static sem_t buffers;
static int jobs_done[2];

static void *job(void *arg) {
    sem_wait(&buffers);
    sem_wait(&buffers); // bug
    (*(int *)arg)++;
    sem_post(&buffers);
    sem_post(&buffers);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    sem_init(&buffers, 0, 2);
    pthread_create(&a, NULL, job, &jobs_done[0]);
    pthread_create(&b, NULL, job, &jobs_done[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
