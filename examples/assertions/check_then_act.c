/* Check, then act: the balance is looked at in one critical section and changed in the next. */
#include <assert.h>
#include <pthread.h>

static int balance = 10;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *buyer(void *unused) {
    pthread_mutex_lock(&lock);
    int enough = balance >= 10;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (enough) {
        balance -= 10;
        assert(balance >= 0);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *family(void *unused) {
    pthread_mutex_lock(&lock);
    balance -= 5;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance += 15;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, buyer, NULL);
    pthread_create(&b, NULL, family, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
