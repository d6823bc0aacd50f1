// C11 atomics: load, store, read-modify-write, compare and exchange, fence; 16 bytes with cx16.
#include <stdatomic.h>
_Atomic int x;
_Atomic long y;
_Atomic unsigned char z;
_Atomic(void *) p;
_Atomic double d;
_Alignas(16) __int128 w;
int main(void) {
    int want = 5;
    _Atomic int local = 0;
    atomic_store(&x, 3);
    x++;
    atomic_fetch_sub_explicit(&y, 2, memory_order_relaxed);
    atomic_exchange(&z, 9);
    if (!atomic_compare_exchange_strong(&x, &want, 6))
        want += 10;
    atomic_compare_exchange_weak(&x, &(int){4}, 8);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&p, (void *)0x10, memory_order_release);
    d = 1.0;
    atomic_fetch_or(&local, 1);
    __atomic_store_n(&w, (__int128)7, __ATOMIC_SEQ_CST);
    __int128 back = __atomic_load_n(&w, __ATOMIC_SEQ_CST);
    return want == 14 && back == 7 && atomic_load(&x) == 8 && local == 1 && d == 1.0 ? 0 : 1;
}
// FLAGS: -mcx16
