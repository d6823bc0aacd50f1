/* A name that is free is registered in the next section: two users get it. Right: one section. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int owner, users;

static void claim(int me) {
    pthread_mutex_lock(&lock);
    int is_free = !owner;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (is_free) {
        owner = me; // bug
        users++;
    }
    pthread_mutex_unlock(&lock);
}

static void *first(void *unused) {
    claim(1);
    return unused;
}

static void *second(void *unused) {
    claim(2);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d user\n", users);
    return 0;
}
