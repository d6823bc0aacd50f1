/* A reference count that is read and written in two steps: a reference is lost, the object is freed too early or never.
 * Right: one atomic subtraction. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct page {
    atomic_int users;
    int number;
};

static void *leave(void *arg) {
    struct page *p = arg;
#ifdef RIGHT
    if (atomic_fetch_sub(&p->users, 1) == 1)
        free(p);
#else
    int left = atomic_load(&p->users) - 1;
    atomic_store(&p->users, left); // bug
    if (!left)
        free(p);
#endif
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct page *p = malloc(sizeof *p);
    atomic_init(&p->users, 2);
    p->number = 1;
    pthread_create(&a, NULL, leave, p);
    pthread_create(&b, NULL, leave, p);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
