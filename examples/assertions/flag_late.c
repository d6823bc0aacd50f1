/* A lock made of two flags: looking at the other's flag before raising the own one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];
#ifdef RIGHT
static atomic_int turn;
#endif
static int inside;

static void *enter(void *arg) {
    int me = *(int *)arg;
#ifdef RIGHT
    wants[me] = 1;
    turn = 1 - me;
    while (wants[1 - me] && turn != me)
        ;
#else
    while (wants[1 - me])
        ;
    wants[me] = 1;
#endif
    inside++;
    assert(inside == 1);
    inside--;
    wants[me] = 0;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int number[2] = {0, 1};
    pthread_create(&a, NULL, enter, &number[0]);
    pthread_create(&b, NULL, enter, &number[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
