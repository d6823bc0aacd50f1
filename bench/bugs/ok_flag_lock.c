/* Right: a spin lock made of an atomic_flag protects two plain variables. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_flag taken = ATOMIC_FLAG_INIT;
static int in, out;

static void *pass(void *unused) {
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
        sched_yield();
    in++;
    out++;
    atomic_flag_clear_explicit(&taken, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, pass, NULL);
    pthread_create(&b, NULL, pass, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(in == 2 && out == 2);
    return 0;
}
