/* Right: no lock at all; creating and joining order everything, through two generations of threads. */
#include <assert.h>
#include <pthread.h>

static int input = 3, squared, result;

static void *square(void *unused) {
    squared = input * input;
    return unused;
}

static void *work(void *unused) {
    pthread_t t;
    input++;
    pthread_create(&t, NULL, square, NULL);
    pthread_join(t, NULL);
    result = squared + 1;
    return unused;
}

int main(void) {
    pthread_t t;
    input = 4;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    assert(result == 26);
    return 0;
}
