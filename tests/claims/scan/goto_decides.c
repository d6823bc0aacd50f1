// race: TRUE UNKNOWN
// A writes y only if it saw 5, which B stores after its own write of y.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static int same(int v) {
    static void *at[2] = {&&a, &&b};
    goto *at[v == 5];
a:
    return 0;
b:
    return 5;
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
