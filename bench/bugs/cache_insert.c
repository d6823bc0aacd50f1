/* A table is searched in one critical section, and the missing key is added in another. Two threads
 * add the same key. No data race. */
#include <assert.h>
#include <pthread.h>

enum { SIZE = 4 };
static int key[SIZE], used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int find(int k) {
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < used; i++) // bug
        if (key[i] == k)
            found = 1;
    pthread_mutex_unlock(&lock);
    return found;
}

static void insert(int k) {
    pthread_mutex_lock(&lock);
    key[used++] = k; // bug
    pthread_mutex_unlock(&lock);
}

static void *request(void *unused) {
    if (!find(17))
        insert(17);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, request, NULL);
    pthread_create(&b, NULL, request, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(used == 1);
    return 0;
}
