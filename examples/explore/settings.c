/* Settings are changed in place; meanwhile a pointer leads to a second set of them, which
 * nobody has filled in as far as the rarely used part goes. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct settings {
    int width, detailed, depth;
};
static struct settings usual = {80, 0, 0};
static struct settings meanwhile = {40, 1, 0};
static struct settings *_Atomic current = &usual;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *unused) {
    for (int i = 0; i < 2; i++) {
#ifdef RIGHT
        pthread_mutex_lock(&lock);
        meanwhile.depth = 1;
        pthread_mutex_unlock(&lock);
#endif
        current = &meanwhile;
        pthread_mutex_lock(&lock);
        usual.width++;
        pthread_mutex_unlock(&lock);
        current = &usual;
    }
    return unused;
}

static void *draw(void *unused) {
    const struct settings *s = current;
    pthread_mutex_lock(&lock);
    int width = s->width, detailed = s->detailed, depth = s->depth;
    pthread_mutex_unlock(&lock);
    if (detailed)
        assert(depth > 0 && width / depth > 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, change, NULL);
    pthread_create(&b, NULL, draw, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
