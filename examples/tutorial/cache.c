/* examples/tutorial/cache.c: a memory cache in the manner of memcached, small: a hash table under one
 * lock, items with a reference count, a worker a connection. Every access holds the lock, and no
 * race detector complains (docs/tutorial.md). */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 8, ITEMS = 16, WORKERS = 2 };

struct item {
    char key[24];
    long value;
    int references;
    struct item *next;
};

static struct {
    pthread_mutex_t lock;
    struct item *bucket[BUCKETS];
    struct item pool[ITEMS];
    int used;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct command {
    const char *key;
    long delta;
};

static unsigned hash(const char *key) {
    unsigned h = 5381;
    while (*key)
        h = h * 33 + (unsigned char)*key++;
    return h % BUCKETS;
}

/* The item, with a reference of the caller's. */
static struct item *item_get(const char *key) {
    pthread_mutex_lock(&cache.lock);
    struct item *it = cache.bucket[hash(key)];
    while (it && strcmp(it->key, key))
        it = it->next;
    if (!it && cache.used < ITEMS) {
        it = &cache.pool[cache.used++];
        strncpy(it->key, key, sizeof it->key - 1);
        it->next = cache.bucket[hash(key)];
        cache.bucket[hash(key)] = it;
    }
    if (it)
        it->references++;
    pthread_mutex_unlock(&cache.lock);
    return it;
}

static void item_release(struct item *it) {
    pthread_mutex_lock(&cache.lock);
    it->references--;
    pthread_mutex_unlock(&cache.lock);
}

static long item_value(const struct item *it) {
    pthread_mutex_lock(&cache.lock);
    long value = it->value;
    pthread_mutex_unlock(&cache.lock);
    return value;
}

static void item_store(struct item *it, long value) {
    pthread_mutex_lock(&cache.lock);
    it->value = value;
    pthread_mutex_unlock(&cache.lock);
}

/* incr KEY DELTA */
static void incr(const char *key, long delta) {
    struct item *it = item_get(key);
    item_store(it, item_value(it) + delta);
    item_release(it);
}

static void *worker(void *arg) {
    const struct command *c = arg;
    incr(c->key, c->delta);
    return NULL;
}

int main(void) {
    static struct command asked[WORKERS] = {{"hits", 1}, {"hits", 2}};
    pthread_t t[WORKERS];
    struct item *hits = item_get("hits");
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, &asked[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    printf("hits %ld\n", item_value(hits));
    assert(hits->value == 3);
    return 0;
}
