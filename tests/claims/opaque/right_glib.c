// LINK: glib-2.0
// GLib's threads, locks, conditions, once and queues, used as they should be.
#include <glib.h>
static GMutex plain; /* all zero: needs no init */
static GMutex made;
static GRecMutex again;
static GRWLock both;
static GCond changed;
static GAsyncQueue *queue;
static GPrivate own = G_PRIVATE_INIT(NULL);
static int n, m, ready, readers, table[4];
static const int *shared_table(void) {
    static gsize once;
    if (g_once_init_enter(&once)) {
        for (int i = 0; i < 4; i++)
            table[i] = i;
        g_once_init_leave(&once, 1);
    }
    return table;
}
static gpointer work(gpointer a) {
    g_private_set(&own, a);
    g_mutex_lock(&plain);
    n += shared_table()[1];
    g_mutex_unlock(&plain);
    g_rec_mutex_lock(&again);
    g_rec_mutex_lock(&again);
    m++;
    g_rec_mutex_unlock(&again);
    g_rec_mutex_unlock(&again);
    g_rw_lock_reader_lock(&both);
    int seen = readers;
    g_rw_lock_reader_unlock(&both);
    g_rw_lock_writer_lock(&both);
    readers += 1 + 0 * seen; /* seen + 1 would lose the other's */
    g_rw_lock_writer_unlock(&both);
    if (g_mutex_trylock(&plain)) {
        n++;
        g_mutex_unlock(&plain);
    }
    g_mutex_lock(&made);
    ready++;
    g_cond_broadcast(&changed);
    g_mutex_unlock(&made);
    int *p = g_async_queue_pop(queue);
    ++*p;
    return g_private_get(&own) == a ? NULL : a;
}
int main(void) {
    GThread *t[2];
    int item[2] = {5, 6};
    g_mutex_init(&made);
    queue = g_async_queue_new();
    for (int i = 0; i < 2; i++)
        t[i] = g_thread_new("work", work, &t[i]);
    g_mutex_lock(&made);
    while (ready < 2)
        if (ready)
            g_cond_wait_until(&changed, &made, g_get_monotonic_time() + 10 * G_TIME_SPAN_SECOND);
        else
            g_cond_wait(&changed, &made);
    g_mutex_unlock(&made);
    for (int i = 0; i < 2; i++) {
        item[i]++;
        g_async_queue_push(queue, &item[i]);
    }
    gpointer bad = NULL;
    for (int i = 0; i < 2; i++)
        bad = bad ? bad : g_thread_join(t[i]);
    g_mutex_clear(&made);
    g_rw_lock_clear(&both);
    g_rec_mutex_clear(&again);
    g_async_queue_unref(queue);
    return bad || m != 2 || item[0] + item[1] != 15;
}
