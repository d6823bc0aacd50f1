/* A name is copied without the lock that its writer holds; both also take the lock of the log, which orders
 * them by accident. In the other order: a data race inside of strcpy. */
#include <pthread.h>
#include <string.h>

static char name[16] = "none";
static int lines;
static pthread_mutex_t name_lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;

static void log_line(void) {
    pthread_mutex_lock(&log_lock);
    lines++;
    pthread_mutex_unlock(&log_lock);
}

static void *rename_it(void *unused) {
    pthread_mutex_lock(&name_lock);
    strcpy(name, "augustus"); // bug
    pthread_mutex_unlock(&name_lock);
    log_line();
    return unused;
}

static void *show(void *copy) {
    log_line();
    strcpy(copy, name); // bug
    return NULL;
}

int main(void) {
    pthread_t a, b;
    char copy[16];
    pthread_create(&a, NULL, rename_it, NULL);
    pthread_create(&b, NULL, show, copy);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
