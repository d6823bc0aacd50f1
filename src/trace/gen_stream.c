/* trace/gen_stream.c: traces of any length, decided event by event.
 *
 *   T0 writes the constants, forks T1 … Tn-1; all threads run; T0 joins them
 *
 * Every thread gets its number of events (its quota) before it starts. What is
 * open (locks held, an atomic block) has to be closed within the quota:
 *
 *   S1: left >= open, where open = locks held + (in a block ? 1 : 0)
 *
 * so a thread with left == open only closes, and one with left == open + 1 opens
 * nothing. That makes the number of events exact. A thread that would like a lock
 * which another one holds does something else: nobody blocks. Without variables
 * there is nothing else, so quotas are even then, and the thread gives way. */
#include "trace/gen_priv.h"

#include <inttypes.h>

struct thread {
    uint64_t left;   /* events still to come */
    uint64_t mark;   /* left <= mark: time to begin or end a block; 0: never */
    uint64_t quota;  /* left at the start */
    uint64_t length; /* of a block and the gap after it, when their number is fixed */
    uint32_t *held;  /* locks in the order taken */
    uint32_t n_held;
    uint32_t base; /* locks held when the block began: they stay until it ends */
    bool in_block;
    uint32_t block;                /* its name */
    uint32_t blocks;               /* still to begin, when their number is fixed */
    uint32_t own, n_own, next_own; /* its private variables, the first not yet used */
};

enum { CONSTANTS, FORKS, BODIES, JOINS, ENDED };

struct stream {
    au_gen_source source;
    au_gen_mix m;
    au_rng rng;
    int phase;
    uint32_t at; /* in CONSTANTS, FORKS and JOINS: the next one */
    struct thread *thread;
    uint32_t *held;                  /* space for thread[].held */
    uint8_t *taken;                  /* by lock */
    uint32_t *live;                  /* threads with events left */
    uint32_t n_live, now, run;       /* the running thread and how long it still runs */
    uint32_t shared, n_shared;       /* variables that everybody reads and writes */
    uint32_t next_shared, next_lock; /* the first that was not used yet */
};

static uint32_t pick(uint64_t r32, uint32_t n) {
    return (uint32_t)((r32 & UINT32_MAX) * n >> 32);
}

static void put(au_gen *g, struct stream *s, struct thread *t, au_op op, uint32_t obj) {
    au_gen_put(g, op, (uint16_t)(t - s->thread), obj);
    t->left--;
}

static void acquire(au_gen *g, struct stream *s, struct thread *t, uint32_t l) {
    s->taken[l] = 1;
    t->held[t->n_held++] = l;
    put(g, s, t, AU_OP_ACQ, l);
}

static void release(au_gen *g, struct stream *s, struct thread *t) {
    uint32_t l = t->held[--t->n_held];
    s->taken[l] = 0;
    put(g, s, t, AU_OP_REL, l);
}

/* The next mark of a thread that has just begun or ended a block. */
static void set_mark(struct stream *s, struct thread *t) {
    if (s->m.blocks) {
        uint32_t slack = s->m.depth + 4; /* to release what was taken inside, and to end */
        uint64_t later = (uint64_t)t->blocks * t->length;
        if (t->in_block)
            t->mark = later + slack;
        else
            t->mark = t->blocks ? later : 0;
        return;
    }
    uint64_t wait = 2 + pick(au_rng_next(&s->rng), 24);
    t->mark = t->left > wait ? t->left - wait : 0;
}

static void begin(au_gen *g, struct stream *s, struct thread *t) {
    t->in_block = true;
    t->base = t->n_held;
    if (s->m.blocks)
        t->blocks--;
    t->block = pick(au_rng_next(&s->rng), AU_GEN_BLOCK_NAMES);
    put(g, s, t, AU_OP_BEGIN, t->block);
    set_mark(s, t);
}

/* One event nearer to having nothing open (and something is). */
static void close_one(au_gen *g, struct stream *s, struct thread *t) {
    if (!t->in_block || t->n_held > t->base) {
        release(g, s, t);
        return;
    }
    t->in_block = false;
    put(g, s, t, AU_OP_END, t->block);
    set_mark(s, t);
}

/* A lock that is free and not yet used if there is one, else any; n if taken. */
static uint32_t choose_lock(struct stream *s, uint64_t r) {
    if (s->next_lock < s->m.locks)
        return s->next_lock++;
    uint32_t l = pick(r, s->m.locks);
    return s->taken[l] ? s->m.locks : l;
}

static uint32_t own_variable(struct thread *t, uint64_t r) {
    if (t->next_own < t->n_own)
        return t->own + t->next_own++;
    return t->own + pick(r, t->n_own);
}

static uint32_t shared_variable(struct stream *s, uint64_t r) {
    if (s->next_shared < s->n_shared)
        return s->shared + s->next_shared++;
    return s->shared + pick(r, s->n_shared);
}

static void access_guarded(au_gen *g, struct stream *s, struct thread *t, uint64_t u, uint64_t r) {
    if (!t->n_held) {
        put(g, s, t, AU_OP_READ, shared_variable(s, r));
        return;
    }
    uint32_t l = t->held[(r >> 40) % t->n_held];
    uint32_t here = (s->m.vars - l + s->m.locks - 1) / s->m.locks;
    put(g, s, t, (u >> 32) % 3 ? AU_OP_READ : AU_OP_WRITE, l + s->m.locks * pick(r, here));
}

static void access(au_gen *g, struct stream *s, struct thread *t, uint64_t u, uint64_t r) {
    au_op op = (u >> 32) % 3 ? AU_OP_READ : AU_OP_WRITE;
    bool own = ((u >> 16) & 0xffff) >= s->m.shared_part;
    if (s->m.guarded)
        access_guarded(g, s, t, u, r);
    else if ((own || !s->n_shared) && t->n_own)
        put(g, s, t, op, own_variable(t, r));
    else if (s->m.constants && (r >> 48) < s->m.constant_part)
        put(g, s, t, AU_OP_READ, pick(r, s->m.constants));
    else if (s->n_shared)
        put(g, s, t, op, shared_variable(s, r));
    else
        put(g, s, t, op, t->own < s->m.vars ? t->own : 0);
}

/* One event of t; false if it has to give way. */
static bool step(au_gen *g, struct stream *s, struct thread *t) {
    uint32_t open = t->n_held + t->in_block;
    uint64_t room = t->left - open;
    uint64_t u = au_rng_next(&s->rng), r = au_rng_next(&s->rng);
    uint32_t act = u & 0xffff;
    if (room == 0) {
        close_one(g, s, t);
        return true;
    }
    if (t->left <= t->mark) {
        if (t->in_block) {
            close_one(g, s, t);
            return true;
        }
        if (s->m.blocks && t->n_held) {
            release(g, s, t); /* so that locks of the whole depth fit into the block */
            return true;
        }
        if (room >= 2) {
            begin(g, s, t);
            return true;
        }
    }
    if (act < s->m.acquire_part && t->n_held < s->m.depth && room >= 2) {
        uint32_t l = choose_lock(s, r);
        if (l < s->m.locks) {
            acquire(g, s, t, l);
            return true;
        }
    } else if (act >= 65536 - s->m.release_part && t->n_held > (t->in_block ? t->base : 0)) {
        release(g, s, t);
        return true;
    }
    if (s->m.vars) {
        access(g, s, t, u, r);
        return true;
    }
    if (t->n_held < s->m.depth && (!open || (u >> 63))) { /* room is even: at least 2 */
        uint32_t l = choose_lock(s, r);
        if (l < s->m.locks) {
            acquire(g, s, t, l);
            return true;
        }
    }
    if (open) {
        close_one(g, s, t);
        return true;
    }
    if (s->m.atomic) {
        begin(g, s, t);
        return true;
    }
    return false;
}

static void bodies(au_gen *g, struct stream *s) {
    while (!au_gen_full(g)) {
        if (!s->run) {
            if (!s->n_live) {
                s->phase = JOINS;
                return;
            }
            uint64_t r = au_rng_next(&s->rng);
            s->now = pick(r, s->n_live);
            s->run = 1 + (uint32_t)(r >> 60);
        }
        struct thread *t = &s->thread[s->live[s->now]];
        while (s->run && t->left && !au_gen_full(g)) {
            s->run--;
            if (!step(g, s, t))
                s->run = 0;
        }
        if (!t->left) {
            AU_BUG_IF(t->n_held || t->in_block);
            s->live[s->now] = s->live[--s->n_live];
            s->run = 0;
        }
    }
}

static void fill(au_gen *g, au_gen_source *source) {
    struct stream *s = (struct stream *)source;
    while (!au_gen_full(g))
        switch (s->phase) {
        case CONSTANTS:
            if (s->at < s->m.constants)
                au_gen_put(g, AU_OP_WRITE, 0, s->at++);
            else
                s->phase = FORKS, s->at = 1;
            break;
        case FORKS:
            if (s->at < s->m.threads)
                au_gen_put(g, AU_OP_FORK, 0, s->at++);
            else
                s->phase = BODIES, s->at = 1;
            break;
        case BODIES:
            bodies(g, s);
            break;
        case JOINS:
            if (s->at < s->m.threads)
                au_gen_put(g, AU_OP_JOIN, 0, s->at++);
            else
                s->phase = ENDED;
            break;
        default:
            return;
        }
}

static void free_stream(au_gen_source *source) {
    struct stream *s = (struct stream *)source;
    free(s->thread);
    free(s->held);
    free(s->taken);
    free(s->live);
    free(s);
}

/* The quotas: about equal, in pairs one more and one less by up to a quarter. */
static void deal_out(struct stream *s, uint64_t body) {
    uint32_t n = s->m.threads, unit = s->m.vars ? 1 : 2;
    uint64_t each = body / unit / n, more = body / unit % n;
    for (uint32_t i = 0; i < n; i++) {
        struct thread *t = &s->thread[i];
        t->left = each + (i < more);
        if (i & 1) {
            uint64_t d = (each / 4) * (au_rng_next(&s->rng) >> 48) >> 16;
            t->left -= d;
            s->thread[i - 1].left += d;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        struct thread *t = &s->thread[i];
        t->left *= unit;
        t->quota = t->left;
        t->held = s->held + (size_t)i * s->m.depth;
        uint32_t own = s->m.private_vars;
        t->own = s->m.vars - own + (uint32_t)((uint64_t)own * i / n);
        t->n_own = s->m.vars - own + (uint32_t)((uint64_t)own * (i + 1) / n) - t->own;
        t->blocks = (s->m.blocks + n - 1 - i) / n;
        t->length = t->blocks ? t->quota / t->blocks : 0;
        if (s->m.blocks || s->m.atomic)
            set_mark(s, t);
        if (t->left)
            s->live[s->n_live++] = i;
    }
}

static au_status check(const au_gen_mix *m, uint64_t frame, au_error *err) {
    if (m->threads < 1 || m->threads > AU_MAX_THREADS)
        return au_error_set(err, AU_EUSAGE, "%u threads: from 1 to %u are possible", m->threads,
                            AU_MAX_THREADS);
    if (m->locks > AU_GEN_MAX_NAMES || m->vars > AU_GEN_MAX_NAMES)
        return au_error_set(err, AU_EUSAGE, "at most %u locks and as many variables are possible",
                            AU_GEN_MAX_NAMES);
    if (m->depth > AU_GEN_MAX_DEPTH)
        return au_error_set(err, AU_EUSAGE, "locks nested %u deep: at most %u are possible",
                            m->depth, AU_GEN_MAX_DEPTH);
    if (m->events < frame)
        return au_error_set(
            err, AU_EUSAGE,
            "%" PRIu64 " events are too few: %u threads have %" PRIu64 " for fork and join%s",
            m->events, m->threads, frame, m->constants ? " and for what T0 writes before" : "");
    uint64_t body = m->events - frame;
    bool locks = m->locks && m->depth;
    if (body && !m->vars && !locks && !m->atomic)
        return au_error_set(err, AU_EUSAGE,
                            "without variables, locks and atomic blocks there are exactly %" PRIu64
                            " events, fork and join",
                            frame);
    if (body % 2 && !m->vars)
        return au_error_set(err, AU_EUSAGE,
                            "without variables the number of events is even: what is opened "
                            "is closed");
    /* a thread's quota is at least 3/4 of its part */
    if (m->blocks) {
        uint64_t blocks = (m->blocks + m->threads - 1) / m->threads;
        uint64_t need = (blocks * (2 * m->depth + 8) * 4 / 3 + 2) * m->threads + frame;
        if (m->events < need)
            return au_error_set(err, AU_EUSAGE,
                                "%" PRIu64 " events are too few for %u atomic blocks: %" PRIu64
                                " are needed",
                                m->events, m->blocks, need);
    }
    return AU_OK;
}

au_gen_source *au_gen_stream(au_gen *g, const au_gen_mix *m, au_error *err) {
    uint64_t frame = 2 * ((uint64_t)m->threads - 1) + m->constants;
    if (check(m, frame, err) != AU_OK)
        return NULL;
    AU_BUG_IF(m->guarded && (m->vars < m->locks || m->constants || m->private_vars));
    struct stream *s = AU_NEW(struct stream);
    s->source = (au_gen_source){fill, free_stream};
    s->m = *m;
    if (!m->locks)
        s->m.depth = 0;
    au_rng_init(&s->rng, m->seed);
    s->thread = au_alloc_array(m->threads, sizeof *s->thread);
    s->held = au_alloc_array((size_t)m->threads * s->m.depth + 1, sizeof *s->held);
    s->taken = au_alloc_array((size_t)m->locks + 1, 1);
    s->live = au_alloc_array(m->threads, sizeof *s->live);
    s->shared = m->constants;
    s->n_shared = m->vars - m->constants - m->private_vars;
    deal_out(s, m->events - frame);
    g->events = m->events;
    au_gen_add_names(g, AU_WIRE_SPACE_THREAD, "T", m->threads);
    au_gen_add_names(g, AU_WIRE_SPACE_VAR, "x", m->vars);
    au_gen_add_names(g, AU_WIRE_SPACE_LOCK, "l", m->locks);
    if (m->atomic || m->blocks)
        au_gen_add_names(g, AU_WIRE_SPACE_BLOCK, "f", AU_GEN_BLOCK_NAMES);
    return &s->source;
}
