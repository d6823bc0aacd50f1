/* Who puts into a ring and who takes out of it count its elements without a lock that both hold. Right: one lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int count = 2;

static void *put(void *unused) {
    pthread_mutex_lock(&lock);
    count++; // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *take(void *unused) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    count--;
    pthread_mutex_unlock(&lock);
    (void)other;
#else
    pthread_mutex_lock(&other);
    count--; // bug
    pthread_mutex_unlock(&other);
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, put, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d in the ring\n", count);
    return 0;
}
