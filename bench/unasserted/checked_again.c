/* Computed without the lock, and written whatever happened since. Right: written only if nothing did, else computed
 * again. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value = 3;

static int read_it(void) {
    pthread_mutex_lock(&lock);
    int v = value;
    pthread_mutex_unlock(&lock);
    return v;
}

static void *update(void *unused) {
    for (int done = 0; !done;) {
        int seen = read_it(), new = seen * 2 + 1;
        pthread_mutex_lock(&lock);
#ifdef RIGHT
        if (value == seen) {
            value = new;
            done = 1;
        }
#else
        value = new; // bug
        done = 1;
#endif
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, update, NULL);
    pthread_create(&b, NULL, update, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("value %d\n", value);
    return 0;
}
