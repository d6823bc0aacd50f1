/* An error function without a body of its own, reached.
 *
 * ONLY recorded
 * ENDS assert
 * EXIT 1 */
#include <pthread.h>

extern void reach_error(void);
static int x;

static void *work(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    if (x)
        reach_error();
    return 0;
}
