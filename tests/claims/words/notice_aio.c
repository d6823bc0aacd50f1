//! finds race
// with RIGHT: silent
/* Asynchronous output tells by a thread that it is done. */
#include <aio.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static sem_t s;
static int n;
static struct aiocb c;
static void done(union sigval v) {
    (void)v;
#ifdef RIGHT
    n++;
    sem_post(&s);
#else
    sem_post(&s);
    n++;
#endif
}
int main(void) {
    char name[] = "noticeXXXXXX";
    c.aio_fildes = mkstemp(name);
    unlink(name);
    sem_init(&s, 0, 0);
    c.aio_buf = (void *)"abc";
    c.aio_nbytes = 3;
    c.aio_sigevent.sigev_notify = SIGEV_THREAD;
    c.aio_sigevent.sigev_notify_function = done;
    n = 1;
    if (aio_write(&c))
        return 1;
    sem_wait(&s);
    return n == 0;
}
