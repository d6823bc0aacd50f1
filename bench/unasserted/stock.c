/* Getter and setter take the lock, what uses them does not. Right: one function that takes out of the stock. */
#include <pthread.h>
#include <stdio.h>

struct item {
    pthread_mutex_t lock;
    int count;
};
static struct item bolts = {PTHREAD_MUTEX_INITIALIZER, 100};

#ifdef RIGHT
static void take(struct item *i, int n) {
    pthread_mutex_lock(&i->lock);
    i->count -= n;
    pthread_mutex_unlock(&i->lock);
}
#else
static int count_of(struct item *i) {
    pthread_mutex_lock(&i->lock);
    int n = i->count;
    pthread_mutex_unlock(&i->lock);
    return n;
}

static void set_count(struct item *i, int n) {
    pthread_mutex_lock(&i->lock);
    i->count = n; // bug
    pthread_mutex_unlock(&i->lock);
}

static void take(struct item *i, int n) {
    set_count(i, count_of(i) - n);
}
#endif

static void *order(void *n) {
    take(&bolts, *(int *)n);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int few = 3, many = 40;
    pthread_create(&a, NULL, order, &few);
    pthread_create(&b, NULL, order, &many);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d left\n", bolts.count);
    return 0;
}
