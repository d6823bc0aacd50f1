//! truth: use after free: main frees the mutex while t is still unlocking it
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct p {
    pthread_mutex_t m;
    volatile int alive;
} * p;
static void *t(void *a) {
    pthread_mutex_lock(&p->m);
    p->alive--;
    pthread_mutex_unlock(&p->m);
    return 0;
}
int main(void) {
    p = malloc(sizeof *p);
    pthread_mutex_init(&p->m, 0);
    p->alive = 1;
    pthread_t x;
    pthread_create(&x, 0, t, 0);
    pthread_detach(x);
    while (p->alive)
        usleep(1000); /* as thpool_destroy: then frees a mutex that t may still hold */
    free(p);
    sleep(1);
    return 0;
}
