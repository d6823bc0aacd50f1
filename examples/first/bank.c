/* examples/first/bank.c: a deposit that reads the balance under the lock and writes it
 * under the lock, but not in one go; and a counter that nobody protects. Run it as often
 * as you like: it prints 30 and 2. */
#include <pthread.h>
#include <stdio.h>

static struct {
    long balance;
    int visits;
    pthread_mutex_t lock;
} account = {.balance = 10, .lock = PTHREAD_MUTEX_INITIALIZER};

static void *deposit(void *amount) {
    pthread_mutex_lock(&account.lock);
    long seen = account.balance;
    pthread_mutex_unlock(&account.lock);

    pthread_mutex_lock(&account.lock);
    account.balance = seen + *(long *)amount;
    pthread_mutex_unlock(&account.lock);
    account.visits++;
    return NULL;
}

int main(void) {
    pthread_t t[2];
    long amount = 10;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, deposit, &amount);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("balance %ld, visits %d\n", account.balance, account.visits);
    return 0;
}
