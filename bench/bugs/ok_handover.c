/* Right: a block is handed from maker to user under a lock with a condition; both use it without the
 * lock, each while it is his. */
#include <pthread.h>
#include <stdlib.h>

static int *block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there = PTHREAD_COND_INITIALIZER;

static void *maker(void *unused) {
    int *b = calloc(2, sizeof *b);
    b[0] = 1;
    b[1] = 2;
    pthread_mutex_lock(&lock);
    block = b;
    pthread_cond_signal(&there);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *user(void *sum) {
    pthread_mutex_lock(&lock);
    while (!block)
        pthread_cond_wait(&there, &lock);
    int *b = block;
    block = NULL;
    pthread_mutex_unlock(&lock);
    b[0] += b[1];
    *(int *)sum = b[0];
    free(b);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int sum;
    pthread_create(&a, NULL, maker, NULL);
    pthread_create(&b, NULL, user, &sum);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum != 3;
}
