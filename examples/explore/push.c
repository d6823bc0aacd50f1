/* Pushing on a list by compare-and-swap: who has to try again forgets to link the new head. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
};
static struct node node[3];
static struct node *_Atomic head;

static void *push(void *arg) {
    struct node *n = arg, *old = head;
    n->next = old;
    while (!atomic_compare_exchange_strong(&head, &old, n)) {
#ifdef RIGHT
        n->next = old;
#endif
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, push, &node[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    int n = 0;
    for (const struct node *p = head; p; p = p->next)
        n++;
    assert(n == 3);
    return 0;
}
