/* A list is walked with the lock held only while a pointer is fetched; a node is unlinked and freed while
 * the walker stands on it. */
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};
static struct node *list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *sum(void *arg) {
    pthread_mutex_lock(&lock);
    struct node *n = list;
    pthread_mutex_unlock(&lock);
    while (n) {
        *(int *)arg += n->value; // bug
        pthread_mutex_lock(&lock);
        n = n->next; // bug
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *remove_first(void *unused) {
    pthread_mutex_lock(&lock);
    struct node *n = list;
    if (n)
        list = n->next;
    pthread_mutex_unlock(&lock);
    free(n); // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    int total = 0;
    for (int i = 1; i <= 2; i++) {
        struct node *n = calloc(1, sizeof *n);
        n->value = i;
        n->next = list;
        list = n;
    }
    pthread_create(&a, NULL, sum, &total);
    pthread_create(&b, NULL, remove_first, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(list);
    return 0;
}
