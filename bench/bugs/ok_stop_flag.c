/* Right: a worker counts until it is told to stop; what it counted is read when it has ended. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_bool stop;
static long counted;

static void *worker(void *unused) {
    do {
        counted++;
        sched_yield();
    } while (!atomic_load(&stop));
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    atomic_store(&stop, 1);
    pthread_join(t, NULL);
    return counted < 1;
}
