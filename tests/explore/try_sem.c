/* A semaphore that is only tried. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void *tries(void *unused) {
    int e = sem_trywait(&s);
    assert(e == 0);
    return unused;
}
static void *posts(void *unused) {
    sem_post(&s);
    return unused;
}
int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 0);
    pthread_create(&b, NULL, posts, NULL);
    pthread_create(&a, NULL, tries, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
