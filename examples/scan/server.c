/* A small server without a network: requests come from a feeder, connections live in a table, a pool of workers takes jobs from
 * a queue, a log is written by a thread of its own, a thread waits for signals, tables are made when they are first
 * needed. Each part has the reason why its memory is nobody else's at the time, and beside it a slip of the same kind.
 *
 *   jobs          allocated and filled by the feeder, handed over through the queue, owned by who took them out
 *   connections   an entry has its own lock; its state and counters are touched under it
 *   slots         one a worker, by the number that it was started with; summed up when all have been joined
 *   log           a buffer under a binary semaphore, swapped by the writer
 *   signals       blocked everywhere, taken by one thread with sigwait; a flag under a lock tells the others
 *   tables        made once (pthread_once, a lock), read by all from then on
 *   settings      read from the arguments before any thread starts */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS = 4, CONNECTIONS = 16, LINES = 64, WIDTH = 64, NAMES = 32 };

/* --- settings ------------------------------------------------------------------------------------------ */

static struct {
    int requests;
    int verbose;
    char title[32];
    int limit;
} settings;

static void read_settings(int argc, char **argv) {
    settings.requests = argc > 1 ? atoi(argv[1]) : 40; // race: bogus settings
    settings.verbose = argc > 2;                       // race: bogus verbose
    snprintf(settings.title, sizeof settings.title, "%s", argc > 3 ? argv[3] : "server");
    settings.limit = 100; // race: bogus limit
}

/* --- counters ------------------------------------------------------------------------------------------ */

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    long served, refused, bytes;
    long errors; /* no lock: a slip */
} stats;

static void count_served(long bytes) {
    pthread_mutex_lock(&stats_lock);
    stats.served++;       // race: bogus served
    stats.bytes += bytes; // race: bogus bytes
    pthread_mutex_unlock(&stats_lock);
}

static void count_refused(void) {
    pthread_mutex_lock(&stats_lock);
    stats.refused++; // race: bogus refused
    pthread_mutex_unlock(&stats_lock);
}

static void count_error(void) {
    stats.errors++; // race: real errors
}

static long served_so_far(void) {
    pthread_mutex_lock(&stats_lock);
    long n = stats.served; // race: bogus served
    pthread_mutex_unlock(&stats_lock);
    return n;
}

static long errors_so_far(void) {
    return stats.errors; // race: real errors
}

/* --- a log: lines under a binary semaphore, swapped by the thread that writes them ----------------------- */

struct page {
    char line[LINES][WIDTH];
    int n;
};

static struct page page[2];
static int current; /* which page is filled: under log_sem */
static int dropped; /* under log_sem */
static int flushed; /* only the writer's, but everybody looks: a slip */
static sem_t log_sem, log_full;
static int log_ending;
static pthread_mutex_t ending_lock = PTHREAD_MUTEX_INITIALIZER;

static void log_line(const char *who, long n) {
    sem_wait(&log_sem);
    struct page *p = &page[current]; // race: bogus current
    if (p->n < LINES) {              // race: bogus lines
        snprintf(p->line[p->n], WIDTH, "%s %ld", who, n);
        p->n++; // race: bogus lines
    } else {
        dropped++; // race: bogus dropped
    }
    int full = p->n >= LINES / 2; // race: bogus lines
    sem_post(&log_sem);
    if (full)
        sem_post(&log_full);
}

static int log_is_ending(void) {
    pthread_mutex_lock(&ending_lock);
    int e = log_ending; // race: bogus ending
    pthread_mutex_unlock(&ending_lock);
    return e;
}

static void end_log(void) {
    pthread_mutex_lock(&ending_lock);
    log_ending = 1; // race: bogus ending
    pthread_mutex_unlock(&ending_lock);
    sem_post(&log_full);
}

static int drain(struct page *p) {
    int n = 0;
    for (int i = 0; i < p->n && i < LINES; i++)
        n += p->line[i][0] != 0;
    p->n = 0;
    return n;
}

static void *log_writer(void *arg) {
    (void)arg;
    for (;;) {
        sem_wait(&log_full);
        sem_wait(&log_sem);
        struct page *p = &page[current]; // race: bogus current
        current = 1 - current;           // race: bogus current
        sem_post(&log_sem);
        flushed += drain(p); // race: real flushed
        if (log_is_ending())
            return NULL;
    }
}

static int lines_flushed(void) {
    return flushed; // race: real flushed
}

/* --- tables that are made when they are first needed ------------------------------------------------------- */

struct name {
    char text[16];
    int weight;
};

static struct name *names; /* made once, then read by all */
static pthread_once_t names_once = PTHREAD_ONCE_INIT;

static void make_names(void) {
    struct name *made = calloc(NAMES, sizeof *made);
    for (int i = 0; made && i < NAMES; i++) {
        snprintf(made[i].text, sizeof made[i].text, "name%d", i);
        made[i].weight = i % 7; // race: bogus weight
    }
    names = made; // race: bogus names
}

static int weight_of(int i) {
    pthread_once(&names_once, make_names);
    return names ? names[i % NAMES].weight : 0; // race: bogus names, bogus weight
}

/* The same under a lock, looked at again inside. */
static int *squares;
static pthread_mutex_t squares_lock = PTHREAD_MUTEX_INITIALIZER;

static int square_of(int i) {
    pthread_mutex_lock(&squares_lock);
    if (!squares) { // race: bogus squares
        int *made = calloc(NAMES, sizeof *made);
        for (int k = 0; made && k < NAMES; k++)
            made[k] = k * k;
        squares = made; // race: bogus squares
    }
    int *table = squares; // race: bogus squares
    pthread_mutex_unlock(&squares_lock);
    return table ? table[i % NAMES] : 0;
}

/* The slip: looked at without the lock first. */
static int *cubes;
static pthread_mutex_t cubes_lock = PTHREAD_MUTEX_INITIALIZER;

static int cube_of(int i) {
    if (!cubes) { // race: real cubes
        pthread_mutex_lock(&cubes_lock);
        if (!cubes) {
            int *made = calloc(NAMES, sizeof *made);
            for (int k = 0; made && k < NAMES; k++)
                made[k] = k * k * k;
            cubes = made; // race: real cubes
        }
        pthread_mutex_unlock(&cubes_lock);
    }
    return i % NAMES;
}

/* --- connections: a table with a lock for each entry ---------------------------------------------------------- */

enum state { FREE, OPEN, BUSY };

struct connection {
    pthread_mutex_t lock;
    enum state state;
    long in, out;
    int last; /* the worker that served it: under the lock */
    int hint; /* read without the lock: a slip */
    char peer[24];
};

static struct connection connections[CONNECTIONS];

static void make_connections(void) {
    for (int i = 0; i < CONNECTIONS; i++) {
        pthread_mutex_init(&connections[i].lock, NULL);
        connections[i].state = FREE;
    }
}

static int open_connection(int n) {
    struct connection *c = &connections[n];
    int ok = 0;
    pthread_mutex_lock(&c->lock);
    if (c->state == FREE) { // race: bogus state
        c->state = OPEN;    // race: bogus state
        c->in = c->out = 0; // race: bogus bytes_in
        snprintf(c->peer, sizeof c->peer, "peer%d", n);
        ok = 1;
    }
    pthread_mutex_unlock(&c->lock);
    return ok;
}

static int use_connection(int n, int worker, long bytes) {
    struct connection *c = &connections[n];
    int ok = 0;
    pthread_mutex_lock(&c->lock);
    if (c->state == OPEN) { // race: bogus state
        c->in += bytes;     // race: bogus bytes_in
        c->out += bytes / 2;
        c->last = worker; // race: bogus last
        ok = 1;
    }
    pthread_mutex_unlock(&c->lock);
    c->hint = worker; // race: real hint1, real hint2
    return ok;
}

static void close_connection(int n) {
    struct connection *c = &connections[n];
    pthread_mutex_lock(&c->lock);
    c->state = FREE; // race: bogus state
    c->last = -1;    // race: bogus last
    pthread_mutex_unlock(&c->lock);
}

static int idle_connections(void) {
    int n = 0;
    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *c = &connections[i];
        pthread_mutex_lock(&c->lock);
        n += c->state == FREE; // race: bogus state
        pthread_mutex_unlock(&c->lock);
    }
    return n;
}

static int busiest_hint(void) {
    int best = 0;
    for (int i = 0; i < CONNECTIONS; i++)
        if (connections[i].hint > best) // race: real hint1
            best = connections[i].hint; // race: real hint2
    return best;
}

/* --- jobs: handed over through a queue ---------------------------------------------------------------------------- */

struct job {
    struct job *next;
    int connection;
    long bytes;
    int tries;
    char text[32];
    int seen; /* the feeder looks at it after it gave it away: a slip */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct job *first, *last;
    int n, closed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static void put_job(struct job *j) {
    pthread_mutex_lock(&queue.lock);
    j->next = NULL;
    if (queue.last) // race: bogus queue
        queue.last->next = j;
    else
        queue.first = j; // race: bogus queue
    queue.last = j;      // race: bogus queue
    queue.n++;
    pthread_cond_signal(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

static struct job *take_job(void) {
    struct job *j = NULL;
    pthread_mutex_lock(&queue.lock);
    while (!queue.first && !queue.closed) // race: bogus queue
        pthread_cond_wait(&queue.more, &queue.lock);
    if (queue.first) {
        j = queue.first;       // race: bogus queue
        queue.first = j->next; // race: bogus queue
        if (!queue.first)
            queue.last = NULL; // race: bogus queue
        queue.n--;
    }
    pthread_mutex_unlock(&queue.lock);
    return j;
}

static void close_queue(void) {
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1; // race: bogus queue
    pthread_cond_broadcast(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

/* --- workers: a slot each ---------------------------------------------------------------------------------------- */

struct slot {
    long jobs, bytes;
    int worst;
    char name[16];
};

static struct slot slots[WORKERS];
static int turns[WORKERS + 1]; /* a slip: each worker looks at its neighbour's */

static void serve(struct job *j, long me) {
    char answer[64];
    int weight = weight_of(j->connection) + square_of((int)j->bytes) + cube_of(j->tries);
    snprintf(answer, sizeof answer, "%s %d", j->text, weight);
    j->tries++;  // race: bogus job
    j->seen = 1; // race: real seen
    if (use_connection(j->connection, (int)me, j->bytes)) {
        count_served((long)strlen(answer));
    } else {
        count_refused();
        count_error();
    }
    if (settings.verbose) // race: bogus verbose
        log_line(answer, j->bytes);
}

static void *worker(void *arg) {
    long me = (long)arg;
    snprintf(slots[me].name, sizeof slots[me].name, "worker %ld", me);
    for (struct job *j; (j = take_job());) {
        long bytes = j->bytes; // race: bogus job
        serve(j, me);
        slots[me].jobs++;         // race: bogus slot
        slots[me].bytes += bytes; // race: bogus slot
        if (bytes > slots[me].worst)
            slots[me].worst = (int)bytes;
        turns[me]++;                // race: real turns
        turns[me + 1] ^= 1;         // race: real turns
        if (bytes > settings.limit) // race: bogus limit
            log_line("large", bytes);
        if (bytes % 3 == 0)
            close_connection(j->connection);
        if (bytes % 2)
            free(j);
    }
    return NULL;
}

/* --- the feeder ---------------------------------------------------------------------------------------------------- */

static int kept_seen;

static void *feeder(void *arg) {
    (void)arg;
    for (int i = 0; i < settings.requests; i++) { // race: bogus settings
        struct job *j = calloc(1, sizeof *j);
        if (!j)
            break;
        j->connection = i % CONNECTIONS; // race: bogus job
        j->bytes = 2 * (i % 50);         // race: bogus job
        snprintf(j->text, sizeof j->text, "request %d", i);
        open_connection(j->connection);
        put_job(j);
        kept_seen += j->seen; // race: real seen
        if (i % 16 == 0)
            log_line("feeder", served_so_far());
    }
    close_queue();
    return NULL;
}

/* --- signals ------------------------------------------------------------------------------------------------------- */

static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;
static int stopping, hangups;
static int last_signal; /* no lock: a slip */

static void *signals(void *arg) {
    sigset_t *set = arg;
    for (;;) {
        int n = 0;
        if (sigwait(set, &n))
            return NULL;
        last_signal = n; // race: real signal
        pthread_mutex_lock(&stop_lock);
        if (n == SIGHUP)
            hangups++; // race: bogus hangups
        else
            stopping = 1; // race: bogus stopping
        pthread_mutex_unlock(&stop_lock);
        if (n != SIGHUP)
            return NULL;
    }
}

static int is_stopping(void) {
    pthread_mutex_lock(&stop_lock);
    int s = stopping; // race: bogus stopping
    pthread_mutex_unlock(&stop_lock);
    return s;
}

static int hangups_so_far(void) {
    pthread_mutex_lock(&stop_lock);
    int n = hangups; // race: bogus hangups
    pthread_mutex_unlock(&stop_lock);
    return n;
}

/* --- all of it ------------------------------------------------------------------------------------------------------ */

static void report(void) {
    printf("%s: %ld served, %ld errors, %d idle, hint %d, %d lines\n", settings.title,
           served_so_far(), errors_so_far(), idle_connections(), busiest_hint(), lines_flushed());
    if (is_stopping())
        printf("stopping after signal %d\n", last_signal); // race: real signal
}

int main(int argc, char **argv) {
    pthread_t feed, log, sig, pool[WORKERS];
    static sigset_t set;
    long jobs = 0;
    read_settings(argc, argv);
    make_connections();
    sem_init(&log_sem, 0, 1);
    sem_init(&log_full, 0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&sig, NULL, signals, &set);
    pthread_create(&log, NULL, log_writer, NULL);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&pool[i], NULL, worker, (void *)i);
    pthread_create(&feed, NULL, feeder, NULL);
    report();
    pthread_join(feed, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(pool[i], NULL);
    for (int i = 0; i < WORKERS; i++) {
        jobs += slots[i].jobs; // race: bogus slot
        printf("%s: %ld\n", slots[i].name, slots[i].jobs);
    }
    end_log();
    pthread_join(log, NULL);
    kill(getpid(), SIGHUP);
    kill(getpid(), SIGTERM);
    pthread_join(sig, NULL);
    report();
    printf("%ld jobs, %d hangups, %d dropped, %d kept\n", jobs, hangups_so_far(),
           dropped, // race: bogus dropped
           kept_seen);
    return 0;
}
