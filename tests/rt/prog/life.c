/* Lives and deaths of threads: detached, exiting, cancelled, joined with a time limit, with
 * keys whose destructors have hooks, with stacks of their own; the main thread leaves first. */
#include "hook.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

static int done;
static pthread_key_t key;
static pthread_t main_thread;

static void destroy(void *p) {
    __augur_enter(&site[0]);
    ST(1, done, done + 1);
    (void)p;
    __augur_leave(&site[2]);
}

static void *leaves(void *a) {
    __augur_enter(&site[3]);
    CALL(4, pthread_setspecific, key, a);
    CALLV(6, pthread_exit, a);
    return NULL;
}

static void *spins(void *a) {
    __augur_enter(&site[8]);
    for (;;) {
        if (LD(9, done) > 1000000000)
            break;
        CALLV(10, pthread_testcancel);
    }
    return a;
}

static void *detached(void *a) {
    __augur_enter(&site[12]);
    int x = 0;
    ST(13, x, 1);
    ST(14, *(int *)a, *(int *)a + 1);
    __augur_leave(&site[15]);
    return NULL;
}

static void *last(void *a) {
    __augur_enter(&site[16]);
    int e = CALL(17, pthread_join, main_thread, NULL);
    CALL(19, printf, "main joined: %d, %d\n", e, LD(21, done));
    CALL(22, fflush, NULL);
    __augur_leave(&site[24]);
    return a;
}

int main(void) {
    __augur_enter(&site[30]);
    pthread_t t, u;
    void *result;
    static int count;
    CALL(31, pthread_key_create, &key, destroy);
    CALL(33, pthread_create, &t, NULL, leaves, (void *)7);
    CALL(35, pthread_join, t, &result);
    if (result != (void *)7)
        return 1;
    CALL(37, pthread_create, &t, NULL, spins, NULL);
    struct timespec past = {1, 0};
    if (CALL(39, pthread_timedjoin_np, t, NULL, &past) != ETIMEDOUT)
        return 2;
    if (CALL(41, pthread_tryjoin_np, t, NULL) != EBUSY)
        return 3;
    CALL(43, pthread_cancel, t);
    CALL(45, pthread_join, t, &result);
    if (result != PTHREAD_CANCELED)
        return 4;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, 40 << 20);
    for (int i = 0; i < 20; i++) {
        CALL(47, pthread_create, &t, i % 2 ? &attr : NULL, detached, &count);
        if (i % 2 == 0)
            CALL(49, pthread_detach, t);
        while (LD(51, count) != i + 1)
            CALL(52, sched_yield);
    }
    main_thread = pthread_self();
    CALL(54, pthread_create, &u, NULL, last, NULL);
    CALLV(56, pthread_exit, NULL);
    return 5;
}
