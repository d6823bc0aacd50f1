/* Messages with a serial number of eight bits. When it begins again at zero, an epoch is counted: under the
 * lock; who compares serial numbers reads it without. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t serial;
static int epoch;

static unsigned next_serial(void) {
    pthread_mutex_lock(&lock);
    unsigned mine = ++serial;
    if (mine == 0)
        epoch = epoch + 1; // race: real epoch
    pthread_mutex_unlock(&lock);
    return mine;
}

static int newer(unsigned than) {
    int e = epoch; // race: real epoch
    return e > 0 || than > 128;
}

static void *sends(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        next_serial();
    return NULL;
}
static void *compares(void *rounds) {
    long n = 0;
    for (long i = (long)rounds; i > 0; i--)
        n += newer((unsigned)i);
    return (void *)n;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 300);
    pthread_t a, b;
    pthread_create(&a, NULL, sends, rounds);
    pthread_create(&b, NULL, compares, rounds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
