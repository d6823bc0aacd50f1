/* A pool of threads that runs jobs; jobs can be cancelled, and one can wait until all are done.
 *
 * BUG cancel use-after-free job
 * BUG idle lost-wakeup pool.idle
 * BUG stats race pool.stats.completed
 *
 * RUN --runs 8 --max-runs 24
 * Lines of a bug end in its name behind an @. -DRIGHT: none of them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 2, JOBS = 3, NAME = 16 };

typedef enum { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_CANCELLED } job_state;

typedef struct job job;
struct job {
    char name[NAME];
    job_state state; /* under the pool's lock */
    int input, output;
    int (*work)(int);
    job *next;
};

typedef struct {
    job *first, *last;
    size_t n;
} job_list;

typedef struct {
    unsigned submitted, cancelled; /* under the pool's lock */
    unsigned completed;
} pool_stats;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t more; /* a job was queued, or the pool ends */
    pthread_cond_t idle; /* a job ended */
    job_list queue;
    bool ends;
    atomic_int pending; /* jobs that are queued or running */
    pool_stats stats;
    pthread_mutex_t stats_lock;
    pthread_t worker[WORKERS];
} thread_pool;

static thread_pool pool;

/* ---- lists of jobs ---- */

static void list_push(job_list *l, job *j) {
    j->next = NULL;
    if (l->last)
        l->last->next = j;
    else
        l->first = j;
    l->last = j;
    l->n++;
}

static job *list_pop(job_list *l) {
    job *j = l->first;
    if (!j)
        return NULL;
    l->first = j->next;
    if (!l->first)
        l->last = NULL;
    l->n--;
    return j;
}

/* Takes a job out of the middle; false: it is not there. */
static bool list_remove(job_list *l, const job *j) {
    job **at = &l->first, *before = NULL;
    while (*at && *at != j) {
        before = *at;
        at = &(*at)->next;
    }
    if (!*at)
        return false;
    *at = j->next;
    if (l->last == j)
        l->last = before;
    l->n--;
    return true;
}

/* ---- jobs ---- */

static job *job_new(const char *name, int (*work)(int), int input) {
    job *j = calloc(1, sizeof *j);
    if (!j)
        abort();
    strncpy(j->name, name, NAME - 1);
    j->state = JOB_QUEUED;
    j->work = work;
    j->input = input;
    return j;
}

static void job_free(job *j) {
    free(j); /* @cancel */
}

static int square(int n) {
    return n * n;
}

static int triple(int n) {
    return 3 * n;
}

static int add_up(int n) {
    int sum = 0;
    for (int i = 1; i <= n; i++)
        sum += i;
    return sum;
}

/* ---- the pool ---- */

static void pool_init(thread_pool *p) {
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->stats_lock, NULL);
    pthread_cond_init(&p->more, NULL);
    pthread_cond_init(&p->idle, NULL);
    memset(&p->queue, 0, sizeof p->queue);
    memset(&p->stats, 0, sizeof p->stats);
    p->ends = false;
    atomic_store(&p->pending, 0);
}

static void pool_submit(thread_pool *p, job *j) {
    pthread_mutex_lock(&p->lock);
    list_push(&p->queue, j);
    p->stats.submitted++;
    atomic_fetch_add(&p->pending, 1);
    pthread_cond_signal(&p->more);
    pthread_mutex_unlock(&p->lock);
}

/* The next job, marked as running; NULL: the pool ends. */
static job *pool_next(thread_pool *p) {
    pthread_mutex_lock(&p->lock);
    while (!p->queue.first && !p->ends)
        pthread_cond_wait(&p->more, &p->lock);
    job *j = list_pop(&p->queue);
    if (j)
        j->state = JOB_RUNNING;
    pthread_mutex_unlock(&p->lock);
    return j;
}

static void count_completed(thread_pool *p) {
#ifdef RIGHT
    pthread_mutex_lock(&p->stats_lock);
#endif
    p->stats.completed++; /* @stats */
#ifdef RIGHT
    pthread_mutex_unlock(&p->stats_lock);
#endif
}

/* One job less to wait for. */
static void pool_done(thread_pool *p) {
#ifdef RIGHT
    pthread_mutex_lock(&p->lock);
    atomic_fetch_sub(&p->pending, 1);
    pthread_cond_broadcast(&p->idle);
    pthread_mutex_unlock(&p->lock);
#else
    atomic_fetch_sub(&p->pending, 1);
    pthread_cond_broadcast(&p->idle); /* @idle */
#endif
}

/* Runs it, unless somebody cancelled it meanwhile. */
static void pool_run(thread_pool *p, job *j) {
    int output = j->work(j->input);
    pthread_mutex_lock(&p->lock);
    bool cancelled = j->state == JOB_CANCELLED; /* @cancel */
    if (!cancelled) {
        j->output = output;
        j->state = JOB_DONE;
    }
    pthread_mutex_unlock(&p->lock);
#ifdef RIGHT
    if (cancelled)
        job_free(j);
#endif
    if (!cancelled)
        count_completed(p);
    pool_done(p);
}

static void *worker_main(void *arg) {
    thread_pool *p = arg;
    job *j;
    while ((j = pool_next(p)))
        pool_run(p, j);
    return NULL;
}

/* Who submitted a job does not want it any more. It belongs to the pool from here on. */
static void pool_cancel(thread_pool *p, job *j) {
    pthread_mutex_lock(&p->lock);
    bool queued = j->state == JOB_QUEUED && list_remove(&p->queue, j);
    bool running = j->state == JOB_RUNNING;
    if (queued || running) {
        j->state = JOB_CANCELLED; /* @cancel */
        p->stats.cancelled++;
    }
    pthread_mutex_unlock(&p->lock);
#ifdef RIGHT
    if (!running) /* otherwise the worker frees it */
        job_free(j);
#else
    job_free(j);
#endif
    if (queued)
        pool_done(p);
}

/* Until no job is queued or running. */
static void pool_wait_idle(thread_pool *p) {
#ifdef RIGHT
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->pending) > 0)
        pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
#else
    while (atomic_load(&p->pending) > 0) { /* @idle */
        pthread_mutex_lock(&p->lock);
        pthread_cond_wait(&p->idle, &p->lock); /* @idle */
        pthread_mutex_unlock(&p->lock);
    }
#endif
}

static void pool_start(thread_pool *p) {
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&p->worker[i], NULL, worker_main, p))
            abort();
}

static void pool_end(thread_pool *p) {
    pthread_mutex_lock(&p->lock);
    p->ends = true;
    pthread_cond_broadcast(&p->more);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(p->worker[i], NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->stats_lock);
    pthread_cond_destroy(&p->more);
    pthread_cond_destroy(&p->idle);
}

/* ---- who uses it ---- */

static void print_stats(const thread_pool *p) {
    printf("%u submitted, %u completed, %u cancelled\n", p->stats.submitted, p->stats.completed,
           p->stats.cancelled);
}

static void print_job(const job *j) {
    printf("%-8s %4d -> %d\n", j->name, j->input, j->output);
}

int main(void) {
    static const struct {
        const char *name;
        int (*work)(int);
        int input;
    } wanted[JOBS] = {{"square", square, 7}, {"triple", triple, 5}, {"add up", add_up, 4}};
    job *j[JOBS];

    pool_init(&pool);
    for (int i = 0; i < JOBS; i++)
        j[i] = job_new(wanted[i].name, wanted[i].work, wanted[i].input);
    for (int i = 0; i < JOBS; i++)
        pool_submit(&pool, j[i]);
    pool_start(&pool);

    /* the last one is not wanted any more */
    pool_cancel(&pool, j[JOBS - 1]);
    pool_wait_idle(&pool);
    pool_end(&pool);

    for (int i = 0; i < JOBS - 1; i++) {
        print_job(j[i]);
        job_free(j[i]);
    }
    print_stats(&pool);
    return 0;
}
