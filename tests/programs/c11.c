/* <threads.h>: threads, plain, timed and recursive mutexes, conditions, once, sleeping.
 *
 * EXIT 0
 * T0 init m, init timed, init again, init c, fork T1, fork T2, acq m, broadcast c, signal c, rel m, join T1, join T2, acq timed, tryfail timed, tryfail timed, rel timed, acq again, acq again=1, rel again, rel again, acq m, rel m, wait c=1, wake c=1, acq m, rel m, destroy m, destroy c
 * T1 once flag[^ ,]*, acq m, (rel m, wait c, wake c, acq m, )*rel m, exit
 * T2 once flag[^ ,]*, acq m, (rel m, wait c, wake c, acq m, )*rel m, .*exit
 * OUT 7 */
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t m, timed, again;
static cnd_t c;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int open, runs, gone;

static void init(void) {
    runs++;
}
static void goes(void *p) {
    __atomic_add_fetch(&gone, *(int *)p, __ATOMIC_SEQ_CST); /* both threads end at once */
}

static int work(void *number) {
    call_once(&flag, init);
    tss_set(key, number);
    mtx_lock(&m);
    while (!open)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    if (*(int *)number == 4)
        thrd_exit(4);
    return *(int *)number;
}

int main(void) {
    thrd_t t[2];
    static int number[2] = {3, 4};
    struct timespec soon;
    if (mtx_init(&m, mtx_plain) || mtx_init(&timed, mtx_timed) ||
        mtx_init(&again, mtx_plain | mtx_recursive) || cnd_init(&c) || tss_create(&key, goes))
        return 1;
    for (int i = 0; i < 2; i++)
        if (thrd_create(&t[i], work, &number[i]) != thrd_success)
            return 2;
    thrd_sleep(&(struct timespec){0, 1000000}, NULL);
    thrd_yield();
    mtx_lock(&m);
    open = 1;
    cnd_broadcast(&c);
    cnd_signal(&c);
    mtx_unlock(&m);
    int a = 0, b = 0;
    if (thrd_join(t[0], &a) || thrd_join(t[1], &b))
        return 3;
    mtx_lock(&timed);
    timespec_get(&soon, TIME_UTC);
    if (mtx_timedlock(&timed, &soon) != thrd_timedout || mtx_trylock(&timed) != thrd_busy)
        return 4;
    mtx_unlock(&timed);
    mtx_lock(&again);
    if (mtx_trylock(&again) != thrd_success)
        return 5;
    mtx_unlock(&again);
    mtx_unlock(&again);
    mtx_lock(&m);
    if (cnd_timedwait(&c, &m, &soon) != thrd_timedout)
        return 6;
    mtx_unlock(&m);
    mtx_destroy(&m);
    cnd_destroy(&c);
    printf("%d\n", a + b);
    return runs != 1 || gone != 7;
}
