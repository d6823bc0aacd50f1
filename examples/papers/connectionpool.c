/* examples/papers/connectionpool.c: two threads share two connections; free ones are a list.
 *
 * The bug: the head of the list is read before the lock is taken, so that two threads can
 * get the same connection. With -DRIGHT it is read under the lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CONNECTIONS = 2, USERS = 2 };

static struct connection {
    struct connection *next;
    int users;
} connection[CONNECTIONS];
static struct connection *free_list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct connection *take(void) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    struct connection *c = free_list;
#else
    struct connection *c = free_list;
    pthread_mutex_lock(&lock);
#endif
    if (c)
        free_list = c->next;
    pthread_mutex_unlock(&lock);
    return c;
}

static void give_back(struct connection *c) {
    pthread_mutex_lock(&lock);
    c->next = free_list;
    free_list = c;
    pthread_mutex_unlock(&lock);
}

static void *user(void *unused) {
    struct connection *c = take();
    if (!c)
        return unused;
    pthread_mutex_lock(&lock);
    int together = ++c->users;
    pthread_mutex_unlock(&lock);
    assert(together == 1);
    pthread_mutex_lock(&lock);
    c->users--;
    pthread_mutex_unlock(&lock);
    give_back(c);
    return unused;
}

int main(void) {
    pthread_t t[USERS];
    for (int i = 0; i < CONNECTIONS; i++) {
        connection[i].next = free_list;
        free_list = &connection[i];
    }
    for (int i = 0; i < USERS; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < USERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
