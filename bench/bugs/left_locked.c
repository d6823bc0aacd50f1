/* A worker that finds the input at its end returns without unlocking. It works if the reader adds a line before.
 * Deadlock: everybody else who wants the lock then. */
#include <pthread.h>

static int lines, worked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock); // bug
        lines++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    if (lines == 0)
        return unused; // bug
    lines--;
    worked++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
