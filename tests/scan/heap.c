/* Nodes with a lock of their own: one thread goes on to the next node and keeps the lock of the one before. With RIGHT it
 * goes hand over hand, and nothing may be told. */
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    pthread_mutex_t m;
    int n;
};

static struct node *list;

static void *last(void *arg) {
    struct node *p = arg;
    pthread_mutex_lock(&p->m);
    p->n++;
    pthread_mutex_unlock(&p->m);
    return NULL;
}

static void *walks(void *arg) {
    struct node *p = arg;
    pthread_mutex_lock(&p->m);
    while (p->next) {
        struct node *q = p->next;
#ifdef RIGHT
        pthread_mutex_lock(&q->m);
        pthread_mutex_unlock(&p->m);
        p = q;
        p->n++;
#else
        q->n++;
        pthread_mutex_lock(&q->m);
        pthread_mutex_unlock(&p->m);
        p = q;
#endif
    }
    pthread_mutex_unlock(&p->m);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t t, u;
    struct node *end = NULL;
    (void)argv;
    for (int i = 0; i < argc + 1; i++) {
        struct node *p = malloc(sizeof *p);
        if (!p)
            return 1;
        pthread_mutex_init(&p->m, NULL);
        p->n = 0;
        p->next = list;
        list = p;
        if (!end)
            end = p;
    }
    pthread_create(&t, NULL, last, end);
    pthread_create(&u, NULL, walks, list);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
