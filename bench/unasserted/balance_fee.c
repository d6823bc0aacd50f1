/* A fee in per cent is taken of the balance that was read before. Right: computed and stored in one section. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long balance = 1000;

static void *fee(void *unused) {
    pthread_mutex_lock(&lock);
    long left = balance * 98 / 100;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    balance = left; // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *pay_in(void *unused) {
    pthread_mutex_lock(&lock);
    balance += 500;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, fee, NULL);
    pthread_create(&b, NULL, pay_in, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld\n", balance);
    return 0;
}
