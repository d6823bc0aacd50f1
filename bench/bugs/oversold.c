/* Seats are counted in one critical section and sold in the next. Two buyers see the last seat. No data
 * race: every access holds the lock. */
#include <assert.h>
#include <pthread.h>

static int seats = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int seats_left(void) {
    pthread_mutex_lock(&lock);
    int n = seats; // bug
    pthread_mutex_unlock(&lock);
    return n;
}

static void sell(void) {
    pthread_mutex_lock(&lock);
    seats--; // bug
    pthread_mutex_unlock(&lock);
}

static void *buyer(void *unused) {
    if (seats_left() > 0)
        sell();
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, buyer, NULL);
    pthread_create(&b, NULL, buyer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(seats >= 0);
    return 0;
}
