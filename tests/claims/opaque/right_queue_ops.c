// WITH: queue_without_hooks.c
// The same, through pointers to its functions.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct ops {
    void (*put)(void *);
    void *(*get)(void);
};
extern const struct ops q_ops;
struct item {
    int x;
};
static void *consumer(void *a) {
    (void)a;
    struct item *i = q_ops.get();
    i->x++;
    printf("%d\n", i->x);
    free(i);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    struct item *i = malloc(sizeof *i);
    i->x = 5;
    q_ops.put(i);
    pthread_join(t, 0);
    return 0;
}
