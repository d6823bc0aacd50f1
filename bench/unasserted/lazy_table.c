/* A table is made by whoever needs it first; the test and the making are in two sections, and what the first one put in is gone.
 * Right: one section. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct table {
    int n, at[4];
};
static struct table *table;

static void add(struct table *t, int x) {
    t->at[t->n++] = x;
}

static void *insert(void *unused) {
    pthread_mutex_lock(&lock);
    struct table *t = table;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    struct table *made = t ? NULL : calloc(1, sizeof *made);
    pthread_mutex_lock(&lock);
    if (!t)
        table = t = made; // bug
#else
    if (!t)
        table = t = calloc(1, sizeof *t);
#endif
    add(t, 7);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, insert, NULL);
    pthread_create(&b, NULL, insert, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d in the table\n", table ? table->n : 0);
    return 0;
}
