/* A mutex of the program's own on futexes: waiting and waking through syscall(2).
 *
 * EXIT 0
 * OUT 30 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int word; /* 0 free, 1 held, 2 held and waited for */
static int counter;

static void lock(void) {
    int was = 0;
    if (__atomic_compare_exchange_n(&word, &was, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    while (__atomic_exchange_n(&word, 2, __ATOMIC_SEQ_CST) != 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}
static void unlock(void) {
    if (__atomic_exchange_n(&word, 0, __ATOMIC_SEQ_CST) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *work(void *unused) {
    for (int i = 0; i < 10; i++) {
        lock();
        int x = counter;
        sched_yield();
        counter = x + 1;
        unlock();
    }
    return unused;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    struct timespec ms = {0, 1000000};
    word = 5;
    if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 4, &ms, NULL, 0) != -1 || errno != EAGAIN)
        return 1;
    if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 5, &ms, NULL, 0) != -1 || errno != ETIMEDOUT)
        return 2;
    if (syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) != 0)
        return 3;
    printf("%d\n", counter);
    return counter != 30;
}
