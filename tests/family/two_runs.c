/* The assertion fails only if the reader goes the way of one run and the writer that of another:
 * whoever comes first does nothing worth while. */
#include <assert.h>
#include <pthread.h>

static int early, late, x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int get(const int *of) {
    pthread_mutex_lock(&m);
    int v = *of;
    pthread_mutex_unlock(&m);
    return v;
}

static void put(int *to, int v) {
    pthread_mutex_lock(&m);
    *to = v;
    pthread_mutex_unlock(&m);
}

static void *reader(void *unused) {
    (void)unused;
    put(&early, 1);
    if (get(&late)) {
        int before = get(&x);
        put(&y, get(&x) - before); /* line 27 */
    }
    return 0;
}

static void *writer(void *unused) {
    (void)unused;
    put(&late, 1);
    if (get(&early))
        put(&x, 5);
    return 0;
}

int main(void) {
    pthread_t r, w;
    pthread_create(&r, 0, reader, 0);
    pthread_create(&w, 0, writer, 0);
    pthread_join(r, 0);
    pthread_join(w, 0);
    assert(get(&y) == 0);
    return 0;
}
