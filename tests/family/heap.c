#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct node {
    int key;
    struct node *next;
};
static struct node *head;
static int n, big;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *push(void *a) {
    for (int i = 0; i < 2; i++) {
        struct node *x = malloc(sizeof *x);
        x->key = i + (int)(long)a;
        pthread_mutex_lock(&m);
        x->next = head;
        head = x;
        n++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
static void *pop(void *a) {
    (void)a;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        struct node *x = head;
        if (x)
            head = x->next, n--;
        pthread_mutex_unlock(&m);
        if (x) {
            if (x->key == 11)
                big = 1;
            free(x);
        }
    }
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, push, (void *)10L);
    pthread_create(&u, 0, pop, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(!big || n != 1);
    return 0;
}
