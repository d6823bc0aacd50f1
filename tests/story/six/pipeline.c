/* A pipeline: a reader makes blocks, two packers pack them, a writer puts them together.
 *
 * BUG empty assertion queue->n
 *
 * RUN --runs 8 --no-explore
 * Lines of a bug end in its name behind an @. -DRIGHT: none of them. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8, ROOM = 2, PACKERS = 2, BLOCKS = 2 };

typedef struct block block;
struct block {
    unsigned number;
    size_t length, packed_length;
    unsigned char data[BLOCK], packed[2 * BLOCK];
};

/* ---- queues between stages ---- */

typedef struct {
    const char *name;
    block *slot[ROOM];
    size_t first, n;
    bool closed;
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
} queue;

static void queue_init(queue *q, const char *name) {
    memset(q, 0, sizeof *q);
    q->name = name;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
}

static void queue_release(queue *q) {
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->not_empty);
    pthread_cond_destroy(&q->not_full);
}

static void queue_put(queue *q, block *b) {
    pthread_mutex_lock(&q->lock);
    while (q->n == ROOM)
        pthread_cond_wait(&q->not_full, &q->lock);
    q->slot[(q->first + q->n) % ROOM] = b;
    q->n++;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

/* The first slot; the lock is held. */
static block *queue_pop(queue *queue) {
    assert(queue->n > 0); /* @empty */
    block *b = queue->slot[queue->first];
    queue->first = (queue->first + 1) % ROOM;
    queue->n--;
    pthread_cond_signal(&queue->not_full);
    return b;
}

/* NULL: it is closed, and all was taken. */
static block *queue_take(queue *q) {
    block *b = NULL;
    pthread_mutex_lock(&q->lock);
#ifdef RIGHT
    while (!q->n && !q->closed)
        pthread_cond_wait(&q->not_empty, &q->lock);
    if (q->n)
        b = queue_pop(q);
#else
    if (!q->n && !q->closed)
        pthread_cond_wait(&q->not_empty, &q->lock); /* @empty */
    if (!q->closed || q->n)
        b = queue_pop(q);
#endif
    pthread_mutex_unlock(&q->lock);
    return b;
}

static void queue_close(queue *q) {
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

/* ---- packing: runs of equal bytes ---- */

static size_t pack(const unsigned char *from, size_t n, unsigned char *to) {
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        size_t run = 1;
        while (i + run < n && run < 255 && from[i + run] == from[i])
            run++;
        to[out++] = (unsigned char)run;
        to[out++] = from[i];
        i += run;
    }
    return out;
}

static size_t unpack(const unsigned char *from, size_t n, unsigned char *to, size_t room) {
    size_t out = 0;
    for (size_t i = 0; i + 1 < n; i += 2)
        for (unsigned char k = 0; k < from[i] && out < room; k++)
            to[out++] = from[i + 1];
    return out;
}

static uint32_t checksum(const unsigned char *data, size_t n) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* ---- blocks ---- */

static block *block_new(unsigned number) {
    block *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    b->number = number;
    return b;
}

static void block_fill(block *b) {
    b->length = BLOCK;
    for (size_t i = 0; i < BLOCK; i++)
        b->data[i] = (unsigned char)(b->number + i / 4);
}

static void block_pack(block *b) {
    b->packed_length = pack(b->data, b->length, b->packed);
}

static bool block_is_right(const block *b) {
    unsigned char again[BLOCK];
    return unpack(b->packed, b->packed_length, again, sizeof again) == b->length &&
           !memcmp(again, b->data, b->length);
}

static void block_free(block *b) {
    free(b);
}

/* ---- results, in the order of the numbers ---- */

typedef struct {
    block *at[BLOCKS];
    unsigned n, bad;
} results;

static void results_add(results *r, block *b) {
    if (b->number >= BLOCKS || r->at[b->number]) {
        r->bad++;
        block_free(b);
        return;
    }
    r->at[b->number] = b;
    r->n++;
}

static void results_release(results *r) {
    for (unsigned i = 0; i < BLOCKS; i++)
        if (r->at[i])
            block_free(r->at[i]);
}

/* ---- stages ---- */

typedef struct {
    queue raw, packed;
    unsigned working; /* packers; under the lock of packed */
    results results;  /* of the writer, until it is joined */
} pipeline;

static pipeline line;

static void *reader(void *arg) {
    pipeline *p = arg;
    for (unsigned i = 0; i < BLOCKS; i++) {
        block *b = block_new(i);
        block_fill(b);
        queue_put(&p->raw, b);
    }
    queue_close(&p->raw);
    return NULL;
}

/* The last of them closes the next queue. */
static void packer_ends(pipeline *p) {
    pthread_mutex_lock(&p->packed.lock);
    bool last = !--p->working;
    pthread_mutex_unlock(&p->packed.lock);
    if (last)
        queue_close(&p->packed);
}

static void *packer(void *arg) {
    pipeline *p = arg;
    block *b;
    while ((b = queue_take(&p->raw))) {
        block_pack(b);
        queue_put(&p->packed, b);
    }
    packer_ends(p);
    return NULL;
}

static void *writer(void *arg) {
    pipeline *p = arg;
    block *b;
    while ((b = queue_take(&p->packed)))
        results_add(&p->results, b);
    return NULL;
}

static void pipeline_init(pipeline *p) {
    queue_init(&p->raw, "raw");
    queue_init(&p->packed, "packed");
    p->working = PACKERS;
    memset(&p->results, 0, sizeof p->results);
}

static pthread_t start(void *(*stage)(void *), pipeline *p, const char *name) {
    pthread_t t;
    if (pthread_create(&t, NULL, stage, p)) {
        fprintf(stderr, "cannot start %s\n", name);
        abort();
    }
    return t;
}

static void pipeline_run(pipeline *p) {
    pthread_t packers[PACKERS], in, out;
    for (int i = 0; i < PACKERS; i++)
        packers[i] = start(packer, p, "packer");
    out = start(writer, p, "writer");
    in = start(reader, p, "reader");
    pthread_join(in, NULL);
    for (int i = 0; i < PACKERS; i++)
        pthread_join(packers[i], NULL);
    pthread_join(out, NULL);
}

static int pipeline_check(const pipeline *p) {
    uint32_t sum = 0;
    unsigned wrong = p->results.bad;
    for (unsigned i = 0; i < BLOCKS; i++) {
        const block *b = p->results.at[i];
        if (!b || !block_is_right(b))
            wrong++;
        else
            sum ^= checksum(b->data, b->length);
    }
    printf("%u blocks, %u wrong, checksum %08x\n", p->results.n, wrong, (unsigned)sum);
    return wrong ? 1 : 0;
}

static void pipeline_release(pipeline *p) {
    results_release(&p->results);
    queue_release(&p->raw);
    queue_release(&p->packed);
}

int main(void) {
    pipeline_init(&line);
    pipeline_run(&line);
    int wrong = pipeline_check(&line);
    pipeline_release(&line);
    return wrong;
}
