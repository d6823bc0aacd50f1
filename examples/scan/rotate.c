/* A log that is rotated every so many lines: counted under the lock, rotated outside of it. Nothing goes wrong in the
 * first 200 lines. */
#include <pthread.h>
#include <stdlib.h>

#define LINES 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines, rotating;
static int file;    /* only touched by whoever rotates: or so it was meant */
static int renamed; /* only touched while 'rotating' */

static void log_line(void) {
    int full = 0;
    pthread_mutex_lock(&lock);
    if (!rotating && ++lines == LINES) {
        lines = 0;
        rotating = 1;
        full = 1;
    }
    pthread_mutex_unlock(&lock);
    if (full) {
        file = file + 1; // race: real file
        renamed = 1;     // race: bogus renamed
        pthread_mutex_lock(&lock);
        rotating = 0;
        pthread_mutex_unlock(&lock);
    }
}

static void log_sync(void) {
    int mine = 0;
    pthread_mutex_lock(&lock);
    if (!rotating) {
        rotating = 1;
        mine = 1;
    }
    pthread_mutex_unlock(&lock);
    if (mine) {
        renamed = 0; // race: bogus renamed
        pthread_mutex_lock(&lock);
        rotating = 0;
        pthread_mutex_unlock(&lock);
    }
}

static int log_name(void) {
    return file; // race: real file
}

static void *writes(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        log_line();
    return NULL;
}
static void *syncs(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        log_sync();
    return NULL;
}
static void *asks(void *rounds) {
    long sum = 0;
    for (long i = (long)rounds; i > 0; i--)
        sum += log_name();
    return (void *)sum;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 300);
    pthread_t a, b, c;
    pthread_create(&a, NULL, writes, rounds);
    pthread_create(&b, NULL, syncs, rounds);
    pthread_create(&c, NULL, asks, rounds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
