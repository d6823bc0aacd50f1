/* A log in a ring: the slot is taken from one atomic and the entry counted in another. A second writer
 * gets the same slot before the first has moved the tail. No data race: all is atomic. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 4 };
static atomic_int entry[SLOTS], tail, entries;

static void *writer(void *arg) {
    int slot = atomic_load(&tail) % SLOTS; // bug
    atomic_store(&entry[slot], *(int *)arg);
    atomic_fetch_add(&tail, 1); // bug
    atomic_fetch_add(&entries, 1);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int text[2] = {11, 22}, there = 0;
    pthread_create(&a, NULL, writer, &text[0]);
    pthread_create(&b, NULL, writer, &text[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < SLOTS; i++)
        there += entry[i] != 0;
    assert(there == entries);
    return 0;
}
