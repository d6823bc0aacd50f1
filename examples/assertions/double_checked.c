/* Double-checked locking: the flag is set before what it stands for is there, and the quick
 * look at it takes no lock. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int there;
static int table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *unused) {
    if (!there) {
        pthread_mutex_lock(&lock);
        if (!there) {
#ifdef RIGHT
            table = 42;
            there = 1;
#else
            there = 1;
            table = 42;
#endif
        }
        pthread_mutex_unlock(&lock);
    }
    assert(table == 42);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
