/* Three bookings, each right by itself and under the lock. Only in one order of six the credit goes
 * beyond its limit: the bonus first, then the doubling, and the fee last. No data race. */
#include <assert.h>
#include <pthread.h>

static int credit = 20, highest = 20;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void book(int value) {
    credit = value;
    if (credit > highest)
        highest = credit;
}

static void *fee(void *unused) {
    pthread_mutex_lock(&lock);
    book(credit - 15); // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *twice(void *unused) {
    pthread_mutex_lock(&lock);
    book(credit * 2); // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *bonus(void *unused) {
    pthread_mutex_lock(&lock);
    book(credit + 10); // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, fee, NULL);
    pthread_create(&t[1], NULL, twice, NULL);
    pthread_create(&t[2], NULL, bonus, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(highest < 55);
    return 0;
}
