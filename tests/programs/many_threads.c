/* More than a thousand threads alive at once.
 *
 * EXIT 0
 * OUT 1200 */
#include <pthread.h>
#include <stdio.h>

#define THREADS 1200
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int here, go;

static void *waits(void *unused) {
    pthread_mutex_lock(&m);
    if (++here == THREADS)
        pthread_cond_broadcast(&c);
    while (!go)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    static pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], NULL, waits, NULL) != 0)
            return 1;
    pthread_mutex_lock(&m);
    while (here < THREADS)
        pthread_cond_wait(&c, &m);
    go = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", here);
    return 0;
}
