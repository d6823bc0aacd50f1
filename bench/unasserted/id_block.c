/* Numbers are given out in blocks of ten; the end of the last one is kept by a function that locks for itself. Right: one
 * section. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int last = 1000;

static int current(void) {
    pthread_mutex_lock(&lock);
    int n = last;
    pthread_mutex_unlock(&lock);
    return n;
}

static void *reserve(void *unused) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    last += 10;
    pthread_mutex_unlock(&lock);
    (void)current;
#else
    int first = current() + 1;
    pthread_mutex_lock(&lock);
    last = first + 9; // bug
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reserve, NULL);
    pthread_create(&b, NULL, reserve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d given out\n", last - 1000);
    return 0;
}
