//! finds deadlock
// with RIGHT: silent
/* A semaphore that wakes only who comes from 0: two posts in a row wake one of two waiters. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int count;
static void down(void) {
    for (;;) {
        int c = count;
        if (c > 0) {
            if (atomic_compare_exchange_strong(&count, &c, c - 1))
                return;
            continue;
        }
        syscall(SYS_futex, &count, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    }
}
static void up(void) {
    int was = atomic_fetch_add(&count, 1);
#ifdef RIGHT
    (void)was;
#else
    if (was == 0)
#endif
    syscall(SYS_futex, &count, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
static void *waiter(void *a) {
    down();
    return a;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_create(&u, NULL, waiter, NULL);
    up();
    up();
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
