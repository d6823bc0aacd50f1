// assert: UNKNOWN FALSE
#include <assert.h>
#include <threads.h>
static int f(void *p) {
    return 7 + (p != 0);
}
int main(void) {
    thrd_t t;
    thrd_create(&t, f, 0);
    int r = 0;
    thrd_join(t, &r);
    assert(r == 0);
    return 0;
}
