/* An atomic update is the first access of heap memory. -DFORM=n picks how the memory came. 'got' is written by
 * the one thread that wins: no race. With -DBUG both write it. */
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <pthread.h>

struct queue {
    std::atomic<long> head;
    int got;
};

static void *steal(void *arg) {
    queue *q = static_cast<queue *>(arg);
    long none = 0;
    bool won = q->head.compare_exchange_strong(none, 1);
#ifdef BUG
    won = true;
#endif
    if (won)
        q->got++;
    return nullptr;
}

int main() {
#if FORM == 1
    queue *q = new queue;
    q->head.exchange(0);
#elif FORM == 2 /* used before */
    void *before = malloc(sizeof(queue));
    memset(before, 0xab, sizeof(queue));
    free(before);
    queue *q = static_cast<queue *>(malloc(sizeof(queue)));
    q->head.exchange(0);
#elif FORM == 3
    queue *q = static_cast<queue *>(calloc(1, sizeof(queue)));
    q->head.fetch_add(0);
#elif FORM == 4
    queue *q = new (malloc(sizeof(queue))) queue;
    q->head.fetch_and(0);
#elif FORM == 5
    auto owner = std::make_shared<queue>();
    queue *q = owner.get();
    q->head.exchange(0);
#endif
    q->got = 0;
    pthread_t a, b;
    pthread_create(&a, nullptr, steal, q);
    pthread_create(&b, nullptr, steal, q);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    assert(q->got >= 1);
}
