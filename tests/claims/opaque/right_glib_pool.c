// LINK: glib-2.0
// A pool of GLib: what is pushed comes before the work on it.
#include <glib.h>
static gint done;
static void work(gpointer item, gpointer data) {
    int *p = item;
    *p += *(int *)data;
    g_atomic_int_inc(&done);
}
int main(void) {
    int item[3] = {1, 2, 3}, more = 0;
    GThreadPool *pool = g_thread_pool_new(work, &more, 2, FALSE, NULL);
    more = 10;
    for (int i = 0; i < 3; i++)
        g_thread_pool_push(pool, &item[i], NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    return item[0] + item[1] + item[2] != 36 || done != 3;
}
