/* No race, and yet the sum depends on who comes first: for `augur check --prop nondet`.
 *
 * EXIT 0 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int mode = 1, sum;

static void *set(void *arg) {
    pthread_mutex_lock(&lock);
    mode = (int)(long)arg;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *use(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    sum = mode * 10;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, set, (void *)2L);
    pthread_t u;
    pthread_create(&u, NULL, set, (void *)3L);
    pthread_t v;
    pthread_create(&v, NULL, use, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_join(v, NULL);
    printf("%d\n", sum);
    return 0;
}
