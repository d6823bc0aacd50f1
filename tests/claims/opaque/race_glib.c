// LINK: glib-2.0
// A race in a program of GLib: one of its threads takes the wrong lock.
#include <glib.h>
static GMutex right, wrong;
static int n;
static gpointer work(gpointer a) {
    g_mutex_lock(a);
    n++;
    g_mutex_unlock(a);
    return NULL;
}
int main(void) {
    GThread *a = g_thread_new("a", work, &right), *b = g_thread_new("b", work, &wrong);
    g_thread_join(a);
    g_thread_join(b);
    return 0;
}
