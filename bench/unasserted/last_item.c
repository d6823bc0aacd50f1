/* Two customers see the last item and both buy it. Right: looked and bought in one section. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int left = 1, sold;

static int there(void) {
    pthread_mutex_lock(&lock);
    int n = left;
    pthread_mutex_unlock(&lock);
    return n > 0;
}

static void *buy(void *unused) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    if (left > 0) {
        left--;
        sold++;
    }
    pthread_mutex_unlock(&lock);
    (void)there;
#else
    if (there()) {
        pthread_mutex_lock(&lock);
        left--; // bug
        sold++;
        pthread_mutex_unlock(&lock);
    }
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, buy, NULL);
    pthread_create(&b, NULL, buy, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("sold %d, left %d\n", sold, left);
    return 0;
}
