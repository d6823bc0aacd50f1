/* Right: a transfer takes the lock of the account with the lower address first, whichever way it goes. */
#include <pthread.h>
#include <stdint.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};
static struct account one = {PTHREAD_MUTEX_INITIALIZER, 100},
                      two = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, long amount) {
    struct account *low = (uintptr_t)from < (uintptr_t)to ? from : to;
    struct account *high = low == from ? to : from;
    pthread_mutex_lock(&low->lock);
    pthread_mutex_lock(&high->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&high->lock);
    pthread_mutex_unlock(&low->lock);
}

static void *there(void *unused) {
    transfer(&one, &two, 10);
    return unused;
}

static void *back(void *unused) {
    transfer(&two, &one, 5);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, there, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return one.balance + two.balance != 200;
}
