/* tsg/complete.c: adequate switches for every model.
 *
 * The argument. Take a schedule of the model as far as some step of interest.
 *   1. Every transaction between two boundaries reads R* N? L*: steps that move right, at most
 *      one that moves nowhere, steps that move left; behind its first step that does not move
 *      right nothing stops or waits. So what a thread has done of its last transaction is either
 *      R* only, and can be dropped (it moves behind everything), or can be finished
 *      (the rest moves to the left up to it). Then each transaction can be moved together.
 *   2. Let the schedule go on until no transaction can run whole. A schedule is now a sequence
 *      of transactions; two that have no cell in common that one of them writes can change
 *      places. Locks that are free at every boundary do not count: whole transactions never
 *      find them taken.
 *   3. Of all the orders that this gives take the one which at every point runs the
 *      thread of highest priority whose next transaction no other must precede. There a
 *      switch from a to b is made
 *        up (b has priority)    because a's last transaction had to precede b's next one: they
 *                               conflict;
 *        down                   because a is through, or stuck for good at this boundary, or its
 *                               next transaction conflicts with one that another has still to do.
 *      And b stands at its entry or where it was left, for one of these reasons.
 * So switches of these two forms are enough, whatever the threads are like. */
#include "tsg/complete.h"

/* --- transactions that move as one ----------------------------------------------------------- */

typedef AU_VEC(uint32_t) nodes;

static bool ends_early(const au_facts *f, uint32_t step) {
    return f->stops[step] || f->waits[step];
}

/* The node that closes a cycle becomes one. */
void au_complete_cycles(const au_facts *f, bool *boundary) {
    if (!f->m->has_loops)
        return;
    uint8_t *state = au_alloc_array(f->nodes + 1, 1);
    AU_VEC(au_switch) stack = {0}; /* node, next out-step */
    for (uint32_t t = 0; t < f->m->thread.n; t++) {
        au_vec_push(&stack, ((au_switch){au_facts_entry(f, t), 0}));
        state[au_facts_entry(f, t)] = 1;
        while (stack.n) {
            au_switch *at = &au_vec_last(&stack);
            const au_node *node = au_facts_node(f, at->from);
            if (at->to == node->out.n) {
                state[at->from] = 2;
                stack.n--;
                continue;
            }
            uint32_t next = au_facts_dst(f, node->out.at[at->to++]);
            if (state[next] == 1)
                boundary[next] = true;
            else if (!state[next]) {
                state[next] = 1;
                au_vec_push(&stack, ((au_switch){next, 0}));
            }
        }
    }
    au_vec_release(&stack);
    free(state);
}

void au_complete_boundaries(const au_facts *f, bool *boundary) {
    for (uint32_t t = 0; t < f->m->thread.n; t++)
        boundary[au_facts_entry(f, t)] = boundary[au_facts_exit(f, t)] = true;
    au_complete_cycles(f, boundary);
    /* late[n]: on some path from a boundary to n something did not move right */
    bool *late = au_alloc_array(f->nodes + 1, sizeof *late);
    nodes work = {0};
    for (uint32_t n = 0; n < f->nodes; n++)
        au_vec_push(&work, n);
    while (work.n) {
        uint32_t at = au_vec_pop(&work);
        const au_node *node = au_facts_node(f, at);
        bool behind = late[at] && !boundary[at];
        for (size_t i = 0; i < node->out.n && behind; i++) {
            uint32_t s = node->out.at[i];
            if (!(f->moves[s] & AU_MOVES_LEFT) || ends_early(f, s)) {
                boundary[at] = true;
                behind = false;
            }
        }
        for (size_t i = 0; i < node->out.n; i++) {
            uint32_t s = node->out.at[i], to = au_facts_dst(f, s);
            bool now = behind || !(f->moves[s] & AU_MOVES_RIGHT);
            if (now && !late[to]) {
                late[to] = true;
                au_vec_push(&work, to);
            }
        }
    }
    au_vec_release(&work);
    free(late);
}

/* --- cells ------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t *read, *write; /* [boundary * words] */
} cells;

typedef struct {
    const au_facts *f;
    const bool *boundary;
    bool first_wins;
    size_t words;
    AU_VEC(uint32_t) at; /* the boundaries, by thread */
    uint32_t *number;    /* by node */
    cells next, last;    /* by boundary: of the transactions that begin and end there */
    cells rest;          /* … of all that can follow (two threads only) */
    cells thread;        /* by thread: of all its steps */
    bool *ignored;       /* by cell: of a lock that is free at every boundary */
    bool *stuck;         /* by boundary: a thread may stay there for good */
    bool *halts;         /* by boundary: a thread may be left there */
    bool *stuck_thread;  /* by thread */
} completer;

static void cells_init(cells *c, size_t n, size_t words) {
    c->read = au_alloc_array(n * words + 1, sizeof *c->read);
    c->write = au_alloc_array(n * words + 1, sizeof *c->write);
}
static void cells_release(cells *c) {
    free(c->read);
    free(c->write);
}

static void add_step(const completer *k, cells *c, size_t i, uint32_t step) {
    const au_facts *f = k->f;
    for (uint32_t t = f->first_touch[step]; t < f->first_touch[step + 1]; t++) {
        uint32_t cell = f->touch[t].cell;
        if (k->ignored[cell])
            continue;
        (f->touch[t].write ? c->write : c->read)[i * k->words + cell / 64] |= UINT64_C(1)
                                                                              << (cell % 64);
    }
}

static bool conflict(const completer *k, const cells *a, size_t i, const cells *b, size_t j) {
    for (size_t w = 0; w < k->words; w++) {
        uint64_t ra = a->read[i * k->words + w], wa = a->write[i * k->words + w];
        uint64_t rb = b->read[j * k->words + w], wb = b->write[j * k->words + w];
        if ((wa & (rb | wb)) | (ra & wb))
            return true;
    }
    return false;
}

/* --- locks that no boundary sees ------------------------------------------------------------------ */

static bool is_take(const au_step *s) {
    return s->kind == AU_STEP_ACQ || s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ ||
           s->kind == AU_STEP_WAKE;
}

static uint32_t object_of(const au_facts *f, const au_step *s) {
    uint32_t obj = s->kind == AU_STEP_WAIT || s->kind == AU_STEP_WAKE ? s->obj2 : s->obj;
    bool gives = s->kind == AU_STEP_REL || s->kind == AU_STEP_WAIT;
    return (is_take(s) || gives) && obj != AU_NONE && au_facts_is_lock(f, obj) ? obj : AU_NONE;
}

/* The most holds of one lock at each node; true if a boundary has any, or if its own thread can
 * find it taken. What is not clear counts as held. */
static bool held_at_boundary(const au_facts *f, const bool *boundary, uint32_t obj, uint8_t *most,
                             nodes *work) {
    au_obj_kind kind = f->m->obj.at[obj].kind;
    memset(most, 0, f->nodes);
    bool seen = false;
    au_vec_clear(work);
    for (uint32_t i = 0; i < f->m->step.n; i++)
        if (object_of(f, &f->m->step.at[i]) == obj)
            au_vec_push(work, au_facts_src(f, i));
    while (work->n) {
        uint32_t at = au_vec_pop(work);
        const au_node *node = au_facts_node(f, at);
        seen |= boundary[at] && most[at];
        for (size_t i = 0; i < node->out.n && !seen; i++) {
            const au_step *s = &f->m->step.at[node->out.at[i]];
            uint32_t to = au_facts_dst(f, s->id);
            uint8_t now = most[at];
            if (object_of(f, s) == obj) {
                if (is_take(s) && kind != AU_OBJ_RLOCK)
                    seen |= now != 0; /* waits for itself */
                if (is_take(s) && kind == AU_OBJ_LOCK)
                    now = 1;
                else if (is_take(s))
                    now = now == UINT8_MAX ? now : (uint8_t)(now + 1);
                else
                    now = now ? (uint8_t)(now - 1) : 0;
            }
            if (now > most[to]) {
                most[to] = now;
                au_vec_push(work, to);
            }
        }
    }
    au_vec_clear(work);
    return seen;
}

static bool held_or_looked(const au_facts *f, uint32_t cell) {
    return cell != AU_NONE && (f->m->var.at[cell].init || f->looked[cell]);
}

/* A part of a run begins with locks that are held already; others are looked at by who does not use them. */
static bool is_odd(const au_facts *f, uint32_t obj) {
    const au_sync_obj *o = &f->m->obj.at[obj];
    bool odd = held_or_looked(f, o->var[0]) || held_or_looked(f, o->var[1]);
    for (size_t i = 0; i < o->per.n; i++)
        odd |= held_or_looked(f, o->per.at[i]);
    return odd;
}

static void find_ignored(completer *k, bool *safe) {
    const au_facts *f = k->f;
    const au_model *m = f->m;
    uint8_t *most = au_alloc_array(f->nodes + 1, 1);
    nodes work = {0};
    for (uint32_t o = 0; o < m->obj.n; o++) {
        if (!au_facts_is_lock(f, o) || is_odd(f, o) ||
            held_at_boundary(f, k->boundary, o, most, &work))
            continue;
        safe[o] = true;
        for (int i = 0; i < 2; i++)
            if (m->obj.at[o].var[i] != AU_NONE)
                k->ignored[m->obj.at[o].var[i]] = true;
    }
    au_vec_release(&work);
    free(most);
}

/* --- what transactions touch ------------------------------------------------------------------------- */

/* Steps between boundary b and the next ones, forward or backward. */
static void walk(completer *k, uint32_t b, bool forward, bool beyond, cells *into, uint32_t *stamp,
                 uint32_t mark, nodes *work) {
    const au_facts *f = k->f;
    au_vec_clear(work);
    au_vec_push(work, k->at.at[b]);
    stamp[k->at.at[b]] = mark;
    while (work->n) {
        uint32_t n = au_vec_pop(work);
        const uint32_t *steps = forward ? au_facts_node(f, n)->out.at : f->into + f->first_into[n];
        size_t count =
            forward ? au_facts_node(f, n)->out.n : f->first_into[n + 1] - f->first_into[n];
        for (size_t i = 0; i < count; i++) {
            uint32_t to = forward ? au_facts_dst(f, steps[i]) : au_facts_src(f, steps[i]);
            add_step(k, into, b, steps[i]);
            if (stamp[to] != mark && (beyond || !k->boundary[to])) {
                stamp[to] = mark;
                au_vec_push(work, to);
            }
        }
    }
}

static void find_cells(completer *k) {
    const au_facts *f = k->f;
    uint32_t *stamp = au_alloc_array(f->nodes + 1, sizeof *stamp), mark = 0;
    nodes work = {0};
    cells_init(&k->next, k->at.n, k->words);
    cells_init(&k->last, k->at.n, k->words);
    cells_init(&k->thread, f->m->thread.n, k->words);
    bool two = f->m->thread.n == 2;
    cells_init(&k->rest, two ? k->at.n : 0, k->words);
    for (uint32_t b = 0; b < k->at.n; b++) {
        walk(k, b, true, false, &k->next, stamp, ++mark, &work);
        walk(k, b, false, false, &k->last, stamp, ++mark, &work);
        if (two)
            walk(k, b, true, true, &k->rest, stamp, ++mark, &work);
    }
    for (uint32_t i = 0; i < f->m->step.n; i++)
        add_step(k, &k->thread, f->m->step.at[i].thread, i);
    au_vec_release(&work);
    free(stamp);
}

/* --- who may stay where -------------------------------------------------------------------------------- */

static bool may_get_stuck(const completer *k, const bool *safe, uint32_t step) {
    const au_step *s = &k->f->m->step.at[step];
    if (s->kind == AU_STEP_JOIN)
        return k->stuck_thread[s->obj];
    if (is_take(s) && s->kind != AU_STEP_WAKE && safe[s->obj])
        return false;
    return ends_early(k->f, step);
}

/* By boundary: some transaction that begins there may not come to its end. */
static void find_stuck(completer *k, const bool *safe) {
    const au_facts *f = k->f;
    uint32_t *stamp = au_alloc_array(f->nodes + 1, sizeof *stamp), mark = 0;
    nodes work = {0};
    for (bool grew = true; grew;) { /* a join waits for what is stuck */
        grew = false;
        for (uint32_t b = 0; b < k->at.n; b++) {
            if (k->stuck[b])
                continue;
            k->stuck[b] = au_facts_dead_end(f, k->at.at[b]);
            mark++;
            au_vec_push(&work, k->at.at[b]);
            while (work.n) {
                const au_node *node = au_facts_node(f, au_vec_pop(&work));
                for (size_t i = 0; i < node->out.n; i++) {
                    uint32_t to = au_facts_dst(f, node->out.at[i]);
                    k->stuck[b] |= may_get_stuck(k, safe, node->out.at[i]);
                    if (stamp[to] != mark && !k->boundary[to]) {
                        stamp[to] = mark;
                        au_vec_push(&work, to);
                    }
                }
            }
            uint32_t t = f->owner[k->at.at[b]];
            grew |= k->stuck[b];
            k->stuck_thread[t] |= k->stuck[b];
        }
    }
    au_vec_release(&work);
    free(stamp);
}

static bool outranks(const completer *k, uint32_t thread, uint32_t other) {
    return k->first_wins ? thread < other : thread > other;
}

/* Its next transaction conflicts with something that another thread may still do. */
static bool held_up(const completer *k, uint32_t b) {
    uint32_t node = k->at.at[b], t = k->f->owner[node];
    for (uint32_t u = 0; u < k->f->m->thread.n; u++)
        if (u != t && !au_facts_done(k->f, node, u) && conflict(k, &k->next, b, &k->thread, u))
            return true;
    return false;
}

static bool overtaken(const completer *k, uint32_t b) {
    uint32_t t = k->f->owner[k->at.at[b]];
    for (uint32_t u = 0; u < k->f->m->thread.n; u++)
        if (outranks(k, u, t) && conflict(k, &k->last, b, &k->thread, u))
            return true;
    return false;
}

static bool is_exit(const completer *k, uint32_t b) {
    return k->at.at[b] == au_facts_exit(k->f, k->f->owner[k->at.at[b]]);
}
static bool is_entry(const completer *k, uint32_t b) {
    return k->at.at[b] == au_facts_entry(k->f, k->f->owner[k->at.at[b]]);
}

static void pair(const completer *k, const bool *up, uint32_t a, uint32_t b, au_switch_vec *into) {
    uint32_t from = k->at.at[a], to = k->at.at[b];
    uint32_t t = k->f->owner[from], u = k->f->owner[to];
    bool two = k->f->m->thread.n == 2;
    bool wanted = outranks(k, u, t)              ? conflict(k, &k->last, a, &k->next, b)
                  : is_exit(k, a) || k->stuck[a] ? true
                  : two                          ? conflict(k, &k->next, a, &k->rest, b)
                                                 : up[a];
    if (wanted && au_facts_switch(k->f, from, to))
        au_vec_push(into, ((au_switch){from, to}));
}

static void find_switches(completer *k, au_switch_vec *into) {
    bool *up = au_alloc_array(k->at.n + 1, sizeof *up);
    for (uint32_t b = 0; b < k->at.n; b++) {
        up[b] = held_up(k, b);
        k->halts[b] = up[b] || k->stuck[b] || is_exit(k, b) || overtaken(k, b);
    }
    for (uint32_t a = 0; a < k->at.n; a++) {
        uint32_t from = k->at.at[a];
        if (!k->halts[a] || k->f->first_into[from] == k->f->first_into[from + 1])
            continue; /* nobody is left there; nobody gets there */
        for (uint32_t b = 0; b < k->at.n; b++)
            if (k->f->owner[k->at.at[b]] != k->f->owner[from] && !is_exit(k, b) &&
                !au_facts_dead_end(k->f, k->at.at[b]) && (is_entry(k, b) || k->halts[b]))
                pair(k, up, a, b, into);
    }
    free(up);
}

void au_complete_switches(const au_facts *f, const bool *boundary, bool first_wins,
                          au_switch_vec *into) {
    completer k = {.f = f, .boundary = boundary, .first_wins = first_wins};
    bool *safe = au_alloc_array(f->m->obj.n + 1, sizeof *safe);
    k.words = (f->m->var.n + 63) / 64;
    k.number = au_alloc_array(f->nodes + 1, sizeof *k.number);
    for (uint32_t n = 0; n < f->nodes; n++)
        if (boundary[n]) {
            k.number[n] = (uint32_t)k.at.n;
            au_vec_push(&k.at, n);
        }
    k.ignored = au_alloc_array(f->m->var.n + 1, sizeof *k.ignored);
    k.stuck = au_alloc_array(k.at.n + 1, sizeof *k.stuck);
    k.halts = au_alloc_array(k.at.n + 1, sizeof *k.halts);
    k.stuck_thread = au_alloc_array(f->m->thread.n + 1, sizeof *k.stuck_thread);
    find_ignored(&k, safe);
    find_cells(&k);
    find_stuck(&k, safe);
    find_switches(&k, into);
    au_switches_sort(into);
    cells_release(&k.next);
    cells_release(&k.last);
    cells_release(&k.rest);
    cells_release(&k.thread);
    au_vec_release(&k.at);
    free(k.number);
    free(k.ignored);
    free(k.stuck);
    free(k.halts);
    free(k.stuck_thread);
    free(safe);
}

/* --- the paper's case ------------------------------------------------------------------------------------- */

bool au_complete_plain(const au_facts *f) {
    const au_model *m = f->m;
    if (m->thread.n != 2 || m->has_loops)
        return false;
    for (uint32_t t = 0; t < 2; t++)
        if (m->thread.at[t].forked)
            return false;
    for (uint32_t o = 0; o < m->obj.n; o++)
        if (is_odd(f, o))
            return false;
    for (uint32_t n = 0; n < f->nodes; n++)
        if (au_facts_dead_end(f, n))
            return false;
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        bool lock = (s->kind == AU_STEP_ACQ || s->kind == AU_STEP_REL) &&
                    m->obj.at[s->obj].kind == AU_OBJ_LOCK;
        switch (s->kind) {
        case AU_STEP_ASSIGN:
        case AU_STEP_NOP:
        case AU_STEP_HAVOC:
            break;
        case AU_STEP_ACQ:
            if (!lock)
                return false;
            break;
        case AU_STEP_REL:
            if (!lock || f->stops[i])
                return false;
            break;
        default:
            return false;
        }
        if (s->n_accesses > 1 || au_facts_node(f, au_facts_src(f, i))->out.n != 1)
            return false;
        uint32_t held = 0;
        for (uint32_t o = 0; o < m->obj.n; o++)
            held += au_facts_holds(f, au_facts_src(f, i), o, true);
        if (held > (s->kind == AU_STEP_ACQ ? 0 : 1))
            return false; /* nested */
    }
    for (uint32_t t = 0; t < 2; t++)
        for (uint32_t o = 0; o < m->obj.n; o++)
            if (au_facts_holds(f, au_facts_exit(f, t), o, false))
                return false; /* never given back */
    return true;
}
