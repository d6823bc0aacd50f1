/* Readers see both halves or none.
 *
 * EXIT 0
 * T0 fork T1, fork T2, fork T3, join T1, join T2, join T3
 * T1 (wracq l, rel l, ){4}exit
 * T2 (rdacq l, rel l, ){4}exit
 * T3 (rdacq l, rel l, ){4}exit */
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x, y, bad;

static void *writes(void *unused) {
    for (int i = 0; i < 4; i++) {
        pthread_rwlock_wrlock(&l);
        x++;
        y++;
        pthread_rwlock_unlock(&l);
    }
    return unused;
}

static void *reads(void *unused) {
    for (int i = 0; i < 4; i++) {
        pthread_rwlock_rdlock(&l);
        if (x != y)
            bad = 1;
        pthread_rwlock_unlock(&l);
    }
    return unused;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, writes, NULL);
    pthread_create(&t[1], NULL, reads, NULL);
    pthread_create(&t[2], NULL, reads, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return bad;
}
