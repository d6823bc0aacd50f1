// A queue with locks of its own, compiled without hooks; and a thread that calls back with what comes out of it.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static void *slot[16];
static atomic_uint head, tail;
static atomic_flag l = ATOMIC_FLAG_INIT;
void q_put(void *p) {
    while (atomic_flag_test_and_set(&l))
        sched_yield();
    slot[head % 16] = p;
    head++;
    atomic_flag_clear(&l);
}
void *q_get(void) {
    for (;;) {
        while (atomic_flag_test_and_set(&l))
            sched_yield();
        if (tail != head) {
            void *p = slot[tail % 16];
            tail++;
            atomic_flag_clear(&l);
            return p;
        }
        atomic_flag_clear(&l);
        sched_yield();
    }
}
static void (*cb)(void *);
void q_on(void (*f)(void *)) {
    cb = f;
}
void q_run(void) {
    cb(q_get());
}
struct ops {
    void (*put)(void *);
    void *(*get)(void);
};
const struct ops q_ops = {q_put, q_get};

static pthread_t worker;
static void *work(void *a) {
    void *p;
    (void)a;
    while ((p = q_get()) != (void *)slot)
        cb(p);
    return 0;
}
void pool_start(void (*f)(void *)) {
    cb = f;
    pthread_create(&worker, 0, work, 0);
}
void pool_stop(void) {
    q_put(slot);
    pthread_join(worker, 0);
}
void q_fill(int *p, int v) {
    *p = v;
}
