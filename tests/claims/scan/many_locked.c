// race: TRUE
// Any number of threads, and every pair of them has the lock: two of each kind are enough to see that.
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *f(void *arg) {
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(int argc, char **argv) {
    (void)argv;
    pthread_t t;
    for (int i = 0; i < argc; i++)
        pthread_create(&t, NULL, f, NULL);
    return 0;
}
