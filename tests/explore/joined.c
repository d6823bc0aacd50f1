/* What an ended thread gave back. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static atomic_int x;
static void *gives(void *unused) {
    (void)unused;
    return (void *)(intptr_t)x;
}
static void *writes(void *unused) {
    x = 1;
    return unused;
}
int main(void) {
    pthread_t a, b;
    void *got;
    pthread_create(&a, NULL, gives, NULL);
    pthread_create(&b, NULL, writes, NULL);
    pthread_join(a, &got);
    pthread_join(b, NULL);
    assert(!got);
    return 0;
}
