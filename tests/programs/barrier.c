/* Three rounds of a barrier; one serial thread a round.
 *
 * EXIT 0
 * T0 init b, fork T1, fork T2, fork T3, join T1, join T2, join T3, destroy b
 * T1 (arrive b, leave b, ){3}exit
 * T2 (arrive b, leave b, ){3}exit
 * T3 (arrive b, leave b, ){3}exit */
#include <pthread.h>

static pthread_barrier_t b;
static int serial, step[3], bad;

static void *work(void *number) {
    int me = *(int *)number;
    for (int i = 0; i < 3; i++) {
        step[me] = i;
        int e = pthread_barrier_wait(&b);
        if (e == PTHREAD_BARRIER_SERIAL_THREAD)
            __atomic_add_fetch(&serial, 1, __ATOMIC_SEQ_CST);
        else if (e)
            bad = 1;
        for (int k = 0; k < 3; k++)
            if (step[k] < i)
                bad = 1;
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int number[3] = {0, 1, 2};
    pthread_barrier_init(&b, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &number[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return bad || serial != 3 || pthread_barrier_destroy(&b);
}
