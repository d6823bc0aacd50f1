/* Both threads write the last error, one before and one after a critical section of an unrelated lock. As long as
 * the first thread is there first, that lock orders them by accident. The other way round
 * nothing does: a data race. */
#include <pthread.h>

static int last_error, requests;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *parser(void *unused) {
    last_error = 22; // bug
    pthread_mutex_lock(&lock);
    requests++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *network(void *unused) {
    pthread_mutex_lock(&lock);
    requests++;
    pthread_mutex_unlock(&lock);
    last_error = 104; // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, parser, NULL);
    pthread_create(&b, NULL, network, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
