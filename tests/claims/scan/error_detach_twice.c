// assert: UNKNOWN FALSE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static void *f(void *p) {
    sleep(1);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_detach(t);
    assert(pthread_detach(t) == 0);
    return 0;
}
