/* Who runs what is to be run once. */
#include <assert.h>
#include <pthread.h>
static pthread_once_t o = PTHREAD_ONCE_INIT;
static _Thread_local int me;
static int who;
static void init(void) {
    who = me;
}
static void *runs(void *arg) {
    me = *(int *)arg;
    pthread_once(&o, init);
    return NULL;
}
int main(void) {
    pthread_t a, b;
    int number[2] = {1, 2};
    pthread_create(&a, NULL, runs, &number[0]);
    pthread_create(&b, NULL, runs, &number[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(who == 1);
    return 0;
}
