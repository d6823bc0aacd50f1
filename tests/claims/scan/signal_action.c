// assert: UNKNOWN FALSE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile int g;
static void h(int s) {
    g = s;
}
static void *f(void *p) {
    assert(g == 0);
    return p;
}
int main(void) {
    pthread_t t;
    struct sigaction a = {.sa_handler = h};
    sigaction(SIGALRM, &a, 0);
    alarm(1);
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    return 0;
}
