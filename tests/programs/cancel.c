/* Cancelling threads that wait: on a condition (its lock is held in the clean-up), on a
 * semaphore, in a sleep.
 *
 * EXIT 0
 * OUT 7 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s, there;
static int ends;

static void unlocks(void *unused) {
    (void)unused;
    ends += 1;
    pthread_mutex_unlock(&m);
}
static void adds(void *what) {
    pthread_mutex_lock(&m);
    ends += *(int *)what;
    pthread_mutex_unlock(&m);
}

static void *on_cond(void *unused) {
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlocks, NULL);
    sem_post(&there);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return unused;
}
static void *on_sem(void *unused) {
    static int two = 2;
    pthread_cleanup_push(adds, &two);
    sem_post(&there);
    sem_wait(&s);
    pthread_cleanup_pop(0);
    return unused;
}
static void *asleep(void *unused) {
    static int four = 4;
    pthread_cleanup_push(adds, &four);
    sem_post(&there);
    sleep(1000);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t t[3];
    sem_init(&s, 0, 0);
    sem_init(&there, 0, 0);
    pthread_create(&t[0], NULL, on_cond, NULL);
    pthread_create(&t[1], NULL, on_sem, NULL);
    pthread_create(&t[2], NULL, asleep, NULL);
    for (int i = 0; i < 3; i++)
        sem_wait(&there);
    for (int i = 0; i < 3; i++) {
        void *result = NULL;
        pthread_cancel(t[i]);
        pthread_join(t[i], &result);
        if (result != PTHREAD_CANCELED)
            return 1;
    }
    printf("%d\n", ends);
    return ends != 7;
}
