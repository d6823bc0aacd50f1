//! fails: libc cuts what another thread writes
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char text[] = "ab,cd";
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *A(void *x) {
    char *rest = text;
    pthread_mutex_lock(&m);
    char *first = strsep(&rest, ",");
    pthread_mutex_unlock(&m);
    if (strlen(first) != 2)
        abort();
    return x;
}
static void *B(void *x) {
    pthread_mutex_lock(&m);
    text[1] = ',';
    pthread_mutex_unlock(&m);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
