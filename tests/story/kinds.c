/* A use after free through two fields, and a wake-up that comes too early. With -DRIGHT, neither. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int id, state;
};
static struct job *job;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int items;

static void *worker(void *p) {
    if (job->state == 0)
        printf("job %d\n", job->id);
    return p;
}

static void *consumer(void *p) {
    pthread_mutex_lock(&lock);
#ifdef RIGHT
    while (!items)
#endif
        pthread_cond_wait(&not_empty, &lock);
    pthread_mutex_unlock(&lock);
    return p;
}

static void *producer(void *p) {
    pthread_mutex_lock(&lock);
    items = 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
    return p;
}

int main(void) {
    pthread_t w, c, q;
    job = malloc(sizeof *job);
    job->id = 7;
    job->state = 0;
    pthread_create(&w, NULL, worker, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_create(&q, NULL, producer, NULL);
#ifdef RIGHT
    pthread_join(w, NULL);
    free(job);
#else
    free(job);
    pthread_join(w, NULL);
#endif
    pthread_join(c, NULL);
    pthread_join(q, NULL);
    return 0;
}
