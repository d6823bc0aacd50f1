/* examples/papers/philo.c: N philosophers around a table (-DN=N).
 *
 * The bug: all take the left fork first; if all have it, nobody ever eats. With -DRIGHT
 * the last one takes the right one first. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t fork_of[N];
static int meals;
static pthread_mutex_t meals_lock = PTHREAD_MUTEX_INITIALIZER;

static void *dine(void *arg) {
    int me = *(int *)arg, first = me, second = (me + 1) % N;
#ifdef RIGHT
    if (first > second) {
        first = second;
        second = me;
    }
#endif
    pthread_mutex_lock(&fork_of[first]);
    pthread_mutex_lock(&fork_of[second]);
    pthread_mutex_lock(&meals_lock);
    meals++;
    pthread_mutex_unlock(&meals_lock);
    pthread_mutex_unlock(&fork_of[second]);
    pthread_mutex_unlock(&fork_of[first]);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int seat[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_of[i], NULL);
    for (int i = 0; i < N; i++) {
        seat[i] = i;
        pthread_create(&t[i], NULL, dine, &seat[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(meals == N);
    return 0;
}
