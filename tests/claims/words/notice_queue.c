//! finds race
// with RIGHT: silent
/* A message queue tells of a message by a thread. */
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static mqd_t q;
static sem_t s;
static int n;
static void came(union sigval v) {
    char got[8];
    (void)v;
    mq_receive(q, got, sizeof got, NULL);
#ifdef RIGHT
    n++;
    sem_post(&s);
#else
    sem_post(&s);
    n++;
#endif
}
int main(void) {
    struct mq_attr small = {.mq_maxmsg = 2, .mq_msgsize = 8};
    struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = came};
    char name[40];
    snprintf(name, sizeof name, "/augur-notice-%d", (int)getpid());
    q = mq_open(name, O_CREAT | O_RDWR, 0600, &small);
    mq_unlink(name);
    sem_init(&s, 0, 0);
    if (mq_notify(q, &e))
        return 1;
    n = 1;
    mq_send(q, "x", 1, 0);
    sem_wait(&s);
    return n == 0;
}
