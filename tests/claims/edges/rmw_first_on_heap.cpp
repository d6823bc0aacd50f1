//! truth: none; 'the model cannot do it' is a bug of augur: an update is the first access of heap memory
#include <assert.h>
#include <atomic>
#include <pthread.h>
struct Q {
    std::atomic<long> volatile head;
    int f;
};
static void *steal(void *p) {
    Q *q = (Q *)p;
    long e = 0;
    if (q->head.compare_exchange_strong(e, 1))
        q->f++;
    return 0;
}
int main() {
    Q *q = new Q;
    q->head.exchange(0);
    q->f = 0;
    pthread_t a, b;
    pthread_create(&a, 0, steal, q);
    pthread_create(&b, 0, steal, q);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(q->f == 1);
    delete q;
    return 0;
}
