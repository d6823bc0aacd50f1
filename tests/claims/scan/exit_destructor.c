// assert: UNKNOWN FALSE
// A destructor runs after main.
#include <assert.h>
#include <pthread.h>
static int x;
__attribute__((destructor)) static void h(void) {
    assert(x == 0);
}
static void *f(void *p) {
    x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    return 0;
}
