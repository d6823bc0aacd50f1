/* A spin lock keeps a counter right; trying it, and unlocking it twice.
 *
 * EXIT 0
 * T0 init l, fork T1, fork T2, join T1, join T2, acq l=1, tryfail l, rel l, lockerr l=2, destroy l
 * T1 (acq l, rel l, ){10}exit
 * T2 (acq l, rel l, ){10}exit */
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t l;
static int counter;

static void *work(void *unused) {
    for (int i = 0; i < 10; i++) {
        pthread_spin_lock(&l);
        counter++;
        pthread_spin_unlock(&l);
    }
    return unused;
}

int main(void) {
    pthread_t t[2];
    pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (pthread_spin_trylock(&l) || pthread_spin_trylock(&l) != EBUSY)
        return 2;
    pthread_spin_unlock(&l);
    pthread_spin_unlock(&l);
    pthread_spin_destroy(&l);
    return counter != 20;
}
