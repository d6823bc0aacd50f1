/* A reference is given up, and the object used once more after that: the other holder may have freed it
 * meanwhile. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int users;
    int closed;
};

static void *early(void *object) {
    struct object *o = object;
    if (atomic_fetch_sub(&o->users, 1) > 1)
        o->closed = 1; // bug
    else
        free(o);
    return NULL;
}

static void *late(void *object) {
    struct object *o = object;
    if (atomic_fetch_sub(&o->users, 1) == 1)
        free(o); // bug
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct object *o = calloc(1, sizeof *o);
    o->users = 2;
    pthread_create(&a, NULL, early, o);
    pthread_create(&b, NULL, late, o);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
