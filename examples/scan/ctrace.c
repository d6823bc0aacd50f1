/* A small logging library: threads write messages with a level, one thread flushes them. Written for this, in the shape
 * of what tracing libraries do: some of it with the lock, some "because it is only a flag". */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MESSAGES 8

enum { CLOSED, OPENING, OPEN, CLOSING };

struct message {
    int level, what;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct message ring[MESSAGES];
static int n_messages, state = CLOSED;
static int level; /* set and read without the lock */
static int lost;  /* counted without the lock */
static int sink;  /* where messages go; only touched while OPENING or CLOSING, or by the flusher */
static int flushing; /* the flusher is outside the lock */

static int trace_open(void) {
    pthread_mutex_lock(&lock);
    if (state != CLOSED || flushing) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
    state = OPENING;
    pthread_mutex_unlock(&lock);
    sink = 1; // race: bogus sink
    pthread_mutex_lock(&lock);
    state = OPEN;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void trace_close(void) {
    pthread_mutex_lock(&lock);
    if (state != OPEN || flushing) {
        pthread_mutex_unlock(&lock);
        return;
    }
    state = CLOSING;
    pthread_mutex_unlock(&lock);
    sink = 0; // race: bogus sink
    pthread_mutex_lock(&lock);
    state = CLOSED;
    pthread_mutex_unlock(&lock);
}

static void trace_level(int to) {
    level = to; // race: real level
}

static void trace(int at, int what) {
    if (at > level) // race: real level
        return;
    pthread_mutex_lock(&lock);
    if (n_messages == MESSAGES) {
        pthread_mutex_unlock(&lock);
        lost++; // race: real lost
        return;
    }
    ring[n_messages].level = at;
    ring[n_messages].what = what;
    n_messages++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static int trace_flush(void) {
    int done = 0;
    pthread_mutex_lock(&lock);
    if (state != OPEN || n_messages == 0) {
        pthread_mutex_unlock(&lock);
        return 0;
    }
    flushing = 1;
    n_messages = 0;
    pthread_mutex_unlock(&lock);
    done = sink; // race: bogus sink
    pthread_mutex_lock(&lock);
    flushing = 0;
    pthread_mutex_unlock(&lock);
    if (lost) // race: real lost
        puts("lost some");
    return done;
}

static void *works(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        trace((int)i % 3, (int)i);
    return NULL;
}
static void *controls(void *rounds) {
    for (long i = (long)rounds; i > 0; i--) {
        trace_open();
        trace_level(2);
        trace_close();
    }
    return NULL;
}
static void *flushes(void *rounds) {
    for (long i = (long)rounds; i > 0; i--)
        trace_flush();
    return NULL;
}

int main(int argc, char **argv) {
    void *rounds = (void *)(argc > 1 ? atol(argv[1]) : 30);
    pthread_t a, b, c;
    pthread_create(&a, NULL, works, rounds);
    pthread_create(&b, NULL, controls, rounds);
    pthread_create(&c, NULL, flushes, rounds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
