/* Each thread takes the number of its slot from the count and raises the count later: both may write the same
 * slot. The count is atomic; the slots are plain. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;
static int slot[4];

static void *append(void *arg) {
    int at = atomic_load(&count);
    slot[at] = *(int *)arg; // bug
    atomic_store(&count, at + 1);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int value[2] = {5, 7};
    pthread_create(&a, NULL, append, &value[0]);
    pthread_create(&b, NULL, append, &value[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(slot[0] + slot[1] == 12);
    return 0;
}
