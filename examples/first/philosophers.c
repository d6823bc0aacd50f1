/* examples/first/philosophers.c: three philosophers, three forks, each takes the left one
 * first. It deadlocks in one run out of very many. */
#include <pthread.h>
#include <stdio.h>

enum { N = 3 };
static pthread_mutex_t fork_of[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                     PTHREAD_MUTEX_INITIALIZER};
static int meals[N];

static void *dine(void *seat) {
    int i = *(int *)seat;
    pthread_mutex_lock(&fork_of[i]);
    pthread_mutex_lock(&fork_of[(i + 1) % N]);
    meals[i]++;
    pthread_mutex_unlock(&fork_of[(i + 1) % N]);
    pthread_mutex_unlock(&fork_of[i]);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int seat[N];
    for (int i = 0; i < N; i++) {
        seat[i] = i;
        pthread_create(&t[i], NULL, dine, &seat[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    printf("meals %d %d %d\n", meals[0], meals[1], meals[2]);
    return 0;
}
