/* A farm of workers, and the usual reasons why memory without a mutex is nobody else's: elements of arrays that each
 * thread was handed, by pointer or by number; a thread that is joined before the next round; a binary semaphore, alone
 * and handed on among readers; errno; a switch that this program never turns. Beside each a slip of the same kind. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
    int from, to;
    long sum;
    int late;
    char name[24];
    pthread_t thread;
};

static struct job *jobs;
static long sums[64]; /* one for each number that a worker was given */
static int marks[64]; /* the same, but with a slip */
static int tracing, traced;
static int failures;

/* --- a log, written under a semaphore ------------------------------------------------------------- */

static sem_t log_sem;
static int lines, lines_unsafe;

static void log_line(int n) {
    sem_wait(&log_sem);
    lines += n; // race: bogus lines
    sem_post(&log_sem);
    lines_unsafe++; // race: real unsafe
}

/* A semaphore that says 'go' protects nothing: who posts does not have it. */
static sem_t go;
static int ticket;

static int take_ticket(void) {
    sem_wait(&go);
    ticket++; // race: real ticket
    sem_post(&go);
    sem_post(&go);
    return 0;
}

/* --- a table with readers and writers: the first reader takes the semaphore, the last gives it back -------- */

static pthread_mutex_t readers_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t table_sem;
static int readers, table[8], hits;

static int table_get(int i) {
    pthread_mutex_lock(&readers_lock);
    if (readers == 0)
        sem_wait(&table_sem);
    readers++;
    pthread_mutex_unlock(&readers_lock);
    int found = table[i & 7]; // race: bogus table1, bogus table2
    hits++;                   // race: real hits
    pthread_mutex_lock(&readers_lock);
    readers--;
    if (readers == 0)
        sem_post(&table_sem);
    pthread_mutex_unlock(&readers_lock);
    return found;
}

static void table_put(int i, int value) {
    sem_wait(&table_sem);
    table[i & 7] = value; // race: bogus table1
    table[0] += value;    // race: bogus table2
    sem_post(&table_sem);
}

/* --- workers ------------------------------------------------------------------------------------------------ */

static void add_up(struct job *j) {
    for (int i = j->from; i < j->to; i++) // race: bogus from, bogus to
        j->sum += i;                      // race: bogus sum
}

static void *work(void *arg) {
    struct job *mine = arg;
    add_up(mine);
    if (mine->late) // race: real late
        table_put(mine->from, 1);
    if (write(2, mine->name, 0) < 0 && errno == EINTR) // race: bogus name
        failures++;                                    // race: real failures
    log_line(1);
    take_ticket();
    if (tracing)
        traced++; // race: bogus traced
    return NULL;
}

static void *count(void *arg) {
    long me = (long)arg;
    for (int i = 0; i < 100; i++)
        sums[me] += table_get(i); // race: bogus sums
    marks[me / 2]++;              // race: real marks
    return NULL;
}

static void *fill(void *arg) {
    int *buffer = arg;
    *buffer += 1; // race: bogus buffer
    return NULL;
}

/* One at a time: each is joined before the next begins. */
static int rounds(int n) {
    pthread_t thread;
    int buffer = 0;
    for (int i = 0; i < n; i++) {
        buffer++; // race: bogus buffer
        if (pthread_create(&thread, NULL, fill, &buffer))
            exit(1);
        pthread_join(thread, NULL);
    }
    return buffer;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4;
    pthread_t counter[64];
    if (n < 1 || n > 64)
        return 1;
    sem_init(&log_sem, 0, 1);
    sem_init(&go, 0, 1);
    sem_init(&table_sem, 0, 1);
    tracing = 0;
    jobs = calloc((size_t)n, sizeof *jobs);
    for (int i = 0; i < n; i++) {
        jobs[i].from = i * 10;                                // race: bogus from
        jobs[i].to = jobs[i].from + 10;                       // race: bogus to
        jobs[i].sum = 0;                                      // race: bogus sum
        strncpy(jobs[i].name, "worker", sizeof jobs[i].name); // race: bogus name
        if (pthread_create(&jobs[i].thread, NULL, work, &jobs[i]))
            return 1;
        jobs[i].late = i > 2; // race: real late
    }
    for (int i = 0; i < n; i++)
        if (pthread_create(&counter[i], NULL, count, (void *)(long)i))
            return 1;
    if (tracing)
        printf("%d\n", traced); // race: bogus traced
    for (int i = 0; i < n; i++) {
        pthread_join(jobs[i].thread, NULL);
        pthread_join(counter[i], NULL);
    }
    printf("%d %d\n", rounds(n), failures);
    return 0;
}
