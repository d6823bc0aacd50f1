/* The balance is read in one critical section and written in the next: a deposit in between is lost. Right: one section. */
#include <pthread.h>
#include <stdio.h>

static long balance = 10;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *unused) {
    pthread_mutex_lock(&lock);
    long seen = balance;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    balance = seen + 10; // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, deposit, NULL);
    pthread_create(&b, NULL, deposit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("balance %ld\n", balance);
    return 0;
}
