/* Buffers of a device are free, used by callers or in flight; together they are always SIZE. The
 * control block may be touched without the lock by whoever finds that all are free or that none is. */
#include <pthread.h>
#include <stdlib.h>

#define SIZE 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int free_ones = SIZE, used, flying, closed;
static int control, limit;

/* ioctl: takes a buffer. */
static int pool_take(void) {
    pthread_mutex_lock(&lock);
    if (free_ones == 0 || closed) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
    free_ones--;
    used++;
    pthread_mutex_unlock(&lock);
    return limit; // race: real limit
}

/* write: sends a used one, and programs the device when it was the last. */
static int pool_send(void) {
    pthread_mutex_lock(&lock);
    if (used == 0 || closed) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
    used--;
    flying++;
    if (flying == SIZE) {
        closed = 1;
        pthread_mutex_unlock(&lock);
        control = 1; // race: bogus control
        pthread_mutex_lock(&lock);
        closed = 0;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

/* interrupt: one has arrived; when all are free the device rests. */
static void pool_interrupt(void) {
    pthread_mutex_lock(&lock);
    if (flying > 0 && !closed) {
        flying--;
        free_ones++;
        if (used + flying == 0) {
            closed = 1;
            pthread_mutex_unlock(&lock);
            control = 0; // race: bogus control
            pthread_mutex_lock(&lock);
            closed = 0;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* sysfs: a limit that nobody protects. */
static void pool_set(int to) {
    limit = to; // race: real limit
}

static void *takes(void *rounds) {
    for (long i = (long)rounds; i > 0; i--) {
        pool_take();
        pool_send();
    }
    return NULL;
}
static void *interrupts(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        pool_interrupt();
    return NULL;
}
static void *sets(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        pool_set(3);
    return NULL;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 3);
    pthread_t a, b, c;
    pthread_create(&a, NULL, takes, rounds);
    pthread_create(&b, NULL, interrupts, rounds);
    pthread_create(&c, NULL, sets, rounds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
