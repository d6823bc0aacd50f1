/* Barriers, semaphores, read-write locks, once, a thread that is joined, a copy of a structure: on the way
 * to an access that races with another one. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

struct pair {
    int a, b, more[6];
};
static struct pair from = {1, 2, {0}}, to;
static pthread_barrier_t barrier;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static int state, racy;

static void sets(void) {
    state = 1;
}

static void *one(void *p) {
    pthread_once(&once, sets);
    pthread_barrier_wait(&barrier);
    pthread_rwlock_rdlock(&rw);
    racy++;
    pthread_rwlock_unlock(&rw);
    to = from;
    sem_post(&sem);
    return p;
}

static void *two(void *p) {
    pthread_once(&once, sets);
    pthread_barrier_wait(&barrier);
    pthread_rwlock_rdlock(&rw);
    if (state)
        racy = 5;
    pthread_rwlock_unlock(&rw);
    sem_wait(&sem);
    to.b = 7;
    return p;
}

static void *three(void *p) {
    from.a = 9;
    return p;
}

int main(void) {
    pthread_t x, y, z;
    sem_init(&sem, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&z, 0, three, 0);
    pthread_join(z, 0);
    pthread_create(&x, 0, one, 0);
    pthread_create(&y, 0, two, 0);
    pthread_create(&z, 0, three, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
    pthread_join(z, 0);
    return to.a;
}
