// A pool of threads that keeps its state in volatile variables, as pools on the net do: unordered, all of them.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct job {
    struct job *next;
    void (*f)(void *);
    void *arg;
} job;

static volatile int keep_alive, alive, working;
static job *front, *rear;
static int length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, counts = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static long sum;

static void add(void *n) {
    sum += (long)n;
}

static job *pull(void) {
    job *j = front;
    if (j) {
        front = j->next;
        if (!front)
            rear = NULL;
        length--;
    }
    return j;
}

static void *work(void *arg) {
    pthread_mutex_lock(&counts);
    alive++;
    pthread_mutex_unlock(&counts);
    while (keep_alive) {
        pthread_mutex_lock(&lock);
        while (!front && keep_alive)
            pthread_cond_wait(&more, &lock);
        job *j = pull();
        pthread_mutex_unlock(&lock);
        if (j) {
            pthread_mutex_lock(&counts);
            working++;
            pthread_mutex_unlock(&counts);
            j->f(j->arg);
            free(j);
            pthread_mutex_lock(&counts);
            working--;
            pthread_mutex_unlock(&counts);
        }
    }
    return arg;
}

int main(void) {
    pthread_t t[2];
    keep_alive = 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    while (alive != 2)
        usleep(100);
    for (long i = 0; i < 4; i++) {
        job *j = malloc(sizeof *j);
        *j = (job){NULL, add, (void *)i};
        pthread_mutex_lock(&lock);
        if (rear)
            rear->next = j;
        else
            front = j;
        rear = j;
        length++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    while (length || working)
        usleep(100);
    keep_alive = 0;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
