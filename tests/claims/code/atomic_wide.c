/* Atomics of more than 8 bytes, compiled without -mcx16. -DFORM=n picks one. The two halves always change
 * together. With -DBUG one thread changes them by ordinary accesses. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if FORM == 3
typedef struct {
    long a, b, c;
} value; /* no instruction: a lock of libatomic */
#else
typedef struct {
    long a, b;
} value;
#endif
static _Atomic value v;

static void *work(void *arg) {
#ifdef BUG
    if (arg) {
        value *p = (value *)&v;
        p->a++;
        p->b++;
        return NULL;
    }
#endif
#if FORM == 1 || FORM == 3 /* compare and exchange in a loop */
    value old = atomic_load(&v), new;
    do {
        new = old;
        new.a++;
        new.b++;
    } while (!atomic_compare_exchange_strong(&v, &old, new));
#elif FORM == 2 /* store, exchange, load */
    value mine = {arg ? 1 : 2, arg ? 1 : 2};
    atomic_store(&v, mine);
    value was = atomic_exchange(&v, mine);
    assert(was.a == was.b);
    was = atomic_load_explicit(&v, memory_order_acquire);
    assert(was.a == was.b);
#elif FORM == 4 /* __int128 */
    __atomic_fetch_add((__int128 *)&v, (__int128)1 << 64 | 1, __ATOMIC_SEQ_CST);
#endif
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, (void *)&v);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    value last = atomic_load(&v);
    assert(last.a == last.b);
    return last.a == 0;
}
