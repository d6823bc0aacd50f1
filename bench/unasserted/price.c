/* Read under the read lock, computed, written under the write lock. Right: read again under the write lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int price = 1000;

static void *raise_price(void *percent) {
    pthread_rwlock_rdlock(&lock);
    int now = price;
    pthread_rwlock_unlock(&lock);
    int more = now * *(int *)percent / 100;
    pthread_rwlock_wrlock(&lock);
#ifdef RIGHT
    more = price * *(int *)percent / 100;
    price += more;
#else
    price = now + more; // bug
#endif
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int ten = 10, five = 5;
    pthread_create(&a, NULL, raise_price, &ten);
    pthread_create(&b, NULL, raise_price, &five);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("price %d\n", price);
    return 0;
}
