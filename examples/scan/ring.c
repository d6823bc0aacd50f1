/* A ring of one message between ioctl and interrupt. Both counts only grow; the message is the ioctl's when
 * they are equal and the interrupt's when they differ, so the difference decides, not the values. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int head, tail;
static int message;
static int dropped;

static int ring_put(int value) {
    pthread_mutex_lock(&lock);
    int room = head == tail;
    pthread_mutex_unlock(&lock);
    if (!room) {
        dropped++; // race: real dropped
        return -1;
    }
    message = value; // race: bogus message
    pthread_mutex_lock(&lock);
    head = head + 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

static int ring_interrupt(void) {
    int value;
    pthread_mutex_lock(&lock);
    if (head <= tail) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
    pthread_mutex_unlock(&lock);
    value = message; // race: bogus message
    message = 0;     // race: bogus message
    pthread_mutex_lock(&lock);
    tail = tail + 1;
    pthread_mutex_unlock(&lock);
    return value;
}

static void ring_reset(void) {
    dropped = 0; // race: real dropped
}

static void *puts_some(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        ring_put(5);
    return NULL;
}
static void *interrupts(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        ring_interrupt();
    return NULL;
}
static void *resets(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        ring_reset();
    return NULL;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 3);
    pthread_t a, b, c;
    pthread_create(&a, NULL, puts_some, rounds);
    pthread_create(&b, NULL, interrupts, rounds);
    pthread_create(&c, NULL, resets, rounds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
