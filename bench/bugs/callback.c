/* A registry calls back with its lock held; the callback logs. The logger, with its own lock held, asks the
 * registry for a name when it opens a file. Deadlock: a callback while a file is being opened. The locks
 * are in objects on the heap, the second one is taken three calls deeper. */
#include <pthread.h>
#include <stdlib.h>

struct part {
    pthread_mutex_t lock;
    int count;
};
static struct part *registry, *logger;

static void log_line(void) {
    pthread_mutex_lock(&logger->lock); // bug
    logger->count++;
    pthread_mutex_unlock(&logger->lock);
}

static void on_change(void) {
    log_line();
}

static void notify(void (*callback)(void)) {
    pthread_mutex_lock(&registry->lock);
    registry->count++;
    callback();
    pthread_mutex_unlock(&registry->lock);
}

static int name_of(void) {
    pthread_mutex_lock(&registry->lock); // bug
    int n = registry->count;
    pthread_mutex_unlock(&registry->lock);
    return n;
}

static void *change(void *unused) {
    notify(on_change);
    return unused;
}

static void *open_log(void *unused) {
    pthread_mutex_lock(&logger->lock);
    logger->count += name_of();
    pthread_mutex_unlock(&logger->lock);
    return unused;
}

static struct part *make(void) {
    struct part *p = calloc(1, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

int main(void) {
    pthread_t a, b;
    registry = make();
    logger = make();
    pthread_create(&a, NULL, change, NULL);
    pthread_create(&b, NULL, open_log, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(registry);
    free(logger);
    return 0;
}
