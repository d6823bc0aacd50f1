/* A thread that looks again and again: there is no last time. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int flag;
static void *waits(void *unused) {
    int looked = 0;
    while (!flag) {
        looked++;
        sched_yield();
    }
    assert(looked != 4);
    return unused;
}
static void *sets(void *unused) {
    flag = 1;
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, sets, NULL);
    pthread_create(&a, NULL, waits, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
