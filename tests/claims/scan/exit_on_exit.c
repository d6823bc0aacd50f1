// race: UNKNOWN FALSE
// A thread still writes while the handler reads.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
static int x, seen;
static void h(int status, void *p) {
    seen = x + status + (p != 0);
}
static void *f(void *p) {
    x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    on_exit(h, 0);
    pthread_create(&t, 0, f, 0);
    return 0;
}
