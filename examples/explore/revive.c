/* A reference count that can come back from zero: who finds it at zero revives the entry if it is
 * still there, but the one that dropped the last reference has already decided to remove it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 1;
static int there = 1, uses;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

static void put(void) {
    if (atomic_fetch_sub(&references, 1) != 1)
        return;
    pthread_mutex_lock(&table);
#ifdef RIGHT
    if (references == 0)
#endif
        there = 0;
    pthread_mutex_unlock(&table);
}

static int get(void) {
    if (atomic_fetch_add(&references, 1) > 0)
        return 1;
    pthread_mutex_lock(&table); /* the last one is leaving: are we in time? */
    int good = there;
    pthread_mutex_unlock(&table);
    if (!good)
        atomic_fetch_sub(&references, 1);
    return good;
}

static void *user(void *unused) {
    for (int i = 0; i < 3; i++)
        if (get()) {
            pthread_mutex_lock(&table);
            uses++;
            assert(there);
            pthread_mutex_unlock(&table);
            put();
        }
    return unused;
}

static void *owner(void *unused) {
    put();
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, owner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
