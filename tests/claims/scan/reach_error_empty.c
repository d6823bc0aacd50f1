// assert: FALSE
// The name says what it means, whatever its body does.
#include <pthread.h>
void reach_error(void) {
}
static int x;
static void *f(void *p) {
    x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    if (x == 1)
        reach_error();
    pthread_join(t, 0);
    return 0;
}
