/* A bitmap of seats is copied, a bit set, and written back in another section. Right: one section. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long seats = 1;

static void *book(void *seat) {
    pthread_mutex_lock(&lock);
    unsigned long taken = seats;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    seats = taken | 1ul << *(int *)seat; // bug
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int three = 3, five = 5;
    pthread_create(&a, NULL, book, &three);
    pthread_create(&b, NULL, book, &five);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("seats %lx\n", seats);
    return 0;
}
