// race: TRUE UNKNOWN
// A writes y only if it saw 5, which B stores after its own write of y: what rand returns is not any value.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static int same(int v) {
    return v == 5 || rand() < 0 ? 5 : 0;
}
static void *B(void *p) {
    y++;
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
    return p;
}
static void *A(void *p) {
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    if (same(v) == 5)
        y++;
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
