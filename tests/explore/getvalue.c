/* A look at a semaphore's count. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void *posts(void *unused) {
    sem_post(&s);
    return unused;
}
static void *looks(void *unused) {
    int n = 0;
    sem_getvalue(&s, &n);
    assert(n == 1);
    return unused;
}
int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 0);
    pthread_create(&a, NULL, posts, NULL);
    pthread_create(&b, NULL, looks, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
