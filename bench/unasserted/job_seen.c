/* What was read travels through a job on the heap to another function. Right: the job carries the difference. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    long value;
    struct job *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total = 5;

static struct job *plan(long amount) {
    struct job *j = malloc(sizeof *j);
    pthread_mutex_lock(&lock);
#ifdef RIGHT
    j->value = amount;
#else
    j->value = total + amount;
#endif
    pthread_mutex_unlock(&lock);
    j->next = NULL;
    return j;
}

static void finish(struct job *j) {
    pthread_mutex_lock(&lock);
#ifdef RIGHT
    total += j->value;
#else
    total = j->value; // bug
#endif
    pthread_mutex_unlock(&lock);
    free(j);
}

static void *work(void *amount) {
    finish(plan(*(long *)amount));
    return NULL;
}

int main(void) {
    pthread_t a, b;
    long one = 1, seven = 7;
    pthread_create(&a, NULL, work, &one);
    pthread_create(&b, NULL, work, &seven);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("total %ld\n", total);
    return 0;
}
