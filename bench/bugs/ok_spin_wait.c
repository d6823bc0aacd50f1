/* Right: waiting for an atomic flag in a loop, then using what it stands for. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready;
static int answer[2];

static void *compute(void *unused) {
    answer[0] = 6;
    answer[1] = 7;
    atomic_store(&ready, 1);
    return unused;
}

static void *use(void *product) {
    while (!atomic_load(&ready))
        sched_yield();
    *(int *)product = answer[0] * answer[1];
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int product;
    pthread_create(&a, NULL, compute, NULL);
    pthread_create(&b, NULL, use, &product);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return product != 42;
}
