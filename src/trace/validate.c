/* trace/validate.c: the checks that every event passes.
 *
 * Nearly all events are accesses, which can only be wrong by belonging to a
 * thread that cannot move, and lock operations. So a block is cut into segments
 * that end before an event that may change whether a thread can move (fork,
 * join, exit, wait, wake, arrive, leave: rare). Inside a segment
 *   1. one pass without branches asks whether any event is of a stopped thread,
 *      and lists the events that have a rule of their own;
 *   2. the listed events are checked in order; an acquire of a free lock and a
 *      release of a lock held once cost one comparison;
 *   3. one pass notes the last operation of each thread.
 * The third comes last so that a bad event leaves no trace in the state. */
#include "trace/validate.h"

#include "base/error.h"

#include <stdio.h>

enum { SEGMENT = 4096, SHORT = 16 };

/* What kind of check an operation needs. */
enum { PLAIN, LISTED, MOVES };
static const uint8_t class_of[AU_OPS] = {
    [AU_OP_ACQ] = LISTED,   [AU_OP_REL] = LISTED,  [AU_OP_RDACQ] = LISTED, [AU_OP_WRACQ] = LISTED,
    [AU_OP_BEGIN] = LISTED, [AU_OP_END] = LISTED,  [AU_OP_INIT] = LISTED,  [AU_OP_FORK] = MOVES,
    [AU_OP_JOIN] = MOVES,   [AU_OP_EXIT] = MOVES,  [AU_OP_WAIT] = MOVES,   [AU_OP_WAKE] = MOVES,
    [AU_OP_ARRIVE] = MOVES, [AU_OP_LEAVE] = MOVES,
};

/* Why a thread cannot move. */
enum { RUNS, EXITED, JOINED, WAITING, ARRIVED };
#define NEVER UINT8_MAX /* last operation of a thread without an event */

/* A lock's state in one word: 0 free; else the holder's number + 1, and above
 * it how often it was acquired again. READERS: held for reading, by whom and
 * how often is in 'readers'; below it the number of read locks held. */
#define HOLDER(s) ((uint32_t)((s)&UINT32_MAX))
#define AGAIN (UINT64_C(1) << 32)
#define READERS (UINT64_C(1) << 63)

struct au_validator {
    const au_names *names;
    size_t threads, locks; /* sizes of the tables below */
    uint8_t *stop;         /* by thread: RUNS or why it cannot move */
    uint8_t *last;         /* by thread: its last operation */
    uint8_t *forked;       /* by thread */
    uint32_t *at;          /* by thread: what it waits for (WAITING, ARRIVED) */
    uint32_t *depth;       /* by thread: open atomic blocks */
    uint64_t *lock;        /* by lock */
    au_map readers;        /* lock << 16 | thread -> read locks held */
    bool forks_again;      /* what was wrong last; see validate.h */
    size_t stride; /* events a segment: short after a bad event, so that many bad ones stay cheap */
    uint32_t listed[SEGMENT];
};

au_validator *au_validator_new(const au_names *names) {
    au_validator *v = AU_NEW(au_validator);
    v->names = names;
    v->stride = SEGMENT;
    au_map_init(&v->readers);
    return v;
}

void au_validator_free(au_validator *v) {
    if (!v)
        return;
    free(v->stop);
    free(v->last);
    free(v->forked);
    free(v->at);
    free(v->depth);
    free(v->lock);
    au_map_release(&v->readers);
    free(v);
}

static void *grow(void *p, size_t old, size_t now, size_t size, int fill) {
    p = au_realloc_array(p, now, size);
    memset((char *)p + old * size, fill, (now - old) * size);
    return p;
}

static void follow_names(au_validator *v) {
    size_t old = v->threads, now = v->names->thread.n;
    if (old < now) {
        now = now < 2 * old ? 2 * old : now;
        v->stop = grow(v->stop, old, now, 1, RUNS);
        v->last = grow(v->last, old, now, 1, NEVER);
        v->forked = grow(v->forked, old, now, 1, 0);
        v->at = grow(v->at, old, now, sizeof *v->at, 0);
        v->depth = grow(v->depth, old, now, sizeof *v->depth, 0);
        v->threads = now;
    }
    old = v->locks, now = v->names->lock.n;
    if (old < now) {
        now = now < 2 * old ? 2 * old : now;
        v->lock = grow(v->lock, old, now, sizeof *v->lock, 0);
        v->locks = now;
    }
}

/* Names in messages; long ones are cut, as the message has to stay one line. */
struct shown {
    char s[128];
};
static struct shown show(const au_intern *t, uint32_t id) {
    struct shown x;
    size_t n = au_intern_len(t, id);
    const char *s = au_intern_str(t, id);
    size_t k = 0;
    for (size_t i = 0; i < n && k < sizeof x.s - 4; i++)
        x.s[k++] = (unsigned char)s[i] < ' ' || s[i] == 127 ? '?' : s[i];
    if (k < n) {
        memcpy(x.s + k, "...", 3);
        k += 3;
    }
    x.s[k] = 0;
    return x;
}
#define THREAD(t) (show(&v->names->thread, (t)).s)
#define LOCK(l) (show(&v->names->lock, (l)).s)

struct reason {
    char *text;
    size_t size;
};
/* false, so that 'return bad(why, …);' is one line */
static bool __attribute__((format(printf, 2, 3))) bad(struct reason *why, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why->text, why->size, fmt, ap);
    va_end(ap);
    return false;
}

static bool stopped(const au_validator *v, uint16_t t, struct reason *why) {
    switch (v->stop[t]) {
    case EXITED:
        return bad(why, "thread '%s' has an event after its exit", THREAD(t));
    case JOINED:
        return bad(why, "thread '%s' has an event after its join", THREAD(t));
    case WAITING:
        return bad(why, "thread '%s' has an event while it waits on '%s'", THREAD(t),
                   LOCK(v->at[t]));
    default:
        return bad(why, "thread '%s' has an event while it waits at barrier '%s'", THREAD(t),
                   LOCK(v->at[t]));
    }
}

static uint64_t reader_key(uint32_t l, uint16_t t) {
    return (uint64_t)l << 16 | t;
}

static uint64_t reads_of(const au_validator *v, uint32_t l, uint16_t t) {
    uint64_t *n = au_map_find(&v->readers, reader_key(l, t));
    return n ? *n : 0;
}

static bool held_by_other(const au_validator *v, uint64_t s, uint32_t l, uint16_t t,
                          struct reason *why) {
    return bad(why, "thread '%s' acquires '%s' while thread '%s' holds it", THREAD(t), LOCK(l),
               THREAD(HOLDER(s) - 1));
}

/* The holder acquires l again. */
static bool acquire_again(au_validator *v, uint32_t l, uint16_t t, struct reason *why) {
    uint8_t kind = au_names_sync(v->names, l).kind;
    if (kind != AU_WIRE_OBJ_UNKNOWN && kind != AU_WIRE_OBJ_RLOCK)
        return bad(why, "thread '%s' acquires '%s' again, which is not recursive", THREAD(t),
                   LOCK(l));
    if ((v->lock[l] >> 32) >= INT32_MAX)
        return bad(why, "thread '%s' acquires '%s' too often", THREAD(t), LOCK(l));
    v->lock[l] += AGAIN;
    return true;
}

static bool acquire(au_validator *v, uint32_t l, uint16_t t, struct reason *why) {
    uint64_t s = v->lock[l];
    if (!s) {
        v->lock[l] = t + 1u;
        return true;
    }
    if (s & READERS) {
        if (reads_of(v, l, t))
            return bad(why, "thread '%s' acquires '%s' for writing while it holds it for reading",
                       THREAD(t), LOCK(l));
        return bad(why, "thread '%s' acquires '%s' while others hold it for reading", THREAD(t),
                   LOCK(l));
    }
    if (HOLDER(s) != t + 1u)
        return held_by_other(v, s, l, t, why);
    return acquire_again(v, l, t, why);
}

static bool acquire_read(au_validator *v, uint32_t l, uint16_t t, struct reason *why) {
    uint64_t s = v->lock[l];
    if (s && !(s & READERS)) {
        if (HOLDER(s) != t + 1u)
            return held_by_other(v, s, l, t, why);
        return acquire_again(v, l, t, why); /* a writer that also reads */
    }
    ++*au_map_put(&v->readers, reader_key(l, t), NULL);
    v->lock[l] = (s | READERS) + 1;
    return true;
}

static bool release(au_validator *v, uint32_t l, uint16_t t, struct reason *why) {
    uint64_t s = v->lock[l];
    if (s & READERS) {
        uint64_t *n = au_map_find(&v->readers, reader_key(l, t));
        if (!n || !*n)
            return bad(why, "thread '%s' releases '%s', which it does not hold", THREAD(t),
                       LOCK(l));
        --*n;
        v->lock[l] = s - 1 == READERS ? 0 : s - 1;
        return true;
    }
    if (!s)
        return bad(why, "thread '%s' releases '%s', which nobody holds", THREAD(t), LOCK(l));
    if (HOLDER(s) != t + 1u)
        return bad(why, "thread '%s' releases '%s', which thread '%s' holds", THREAD(t), LOCK(l),
                   THREAD(HOLDER(s) - 1));
    v->lock[l] = s >= AGAIN ? s - AGAIN : 0;
    return true;
}

/* A new object at an old place: whoever held the old one holds nothing now. */
static void forget_lock(au_validator *v, uint32_t l) {
    if (v->lock[l] & READERS)
        for (size_t t = 0; t < v->threads; t++) {
            uint64_t *n = au_map_find(&v->readers, reader_key(l, (uint16_t)t));
            if (n)
                *n = 0;
        }
    v->lock[l] = 0;
}

static bool listed(au_validator *v, au_op op, uint16_t t, uint32_t obj, struct reason *why) {
    switch (op) {
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
        return acquire(v, obj, t, why);
    case AU_OP_RDACQ:
        return acquire_read(v, obj, t, why);
    case AU_OP_REL:
        return release(v, obj, t, why);
    case AU_OP_BEGIN:
        if (v->depth[t] == UINT32_MAX)
            return bad(why, "thread '%s' opens too many atomic blocks", THREAD(t));
        v->depth[t]++;
        return true;
    case AU_OP_END:
        if (!v->depth[t])
            return bad(why, "thread '%s' has an end without a begin", THREAD(t));
        v->depth[t]--;
        return true;
    default:
        forget_lock(v, obj);
        return true;
    }
}

static bool fork_thread(au_validator *v, uint16_t t, uint32_t child, struct reason *why) {
    if (child == t)
        return bad(why, "thread '%s' forks itself", THREAD(t));
    v->forks_again = v->forked[child];
    if (v->forks_again)
        return bad(why, "thread '%s' is forked twice", THREAD(child));
    if (v->last[child] != NEVER)
        return bad(why, "thread '%s' is forked after its first event", THREAD(child));
    v->forked[child] = 1;
    return true;
}

static bool join_thread(au_validator *v, uint16_t t, uint32_t child, struct reason *why) {
    if (child == t)
        return bad(why, "thread '%s' joins itself", THREAD(t));
    if (v->stop[child] == JOINED)
        return bad(why, "thread '%s' is joined twice", THREAD(child));
    if (!v->forked[child] && v->last[child] == NEVER)
        return bad(why, "thread '%s' is joined, but has no fork and no event", THREAD(child));
    if (v->stop[child] == WAITING || v->stop[child] == ARRIVED)
        return bad(why, "thread '%s' is joined while it waits for '%s'", THREAD(child),
                   LOCK(v->at[child]));
    v->stop[child] = JOINED;
    return true;
}

/* Ends the wait of t that is of this kind. */
static bool resume(au_validator *v, uint16_t t, uint8_t kind, uint32_t obj, struct reason *why) {
    if (v->stop[t] == EXITED || v->stop[t] == JOINED)
        return stopped(v, t, why);
    if (v->stop[t] != kind || v->at[t] != obj)
        return kind == WAITING ? bad(why, "thread '%s' wakes from '%s' without a wait on it",
                                     THREAD(t), LOCK(obj))
                               : bad(why, "thread '%s' leaves '%s' without having arrived",
                                     THREAD(t), LOCK(obj));
    v->stop[t] = RUNS;
    return true;
}

static void suspend(au_validator *v, uint16_t t, uint8_t kind, uint32_t obj) {
    v->stop[t] = kind;
    v->at[t] = obj;
}

/* An event that changes which threads can move. */
static bool moves(au_validator *v, au_op op, uint16_t t, uint32_t obj, struct reason *why) {
    if (op == AU_OP_WAKE)
        return resume(v, t, WAITING, obj, why);
    if (op == AU_OP_LEAVE)
        return resume(v, t, ARRIVED, obj, why);
    if (v->stop[t] != RUNS)
        return stopped(v, t, why);
    switch (op) {
    case AU_OP_FORK:
        return fork_thread(v, t, obj, why);
    case AU_OP_JOIN:
        return join_thread(v, t, obj, why);
    case AU_OP_EXIT:
        v->stop[t] = EXITED;
        return true;
    case AU_OP_WAIT:
        if (v->last[t] != AU_OP_REL)
            return bad(why, "thread '%s' waits on '%s' without a release just before", THREAD(t),
                       LOCK(obj));
        suspend(v, t, WAITING, obj);
        return true;
    default:
        suspend(v, t, ARRIVED, obj);
        return true;
    }
}

/* Step 2 of the file's head, over the first n events that were listed; how
 * many were right. */
static size_t check_listed(au_validator *v, const au_block *b, size_t n, struct reason *why) {
    uint64_t *const lock = v->lock;
    for (size_t k = 0; k < n; k++) {
        size_t i = v->listed[k];
        au_op op = b->op[i];
        if (op <= AU_OP_REL) {
            /* acquire: free becomes held once by t; release: the other way round */
            uint64_t tag = b->thread[i] + UINT64_C(1);
            uint64_t after = tag & ((uint64_t)op - 1);
            uint64_t *s = &lock[b->obj[i]];
            if (__builtin_expect(*s == (tag ^ after), 1)) {
                *s = after;
                continue;
            }
        }
        if (!listed(v, op, b->thread[i], b->obj[i], why))
            return k;
    }
    return n;
}

/* Checks events from … of one segment; returns the first bad one or the event
 * after the last that it checked. *ok says which. */
static size_t segment(au_validator *v, const au_block *b, size_t from, struct reason *why,
                      bool *ok) {
    const au_op *const op = b->op;
    const uint16_t *const thread = b->thread;
    size_t limit = b->n - from < v->stride ? b->n : from + v->stride;
    size_t listed_n = 0, end = from;
    uint8_t any_stopped = 0;
    for (; end < limit; end++) {
        uint8_t class = class_of[op[end]];
        if (class == MOVES)
            break;
        any_stopped |= v->stop[thread[end]];
        v->listed[listed_n] = (uint32_t)end;
        listed_n += class;
    }
    *ok = true;
    if (any_stopped) {
        for (end = from; v->stop[thread[end]] == RUNS; end++)
            ;
        while (listed_n && v->listed[listed_n - 1] >= end)
            listed_n--;
        *ok = false;
    }
    size_t right = check_listed(v, b, listed_n, why);
    if (right < listed_n) {
        end = v->listed[right];
        *ok = false;
    } else if (any_stopped) {
        stopped(v, thread[end], why);
    }
    uint8_t *const last = v->last;
    for (size_t i = from; i < end; i++)
        last[thread[i]] = op[i];
    v->stride = !*ok ? SHORT : v->stride < SEGMENT ? 2 * v->stride : SEGMENT;
    return end;
}

size_t au_validator_block(au_validator *v, const au_block *b, size_t from, char *why,
                          size_t why_size) {
    struct reason reason = {why, why_size};
    AU_BUG_IF(b->n > UINT32_MAX);
    v->forks_again = false;
    follow_names(v);
    for (size_t i = from; i < b->n;) {
        if (class_of[b->op[i]] == MOVES) {
            if (!moves(v, b->op[i], b->thread[i], b->obj[i], &reason))
                return i;
            v->last[b->thread[i]] = b->op[i];
            i++;
            continue;
        }
        bool ok;
        i = segment(v, b, i, &reason, &ok);
        if (!ok)
            return i;
    }
    return b->n;
}

bool au_validator_forks_again(const au_validator *v) {
    return v->forks_again;
}
