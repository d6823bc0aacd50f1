/* A request on the stack is handed to a worker and not waited for long enough: the function returns, and its
 * next call uses the same memory while the worker still reads it. Ordered by accident through the queue's lock. */
#include <pthread.h>

struct request {
    int number;
};
static struct request *pending;
static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void submit(int number) {
    struct request r;
    r.number = number; // bug
    pthread_mutex_lock(&lock);
    pending = &r;
    pthread_mutex_unlock(&lock);
}

static void *client(void *unused) {
    submit(1);
    submit(2);
    return unused;
}

static void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    struct request *r = pending;
    pending = NULL;
    pthread_mutex_unlock(&lock);
    if (r)
        sum += r->number; // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, client, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
