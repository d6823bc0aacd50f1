/* The total is read under the reader's side of a lock and written under the writer's side. Right: the writer's side for both. */
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int total = 5;

static void *add(void *unused) {
#ifdef RIGHT
    pthread_rwlock_wrlock(&lock);
    total += 2;
#else
    pthread_rwlock_rdlock(&lock);
    int n = total;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    total = n + 2; // bug
#endif
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", total);
    return 0;
}
