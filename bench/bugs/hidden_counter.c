/* An atomic counter of events, increased by both threads, orders their plain accesses by accident: the one
 * that counts second sees the other's count. In the other order: a data race on 'level'. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int events;
static int level;

static void *sensor(void *unused) {
    level = 40; // bug
    atomic_fetch_add(&events, 1);
    return unused;
}

static void *display(void *shown) {
    atomic_fetch_add(&events, 1);
    *(int *)shown = level; // bug
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int shown;
    pthread_create(&a, NULL, sensor, NULL);
    pthread_create(&b, NULL, display, &shown);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
