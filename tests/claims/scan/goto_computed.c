// race: TRUE
// The code jumps; all of it is under the lock.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static int run(const unsigned char *p) {
    static const void *const at[] = {&&add, &&sub, &&halt};
    int sum = 0;
    goto *at[*p++];
add:
    sum++;
    goto *at[*p++];
sub:
    sum--;
    goto *at[*p++];
halt:
    return sum;
}
static void *f(void *p) {
    const unsigned char code[] = {0, 0, 1, 2};
    pthread_mutex_lock(&m);
    x = run(code);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    f(0);
    pthread_join(t, 0);
    return 0;
}
