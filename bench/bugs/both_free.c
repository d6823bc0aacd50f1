/* A reference is given up in two steps: decrease, then look. Both holders decrease, then both see that nobody
 * is left: freed twice. No data race on the count, which is atomic. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct buffer {
    atomic_int references;
    char bytes[32];
};
static atomic_int freed;

static void drop(struct buffer *b) {
    atomic_fetch_sub(&b->references, 1);    // bug
    if (atomic_load(&b->references) == 0) { // bug
        atomic_fetch_add(&freed, 1);
        free(b); // bug
    }
}

static void *holder(void *buffer) {
    drop(buffer);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct buffer *buffer = calloc(1, sizeof *buffer);
    buffer->references = 2;
    pthread_create(&a, NULL, holder, buffer);
    pthread_create(&b, NULL, holder, buffer);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(freed == 1);
    return 0;
}
