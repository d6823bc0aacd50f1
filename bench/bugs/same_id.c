/* Identifiers from an atomic counter that is read and written in two steps: two connections get the same
 * one. No data race: the counter is atomic. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next_id = 100;

static void *connection(void *id) {
    unsigned mine = atomic_load(&next_id); // bug
    atomic_store(&next_id, mine + 1);      // bug
    *(unsigned *)id = mine;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    unsigned id[2];
    pthread_create(&a, NULL, connection, &id[0]);
    pthread_create(&b, NULL, connection, &id[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(id[0] != id[1]);
    return 0;
}
