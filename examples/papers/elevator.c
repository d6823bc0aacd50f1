/* examples/papers/elevator.c: two lifts answer the calls of a house, one after the other.
 *
 * The bug: a lift looks for the next call in one critical section and takes it in another: two
 * lifts can go to the same floor. With -DRIGHT looking and taking are one section. -DCALLS=K: so many calls a
 * lift, for runs as long as the papers'. */
#include <assert.h>
#include <pthread.h>

#ifndef CALLS
#define CALLS 2
#endif
enum { LIFTS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_floor = 1; /* whose call is the next to be answered */
static int went_to[LIFTS][CALLS];

static void *lift(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < CALLS; i++) {
        pthread_mutex_lock(&lock);
        int floor = next_floor;
#ifndef RIGHT
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#endif
        next_floor = floor + 1;
        pthread_mutex_unlock(&lock);
        went_to[me][i] = floor;
    }
    return NULL;
}

int main(void) {
    pthread_t t[LIFTS];
    int number[LIFTS];
    for (int i = 0; i < LIFTS; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, lift, &number[i]);
    }
    for (int i = 0; i < LIFTS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < CALLS; i++)
        for (int j = 0; j < CALLS; j++)
            assert(went_to[0][i] != went_to[1][j]);
    return 0;
}
