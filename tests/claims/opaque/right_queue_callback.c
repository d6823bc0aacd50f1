// WITH: queue_without_hooks.c
// The same; the code without hooks calls the program back with it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
void q_put(void *p);
void q_on(void (*f)(void *));
void q_run(void);
struct item {
    int x;
};
static int seen;
static void got(void *p) {
    struct item *i = p;
    seen = ++i->x;
}
static void *consumer(void *a) {
    (void)a;
    q_run();
    return 0;
}
int main(void) {
    pthread_t t;
    q_on(got);
    pthread_create(&t, 0, consumer, 0);
    struct item *i = malloc(sizeof *i);
    i->x = 5;
    q_put(i);
    pthread_join(t, 0);
    printf("%d\n", seen);
    return 0;
}
