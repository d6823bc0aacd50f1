// race: UNKNOWN FALSE
// The seventieth thread of the loop writes without a lock.
#include <pthread.h>
static int x;
static void *f(void *p) {
    if ((long)p >= 70)
        x = 1;
    return p;
}
int main(void) {
    pthread_t t[80];
    for (long i = 0; i < 80; i++)
        pthread_create(&t[i], 0, f, (void *)i);
    for (int i = 0; i < 80; i++)
        pthread_join(t[i], 0);
    return 0;
}
