// race: UNKNOWN FALSE
#include <pthread.h>
static int x;
static void *f(void *p) {
    long d = (long)p;
    pthread_t t;
    if (d == 0) {
        x++;
        return 0;
    }
    pthread_create(&t, 0, f, (void *)(d - 1));
    if (d == 4)
        x++;
    pthread_join(t, 0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, (void *)4L);
    pthread_join(t, 0);
    return 0;
}
