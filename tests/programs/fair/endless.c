/* endless HOW: threads that never end: they work, sleep, compute without an event, or main waits for input. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static int count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *a) {
    for (;;) {
        count++;
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
static void *sleeps(void *a) {
    for (;;) {
        count++;
        usleep(10000);
    }
    return 0;
}
static void *computes(void *a) {
    volatile long x = 0;
    count++;
    for (;;)
        x++;
    return 0;
}
int main(int argc, char **argv) {
    pthread_t t, u;
    char c;
    void *(*f)(void *) = !strcmp(argv[1], "work")      ? work
                         : !strcmp(argv[1], "compute") ? computes
                                                       : sleeps;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    if (!strcmp(argv[1], "input"))
        read(0, &c, 1);
    pthread_join(t, 0);
    return 0;
}
