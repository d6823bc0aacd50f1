/* A ring with 24 places whose ends are found by indices that begin again at zero. Both ends note
 * each time round in one place, the writer with the lock and the reader without. */
#include <pthread.h>
#include <stdlib.h>

#define PLACES 24

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int head, tail, used;
static int laps;    /* of both: the reader forgets the lock */
static int refused; /* counted without the lock, by the writer only */

static void ring_put(void) {
    pthread_mutex_lock(&lock);
    if (used == PLACES) {
        pthread_mutex_unlock(&lock);
        refused++;
        return;
    }
    used++;
    if (++head == PLACES) {
        head = 0;
        laps++; // race: real laps
    }
    pthread_mutex_unlock(&lock);
}

static void ring_get(void) {
    int round = 0;
    pthread_mutex_lock(&lock);
    if (used > 0) {
        used--;
        if (++tail == PLACES) {
            tail = 0;
            round = 1;
        }
    }
    pthread_mutex_unlock(&lock);
    if (round)
        laps--; // race: real laps
}

static void *puts_some(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        ring_put();
    return NULL;
}
static void *gets_some(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        ring_get();
    return NULL;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 60);
    pthread_t a, b;
    pthread_create(&a, NULL, puts_some, rounds);
    pthread_create(&b, NULL, gets_some, rounds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
