/* The main thread waits for its worker with the lock held. It works as long as the worker is through with the
 * lock by then. Deadlock: the main thread takes the lock first. */
#include <pthread.h>

static int done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused) {
    pthread_mutex_lock(&lock); // bug
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static int sum(int n) {
    int part[64], all = 0;
    for (int i = 0; i < 64; i++)
        part[i] = i * n;
    for (int round = 0; round < 400; round++)
        for (int i = 0; i < 64; i++)
            all += part[i] ^ round;
    return all;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int all = 0;
    for (int i = 0; i < 40; i++)
        all ^= sum(i);
    pthread_mutex_lock(&lock);
    pthread_join(t, NULL); // bug
    int sure = done == 1 || all == 0;
    pthread_mutex_unlock(&lock);
    return !sure;
}
