/* Two switches are needed: the first thread must be stopped between its two sections, the second one run up to
 * its own middle, and the first one go on. No data race. */
#include <assert.h>
#include <pthread.h>

static int x, y, both;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(int *where, int value) {
    pthread_mutex_lock(&lock);
    *where = value; // bug
    pthread_mutex_unlock(&lock);
}

static int get(const int *where) {
    pthread_mutex_lock(&lock);
    int value = *where; // bug
    pthread_mutex_unlock(&lock);
    return value;
}

static void *first(void *unused) {
    put(&x, 1);
    if (get(&y) == 1)
        put(&both, get(&both) + 1);
    put(&x, 0);
    return unused;
}

static void *second(void *unused) {
    put(&y, 1);
    if (get(&x) == 1)
        put(&both, get(&both) + 1);
    put(&y, 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(both < 2);
    return 0;
}
