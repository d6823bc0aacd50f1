/* A message queue, an event counter, and what the run used of the machine.
 *
 * EXIT 0
 * OUT hello 7 42 */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

static mqd_t q;
static int counter;
static char text[16];
static unsigned priority;

static void *work(void *unused) {
    if (mq_receive(q, text, sizeof text, &priority) != 6)
        text[0] = 0;
    eventfd_write(counter, 40);
    eventfd_write(counter, 2);
    return unused;
}

int main(void) {
    char name[64];
    struct mq_attr a = {.mq_maxmsg = 4, .mq_msgsize = sizeof text};
    pthread_t t;
    snprintf(name, sizeof name, "/augur-test-%ld", (long)getpid());
    q = mq_open(name, O_CREAT | O_RDWR, 0600, &a);
    if (q == (mqd_t)-1 || mq_unlink(name))
        return 1;
    counter = eventfd(0, 0);
    pthread_create(&t, NULL, work, NULL);
    if (mq_send(q, "hello", 6, 7))
        return 2;
    pthread_join(t, NULL);
    eventfd_t n = 0;
    eventfd_read(counter, &n);
    struct rusage use;
    struct tms used;
    if (getrusage(RUSAGE_SELF, &use) || times(&used) == (clock_t)-1)
        return 3;
    printf("%s %u %d\n", text, priority, (int)n);
    return use.ru_maxrss == 0;
}
