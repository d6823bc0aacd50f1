/* An account and a reserve, each with its lock. Who finds the account too low takes the reserve's
 * lock, too; who finds the reserve too low takes the account's: each alone does so rarely,
 * and both at once wait for each other. */
#include <pthread.h>

static int account = 50, reserve = 100;
static pthread_mutex_t account_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t reserve_lock = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *unused) {
    pthread_mutex_lock(&account_lock);
    account += 50;
    pthread_mutex_unlock(&account_lock);
    return unused;
}

static void *withdraw(void *unused) {
    pthread_mutex_lock(&account_lock);
    if (account < 80) {
        pthread_mutex_lock(&reserve_lock);
        reserve -= 30;
        account += 30;
        pthread_mutex_unlock(&reserve_lock);
    }
    account -= 80;
    pthread_mutex_unlock(&account_lock);
    return unused;
}

static void *lend(void *unused) {
    pthread_mutex_lock(&reserve_lock);
    reserve -= 90;
    pthread_mutex_unlock(&reserve_lock);
    pthread_mutex_lock(&reserve_lock);
    reserve += 90;
    pthread_mutex_unlock(&reserve_lock);
    return unused;
}

static void *audit(void *unused) {
#ifdef RIGHT
    pthread_mutex_lock(&account_lock);
#endif
    pthread_mutex_lock(&reserve_lock);
    if (reserve < 20) {
#ifndef RIGHT
        pthread_mutex_lock(&account_lock);
#endif
        account -= 5;
        reserve += 5;
#ifndef RIGHT
        pthread_mutex_unlock(&account_lock);
#endif
    }
    pthread_mutex_unlock(&reserve_lock);
#ifdef RIGHT
    pthread_mutex_unlock(&account_lock);
#endif
    return unused;
}

int main(void) {
    pthread_t t[4];
    pthread_create(&t[0], NULL, deposit, NULL);
    pthread_create(&t[1], NULL, withdraw, NULL);
    pthread_create(&t[2], NULL, lend, NULL);
    pthread_create(&t[3], NULL, audit, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
