// race: UNKNOWN FALSE
// Each thread creates one of its kind and waits for it, but not for that one's child: the first and the third race, and
// of the two in the model each is the other's.
#include <pthread.h>
static int n, depth;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *arg) {
    pthread_t t;
    pthread_mutex_lock(&m);
    int d = depth++;
    pthread_mutex_unlock(&m);
    if (d < 2) {
        pthread_create(&t, 0, f, 0);
        if (d == 0) {
            pthread_join(t, 0);
            n = 1;
        }
    } else {
        n = 2;
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    return 0;
}
