// race: TRUE
// SIG_IGN runs nothing.
#include <pthread.h>
#include <signal.h>
static int x;
static void *f(void *p) {
    x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    signal(SIGPIPE, SIG_IGN);
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    return x;
}
