// WITH: queue_without_hooks.c
// A race beside the queue, which does not order it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
void q_put(void *p);
void *q_get(void);
struct item {
    int x;
};
static int count;
static void *consumer(void *a) {
    (void)a;
    struct item *i = q_get();
    i->x++;
    count++;
    free(i);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    struct item *i = malloc(sizeof *i);
    i->x = 5;
    q_put(i);
    count++;
    pthread_join(t, 0);
    printf("%d\n", count);
    return 0;
}
