/* examples/papers/account.c: transfers between two accounts, each with a lock of its own.
 *
 * The bug: a transfer changes the other account without that one's lock, so that a deposit
 * there can be lost. With -DRIGHT it takes both locks, always in the same order. -DTIMES=K: each customer
 * does so K times, for runs as long as the papers'. */
#include <assert.h>
#include <pthread.h>

#ifndef TIMES
#define TIMES 1
#endif

static struct account {
    pthread_mutex_t lock;
    int money;
} account[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};

static void deposit(struct account *a, int amount) {
    pthread_mutex_lock(&a->lock);
    a->money += amount;
    pthread_mutex_unlock(&a->lock);
}

static void transfer(struct account *from, struct account *to, int amount) {
#ifdef RIGHT
    struct account *first = from < to ? from : to, *second = from < to ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->money -= amount;
    to->money += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
#else
    pthread_mutex_lock(&from->lock);
    from->money -= amount;
    to->money += amount;
    pthread_mutex_unlock(&from->lock);
#endif
}

static void *customer(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < TIMES; i++) {
        deposit(&account[me], 50);
        transfer(&account[me], &account[1 - me], 20);
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int number[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, customer, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(account[0].money + account[1].money == 200 + 100 * TIMES);
    return 0;
}
