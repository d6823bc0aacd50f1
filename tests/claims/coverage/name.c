//! fails: a thread looks at the name that another one gets
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_t main_thread;
static void *A(void *x) {
    pthread_setname_np(main_thread, "other");
    return x;
}
static void *B(void *x) {
    char text[16];
    pthread_getname_np(main_thread, text, sizeof text);
    assert(!strcmp(text, "first"));
    return x;
}
int main(void) {
    pthread_t a, b;
    main_thread = pthread_self();
    pthread_setname_np(main_thread, "first");
    pthread_create(&b, NULL, B, NULL);
    pthread_create(&a, NULL, A, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
