// WITH: queue_without_hooks.c
// A library's own thread calls the program back: what was handed to it comes before.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
void pool_start(void (*f)(void *));
void pool_stop(void);
void q_put(void *p);
struct item {
    int x;
};
static int sum;
static void work(void *p) {
    struct item *i = p;
    sum += i->x;
    free(i);
}
int main(void) {
    pool_start(work);
    for (int k = 1; k < 4; k++) {
        struct item *i = malloc(sizeof *i);
        i->x = k;
        q_put(i);
    }
    pool_stop();
    printf("%d\n", sum);
    return sum != 6;
}
