/* The settings are copied out, changed and copied back, each under the lock: two changes of different members, one is
 * lost. Right: changed in place. */
#include <pthread.h>
#include <stdio.h>

struct settings {
    int width, height, version;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings now = {80, 25, 1};

#ifdef RIGHT
static void change(int width, int height) {
    pthread_mutex_lock(&lock);
    if (width)
        now.width = width;
    if (height)
        now.height = height;
    now.version++;
    pthread_mutex_unlock(&lock);
}
#else
static void change(int width, int height) {
    pthread_mutex_lock(&lock);
    struct settings s = now;
    pthread_mutex_unlock(&lock);
    if (width)
        s.width = width;
    if (height)
        s.height = height;
    s.version++;
    pthread_mutex_lock(&lock);
    now = s; // bug
    pthread_mutex_unlock(&lock);
}
#endif

static void *widen(void *unused) {
    change(132, 0);
    return unused;
}

static void *heighten(void *unused) {
    change(0, 50);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, widen, NULL);
    pthread_create(&b, NULL, heighten, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d x %d, version %d\n", now.width, now.height, now.version);
    return 0;
}
