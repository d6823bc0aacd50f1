/* One thread is told that it was the last at the barrier. */
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t b;
static int serial[2];
static void *arrives(void *to) {
    *(int *)to = pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD;
    return NULL;
}
int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&b, NULL, 2);
    pthread_create(&t[0], NULL, arrives, &serial[0]);
    pthread_create(&t[1], NULL, arrives, &serial[1]);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(serial[1]);
    return 0;
}
