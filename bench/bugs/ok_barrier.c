/* Right: each thread writes its own cell, and reads the other's behind a barrier. */
#include <assert.h>
#include <pthread.h>

static int cell[2], next[2];
static pthread_barrier_t step;

static void *worker(void *arg) {
    int me = *(int *)arg;
    cell[me] = me + 1;
    pthread_barrier_wait(&step);
    next[me] = cell[1 - me];
    pthread_barrier_wait(&step);
    cell[me] = next[me];
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int number[2] = {0, 1};
    pthread_barrier_init(&step, NULL, 2);
    pthread_create(&a, NULL, worker, &number[0]);
    pthread_create(&b, NULL, worker, &number[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(cell[0] == 2 && cell[1] == 1);
    return 0;
}
