/* The state of a random number generator is read in one section and replaced in the next: two threads draw the same number.
 * Right: one section. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned state = 12345, drawn[2];

static void *draw(void *at) {
    pthread_mutex_lock(&lock);
    unsigned s = state;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    state = s * 1103515245u + 12345u; // bug
    pthread_mutex_unlock(&lock);
    drawn[at != NULL] = s >> 16;
    return NULL;
}

static void *draw_second(void *unused) {
    (void)unused;
    return draw(&state);
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, draw, NULL);
    pthread_create(&b, NULL, draw_second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%s\n", drawn[0] != drawn[1] ? "two numbers" : "one number");
    return 0;
}
