// FLAGS: -mcx16 -Wno-atomic-alignment
// LINK: -latomic
// C11 atomics of all sizes.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

_Atomic int a;
_Atomic unsigned char b;
_Atomic short c;
_Atomic long d;
atomic_flag flag = ATOMIC_FLAG_INIT;
typedef struct {
    long x, y;
} pair;
_Atomic pair two;
_Atomic(void *) top;
struct node {
    struct node *next;
    int v;
} nodes[16];
int plain;

static void push(struct node *n) {
    void *old = atomic_load(&top);
    do
        n->next = old;
    while (!atomic_compare_exchange_weak(&top, &old, n));
}

static void *worker(void *p) {
    int n = (int)(long)p;
    for (int i = 0; i < 8; i++) {
        a += i;
        b ^= (unsigned char)i;
        c -= 3;
        atomic_fetch_and(&d, ~(long)i);
        atomic_fetch_or(&d, i << 3);
        long was = atomic_exchange(&d, d + n);
        int expect = 4;
        if (atomic_compare_exchange_strong(&a, &expect, 100))
            plain++;
        else
            plain += expect;
        while (atomic_flag_test_and_set(&flag))
            ;
        plain += (int)was;
        atomic_flag_clear(&flag);
        pair q = atomic_load(&two);
        q.x += i;
        q.y -= i;
        atomic_store(&two, q);
        atomic_thread_fence(memory_order_seq_cst);
        nodes[n * 8 + i].v = i;
        push(&nodes[n * 8 + i]);
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int k = 0;
    for (struct node *n = top; n; n = n->next)
        k += n->v;
    printf("%d %d %d %ld %d\n", a, b, c, ((pair)two).x, k);
    return 0;
}
