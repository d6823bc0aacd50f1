/* Bytes that memcpy brings while they are being changed. */
#include <assert.h>
#include <pthread.h>
#include <string.h>
static char text[16] = "aaaaaaaaaaaaaaa";
static void *changes(void *unused) {
    memset(text, 'b', 15);
    return unused;
}
static void *copies(void *unused) {
    char mine[16];
    memcpy(mine, text, sizeof mine);
    assert(mine[0] == 'b');
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, changes, NULL);
    pthread_create(&b, NULL, copies, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
