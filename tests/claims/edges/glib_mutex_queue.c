//! truth: no race, no failure (GMutex, GCond, GAsyncQueue of GLib; pkg-config glib-2.0)
#include <glib.h>
#include <stdio.h>
static GMutex m;
static GCond c;
static int n, ready;
static GAsyncQueue *q;
static int item[3];
static gpointer w(gpointer a) {
    for (int i = 0; i < 2; i++) {
        g_mutex_lock(&m);
        n++;
        g_mutex_unlock(&m);
    }
    g_mutex_lock(&m);
    ready = 1;
    g_cond_signal(&c);
    g_mutex_unlock(&m);
    int *p = g_async_queue_pop(q);
    (*p)++;
    return NULL;
}
int main(void) {
    q = g_async_queue_new();
    GThread *t = g_thread_new("w", w, NULL);
    g_mutex_lock(&m);
    n++;
    while (!ready)
        g_cond_wait(&c, &m);
    g_mutex_unlock(&m);
    item[0] = 5;
    g_async_queue_push(q, &item[0]);
    g_thread_join(t);
    printf("n=%d item=%d\n", n, item[0]);
    return 0;
}
