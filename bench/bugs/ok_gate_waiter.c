/* Right: three philosophers with a waiter, a lock that each holds while he picks up his forks. */
#include <pthread.h>

enum { N = 3 };
static pthread_mutex_t waiter = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t fork_of[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                     PTHREAD_MUTEX_INITIALIZER};
static int meals[N];

static void *dine(void *seat) {
    int i = *(int *)seat;
    pthread_mutex_lock(&waiter);
    pthread_mutex_lock(&fork_of[i]);
    pthread_mutex_lock(&fork_of[(i + 1) % N]);
    pthread_mutex_unlock(&waiter);
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
    return meals[0] + meals[1] + meals[2] != N;
}
