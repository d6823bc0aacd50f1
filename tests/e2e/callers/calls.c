/* Two threads that come to the same function in many ways (callers.sh). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int total, items[3] = {3, 1, 2};
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void add(int n) {
    total += n; /* add */
}
static int pure(int n) {
    return n * 3;
}
static int compare(const void *x, const void *y) {
    add(1); /* compare */
    return *(const int *)x - *(const int *)y;
}
static void down(int n) {
    if (n)
        down(n - 1); /* down */
    else
        add(2); /* bottom */
}
static void (*volatile how)(int) = down;

static void lock_both(pthread_mutex_t *x, pthread_mutex_t *y) {
    pthread_mutex_lock(x);
    pthread_mutex_lock(y); /* second */
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
static void *worker(void *arg) {
    (void)arg;
    if (pure(2) == 6)
        how(2); /* how */
    else
        add(pure(1));
    lock_both(&a, &b); /* ab */
    return NULL;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    qsort(items, 3, sizeof *items, compare); /* sort */
    lock_both(&b, &a);                       /* ba */
    pthread_join(t, NULL);
    printf("%d\n", total > 0);
}
