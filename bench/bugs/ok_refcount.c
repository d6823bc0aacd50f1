/* Right: a reference count; whoever drops the last reference frees, and nobody uses it after dropping
 * his. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value[2];
};

static void drop(struct object *o) {
    if (atomic_fetch_sub(&o->references, 1) == 1)
        free(o);
}

static void *one(void *object) {
    struct object *o = object;
    o->value[0] = 1;
    drop(o);
    return NULL;
}

static void *two(void *object) {
    struct object *o = object;
    o->value[1] = 1;
    drop(o);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct object *o = calloc(1, sizeof *o);
    o->references = 2;
    pthread_create(&a, NULL, one, o);
    pthread_create(&b, NULL, two, o);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
