/* Whoever finds the log full rotates it; the test and the rotation are in two sections, so that two rotate it. Right: one
 * section. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int size = 99, files = 1;

static void *write_line(void *unused) {
    pthread_mutex_lock(&lock);
    int full = ++size >= 100;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (full) {
        files++; // bug
        size = 0;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, write_line, NULL);
    pthread_create(&b, NULL, write_line, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d files\n", files);
    return 0;
}
