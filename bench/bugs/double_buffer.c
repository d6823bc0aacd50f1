/* Two buffers; the writer flips to the new one and then fills it. A reader that looks at once sees the
 * old contents of the new buffer. No data race: the cells are atomic. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int front, cell[2] = {1, 0};

static void *writer(void *unused) {
    int back = 1 - atomic_load(&front);
    atomic_store(&front, back);   // bug
    atomic_store(&cell[back], 2); // bug
    return unused;
}

static void *reader(void *unused) {
    int now = atomic_load(&front);
    int value = atomic_load(&cell[now]); // bug
    assert(value > 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
