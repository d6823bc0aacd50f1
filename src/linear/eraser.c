/* linear/eraser.c: locksets of variables.
 *
 * Order by fork and join is kept as FastTrack keeps happens-before: a thread's events
 * between two of its forks are a span, and each thread knows up to which span of the
 * others everything is over.
 *
 * A variable handed on from t to u by fork or join forgets t's accesses but their last
 * span: a third thread that has not seen that span end may overlap with them (what u
 * saw, u's later partners see through u, so the last hand-over is enough). */
#include "linear/eraser.h"

#include "base/error.h"

typedef struct {
    uint32_t span;         /* its own, from 1 */
    AU_VEC(uint32_t) over; /* by thread: the last span that is over for this thread */
} eraser_thread;

typedef struct {
    uint32_t locks;              /* that protect it so far */
    uint32_t span, dropped_span; /* of the owner's last access; of what was forgotten, 0 */
    uint32_t accesses;
    uint16_t owner, dropped; /* threads */
    uint8_t state;
    bool several, wrote_ever; /* over its whole life */
    bool wrote;               /* since the last hand-over */
} eraser_var;

struct au_eraser {
    au_held *held;
    AU_VEC(eraser_thread) thread;
    AU_VEC(eraser_var) var;
};

au_eraser *au_eraser_new(const au_names *names) {
    au_eraser *e = AU_NEW(au_eraser);
    e->held = au_held_new(names);
    return e;
}

void au_eraser_free(au_eraser *e) {
    if (!e)
        return;
    au_held_free(e->held);
    for (size_t t = 0; t < e->thread.n; t++)
        au_vec_release(&e->thread.at[t].over);
    au_vec_release(&e->thread);
    au_vec_release(&e->var);
    free(e);
}

static eraser_thread *thread_of(au_eraser *e, uint16_t t) {
    while (e->thread.n <= t)
        *au_vec_add(&e->thread) = (eraser_thread){.span = 1};
    return &e->thread.at[t];
}

static void is_over(eraser_thread *t, size_t other, uint32_t span) {
    while (t->over.n <= other)
        au_vec_push(&t->over, 0);
    if (t->over.at[other] < span)
        t->over.at[other] = span;
}

/* What u has seen, t has seen, and u's own spans up to now. */
static void see(au_eraser *e, uint16_t t, uint16_t u) {
    thread_of(e, t > u ? t : u); /* both exist: pointers stay */
    eraser_thread *me = thread_of(e, t), *other = thread_of(e, u);
    for (size_t k = 0; k < other->over.n; k++)
        is_over(me, k, other->over.at[k]);
    is_over(me, u, other->span);
}

static inline uint32_t over(const eraser_thread *t, uint16_t other) {
    return other < t->over.n ? t->over.at[other] : 0;
}

static void share(au_eraser *e, eraser_var *v, const eraser_thread *me, uint32_t guards,
                  bool write) {
    bool overlaps = v->dropped_span && over(me, v->dropped) < v->dropped_span;
    v->locks = overlaps ? AU_HELD_NONE : au_held_meet(e->held, v->locks, guards);
    v->wrote = v->wrote || write || (overlaps && v->wrote_ever);
    v->state = v->wrote ? AU_ERASER_SHARED_MODIFIED : AU_ERASER_SHARED;
}

static void on_access(au_eraser *e, au_op op, uint16_t t, uint32_t x) {
    while (e->var.n <= x)
        memset(au_vec_add(&e->var), 0, sizeof(eraser_var));
    eraser_var *v = &e->var.at[x];
    v->accesses++;
    if (v->state == AU_ERASER_SHARED_MODIFIED && v->locks == AU_HELD_NONE)
        return; /* nothing changes any more */
    bool write = op != AU_OP_READ && op != AU_OP_AREAD;
    bool atomic = op != AU_OP_READ && op != AU_OP_WRITE;
    uint32_t guards = au_held_guards(e->held, au_held_set(e->held, t), write, atomic);
    const eraser_thread *me = thread_of(e, t);
    switch (v->state) {
    case AU_ERASER_VIRGIN:
        *v = (eraser_var){guards, me->span, 0, 1, t, 0, AU_ERASER_EXCLUSIVE, false, write, write};
        return;
    case AU_ERASER_EXCLUSIVE:
        if (v->owner == t) {
            v->locks = au_held_meet(e->held, v->locks, guards);
            v->span = me->span;
            v->wrote |= write;
        } else if (over(me, v->owner) >= v->span) {
            v->dropped = v->owner;
            v->dropped_span = v->span;
            v->owner = t;
            v->span = me->span;
            v->locks = guards;
            v->wrote = write;
            v->several = true;
        } else {
            v->several = true;
            share(e, v, me, guards, write);
        }
        break;
    default:
        share(e, v, me, guards, write);
    }
    v->wrote_ever |= write;
}

void au_eraser_block(au_eraser *e, const au_block *b) {
    for (size_t i = 0; i < b->n; i++) {
        au_op op = b->op[i];
        uint16_t t = b->thread[i];
        if (au_op_is_access(op)) {
            on_access(e, op, t, b->obj[i]);
        } else if (op == AU_OP_FORK) {
            see(e, (uint16_t)b->obj[i], t);
            thread_of(e, t)->span++;
        } else if (op == AU_OP_JOIN) {
            see(e, t, (uint16_t)b->obj[i]);
        } else {
            au_held_step(e->held, t, op, b->obj[i]);
        }
    }
}

au_eraser_state au_eraser_of(const au_eraser *e, uint32_t var) {
    return var < e->var.n ? (au_eraser_state)e->var.at[var].state : AU_ERASER_VIRGIN;
}

bool au_eraser_suspect(const au_eraser *e, uint32_t var) {
    return var < e->var.n && e->var.at[var].state == AU_ERASER_SHARED_MODIFIED &&
           e->var.at[var].locks == AU_HELD_NONE;
}

uint32_t au_eraser_accesses(const au_eraser *e, uint32_t var) {
    return var < e->var.n ? e->var.at[var].accesses : 0;
}

const uint32_t *au_eraser_locks(const au_eraser *e, uint32_t var, uint32_t *n) {
    return au_held_members(e->held, var < e->var.n ? e->var.at[var].locks : AU_HELD_NONE, n);
}

au_eraser_counts au_eraser_count(const au_eraser *e) {
    au_eraser_counts c = {0};
    for (size_t x = 0; x < e->var.n; x++) {
        const eraser_var *v = &e->var.at[x];
        c.candidates += v->several && v->wrote_ever;
        c.must_hb += v->state == AU_ERASER_SHARED_MODIFIED;
        c.lockset += au_eraser_suspect(e, (uint32_t)x);
    }
    return c;
}
