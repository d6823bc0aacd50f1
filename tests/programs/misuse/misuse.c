/* misuse NAME: one wrong use of the pthread library that glibc survives. Without a name: all names. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t s;
static pthread_barrier_t b;
static sem_t up, other_sem;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int x;
static pthread_t main_thread;

static void *nothing(void *a) {
    x = 1;
    return a;
}
static struct timespec soon(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 50000000;
    if (t.tv_nsec >= 1000000000)
        t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}
static pthread_t make(void *(*f)(void *)) {
    pthread_t t;
    if (pthread_create(&t, NULL, f, NULL))
        exit(9);
    return t;
}
static void in_thread(void *(*f)(void *)) {
    pthread_join(make(f), NULL);
}

/* ---- threads ---- */
static void join_twice(void) {
    pthread_t t = make(nothing);
    pthread_join(t, NULL);
    pthread_join(t, NULL);
}
static void join_detached(void) {
    pthread_t t = make(nothing);
    pthread_detach(t);
    pthread_join(t, NULL);
}
static void join_detached_ended(void) {
    pthread_t t = make(nothing);
    pthread_detach(t);
    for (int i = 0; i < 5; i++)
        sched_yield();
    usleep(1000);
    pthread_join(t, NULL);
}
static void join_self(void) {
    pthread_join(pthread_self(), NULL);
}
static void *joins_main(void *a) {
    pthread_join(main_thread, NULL);
    return a;
}
static void join_each_other(void) { /* main ends by itself meanwhile */
    pthread_t t = make(joins_main);
    pthread_tryjoin_np(t, NULL);
}
static void detach_twice(void) {
    pthread_t t = make(nothing);
    pthread_detach(t);
    pthread_detach(t);
}
static void detach_joined(void) {
    pthread_t t = make(nothing);
    pthread_join(t, NULL);
    pthread_detach(t);
}
static pthread_t joined_by_two;
static void *joins_it(void *a) {
    pthread_join(joined_by_two, NULL);
    return a;
}
static void *waits_up(void *a) {
    sem_wait(&up);
    return a;
}
static void join_by_two(void) {
    joined_by_two = make(waits_up);
    pthread_t t = make(joins_it), u = make(joins_it);
    sched_yield();
    sem_post(&up);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
static void *detaches_itself(void *a) {
    pthread_detach(pthread_self());
    return a;
}
static void join_detaches_itself(void) {
    pthread_t t = make(detaches_itself);
    usleep(1000);
    pthread_join(t, NULL);
}
static void detach_while_joined(void) {
    joined_by_two = make(waits_up);
    pthread_t t = make(joins_it);
    usleep(1000);
    pthread_detach(joined_by_two);
    sem_post(&up);
    pthread_join(t, NULL);
}
static void cancel_joined(void) {
    pthread_t t = make(nothing);
    pthread_join(t, NULL);
    pthread_cancel(t);
}
static void tryjoin_twice(void) {
    pthread_t t = make(nothing);
    while (pthread_tryjoin_np(t, NULL) == EBUSY)
        sched_yield();
    pthread_tryjoin_np(t, NULL);
}
static void timedjoin_twice(void) {
    pthread_t t = make(nothing);
    struct timespec when = soon();
    when.tv_sec += 10;
    pthread_timedjoin_np(t, NULL, &when);
    pthread_timedjoin_np(t, NULL, &when);
}
static int thrd_nothing(void *a) {
    x = 1;
    return 0;
}
static void thrd_join_twice(void) {
    thrd_t t;
    thrd_create(&t, thrd_nothing, NULL);
    thrd_join(t, NULL);
    thrd_join(t, NULL);
}

/* ---- mutexes ---- */
static void unlock_free(void) {
    pthread_mutex_unlock(&m);
}
static void unlock_free_check(void) {
    pthread_mutex_unlock(&e);
}
static void unlock_free_recursive(void) {
    pthread_mutex_unlock(&r);
}
static void *unlocks_m(void *a) {
    pthread_mutex_unlock(&m);
    return a;
}
static void unlock_of_other(void) {
    pthread_mutex_lock(&m);
    in_thread(unlocks_m);
    pthread_mutex_unlock(&m);
}
static void *unlocks_e(void *a) {
    pthread_mutex_unlock(&e);
    return a;
}
static void unlock_of_other_check(void) {
    pthread_mutex_lock(&e);
    in_thread(unlocks_e);
    pthread_mutex_unlock(&e);
}
static void *unlocks_r(void *a) {
    pthread_mutex_unlock(&r);
    return a;
}
static void unlock_of_other_recursive(void) {
    pthread_mutex_lock(&r);
    in_thread(unlocks_r);
    pthread_mutex_unlock(&r);
}
static void *locks_m(void *a) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return a;
}
static void *unlocks_and_locks_m(void *a) {
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    x++;
    return a;
}
static void unlock_of_other_then_both(void) { /* two threads hold it at once */
    pthread_mutex_lock(&m);
    in_thread(unlocks_and_locks_m);
    x++;
    pthread_mutex_unlock(&m);
    in_thread(locks_m);
}
static void unlock_twice(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    in_thread(locks_m);
}
static void lock_twice_check(void) {
    pthread_mutex_lock(&e);
    pthread_mutex_lock(&e);
    pthread_mutex_unlock(&e);
}
static void lock_twice_timed(void) {
    struct timespec when = soon();
    pthread_mutex_lock(&m);
    pthread_mutex_timedlock(&m, &when);
    pthread_mutex_unlock(&m);
}
static void trylock_twice(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_trylock(&m);
    pthread_mutex_unlock(&m);
}
static void recursive_too_often(void) {
    pthread_mutex_lock(&r);
    pthread_mutex_lock(&r);
    pthread_mutex_unlock(&r);
    pthread_mutex_unlock(&r);
    pthread_mutex_unlock(&r);
}
static void destroy_held(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_destroy(&m);
    pthread_mutex_unlock(&m);
}
static void *holds_m(void *a) {
    pthread_mutex_lock(&m);
    sem_post(&other_sem);
    sem_wait(&up);
    pthread_mutex_unlock(&m);
    return a;
}
static void destroy_held_by_other(void) {
    pthread_t t = make(holds_m);
    sem_wait(&other_sem);
    pthread_mutex_destroy(&m);
    sem_post(&up);
    pthread_join(t, NULL);
}
static void lock_destroyed(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
static void unlock_destroyed(void) {
    pthread_mutex_destroy(&m);
    pthread_mutex_unlock(&m);
}
static void trylock_destroyed(void) {
    pthread_mutex_destroy(&m);
    pthread_mutex_trylock(&m);
}
static void destroy_twice(void) {
    pthread_mutex_destroy(&m);
    pthread_mutex_destroy(&m);
}
static void init_twice(void) {
    pthread_mutex_init(&m, NULL);
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
static void init_held(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
}
static void *inits_m(void *a) {
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return a;
}
static void init_held_by_other(void) {
    pthread_mutex_lock(&m);
    in_thread(inits_m);
    x++;
    pthread_mutex_unlock(&m);
}
static void *locks_only(void *a) {
    pthread_mutex_lock(&m);
    return a;
}
static void end_holding(void) {
    in_thread(locks_only);
}
static void end_holding_then_try(void) {
    in_thread(locks_only);
    pthread_mutex_trylock(&m);
    pthread_mutex_unlock(&m);
}
static void end_holding_then_destroy(void) {
    in_thread(locks_only);
    pthread_mutex_destroy(&m);
}
static void zeroed(void) { /* not initialised, but all zero: glibc's own initialiser */
    pthread_mutex_t *p = calloc(1, sizeof *p);
    pthread_mutex_lock(p);
    pthread_mutex_unlock(p);
    free(p);
}
static void garbage(void) {
    pthread_mutex_t *p = malloc(sizeof *p);
    memset(p, 0, sizeof *p);
    p->__data.__kind = 77;
    pthread_mutex_lock(p);
    pthread_mutex_unlock(p);
    free(p);
}
static void freed_held(void) {
    pthread_mutex_t *p = malloc(sizeof *p);
    pthread_mutex_init(p, NULL);
    pthread_mutex_lock(p);
    free(p);
    p = malloc(sizeof *p);
    pthread_mutex_init(p, NULL);
    pthread_mutex_lock(p);
    pthread_mutex_unlock(p);
    free(p);
}
static void copied_held(void) {
    pthread_mutex_lock(&m);
    other = m;
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&m);
}
static void wiped_held(void) {
    pthread_mutex_lock(&m);
    memset(&m, 0, sizeof m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
static void *locks_wiped(void *a) {
    memset(&m, 0, sizeof m);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return a;
}
static void wiped_by_other(void) {
    pthread_mutex_lock(&m);
    in_thread(locks_wiped);
    x++;
    pthread_mutex_unlock(&m);
}
static void not_robust_consistent(void) {
    pthread_mutex_consistent(&m);
}
static void robust_not_consistent(void) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &a);
    in_thread(locks_only);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
static void bad_time(void) {
    struct timespec when = {0, -5};
    pthread_mutex_lock(&m);
    pthread_mutex_timedlock(&m, &when);
    pthread_mutex_unlock(&m);
}
static void as_another_kind(void) { /* one memory, a mutex and then a semaphore */
    static union {
        pthread_mutex_t m;
        sem_t s;
        pthread_rwlock_t w;
    } u;
    pthread_mutex_init(&u.m, NULL);
    pthread_mutex_lock(&u.m);
    sem_init(&u.s, 0, 1);
    sem_wait(&u.s);
    sem_post(&u.s);
    pthread_rwlock_init(&u.w, NULL);
    pthread_rwlock_wrlock(&u.w);
    pthread_rwlock_unlock(&u.w);
}
static void mtx_unlock_free(void) {
    mtx_t l;
    mtx_init(&l, mtx_plain);
    mtx_unlock(&l);
    mtx_destroy(&l);
}

/* ---- conditions ---- */
static void wait_without_lock(void) {
    struct timespec when = soon();
    pthread_cond_timedwait(&c, &m, &when);
}
static void wait_without_lock_check(void) {
    pthread_cond_wait(&c, &e);
}
static void *signals(void *a) {
    pthread_cond_signal(&c);
    return a;
}
static void *waits_timed(void *a) {
    struct timespec when = soon();
    pthread_mutex_lock(a ? a : &m);
    pthread_cond_timedwait(&c, &m, &when);
    pthread_mutex_unlock(&m);
    return NULL;
}
static void wait_lock_of_other(void) {
    struct timespec when = soon();
    pthread_t t = make(holds_m);
    sem_wait(&other_sem);
    pthread_cond_timedwait(&c, &m, &when);
    sem_post(&up);
    pthread_join(t, NULL);
}
static void *waits_with_other(void *a) {
    struct timespec when = soon();
    pthread_mutex_lock(&other);
    pthread_cond_timedwait(&c, &other, &when);
    pthread_mutex_unlock(&other);
    return a;
}
static void wait_two_locks(void) {
    pthread_t t = make(waits_timed), u = make(waits_with_other);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
static void cond_destroyed_wait(void) {
    struct timespec when = soon();
    pthread_cond_destroy(&c);
    pthread_mutex_lock(&m);
    pthread_cond_timedwait(&c, &m, &when);
    pthread_mutex_unlock(&m);
}
static void cond_destroyed_signal(void) {
    pthread_cond_destroy(&c);
    pthread_cond_signal(&c);
    pthread_cond_broadcast(&c);
}
static void cond_destroy_twice(void) {
    pthread_cond_destroy(&c);
    pthread_cond_destroy(&c);
}
static void cond_destroy_waited(void) {
    pthread_t t = make(waits_timed);
    usleep(500);
    pthread_cond_destroy(&c);
    pthread_join(t, NULL);
}
static void cond_init_waited(void) {
    pthread_t t = make(waits_timed);
    usleep(500);
    pthread_cond_init(&c, NULL);
    pthread_cond_signal(&c);
    pthread_join(t, NULL);
}
static void cond_init_twice(void) {
    pthread_cond_init(&c, NULL);
    pthread_cond_init(&c, NULL);
    in_thread(signals);
}
static void wait_recursive_twice(void) {
    struct timespec when = soon();
    pthread_mutex_lock(&r);
    pthread_mutex_lock(&r);
    pthread_cond_timedwait(&c, &r, &when);
    pthread_mutex_unlock(&r);
    pthread_mutex_unlock(&r);
}
static void wait_bad_time(void) {
    struct timespec when = {0, -5};
    pthread_mutex_lock(&m);
    pthread_cond_timedwait(&c, &m, &when);
    pthread_mutex_unlock(&m);
}
static void wait_destroyed_mutex(void) {
    struct timespec when = soon();
    pthread_mutex_destroy(&m);
    pthread_cond_timedwait(&c, &m, &when);
}

/* ---- read-write locks ---- */
static void rw_unlock_free(void) {
    pthread_rwlock_unlock(&w);
}
static void *rw_unlocks(void *a) {
    pthread_rwlock_unlock(&w);
    return a;
}
static void rw_unlock_of_other(void) {
    pthread_rwlock_wrlock(&w);
    in_thread(rw_unlocks);
    pthread_rwlock_unlock(&w);
}
static void rw_unlock_read_of_other(void) {
    pthread_rwlock_rdlock(&w);
    in_thread(rw_unlocks);
    pthread_rwlock_unlock(&w);
}
static void rw_write_twice(void) {
    pthread_rwlock_wrlock(&w);
    pthread_rwlock_wrlock(&w);
    pthread_rwlock_unlock(&w);
}
static void rw_read_while_writing(void) {
    pthread_rwlock_wrlock(&w);
    pthread_rwlock_rdlock(&w);
    pthread_rwlock_unlock(&w);
}
static void rw_read_twice(void) {
    pthread_rwlock_rdlock(&w);
    pthread_rwlock_rdlock(&w);
    pthread_rwlock_unlock(&w);
    pthread_rwlock_unlock(&w);
    pthread_rwlock_unlock(&w);
}
static void rw_upgrade_try(void) {
    pthread_rwlock_rdlock(&w);
    pthread_rwlock_trywrlock(&w);
    pthread_rwlock_unlock(&w);
}
static void rw_destroy_held(void) {
    pthread_rwlock_wrlock(&w);
    pthread_rwlock_destroy(&w);
    pthread_rwlock_unlock(&w);
}
static void rw_destroyed(void) {
    pthread_rwlock_init(&w, NULL);
    pthread_rwlock_destroy(&w);
    pthread_rwlock_rdlock(&w);
    pthread_rwlock_unlock(&w);
    pthread_rwlock_destroy(&w);
}
static void rw_init_held(void) {
    pthread_rwlock_wrlock(&w);
    pthread_rwlock_init(&w, NULL);
    pthread_rwlock_wrlock(&w);
    pthread_rwlock_unlock(&w);
    pthread_rwlock_unlock(&w);
}
static void rw_wiped_held(void) {
    pthread_rwlock_wrlock(&w);
    memset(&w, 0, sizeof w);
    pthread_rwlock_rdlock(&w);
    pthread_rwlock_unlock(&w);
}
static void *rw_locks_only(void *a) {
    pthread_rwlock_wrlock(&w);
    return a;
}
static void rw_end_holding(void) {
    in_thread(rw_locks_only);
    pthread_rwlock_tryrdlock(&w);
    pthread_rwlock_unlock(&w);
}

/* ---- spin locks ---- */
static void spin_unlock_free(void) {
    pthread_spin_unlock(&s);
    pthread_spin_lock(&s);
    pthread_spin_unlock(&s);
}
static void *spin_unlocks(void *a) {
    pthread_spin_unlock(&s);
    return a;
}
static void spin_unlock_of_other(void) {
    pthread_spin_lock(&s);
    in_thread(spin_unlocks);
    pthread_spin_unlock(&s);
}
static void *spin_unlocks_and_locks(void *a) {
    pthread_spin_unlock(&s);
    pthread_spin_lock(&s);
    x++;
    return a;
}
static void spin_of_both(void) {
    pthread_spin_lock(&s);
    in_thread(spin_unlocks_and_locks);
    x++;
    pthread_spin_unlock(&s);
}
static void spin_destroy_held(void) {
    pthread_spin_lock(&s);
    pthread_spin_destroy(&s);
    pthread_spin_unlock(&s);
}
static void spin_destroyed(void) {
    pthread_spin_destroy(&s);
    pthread_spin_lock(&s);
    pthread_spin_unlock(&s);
    pthread_spin_destroy(&s);
}
static void spin_init_held(void) {
    pthread_spin_lock(&s);
    pthread_spin_init(&s, 0);
    pthread_spin_lock(&s);
    pthread_spin_unlock(&s);
    pthread_spin_unlock(&s);
}

/* ---- semaphores ---- */
static void sem_destroyed(void) {
    sem_init(&other_sem, 0, 1);
    sem_destroy(&other_sem);
    sem_wait(&other_sem);
    sem_post(&other_sem);
    sem_destroy(&other_sem);
}
static void sem_destroy_waited(void) {
    pthread_t t = make(waits_up);
    usleep(500);
    sem_destroy(&up);
    sem_post(&up);
    pthread_join(t, NULL);
}
static void sem_init_waited(void) {
    pthread_t t = make(waits_up);
    usleep(500);
    sem_init(&up, 0, 0);
    sem_post(&up);
    pthread_join(t, NULL);
}
static void sem_too_many(void) {
    sem_init(&other_sem, 0, 0x7fffffff);
    sem_post(&other_sem);
    sem_wait(&other_sem);
}
static void sem_bad_init(void) {
    sem_init(&other_sem, 0, 0x80000000u);
    sem_trywait(&other_sem);
}
static void sem_static(void) { /* never initialised */
    static sem_t zero;
    sem_post(&zero);
    sem_wait(&zero);
    sem_trywait(&zero);
}
static void sem_wiped(void) {
    sem_init(&other_sem, 0, 1);
    memset(&other_sem, 0, sizeof other_sem);
    sem_trywait(&other_sem);
    sem_post(&other_sem);
    sem_wait(&other_sem);
}

/* ---- barriers ---- */
static void barrier_bad_init(void) {
    pthread_barrier_t none;
    pthread_barrier_init(&none, NULL, 0);
}
static void barrier_destroyed(void) {
    pthread_barrier_init(&b, NULL, 1);
    pthread_barrier_wait(&b);
    pthread_barrier_destroy(&b);
    pthread_barrier_destroy(&b);
}
static void *arrives(void *a) {
    pthread_barrier_wait(&b);
    return a;
}
static void barrier_init_waited(void) {
    pthread_barrier_init(&b, NULL, 2);
    pthread_t t = make(arrives);
    usleep(500);
    pthread_barrier_init(&b, NULL, 1);
    pthread_barrier_wait(&b);
    pthread_detach(t);
}
static void barrier_too_many(void) {
    pthread_barrier_init(&b, NULL, 2);
    pthread_t t = make(arrives), u = make(arrives), v = make(arrives);
    usleep(500);
    pthread_barrier_wait(&b);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_join(v, NULL);
}
static void barrier_destroy_waited(void) {
    pthread_barrier_init(&b, NULL, 2);
    pthread_t t = make(arrives);
    usleep(500);
    pthread_barrier_destroy(&b);
    pthread_detach(t);
}

/* ---- the rest ---- */
static void once_nothing(void) {
    x++;
}
static void once_again(void) { /* reset by hand */
    pthread_once(&once, once_nothing);
    once = PTHREAD_ONCE_INIT;
    pthread_once(&once, once_nothing);
}
static void *exits(void *a) {
    pthread_exit(a);
}
static void once_exits_inner(void) {
    pthread_exit(NULL);
}
static void *once_exits_thread(void *a) {
    pthread_once(&once, once_exits_inner);
    return a;
}
static void once_exits(void) {
    in_thread(once_exits_thread);
    pthread_once(&once, once_nothing);
}
static void key_twice(void) {
    pthread_key_create(&key, NULL);
    pthread_key_delete(key);
    pthread_key_delete(key);
    pthread_setspecific(key, &x);
    pthread_getspecific(key);
}
static void kill_joined(void) {
    pthread_t t = make(exits);
    pthread_join(t, NULL);
    pthread_kill(t, 0);
}
static void names(void) {
    pthread_setname_np(pthread_self(), "a name that is too long for the kernel");
    pthread_setname_np(pthread_self(), "");
    in_thread(nothing);
}

#define CASE(name)                                                                                 \
    { #name, name }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {CASE(join_twice),
             CASE(join_detached),
             CASE(join_detached_ended),
             CASE(join_self),
             CASE(join_each_other),
             CASE(detach_twice),
             CASE(detach_joined),
             CASE(join_by_two),
             CASE(join_detaches_itself),
             CASE(detach_while_joined),
             CASE(cancel_joined),
             CASE(tryjoin_twice),
             CASE(timedjoin_twice),
             CASE(thrd_join_twice),
             CASE(unlock_free),
             CASE(unlock_free_check),
             CASE(unlock_free_recursive),
             CASE(unlock_of_other),
             CASE(unlock_of_other_check),
             CASE(unlock_of_other_recursive),
             CASE(unlock_of_other_then_both),
             CASE(unlock_twice),
             CASE(lock_twice_check),
             CASE(lock_twice_timed),
             CASE(trylock_twice),
             CASE(recursive_too_often),
             CASE(destroy_held),
             CASE(destroy_held_by_other),
             CASE(lock_destroyed),
             CASE(unlock_destroyed),
             CASE(trylock_destroyed),
             CASE(destroy_twice),
             CASE(init_twice),
             CASE(init_held),
             CASE(init_held_by_other),
             CASE(end_holding),
             CASE(end_holding_then_try),
             CASE(end_holding_then_destroy),
             CASE(zeroed),
             CASE(garbage),
             CASE(freed_held),
             CASE(copied_held),
             CASE(wiped_held),
             CASE(wiped_by_other),
             CASE(not_robust_consistent),
             CASE(robust_not_consistent),
             CASE(bad_time),
             CASE(as_another_kind),
             CASE(mtx_unlock_free),
             CASE(wait_without_lock),
             CASE(wait_without_lock_check),
             CASE(wait_lock_of_other),
             CASE(wait_two_locks),
             CASE(cond_destroyed_wait),
             CASE(cond_destroyed_signal),
             CASE(cond_destroy_twice),
             CASE(cond_destroy_waited),
             CASE(cond_init_waited),
             CASE(cond_init_twice),
             CASE(wait_recursive_twice),
             CASE(wait_bad_time),
             CASE(wait_destroyed_mutex),
             CASE(rw_unlock_free),
             CASE(rw_unlock_of_other),
             CASE(rw_unlock_read_of_other),
             CASE(rw_write_twice),
             CASE(rw_read_while_writing),
             CASE(rw_read_twice),
             CASE(rw_upgrade_try),
             CASE(rw_destroy_held),
             CASE(rw_destroyed),
             CASE(rw_init_held),
             CASE(rw_wiped_held),
             CASE(rw_end_holding),
             CASE(spin_unlock_free),
             CASE(spin_unlock_of_other),
             CASE(spin_of_both),
             CASE(spin_destroy_held),
             CASE(spin_destroyed),
             CASE(spin_init_held),
             CASE(sem_destroyed),
             CASE(sem_destroy_waited),
             CASE(sem_init_waited),
             CASE(sem_too_many),
             CASE(sem_bad_init),
             CASE(sem_static),
             CASE(sem_wiped),
             CASE(barrier_bad_init),
             CASE(barrier_destroyed),
             CASE(barrier_init_waited),
             CASE(barrier_too_many),
             CASE(barrier_destroy_waited),
             CASE(once_again),
             CASE(once_exits),
             CASE(key_twice),
             CASE(kill_joined),
             CASE(names)};

int main(int argc, char **argv) {
    main_thread = pthread_self();
    sem_init(&up, 0, 0);
    sem_init(&other_sem, 0, 0);
    pthread_spin_init(&s, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 2)
            puts(cases[i].name);
        else if (!strcmp(argv[1], cases[i].name))
            cases[i].run();
    return 0;
}
