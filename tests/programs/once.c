/* pthread_once by three threads: the routine runs once and is finished for all.
 *
 * EXIT 0
 * T1 (acq m, rel m, )?once once, exit
 * T2 (acq m, rel m, )?once once, exit
 * T3 (acq m, rel m, )?once once, exit */
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int runs, done, bad;

static void init(void) {
    runs++;
    pthread_mutex_lock(&m); /* the others may run here, and must wait */
    pthread_mutex_unlock(&m);
    done = 1;
}

static void *work(void *unused) {
    pthread_once(&once, init);
    if (!done)
        bad = 1;
    return unused;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return bad || runs != 1;
}
