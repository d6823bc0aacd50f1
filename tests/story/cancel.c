/* Of one field: a function that takes no lock tests it and then writes it (one cause), and one writes it twice without (two). */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int state, mode; } job;

static void *worker(void *p) {
    pthread_mutex_lock(&lock);
    if (job.state == 0)
        job.state = 1;
    job.mode++;
    pthread_mutex_unlock(&lock);
    return p;
}

static int cancel(void) {
    if (job.state != 0)
        return 0;
    job.state = 2;
    return 1;
}

static void set(void) {
    job.mode = 5;
    puts("mode");
    job.mode = 6;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int could = cancel();
    set();
    pthread_join(t, NULL);
    return could > 1;
}
