//! right
/* A lock by FUTEX_LOCK_PI, whose word holds the kernel's number of the thread: a replay tells the recorded ones. */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static unsigned word;
static int n;
static void *counter(void *p) {
    unsigned own = (unsigned)syscall(SYS_gettid), nobody = 0;
    if (!__atomic_compare_exchange_n(&word, &nobody, own, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        assert(syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
    n++;
    if (!__atomic_compare_exchange_n(&word, &own, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, counter, NULL);
    pthread_create(&t[1], NULL, counter, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(n == 2);
    assert(!syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0));
    return 0;
}
