// What generated programs call without hooks: compiled by another compiler.
#include <pthread.h>

long without_hooks(long v) {
    return v;
}

void fill_without_hooks(long *to, long v) {
    *to = v;
}

long call_without_hooks(long (*f)(long), long v) {
    return f(v);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static long queue[64];
static int first, last;

void lock_without_hooks(void) {
    pthread_mutex_lock(&lock);
}

void unlock_without_hooks(void) {
    pthread_mutex_unlock(&lock);
}

void put_without_hooks(long v) {
    pthread_mutex_lock(&queue_lock);
    queue[last++] = v;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&queue_lock);
}

long get_without_hooks(void) {
    pthread_mutex_lock(&queue_lock);
    while (first == last)
        pthread_cond_wait(&more, &queue_lock);
    long v = queue[first++];
    pthread_mutex_unlock(&queue_lock);
    return v;
}
