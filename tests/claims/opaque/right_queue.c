// WITH: queue_without_hooks.c
// Data goes through a queue of code without hooks: who takes it out comes after who put it in.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
void q_put(void *p);
void *q_get(void);
struct item {
    int x;
};
static void *consumer(void *a) {
    (void)a;
    struct item *i = q_get();
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
    q_put(i);
    pthread_join(t, 0);
    return 0;
}
