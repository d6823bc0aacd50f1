/* A normal mutex keeps a counter right.
 *
 * EXIT 0
 * T1 (acq m, rel m, ){5}exit
 * T2 (acq m, rel m, ){5}exit
 * T3 (acq m, rel m, ){5}exit
 * OUT 15 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *unused) {
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        int x = counter;
        counter = x + 1;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", counter);
    return counter != 15;
}
