/* Sum and number of samples are copied out and back together. Right: added in place. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct samples {
    long sum, n;
};
static struct samples all;

static void *add(void *unused) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    all.sum += 6;
    all.n++;
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_lock(&lock);
    struct samples s = all;
    pthread_mutex_unlock(&lock);
    s.sum += 6;
    s.n++;
    pthread_mutex_lock(&lock);
    all = s; // bug
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld of %ld samples\n", all.sum, all.n);
    return 0;
}
