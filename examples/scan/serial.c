/* A serial line: one buffer, which belongs to the caller while it is filled, to the interrupt while it
 * is sent, and to nobody when it is idle. The state says so, under a lock; the buffer itself
 * is touched without. */
#include <pthread.h>
#include <stdlib.h>

enum { IDLE, FILLING, READY, SENDING };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state = IDLE;
static int buffer, length;
static int sent, errors; /* statistics */

/* ioctl: hands a byte over. */
static int serial_write(int byte) {
    pthread_mutex_lock(&lock);
    if (state != IDLE) {
        pthread_mutex_unlock(&lock);
        errors++; // race: real2 errors_self, real errors
        return -1;
    }
    state = FILLING;
    pthread_mutex_unlock(&lock);
    buffer = byte; // race: bogus buffer
    length = 1;    // race: bogus length
    pthread_mutex_lock(&lock);
    state = READY;
    pthread_mutex_unlock(&lock);
    return 0;
}

/* interrupt: the line can take the next one. */
static int serial_interrupt(void) {
    int byte = -1;
    pthread_mutex_lock(&lock);
    if (state != READY) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
    state = SENDING;
    pthread_mutex_unlock(&lock);
    if (length > 0)    // race: bogus length
        byte = buffer; // race: bogus buffer
    length = 0;        // race: bogus length
    sent++;            // race: real sent
    pthread_mutex_lock(&lock);
    state = IDLE;
    pthread_mutex_unlock(&lock);
    return byte;
}

/* read of the statistics: forgot the lock. */
static int serial_statistics(void) {
    return sent      // race: real sent
           + errors; // race: real errors
}

static void *writer(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        serial_write(7);
    return NULL;
}
static void *line(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        serial_interrupt();
    return NULL;
}
static void *reader(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        serial_statistics();
    return NULL;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 3);
    pthread_t a, b, c;
    pthread_create(&a, NULL, writer, rounds);
    pthread_create(&b, NULL, line, rounds);
    pthread_create(&c, NULL, reader, rounds);
#ifdef TWO
    pthread_t d;
    pthread_create(&d, NULL, writer, rounds);
    pthread_join(d, NULL);
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
