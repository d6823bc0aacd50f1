/* A signal's handler, and what it sees. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
static atomic_int x, seen;
static void handles(int unused) {
    (void)unused;
    seen = x;
}
static void *works(void *unused) {
    x = 1;
    x = 2;
    return unused;
}
int main(void) {
    pthread_t a;
    signal(SIGUSR1, handles);
    pthread_create(&a, NULL, works, NULL);
    pthread_kill(a, SIGUSR1);
    pthread_join(a, NULL);
    assert(seen != 1);
    return 0;
}
