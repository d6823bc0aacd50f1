// race: UNKNOWN FALSE
// The join fails and does not wait.
#include <pthread.h>
static int x;
static void *f(void *p) {
    x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_detach(t);
    pthread_join(t, 0);
    x = 2;
    return 0;
}
