/* An object is published before it is initialised. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int version, size;
};
static struct config *_Atomic current;

static void *loader(void *unused) {
    struct config *c = malloc(sizeof *c);
    if (!c)
        return unused;
    c->size = 0;
#ifdef RIGHT
    c->version = 3;
    current = c;
#else
    c->version = 0;
    current = c;
    c->version = 3;
#endif
    return unused;
}

static void *user(void *unused) {
    struct config *c = current;
    if (c)
        assert(c->version == 3);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, loader, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(current);
    return 0;
}
