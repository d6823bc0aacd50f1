/* A device with a reference count: the first open switches it on, the last close off. While it is
 * switched, 'busy' keeps others out; the registers are then touched without the lock. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users, busy;
static int power, colour; /* registers */
static int opened;        /* statistics */

static int led_open(void) {
    pthread_mutex_lock(&lock);
    if (busy) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
    if (users == 0) {
        busy = 1;
        pthread_mutex_unlock(&lock);
        power = 1; // race: bogus power
        pthread_mutex_lock(&lock);
        busy = 0;
    }
    users++;
    pthread_mutex_unlock(&lock);
    opened++; // race: real opened
    return 0;
}

static void led_close(void) {
    pthread_mutex_lock(&lock);
    if (busy || users == 0) {
        pthread_mutex_unlock(&lock);
        return;
    }
    users--;
    if (users == 0) {
        busy = 1;
        pthread_mutex_unlock(&lock);
        power = 0;  // race: bogus power
        colour = 0; // race: bogus colour
        pthread_mutex_lock(&lock);
        busy = 0;
    }
    pthread_mutex_unlock(&lock);
}

static void led_ioctl(int to) {
    pthread_mutex_lock(&lock);
    if (!busy && users > 0) {
        busy = 1;
        pthread_mutex_unlock(&lock);
        colour = to; // race: bogus colour
        pthread_mutex_lock(&lock);
        busy = 0;
    }
    pthread_mutex_unlock(&lock);
}

/* sysfs: reads without asking anybody. */
static int led_show(void) {
    return opened; // race: real opened
}

static void *opens(void *rounds) {
    for (long i = (long)rounds; i > 0; i--) {
        led_open();
        led_ioctl((int)i);
    }
    return NULL;
}
static void *closes(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        led_close();
    return NULL;
}
static void *shows(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        led_show();
    return NULL;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 3);
    pthread_t a, b, c;
    pthread_create(&a, NULL, opens, rounds);
    pthread_create(&b, NULL, closes, rounds);
    pthread_create(&c, NULL, shows, rounds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
