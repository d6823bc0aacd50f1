/* Threads that are created in a loop: any two of them race. */
#include <pthread.h>
#include <stdatomic.h>

static int total;
#ifdef RIGHT
static atomic_int hits;
#else
static int hits;
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *p) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        total++;
        pthread_mutex_unlock(&m);
        hits++;
    }
    return p;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
