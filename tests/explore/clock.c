/* Time goes on between two looks; how far depends on who ran. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static atomic_int late;
static void *looks(void *unused) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    late = 1;
    return unused;
}
static void *acts(void *unused) {
    if (late) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        assert(t.tv_sec < 0);
    }
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, acts, NULL);
    pthread_create(&b, NULL, looks, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
