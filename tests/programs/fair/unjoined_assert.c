/* As SCTBench's small programs: main does not wait for who checks. */
#include <assert.h>
#include <pthread.h>
static int a, b;
static void *writer(void *x) {
    a = 1;
    b = 1;
    return 0;
}
static void *reader(void *x) {
    int seen = b;
    if (a)
        assert(seen);
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, writer, 0);
    pthread_create(&u, 0, reader, 0);
    return 0;
}
