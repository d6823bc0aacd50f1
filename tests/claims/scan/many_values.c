// race: UNKNOWN FALSE
// With two threads the count never comes to three; with three it does.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count, n;
static void *f(void *arg) {
    pthread_mutex_lock(&m);
    int c = ++count;
    pthread_mutex_unlock(&m);
    if (c >= 3)
        n++;
    return arg;
}
int main(int argc, char **argv) {
    (void)argv;
    pthread_t t;
    for (int i = 0; i < argc; i++)
        pthread_create(&t, 0, f, 0);
    pthread_mutex_lock(&m);
    if (count >= 3)
        n++;
    pthread_mutex_unlock(&m);
    return 0;
}
