/* Cancelling threads that wait in the kernel: reading a pipe, polling, pausing.
 *
 * EXIT 0
 * OUT 7 */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static int fds[2], ends;
static sem_t there;

static void adds(void *what) {
    ends += *(int *)what;
}

static void *reads(void *unused) {
    static int one = 1;
    char c;
    pthread_cleanup_push(adds, &one);
    sem_post(&there);
    if (read(fds[0], &c, 1) > 0)
        ends = 100;
    pthread_cleanup_pop(0);
    return unused;
}
static void *polls(void *unused) {
    static int two = 2;
    struct pollfd p = {fds[0], POLLIN, 0};
    pthread_cleanup_push(adds, &two);
    sem_post(&there);
    poll(&p, 1, -1);
    pthread_cleanup_pop(0);
    return unused;
}
static void *pauses(void *unused) {
    static int four = 4;
    pthread_cleanup_push(adds, &four);
    sem_post(&there);
    pause();
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    static void *(*const what[])(void *) = {reads, polls, pauses};
    sem_init(&there, 0, 0);
    if (pipe(fds))
        return 1;
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        void *result = NULL;
        pthread_create(&t, NULL, what[i], NULL);
        sem_wait(&there);
        usleep(2000);
        pthread_cancel(t);
        pthread_join(t, &result);
        if (result != PTHREAD_CANCELED)
            return 2;
    }
    printf("%d\n", ends);
    return 0;
}
