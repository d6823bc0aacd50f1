/* Money goes from one account to the other through functions that lock for themselves. Right: one lock around all of it. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long account[2] = {100, 50};

static long read_of(int i) {
    pthread_mutex_lock(&lock);
    long v = account[i];
    pthread_mutex_unlock(&lock);
    return v;
}

static void set(int i, long v) {
    pthread_mutex_lock(&lock);
    account[i] = v; // bug
    pthread_mutex_unlock(&lock);
}

static void transfer(int from, int to, long n) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    account[from] -= n;
    account[to] += n;
    pthread_mutex_unlock(&lock);
#else
    set(from, read_of(from) - n);
    set(to, read_of(to) + n);
#endif
}

static void *there(void *unused) {
    transfer(0, 1, 30);
    return unused;
}

static void *back(void *unused) {
    transfer(1, 0, 20);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, there, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld and %ld\n", read_of(0), read_of(1));
    return 0;
}
