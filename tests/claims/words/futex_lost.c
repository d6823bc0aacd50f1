//! finds deadlock
// with RIGHT: silent
/* The value that the wait expects is not the one that was looked at: the wake-up is lost. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int ready, gen;
static int data;
static void *waiter(void *a) {
    (void)a;
#ifdef RIGHT
    for (;;) {
        int g = gen;
        if (ready)
            break;
        syscall(SYS_futex, &gen, FUTEX_WAIT_PRIVATE, g, NULL, NULL, 0);
    }
#else
    while (!ready)
        syscall(SYS_futex, &gen, FUTEX_WAIT_PRIVATE, gen, NULL, NULL, 0);
#endif
    return (void *)(long)data;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    data = 1;
    ready = 1;
    gen++;
    syscall(SYS_futex, &gen, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(t, NULL);
    return 0;
}
