/* Items with a count of references, in buckets with a lock each, and a ring to whoever reads them.
 *
 * BUG refs use-after-free item
 * BUG shift deadlock store.buckets
 * BUG ring assertion ring.count
 *
 * RUN --runs 8 --no-explore
 * Lines of a bug end in its name behind an @. -DRIGHT: none of them. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define BUCKETS 4
struct item {
    char key[16];
    int value;
    int refs;
    struct item *next;
};
struct bucket {
    pthread_mutex_t lock;
    struct item *head;
    unsigned length;
};
struct store {
    struct bucket buckets[BUCKETS];
    struct {
        unsigned long gets, puts;
    } stats;
    pthread_mutex_t stats_lock;
};
struct ring {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    struct item *slot[2];
    int head, count;
};
static struct store store;
static struct ring ring;
static unsigned hash(const char *key) {
    unsigned h = 5381;
    while (*key)
        h = h * 33 + (unsigned char)*key++;
    return h % BUCKETS;
}
static struct item *item_new(const char *key, int value) {
    struct item *it = calloc(1, sizeof *it);
    if (!it)
        abort();
    snprintf(it->key, sizeof it->key, "%s", key);
    it->value = value;
    it->refs = 1;
    return it;
}
static void item_unref(struct item *it) {
#ifdef RIGHT
    if (__atomic_sub_fetch(&it->refs, 1, __ATOMIC_ACQ_REL) == 0)
        free(it);
#else
    it->refs--;
    if (it->refs == 0)
        free(it); /* @refs */
#endif
}
static void item_ref(struct item *it) {
#ifdef RIGHT
    __atomic_add_fetch(&it->refs, 1, __ATOMIC_RELAXED);
#else
    it->refs++;
#endif
}
static struct item *bucket_find(struct bucket *b, const char *key) {
    for (struct item *it = b->head; it; it = it->next)
        if (!strcmp(it->key, key))
            return it;
    return NULL;
}
static void count(unsigned long *what) {
    pthread_mutex_lock(&store.stats_lock);
    (*what)++;
    pthread_mutex_unlock(&store.stats_lock);
}
static void store_put(const char *key, int value) {
    struct bucket *b = &store.buckets[hash(key)];
    pthread_mutex_lock(&b->lock);
    struct item *it = bucket_find(b, key);
    if (it)
        it->value = value;
    else {
        it = item_new(key, value);
        it->next = b->head;
        b->head = it;
        b->length++;
    }
    pthread_mutex_unlock(&b->lock);
    count(&store.stats.puts);
}
static struct item *store_get(const char *key) {
    struct bucket *b = &store.buckets[hash(key)];
    pthread_mutex_lock(&b->lock);
    struct item *it = bucket_find(b, key);
    if (it)
        item_ref(it);
    pthread_mutex_unlock(&b->lock);
    count(&store.stats.gets);
    return it;
}
static void store_drop(const char *key) {
    struct bucket *b = &store.buckets[hash(key)];
    struct item *gone = NULL;
    pthread_mutex_lock(&b->lock);
    for (struct item **at = &b->head; *at; at = &(*at)->next)
        if (!strcmp((*at)->key, key)) {
            gone = *at;
            *at = gone->next;
            b->length--;
            break;
        }
    pthread_mutex_unlock(&b->lock);
    if (gone)
        item_unref(gone);
}
/* Moves the head of one bucket to another. */
static void store_shift(unsigned from, unsigned to) {
    struct bucket *a = &store.buckets[from], *b = &store.buckets[to];
#ifdef RIGHT
    if (from > to) {
        pthread_mutex_lock(&b->lock);
        pthread_mutex_lock(&a->lock);
    } else
#endif
    {
        pthread_mutex_lock(&a->lock);
        pthread_mutex_lock(&b->lock); /* @shift */
    }
    if (a->head) {
        struct item *it = a->head;
        a->head = it->next;
        it->next = b->head;
        b->head = it;
    }
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_unlock(&a->lock);
}
static void ring_put(struct item *it) {
    pthread_mutex_lock(&ring.lock);
    while (ring.count == 2)
        pthread_cond_wait(&ring.not_full, &ring.lock);
    ring.slot[(ring.head + ring.count) % 2] = it;
    ring.count++;
    pthread_cond_broadcast(&ring.not_empty);
    pthread_mutex_unlock(&ring.lock);
}
static struct item *ring_take(void) {
    pthread_mutex_lock(&ring.lock);
#ifdef RIGHT
    while (ring.count == 0)
#else
    if (ring.count == 0)
#endif
        pthread_cond_wait(&ring.not_empty, &ring.lock); /* @ring */
    assert(ring.count > 0);                             /* @ring */
    struct item *it = ring.slot[ring.head];
    ring.head = (ring.head + 1) % 2;
    ring.count--;
    pthread_cond_signal(&ring.not_full);
    pthread_mutex_unlock(&ring.lock);
    return it;
}
static void *consumer(void *arg) {
    (void)arg;
    struct item *it = ring_take();
    int v = it->value;
    item_unref(it);
    return (void *)(long)v;
}
static void *client(void *arg) {
    store_put("x", 2);
    struct item *it = store_get(arg);
    ring_put(it ? it : item_new("none", 0));
    store_shift(1, 2);
    return NULL;
}
static void *cleaner(void *arg) {
    store_drop(arg);
    store_put("m", 4);
    ring_put(item_new("n", 5));
    store_shift(2, 1);
    return NULL;
}
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&store.buckets[i].lock, NULL);
    pthread_mutex_init(&store.stats_lock, NULL);
    pthread_mutex_init(&ring.lock, NULL);
    pthread_cond_init(&ring.not_empty, NULL);
    pthread_cond_init(&ring.not_full, NULL);
    store_put("k", 7);
    pthread_create(&t[0], NULL, client, "k");
    pthread_create(&t[1], NULL, consumer, NULL);
    pthread_create(&t[2], NULL, consumer, NULL);
    pthread_create(&t[3], NULL, cleaner, "k");
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%lu gets, %lu puts\n", store.stats.gets, store.stats.puts);
    return 0;
}
