/* Two reloads give the same version number: it is read at the start and written at the end. Right: it is counted at the
 * end. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int version;
    char text[16];
} config;

static void *reload(void *name) {
    char text[16];
    pthread_mutex_lock(&lock);
    int version = config.version;
    pthread_mutex_unlock(&lock);
    snprintf(text, sizeof text, "%s", (const char *)name);
    pthread_mutex_lock(&lock);
#ifdef RIGHT
    version = config.version;
#endif
    config.text[0] = text[0];
    config.version = version + 1; // bug
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reload, "one");
    pthread_create(&b, NULL, reload, "two");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("version %d\n", config.version);
    return 0;
}
