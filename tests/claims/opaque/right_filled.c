// WITH: queue_without_hooks.c
// Code without hooks writes what a thread reads: the thread comes after, or its branch would be another.
#include <assert.h>
#include <pthread.h>
void q_fill(int *p, int v);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;
static void *writer(void *x) {
    pthread_mutex_lock(&m);
    q_fill(&a, 1);
    b = 1;
    pthread_mutex_unlock(&m);
    return x;
}
static void *reader(void *x) {
    pthread_mutex_lock(&m);
    if (a)
        assert(b);
    pthread_mutex_unlock(&m);
    return x;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, writer, 0);
    pthread_create(&u, 0, reader, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
