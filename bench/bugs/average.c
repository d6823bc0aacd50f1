/* A mean in floating point: the sum is under the lock, the number of values is counted in a section of its own. Who
 * looks between sees a sum without its count. No data race. */
#include <assert.h>
#include <pthread.h>

static double sum;
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *measure(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        sum += 2.5; // bug
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        count++; // bug
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *show(void *unused) {
    pthread_mutex_lock(&lock);
    double mean = count ? sum / count : 2.5; // bug
    pthread_mutex_unlock(&lock);
    assert(mean < 3);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, measure, NULL);
    pthread_create(&b, NULL, show, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
