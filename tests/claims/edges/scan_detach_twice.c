//! truth: the assertion fails: a second detach is an error; TRUE is wrong
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static void *f(void *a) {
    sleep(1);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_detach(t);
    assert(pthread_detach(t) == 0);
    return 0;
}
