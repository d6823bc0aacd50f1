/* Two tables, each with a read-write lock. A join reads one and writes the other, a trigger
 * the other way round. Deadlock: both hold their read locks, and neither gets its write lock. */
#include <pthread.h>

static pthread_rwlock_t orders_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t stock_lock = PTHREAD_RWLOCK_INITIALIZER;
static int orders = 4, stock = 10;

static void *ship(void *unused) {
    pthread_rwlock_rdlock(&orders_lock);
    int wanted = orders;
    pthread_rwlock_wrlock(&stock_lock); // bug
    stock -= wanted;
    pthread_rwlock_unlock(&stock_lock);
    pthread_rwlock_unlock(&orders_lock);
    return unused;
}

static void *reorder(void *unused) {
    pthread_rwlock_rdlock(&stock_lock);
    int have = stock;
    pthread_rwlock_wrlock(&orders_lock); // bug
    orders = have < 8 ? 8 - have : 0;
    pthread_rwlock_unlock(&orders_lock);
    pthread_rwlock_unlock(&stock_lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, ship, NULL);
    pthread_create(&b, NULL, reorder, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
