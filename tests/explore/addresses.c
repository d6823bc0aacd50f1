/* Whose memory lies lower: it depends on who asked first. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
static void *got[2];
static void *asks(void *to) {
    *(void **)to = malloc(24);
    return NULL;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, asks, &got[0]);
    pthread_create(&b, NULL, asks, &got[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert((uintptr_t)got[0] < (uintptr_t)got[1]);
    return 0;
}
