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
#include "model/symbolic_priv.h"

void au_clocks_init(au_clocks *c, const au_trace *t) {
    c->n = t->names.thread.n;
    c->clock = au_alloc_array(c->n, sizeof *c->clock);
}

void au_clocks_release(au_clocks *c) {
    for (size_t i = 0; i < c->n; i++)
        au_vec_release(&c->clock[i]);
    free(c->clock);
}

static void grow(au_clock *c, size_t n) {
    while (c->n < n)
        au_vec_push(c, 0);
}

/* Its own count is at least 1, so that nobody else knows of it before a fork or join. */
static void wake(au_clocks *c, uint32_t thread) {
    grow(&c->clock[thread], (size_t)thread + 1);
    if (!c->clock[thread].at[thread])
        c->clock[thread].at[thread] = 1;
}

static void join(au_clocks *c, uint32_t into, uint32_t from) {
    grow(&c->clock[into], c->clock[from].n);
    for (size_t i = 0; i < c->clock[from].n; i++)
        if (c->clock[from].at[i] > c->clock[into].at[i])
            c->clock[into].at[i] = c->clock[from].at[i];
}

void au_clocks_event(au_clocks *c, const au_trace *t, size_t event) {
    const au_columns *e = &t->events;
    uint32_t who = e->thread[event], other = e->obj[event];
    wake(c, who);
    if (e->op[event] == AU_OP_JOIN) {
        wake(c, other);
        join(c, who, other);
    } else if (e->op[event] == AU_OP_FORK) {
        wake(c, other);
        join(c, other, who);
        c->clock[who].at[who]++;
    }
}

/* ---- variables ---------------------------------------------------------------------- */

typedef struct {
    au_epoch write, read; /* read: the latest if 'reads' is empty */
    uint32_t more;        /* place in 'reads' + 1: several reads that are not ordered */
} var_state;

typedef struct {
    au_clocks c;
    AU_VEC(AU_VEC(au_epoch)) reads;
} opener;

static bool reads_before(const opener *o, const var_state *v, uint32_t thread) {
    if (!v->more)
        return au_clocks_before(&o->c, v->read, thread);
    for (size_t i = 0; i < o->reads.at[v->more - 1].n; i++)
        if (!au_clocks_before(&o->c, o->reads.at[v->more - 1].at[i], thread))
            return false;
    return true;
}

/* Reads that this one comes after go; the newest stands first, where it is found again. */
static void note_read(opener *o, var_state *v, au_epoch e) {
    uint32_t thread = e.thread - 1;
    if (!v->more) {
        if (au_clocks_before(&o->c, v->read, thread)) {
            v->read = e;
            return;
        }
        v->more = (uint32_t)o->reads.n + 1;
        memset(au_vec_add(&o->reads), 0, sizeof *o->reads.at);
        au_vec_push(&o->reads.at[v->more - 1], v->read);
    }
    size_t n = o->reads.at[v->more - 1].n, kept = 0;
    au_epoch *r = o->reads.at[v->more - 1].at;
    if (r[0].thread == e.thread && r[0].count == e.count)
        return;
    for (size_t i = 0; i < n; i++)
        if (!au_clocks_before(&o->c, r[i], thread))
            r[kept++] = r[i];
    o->reads.at[v->more - 1].n = kept;
    au_vec_push(&o->reads.at[v->more - 1], e);
    r = o->reads.at[v->more - 1].at;
    r[kept] = r[0];
    r[0] = e;
}

static bool access_is_ordered(opener *o, var_state *v, au_op op, uint32_t thread) {
    bool writes = op != AU_OP_READ && op != AU_OP_AREAD;
    au_epoch e = au_clocks_now(&o->c, thread);
    if (!au_clocks_before(&o->c, v->write, thread) || (writes && !reads_before(o, v, thread)))
        return false;
    if (!writes) {
        note_read(o, v, e);
        return true;
    }
    v->write = e;
    v->read = (au_epoch){0, 0};
    if (v->more) {
        au_vec_clear(&o->reads.at[v->more - 1]);
        au_vec_push(&o->reads.at[v->more - 1], e);
    }
    return true;
}

void au_open_variables(const au_trace *t, au_bitset *open) {
    const au_columns *e = &t->events;
    opener o = {0};
    au_bitset_init(open, t->names.var.n);
    au_clocks_init(&o.c, t);
    var_state *var = au_alloc_array(t->names.var.n, sizeof *var);
    for (size_t i = 0; i < e->n; i++) {
        bool access = au_op_is_access(e->op[i]);
        if (access ? au_bitset_has(open, e->obj[i])
                   : e->op[i] != AU_OP_FORK && e->op[i] != AU_OP_JOIN)
            continue;
        au_clocks_event(&o.c, t, i);
        if (access && !access_is_ordered(&o, &var[e->obj[i]], e->op[i], e->thread[i]))
            au_bitset_add(open, e->obj[i]);
    }
    au_clocks_release(&o.c);
    for (size_t i = 0; i < o.reads.n; i++)
        au_vec_release(&o.reads.at[i]);
    au_vec_release(&o.reads);
    free(var);
}
