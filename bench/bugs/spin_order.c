/* A run queue's spin lock and a device's mutex, taken in both orders. Deadlock: the scheduler spins
 * for the queue with the device locked, the interrupt thread has the queue and wants the device. */
#include <pthread.h>

static pthread_spinlock_t queue;
static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;
static int ready, busy;

static void *schedule(void *unused) {
    pthread_mutex_lock(&device);
    busy = 1;
    pthread_spin_lock(&queue); // bug
    ready++;
    pthread_spin_unlock(&queue);
    busy = 0;
    pthread_mutex_unlock(&device);
    return unused;
}

static void *interrupt(void *unused) {
    pthread_spin_lock(&queue);
    ready--;
    pthread_mutex_lock(&device); // bug
    busy = 0;
    pthread_mutex_unlock(&device);
    pthread_spin_unlock(&queue);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_spin_init(&queue, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, schedule, NULL);
    pthread_create(&b, NULL, interrupt, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
