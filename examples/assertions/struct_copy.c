/* A structure is copied while another thread changes it. */
#include <assert.h>
#include <pthread.h>

static struct { int x, y; } point;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *mover(void *unused) {
    pthread_mutex_lock(&lock);
    point.x++;
    point.y++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *viewer(void *unused) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#endif
    __typeof__(point) p = point;
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
    assert(p.x == p.y);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, mover, NULL);
    pthread_create(&b, NULL, viewer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
