// race: TRUE
#include <pthread.h>
static int x;
static void *g(void *p) {
    x = 1;
    return p;
}
static void *f(void *p) {
    pthread_t t;
    pthread_create(&t, 0, g, 0);
    pthread_join(t, 0);
    x = 2;
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    x = 3;
    return 0;
}
