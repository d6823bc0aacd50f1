/* Two accounts with a lock each; a transfer takes the giver's lock first. Deadlock: one transfer
 * from checking to saving and one back, each holding its first lock. */
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};
static struct account checking = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account saving = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, long amount) {
    pthread_mutex_lock(&from->lock); // bug
    pthread_mutex_lock(&to->lock);   // bug
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *monthly(void *unused) {
    transfer(&checking, &saving, 10);
    return unused;
}

static void *withdrawal(void *unused) {
    transfer(&saving, &checking, 5);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, monthly, NULL);
    pthread_create(&b, NULL, withdrawal, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
