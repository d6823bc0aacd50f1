/* A string that strlen looks at, and sprintf makes. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static char text[16] = "abc";
static void *changes(void *unused) {
    snprintf(text, sizeof text, "%d", 12345);
    return unused;
}
static void *looks(void *unused) {
    assert(strlen(text) == 5);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, changes, NULL);
    pthread_create(&b, NULL, looks, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
