/* model/open.c: variables whose conflicting accesses fork and join do not put in one order.
 *
 * Vector clocks, moved on by fork and join only: a thread's own count grows when it forks,
 * a child begins with its parent's clock, a join takes over the whole clock of the thread that
 * has ended. An access (u, c), made by u while its own count was c, comes before what v
 * does now exactly if v knows at least c of u.
 *
 * Why the last write and a few reads are enough: as long as a variable is not open, all its
 * writes are in one order, every read is ordered with all of them, and the trace is a
 * linear extension of that order; so what comes after the last write comes after all writes
 * and after the reads before the last write. Of the reads since then only those matter that no other one
 * comes after. The first access that is not ordered opens the variable, and then it stays open. */
#include "model/symbolic.h"

typedef struct {
    uint32_t thread; /* + 1; 0: nobody yet */
    uint32_t count;
} epoch;

typedef AU_VEC(uint32_t) clock_vec; /* by thread; what is not there is 0 */

typedef struct {
    epoch write, read; /* read: the latest if 'reads' is empty */
    uint32_t more;     /* place in 'reads' + 1: several reads that are not ordered */
} var_state;

typedef struct {
    const au_trace *t;
    clock_vec *clock;
    AU_VEC(AU_VEC(epoch)) reads;
} opener;

static uint32_t knows(const opener *o, uint32_t thread, uint32_t of) {
    return of < o->clock[thread].n ? o->clock[thread].at[of] : 0;
}

/* Its own count is at least 1, so that nobody else knows of it before a fork or join. */
static void grow(clock_vec *c, size_t n) {
    while (c->n < n)
        au_vec_push(c, 0);
}

static void wake(opener *o, uint32_t thread) {
    grow(&o->clock[thread], (size_t)thread + 1);
    if (!o->clock[thread].at[thread])
        o->clock[thread].at[thread] = 1;
}

static void join(opener *o, uint32_t into, uint32_t from) {
    grow(&o->clock[into], o->clock[from].n);
    for (size_t i = 0; i < o->clock[from].n; i++)
        if (o->clock[from].at[i] > o->clock[into].at[i])
            o->clock[into].at[i] = o->clock[from].at[i];
}

static bool before(const opener *o, epoch e, uint32_t thread) {
    return !e.thread || e.thread == thread + 1 || knows(o, thread, e.thread - 1) >= e.count;
}

static bool reads_before(const opener *o, const var_state *v, uint32_t thread) {
    if (!v->more)
        return before(o, v->read, thread);
    for (size_t i = 0; i < o->reads.at[v->more - 1].n; i++)
        if (!before(o, o->reads.at[v->more - 1].at[i], thread))
            return false;
    return true;
}

/* Reads that this one comes after go; the newest stands first, where it is found again. */
static void note_read(opener *o, var_state *v, epoch e) {
    uint32_t thread = e.thread - 1;
    if (!v->more) {
        if (before(o, v->read, thread)) {
            v->read = e;
            return;
        }
        v->more = (uint32_t)o->reads.n + 1;
        memset(au_vec_add(&o->reads), 0, sizeof *o->reads.at);
        au_vec_push(&o->reads.at[v->more - 1], v->read);
    }
    size_t n = o->reads.at[v->more - 1].n, kept = 0;
    epoch *r = o->reads.at[v->more - 1].at;
    if (r[0].thread == e.thread && r[0].count == e.count)
        return;
    for (size_t i = 0; i < n; i++)
        if (!before(o, r[i], thread))
            r[kept++] = r[i];
    o->reads.at[v->more - 1].n = kept;
    au_vec_push(&o->reads.at[v->more - 1], e);
    r = o->reads.at[v->more - 1].at;
    r[kept] = r[0];
    r[0] = e;
}

static bool access_is_ordered(opener *o, var_state *v, au_op op, uint32_t thread) {
    bool reads = op != AU_OP_WRITE && op != AU_OP_AWRITE;
    bool writes = op != AU_OP_READ && op != AU_OP_AREAD;
    epoch e = {thread + 1, o->clock[thread].at[thread]};
    if (!before(o, v->write, thread) || (writes && !reads_before(o, v, thread)))
        return false;
    if (writes) {
        v->write = e;
        v->read = (epoch){0, 0};
        if (v->more)
            au_vec_clear(&o->reads.at[v->more - 1]);
        if (v->more)
            au_vec_push(&o->reads.at[v->more - 1], e);
    } else if (reads) {
        note_read(o, v, e);
    }
    return true;
}

void au_open_variables(const au_trace *t, au_bitset *open) {
    const au_columns *e = &t->events;
    au_bitset_init(open, t->names.var.n);
    opener o = {.t = t, .clock = au_alloc_array(t->names.thread.n, sizeof *o.clock)};
    var_state *var = au_alloc_array(t->names.var.n, sizeof *var);
    for (size_t i = 0; i < e->n; i++) {
        uint32_t who = e->thread[i];
        if (e->op[i] == AU_OP_FORK || e->op[i] == AU_OP_JOIN) {
            wake(&o, who);
            wake(&o, e->obj[i]);
            if (e->op[i] == AU_OP_JOIN) {
                join(&o, who, e->obj[i]);
            } else {
                join(&o, e->obj[i], who);
                o.clock[who].at[who]++;
            }
        } else if (au_op_is_access(e->op[i]) && !au_bitset_has(open, e->obj[i])) {
            wake(&o, who);
            if (!access_is_ordered(&o, &var[e->obj[i]], e->op[i], who))
                au_bitset_add(open, e->obj[i]);
        }
    }
    for (size_t i = 0; i < t->names.thread.n; i++)
        au_vec_release(&o.clock[i]);
    for (size_t i = 0; i < o.reads.n; i++)
        au_vec_release(&o.reads.at[i]);
    au_vec_release(&o.reads);
    free(o.clock);
    free(var);
}
