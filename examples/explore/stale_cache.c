/* A cache that is filled outside its lock, and tries again if somebody has changed the source
 * meanwhile. After three tries it gives up, and keeps what it has: a value that may be old. */
#include <assert.h>
#include <pthread.h>

static int source = 10, version;
static int cached, valid;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int render(int from) {
    int part[12], sum = 0;
    for (int i = 0; i < 12; i++)
        part[i] = from + i;
    for (int i = 0; i < 12; i++)
        sum += part[i];
    return sum;
}

static void *fill(void *unused) {
    for (int tries = 1;; tries++) {
        pthread_mutex_lock(&lock);
        int from = source, then = version;
        pthread_mutex_unlock(&lock);
        int made = render(from);
        pthread_mutex_lock(&lock);
        if (version == then || tries == 3) {
#ifdef RIGHT
            if (version == then)
#endif
            {
                cached = made;
                valid = 1;
            }
            pthread_mutex_unlock(&lock);
            return unused;
        }
        pthread_mutex_unlock(&lock);
    }
}

static void *change(void *unused) {
    for (int i = 1; i <= 3; i++) {
        pthread_mutex_lock(&lock);
        source = 10 + i;
        version++;
        valid = 0;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, fill, NULL);
    pthread_create(&b, NULL, change, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (valid)
        assert(cached == render(source));
    return 0;
}
