/* A table that is loaded outside its lock by the first who finds it old; others wait for that. If it
 * was changed meanwhile, the load was for nothing; those who waited then return an
 * error, and keep the lock: a deadlock that takes three threads in a certain order. */
#include <pthread.h>

static int old = 1, loading, generation;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t loaded = PTHREAD_COND_INITIALIZER;

static int load(void) {
    int row[8], sum = 0;
    for (int i = 0; i < 8; i++)
        row[i] = i * i;
    for (int i = 0; i < 8; i++)
        sum += row[i];
    return sum;
}

static int refresh(void) { /* with the lock */
    int from = generation;
    loading = 1;
    pthread_mutex_unlock(&lock);
    int good = load() > 0;
    pthread_mutex_lock(&lock);
    loading = 0;
    if (generation == from)
        old = !good;
    pthread_cond_broadcast(&loaded);
    return generation == from ? 0 : -1;
}

static int lookup(void) {
    pthread_mutex_lock(&lock);
    if (old && !loading) {
        int status = refresh();
        pthread_mutex_unlock(&lock);
        return status;
    }
    while (loading)
        pthread_cond_wait(&loaded, &lock);
    if (old) {
#ifdef RIGHT
        pthread_mutex_unlock(&lock);
#endif
        return -1;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *reader(void *result) {
    *(int *)result = lookup();
    return NULL;
}

static void *change(void *unused) {
    pthread_mutex_lock(&lock);
    generation++;
    old = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b, c;
    int first, second;
    pthread_create(&a, NULL, reader, &first);
    pthread_create(&b, NULL, reader, &second);
    pthread_create(&c, NULL, change, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    pthread_mutex_lock(&lock);
    int loads = generation;
    pthread_mutex_unlock(&lock);
    return loads < 0;
}
