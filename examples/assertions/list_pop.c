/* Two threads take the first node of a list without a lock: both can get the same one. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct node {
    struct node *next;
};
static struct node node[3];
static struct node *head;
static struct node *got[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *pop(void *where) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#else
    (void)lock;
#endif
    struct node *n = head;
    head = n->next;
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
    *(struct node **)where = n;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 3; i++) {
        node[i].next = head;
        head = &node[i];
    }
    pthread_create(&a, NULL, pop, &got[0]);
    pthread_create(&b, NULL, pop, &got[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(got[0] != got[1]);
    return 0;
}
