/* confirm/judge.c: did the real program do what was predicted? Everything is read off the
 * recording that the replay made, nothing is believed of the prediction but which events
 * it speaks of. */
#include "confirm/judge.h"

#include "report/schedule.h"
#include "trace/mapped.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    au_stream_record r; /* tag 0: not executed */
    uint64_t at;        /* which event of the whole run it was, from 1 */
} seen;

struct run {
    const au_case *c;
    const au_turns *turns;
    uint32_t *thread;        /* of each event of the finding … */
    seen *event;             /* … and what it was */
    AU_VEC(uint64_t) length; /* events of each thread */
    au_stream_record end;    /* tag 0: none */
    au_stream_record fail;   /* the last FAIL */
    au_stream_record lock_error;
    au_mappings mapped; /* memory may have several addresses */
    uint64_t events;
    uint32_t last;             /* thread of the last one */
    bool apart;                /* between the finding's first two events something else happened */
    size_t turn;               /* of the schedule, that is being executed */
    au_stream_record intruder; /* the first event that was not its turn's; tag 0: none */
};

static uint64_t length_of(const struct run *x, uint32_t thread) {
    return thread < x->length.n ? x->length.at[thread] : 0;
}

static void take(struct run *x, const au_stream_record *r) {
    if (r->tag == AU_TAG_END)
        x->end = *r;
    if (r->tag == AU_TAG_NOTE && r->kind == AU_NOTE_MAPPED)
        au_mappings_note(&x->mapped, r->data, r->n);
    if (r->tag != AU_TAG_EV)
        return;
    const au_turns *t = x->turns;
    while (x->turn < t->n && length_of(x, t->at[x->turn].thread) >= t->at[x->turn].upto)
        x->turn++;
    if (x->turn < t->n && t->at[x->turn].thread != r->thread && !x->intruder.tag)
        x->intruder = *r;
    x->events++;
    x->last = r->thread;
    while (x->length.n <= r->thread)
        au_vec_push(&x->length, 0);
    x->length.at[r->thread] = r->index;
    /* A copy is two events that nothing comes between, and so are the call of a memory function
     * and what it does: one of them may be the race's. */
    bool inside = (r->op >= AU_SOP_RREAD && r->op <= AU_SOP_RCOPY) || r->op == AU_OP_XCALL ||
                  r->op == AU_OP_ALLOC || r->op == AU_OP_FREE;
    for (size_t i = 0; i < 2 && x->c->event.n == 2; i++) {
        bool it = x->thread[i] == r->thread && x->c->event.at[i].index == r->index;
        if (x->event[1 - i].r.tag && !x->event[i].r.tag && !it && !inside)
            x->apart = true;
    }
    for (size_t i = 0; i < x->c->event.n; i++)
        if (x->thread[i] == r->thread && x->c->event.at[i].index == r->index) {
            x->event[i].r = *r;
            x->event[i].at = x->events;
            if (x->mapped.n > 1)
                x->event[i].r.address = au_mappings_first(&x->mapped, r->address,
                                                          r->size  ? r->size
                                                          : r->len ? r->len
                                                                   : 1);
        }
    if (r->op == AU_SOP_FAIL)
        x->fail = *r;
    if (r->op == AU_OP_LOCKERR && !x->lock_error.tag)
        x->lock_error = *r;
}

/* A long run takes longer to read than to execute: that is to end in time, too. */
static au_walk *walk(const char *path, au_error *err) {
    au_walk *w = au_walk_open(path, NULL, NULL, err);
    if (w)
        au_walk_ends(w);
    return w;
}

static au_status read_run(struct run *x, const char *path, au_error *err) {
    au_walk *w = walk(path, err);
    au_status st = w ? AU_OK : err->status;
    au_stream_record r = {.tag = AU_TAG_EV};
    while (st == AU_OK && r.tag != AU_TAG_PAD) {
        st = au_walk_next(w, &r, err);
        if (st == AU_OK)
            take(x, &r);
    }
    au_walk_free(w);
    return st;
}

/* ---- what is an access ---- */

static bool is_plain(uint8_t op) {
    return op == AU_OP_READ || op == AU_OP_WRITE || (op >= AU_SOP_RREAD && op <= AU_SOP_RCOPY);
}
static bool is_atomic(uint8_t op) {
    return op == AU_OP_AREAD || op == AU_OP_AWRITE || op == AU_OP_RMW;
}
/* free() counts as a write of what is freed. */
static bool is_write(uint8_t op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW || op == AU_OP_FREE ||
           (op >= AU_SOP_RWRITE && op <= AU_SOP_RCOPY);
}
static bool is_access(uint8_t op) {
    return is_plain(op) || is_atomic(op) || op == AU_OP_FREE;
}
static uint64_t extent(const au_stream_record *r) {
    return r->size ? r->size : r->len ? r->len : 1;
}
static bool overlap(const au_stream_record *a, const au_stream_record *b) {
    return a->address < b->address + extent(b) && b->address < a->address + extent(a);
}

/* ---- the kinds ---- */

static bool no(au_judgement *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What is left to be told by nobody: no contradiction. */
static bool cannot_tell(au_judgement *j, const char *why) {
    j->open = true;
    return no(j, "%s", why);
}
static bool no(au_judgement *j, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(j->why, sizeof j->why, fmt, ap);
    va_end(ap);
    return false;
}

/* All of the finding's events were executed and touch the same memory. */
static bool same_memory(const struct run *x, au_judgement *j) {
    const au_case *c = x->c;
    for (size_t i = 0; i < c->event.n; i++) {
        uint64_t index = c->event.at[i].index;
        if (!x->event[i].r.tag)
            return no(j, "T%" PRIu32 " executed only %" PRIu64 " events, not %" PRIu64,
                      x->thread[i], length_of(x, x->thread[i]), index);
        if (!is_access(x->event[i].r.op))
            return no(j, "event %" PRIu64 " of T%" PRIu32 " was no memory access", index,
                      x->thread[i]);
        if (i && !overlap(&x->event[0].r, &x->event[i].r))
            return no(j,
                      "event %" PRIu64 " of T%" PRIu32 " accessed other memory than event %" PRIu64
                      " of T%" PRIu32,
                      index, x->thread[i], c->event.at[0].index, x->thread[0]);
    }
    return true;
}

/* The schedule left both threads just before their accesses, so these are its first two events
 * after it. */
static bool shows_race(const struct run *x, au_judgement *j) {
    if (x->c->event.n != 2)
        return no(j, "a race has two events");
    if (!same_memory(x, j))
        return false;
    const seen *a = &x->event[0], *b = &x->event[1];
    if (a->r.thread == b->r.thread || x->apart)
        return no(j, "the two accesses did not become possible at the same time");
    if (!is_write(a->r.op) && !is_write(b->r.op))
        return no(j, "neither access was a write");
    if (is_atomic(a->r.op) && is_atomic(b->r.op))
        return no(j, "both accesses were atomic");
    return true;
}

static bool shows_atomicity(const struct run *x, au_judgement *j) {
    if (x->c->event.n != 3)
        return no(j, "a broken atomic block has three events");
    if (!same_memory(x, j))
        return false;
    if (x->event[0].at >= x->event[1].at || x->event[1].at >= x->event[2].at)
        return no(j, "the three accesses were executed in another order");
    bool w[3];
    for (int i = 0; i < 3; i++)
        w[i] = is_write(x->event[i].r.op);
    if (!w[1] && !(w[0] && w[2]))
        return no(j, "the accesses were serialisable");
    return true;
}

static bool shows_deadlock(const struct run *x, au_judgement *j) {
    if (x->end.tag != AU_TAG_END || x->end.kind != AU_END_DEADLOCK)
        return no(j, "the program did not deadlock");
    for (size_t i = 0; i < x->c->event.n; i++) {
        uint64_t index = x->c->event.at[i].index;
        if (length_of(x, x->thread[i]) >= index)
            return no(j,
                      "the program deadlocked, but T%" PRIu32 " had gone on beyond event %" PRIu64,
                      x->thread[i], index);
    }
    return true;
}

/* Is this what nobody wrote, but `--checks` asserted? */
static bool is_check(const au_case *c, const char *what) {
    size_t n = strlen("assertion '"), k = strlen(what);
    return !strncmp(c->what, "assertion '", n) && !strncmp(c->what + n, what, k) &&
           c->what[n + k] == '\'';
}

/* The thread that ran when a signal ended the program. */
static bool died_of(const struct run *x, int first, int second) {
    return x->end.tag == AU_TAG_END && x->end.kind == AU_END_SIGNAL &&
           ((int64_t)x->end.value == first || (int64_t)x->end.value == second) && x->c->event.n &&
           x->last == x->thread[0];
}

/* The read touched memory whose last word before it was a free. */
static au_status reads_freed(const char *path, const seen *event, bool *yes, au_error *err) {
    au_walk *w = walk(path, err);
    au_status st = w ? AU_OK : err->status;
    au_stream_record r = {.tag = AU_TAG_EV};
    uint64_t at = 0;
    *yes = false;
    while (st == AU_OK && r.tag != AU_TAG_PAD && at < event->at) {
        st = au_walk_next(w, &r, err);
        if (st != AU_OK || r.tag != AU_TAG_EV)
            continue;
        at++;
        if ((r.op == AU_OP_ALLOC || r.op == AU_OP_FREE) && overlap(&r, &event->r))
            *yes = r.op == AU_OP_FREE;
    }
    au_walk_free(w);
    return st;
}

/* What `--checks` asserts is seen in what became of the program, or in the memory it read. */
static au_status shows_check(const struct run *x, const char *path, au_judgement *j, bool *known,
                             bool *yes, au_error *err) {
    const au_case *c = x->c;
    *known = true;
    if (is_check(c, "null pointer")) {
        *yes = died_of(x, SIGSEGV, SIGBUS) || no(j, "the thread did not use a null pointer");
    } else if (is_check(c, "division by zero")) {
        *yes = died_of(x, SIGFPE, SIGFPE) || no(j, "the thread did not divide by zero");
    } else if (is_check(c, "index outside its object")) {
        *yes =
            died_of(x, SIGSEGV, SIGBUS) ||
            cannot_tell(
                j, "the program survived it, and a recording does not hold the bounds of objects");
    } else if (is_check(c, "use after free") && c->event.n && x->event[0].r.tag) {
        au_status st = reads_freed(path, &x->event[0], yes, err);
        if (st == AU_OK && !*yes)
            no(j, "the memory that was read had not been freed");
        return st;
    } else {
        *known = false;
    }
    return AU_OK;
}

static bool shows_assertion(const struct run *x, au_judgement *j) {
    if (!strcmp(x->c->what, "reached")) /* check --reach */
        return x->event[0].r.tag || no(j, "the place was not reached");
    if (!strncmp(x->c->what, AU_CRASH_TEXT, strlen(AU_CRASH_TEXT)))
        return (x->end.tag == AU_TAG_END && x->end.kind == AU_END_SIGNAL) ||
               no(j, "no signal ended the program");
    if (!x->fail.tag && (x->end.tag != AU_TAG_END || x->end.kind != AU_END_ASSERT))
        return no(j, "no assertion failed");
    if (x->fail.tag && x->c->event.n && x->fail.thread != x->thread[0])
        return no(j, "an assertion failed, but in T%" PRIu32, x->fail.thread);
    return true;
}

/* A lock and how often a thread has it. */
typedef struct {
    uint64_t lock;
    int64_t times;
    uint32_t thread;
} holding;
typedef AU_VEC(holding) holdings;

static void note_lock(holdings *h, const au_stream_record *r) {
    bool takes = r->op == AU_OP_ACQ || r->op == AU_OP_RDACQ || r->op == AU_OP_WRACQ;
    if (!takes && r->op != AU_OP_REL)
        return;
    size_t i = 0;
    while (i < h->n && (h->at[i].lock != r->address || h->at[i].thread != r->thread))
        i++;
    if (i == h->n)
        au_vec_push(h, ((holding){.lock = r->address, .thread = r->thread}));
    h->at[i].times += takes ? 1 : -1;
}

/* Misuses that are no errors of a call: just before the event its thread has a lock, or, of what is
 * destroyed, somebody has it. */
static au_status misuses(const char *path, const seen *event, bool *yes, au_error *err) {
    au_walk *w = walk(path, err);
    au_status st = w ? AU_OK : err->status;
    au_stream_record r = {.tag = AU_TAG_EV};
    holdings h = {0};
    uint64_t at = 0;
    while (st == AU_OK && r.tag != AU_TAG_PAD && at < event->at) {
        st = au_walk_next(w, &r, err);
        if (st != AU_OK || r.tag != AU_TAG_EV || ++at == event->at)
            continue;
        note_lock(&h, &r);
    }
    bool of_object = event->r.op != AU_OP_EXIT && event->r.op != AU_OP_JOIN;
    *yes = false;
    for (size_t i = 0; i < h.n; i++)
        if (h.at[i].times > 0)
            *yes |= of_object                   ? h.at[i].lock == event->r.address
                    : event->r.op == AU_OP_EXIT ? h.at[i].thread == event->r.thread
                                                : h.at[i].thread != event->r.thread;
    au_vec_release(&h);
    au_walk_free(w);
    return st;
}

static au_status shows_misuse(const struct run *x, const char *path, au_judgement *j, bool *yes,
                              au_error *err) {
    const au_case_event *e = x->c->event.n ? &x->c->event.at[0] : NULL;
    bool call = !e || !*e->op || !strcmp(e->op, "lock-error");
    *yes = false;
    if (call && !x->lock_error.tag)
        no(j, "no lock was misused");
    else if (call && e && x->lock_error.thread != x->thread[0])
        no(j, "a lock was misused, but by T%" PRIu32, x->lock_error.thread);
    else if (call)
        *yes = true;
    else if (!x->event[0].r.tag)
        no(j, "T%" PRIu32 " executed only %" PRIu64 " events, not %" PRIu64, x->thread[0],
           length_of(x, x->thread[0]), e->index);
    else {
        au_status st = misuses(path, &x->event[0], yes, err);
        if (st == AU_OK && !*yes)
            no(j, "no lock was held there");
        return st;
    }
    return AU_OK;
}

/* The write is the last one before the read; that is a question about all writes. */
static au_status sees(const char *path, const seen *write, const seen *read, bool *yes,
                      au_error *err) {
    au_walk *w = walk(path, err);
    au_status st = w ? AU_OK : err->status;
    au_stream_record r = {.tag = AU_TAG_EV};
    uint64_t at = 0;
    *yes = write->at < read->at;
    while (st == AU_OK && r.tag != AU_TAG_PAD) {
        st = au_walk_next(w, &r, err);
        if (st != AU_OK || r.tag != AU_TAG_EV)
            continue;
        at++;
        if (at > write->at && at < read->at && is_write(r.op) && overlap(&r, &read->r))
            *yes = false;
    }
    au_walk_free(w);
    return st;
}

/* A read of the initial value: no write of this memory comes before it, since it was
 * allocated if it was. A last write: none comes after it. */
static au_status sees_none(const char *path, const seen *event, bool *yes, au_error *err) {
    au_walk *w = walk(path, err);
    au_status st = w ? AU_OK : err->status;
    au_stream_record r = {.tag = AU_TAG_EV};
    bool last = is_write(event->r.op) && event->r.op != AU_OP_RMW;
    uint64_t at = 0;
    *yes = true;
    while (st == AU_OK && r.tag != AU_TAG_PAD) {
        st = au_walk_next(w, &r, err);
        if (st != AU_OK || r.tag != AU_TAG_EV)
            continue;
        at++;
        bool counts = last ? at > event->at : at < event->at;
        if (!counts || !overlap(&r, &event->r))
            continue;
        if (!last && r.op == AU_OP_ALLOC)
            *yes = true;
        else if (is_write(r.op) && !(last && r.op == AU_OP_FREE))
            *yes = false;
    }
    au_walk_free(w);
    return st;
}

static au_status shows_nondet(const struct run *x, const char *path, au_judgement *j, bool *yes,
                              au_error *err) {
    size_t n = x->c->event.n;
    *yes = n == 1 || n == 2 || no(j, "a read that sees another write has two events");
    if (!*yes || !(*yes = same_memory(x, j)))
        return AU_OK;
    au_status st = n == 2 ? sees(path, &x->event[0], &x->event[1], yes, err)
                          : sees_none(path, &x->event[0], yes, err);
    if (st == AU_OK && !*yes)
        no(j, n == 2 || !is_write(x->event[0].r.op) ? "the read saw another write"
                                                    : "another write came after it");
    return st;
}

/* What was read, overwritten and written, compared with what was predicted: then the same computation on what was
 * overwritten gives another value, as predicted. */
static bool as_predicted(const struct run *x, au_judgement *j) {
    const seen *w = &x->event[2];
    const uint64_t saw[3] = {x->event[0].r.value, w->r.old, w->r.value};
    static const char *const what[3] = {"read", "overwritten", "written"};
    unsigned bits = w->r.size * 8u;
    for (int i = 0; i < 3; i++) {
        const au_case_event *e = &x->c->event.at[i];
        /* What is overwritten the write itself has seen, whatever wrote it (a whole structure, say). */
        bool same =
            i == 1 || (x->event[i].r.size == w->r.size && x->event[i].r.address == w->r.address);
        if (!e->has_value || !w->r.size || w->r.size > 8 || !same)
            return cannot_tell(j, "the accesses differ in size: their values cannot be compared");
        if ((((uint64_t)e->value ^ saw[i]) << (64 - bits)) != 0)
            return no(j, "another value was %s than predicted", what[i]);
    }
    return true;
}

static au_status shows_lost(const struct run *x, au_judgement *j, bool *yes) {
    *yes = x->c->event.n == 3 || no(j, "a lost update has three events");
    if (!*yes || !(*yes = same_memory(x, j)))
        return AU_OK;
    *yes = (x->event[0].at < x->event[1].at && x->event[1].at < x->event[2].at) ||
           no(j, "the three accesses were executed in another order");
    /* The value that was overwritten is compared: whoever wrote that last, the update is lost. */
    *yes = *yes && as_predicted(x, j);
    return AU_OK;
}

static au_status shows(const struct run *x, const char *path, au_judgement *j, bool *yes,
                       au_error *err) {
    switch (x->c->kind) {
    case AU_KIND_RACE:
        *yes = shows_race(x, j);
        return AU_OK;
    case AU_KIND_ATOMICITY:
        *yes = shows_atomicity(x, j);
        return AU_OK;
    case AU_KIND_DEADLOCK:
        *yes = shows_deadlock(x, j);
        return AU_OK;
    case AU_KIND_ASSERTION: {
        bool known;
        au_status st = shows_check(x, path, j, &known, yes, err);
        if (!known)
            *yes = shows_assertion(x, j);
        return st;
    }
    case AU_KIND_MISUSE:
        return shows_misuse(x, path, j, yes, err);
    case AU_KIND_NONDET:
        return shows_nondet(x, path, j, yes, err);
    case AU_KIND_LOST:
        return shows_lost(x, j, yes);
    case AU_KIND_OUTPUT: /* confirm.c: no recording holds what was written */
    case AU_KINDS:
        break;
    }
    *yes = cannot_tell(j, "this kind of finding cannot be judged");
    return AU_OK;
}

/* ---- where a thread left its recorded way ---- */

typedef AU_VEC(uint64_t) steps; /* site and operation of every event of a thread */

static uint64_t step_of(const au_stream_record *r) {
    return (uint64_t)r->site << 8 | r->op;
}

/* The first event, in the order of the replayed run, at which a thread was not where the
 * recorded one had been, among those that the schedule asked for. */
static au_status find_departure(const au_turns *turns, const char *recorded, const char *replayed,
                                au_judgement *j, au_error *err) {
    AU_VEC(uint64_t) limit = {0};
    for (size_t i = 0; i < turns->n; i++) {
        while (limit.n <= turns->at[i].thread)
            au_vec_push(&limit, 0);
        uint64_t *l = &limit.at[turns->at[i].thread];
        *l = turns->at[i].upto > *l ? turns->at[i].upto : *l;
    }
    steps *old = au_alloc_array(limit.n + 1, sizeof *old);
    au_stream_record r = {.tag = AU_TAG_EV};
    au_walk *a = walk(recorded, err);
    au_status st = a ? AU_OK : err->status;
    while (st == AU_OK && r.tag != AU_TAG_PAD) {
        st = au_walk_next(a, &r, err);
        if (st == AU_OK && r.tag == AU_TAG_EV && r.thread < limit.n &&
            r.index <= limit.at[r.thread])
            au_vec_push(&old[r.thread], step_of(&r));
    }
    au_walk_free(a);
    au_walk *b = st == AU_OK ? walk(replayed, err) : NULL;
    if (st == AU_OK && !b)
        st = err->status;
    r.tag = AU_TAG_EV;
    while (st == AU_OK && r.tag != AU_TAG_PAD) {
        st = au_walk_next(b, &r, err);
        if (st != AU_OK || r.tag != AU_TAG_EV || r.thread >= limit.n ||
            r.index > limit.at[r.thread])
            continue;
        const steps *s = &old[r.thread];
        if (r.index <= s->n && s->at[r.index - 1] == step_of(&r))
            continue;
        j->has_place = true;
        j->is = r;
        j->is.data = NULL;
        if (r.index <= s->n)
            j->was = (au_stream_record){.tag = AU_TAG_EV,
                                        .thread = r.thread,
                                        .index = r.index,
                                        .site = (uint32_t)(s->at[r.index - 1] >> 8),
                                        .op = (uint8_t)s->at[r.index - 1]};
        break;
    }
    au_walk_free(b);
    for (size_t i = 0; i < limit.n; i++)
        au_vec_release(&old[i]);
    free(old);
    au_vec_release(&limit);
    return st;
}

/* Did every thread get as far as the schedule says? */
static bool followed(const struct run *x, au_judgement *j) {
    const au_turns *turns = x->turns;
    if (x->end.tag == AU_TAG_END && x->end.kind == AU_END_DIVERGED)
        return no(j, "the schedule could not be followed");
    if (x->intruder.tag)
        return no(j, "event %" PRIu64 " of T%u was executed out of turn", x->intruder.index,
                  x->intruder.thread);
    for (size_t i = 0; i < turns->n; i++)
        if (length_of(x, turns->at[i].thread) < turns->at[i].upto)
            return no(j, "T%" PRIu32 " executed only %" PRIu64 " events, not %" PRIu64,
                      turns->at[i].thread, length_of(x, turns->at[i].thread), turns->at[i].upto);
    return true;
}

au_status au_judge(const au_case *c, const au_turns *turns, const char *recorded,
                   const char *replayed, au_judgement *j, au_error *err) {
    struct run x = {.c = c,
                    .turns = turns,
                    .thread = au_alloc_array(c->event.n + 1, sizeof *x.thread),
                    .event = au_alloc_array(c->event.n + 1, sizeof *x.event)};
    bool finding = au_case_is_finding(c), yes = false;
    *j = (au_judgement){.judged = AU_JUDGED_CONFIRMED};
    for (size_t i = 0; i < c->event.n; i++)
        if (!au_schedule_thread(c->event.at[i].thread, &x.thread[i]))
            x.thread[i] = AU_NONE;
    au_status st = read_run(&x, replayed, err);
    if (st == AU_OK && c->kind != AU_KIND_ASSERTION)
        yes = followed(&x, j);
    else
        yes = true; /* a failed assertion may come before the schedule's end */
    if (st == AU_OK && yes && finding)
        st = shows(&x, replayed, j, &yes, err);
    if (st == AU_OK && !yes) {
        au_judgement why = {0};
        bool on_its_way = followed(&x, &why);
        st = find_departure(turns, recorded, replayed, j, err);
        j->judged = on_its_way && !j->has_place ? AU_JUDGED_NOT_SHOWN : AU_JUDGED_DIVERGED;
        j->open &= j->judged == AU_JUDGED_NOT_SHOWN;
    }
    free(x.thread);
    free(x.event);
    au_vec_release(&x.length);
    au_vec_release(&x.mapped);
    return st;
}
