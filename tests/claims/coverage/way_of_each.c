//! fails: a race that needs a way of each of two threads, which no run had together
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int f, g, y;
static int see(int *p) {
    pthread_mutex_lock(&m);
    int v = *p;
    pthread_mutex_unlock(&m);
    return v;
}
static void set(int *p) {
    pthread_mutex_lock(&m);
    *p = 1;
    pthread_mutex_unlock(&m);
}
static void *A(void *x) {
    if (see(&f))
        y = 1;
    return x;
}
static void *B(void *x) {
    if (see(&g))
        y = 2;
    return x;
}
static void *C(void *x) {
    set(&f);
    return x;
}
static void *D(void *x) {
    set(&g);
    return x;
}
int main(void) {
    pthread_t t[4];
    pthread_create(&t[0], NULL, A, NULL);
    pthread_create(&t[1], NULL, B, NULL);
    pthread_create(&t[2], NULL, C, NULL);
    pthread_create(&t[3], NULL, D, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
