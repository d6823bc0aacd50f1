/* Bins of a table on the heap, each read and written by its own function under the lock. Right: one function adds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *bin;

#ifndef RIGHT
static int get(int i) {
    pthread_mutex_lock(&lock);
    int n = bin[i];
    pthread_mutex_unlock(&lock);
    return n;
}

static void put(int i, int n) {
    pthread_mutex_lock(&lock);
    bin[i] = n; // bug
    pthread_mutex_unlock(&lock);
}
#endif

static void *sample(void *value) {
    int i = *(int *)value % 4;
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    bin[i]++;
    pthread_mutex_unlock(&lock);
#else
    put(i, get(i) + 1);
#endif
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int x = 6, y = 2;
    bin = calloc(4, sizeof *bin);
    pthread_create(&a, NULL, sample, &x);
    pthread_create(&b, NULL, sample, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d samples\n", bin[2]);
    free(bin);
    return 0;
}
