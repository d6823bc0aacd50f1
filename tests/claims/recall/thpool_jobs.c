// Some jobs for a pool of C-Thread-Pool (its source is compiled in), two before and two after a pause. A thread that
// hears of the pause after the pool was resumed would hold for ever: the pool is resumed until it is gone.
#include "thpool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static int done;
static atomic_int gone;

static void job(void *arg) {
    (void)arg;
    done++; // unordered
}

static void *resume(void *pool) {
    while (!atomic_load_explicit(&gone, memory_order_relaxed)) {
        thpool_resume(pool); // does not look at the pool
        usleep(100000);
    }
    return NULL;
}

int main(void) {
    pthread_t resumer;
    threadpool pool = thpool_init(2);
    for (int k = 0; k < 2; k++)
        thpool_add_work(pool, job, NULL);
    thpool_wait(pool);
    thpool_pause(pool);
    pthread_create(&resumer, NULL, resume, pool);
    for (int k = 0; k < 2; k++)
        thpool_add_work(pool, job, NULL);
    thpool_wait(pool);
    thpool_destroy(pool);
    atomic_store_explicit(&gone, 1, memory_order_relaxed);
    pthread_join(resumer, NULL);
    printf("%d jobs\n", done);
    return 0;
}
