/* model/open_set.c: variables that are open in some of several runs, or in all of them together
 * (symbolic.h). */
#include "model/symbolic_priv.h"

/* A thread between two of its forks and joins. */
typedef struct {
    uint32_t thread; /* in o->thread */
    uint32_t own;    /* its own count */
    au_clock knows;  /* by thread of the set */
} phase;

struct au_open_set {
    au_intern thread, var;
    AU_VEC(phase) phase;
    au_map phases; /* hash -> the last one with it, + 1 */
    AU_VEC(struct open_var {
        bool open;
        bool several;        /* threads access it */
        bool varies;         /* what is written there may depend on the way that a thread goes */
        AU_VEC(uint32_t) at; /* 2 * phase + writes */
    })
    vars;
};

au_open_set *au_open_set_new(void) {
    au_open_set *o = AU_NEW(au_open_set);
    au_intern_init(&o->thread);
    au_intern_init(&o->var);
    au_map_init(&o->phases);
    return o;
}

void au_open_set_free(au_open_set *o) {
    if (!o)
        return;
    for (size_t i = 0; i < o->phase.n; i++)
        au_vec_release(&o->phase.at[i].knows);
    for (size_t i = 0; i < o->vars.n; i++)
        au_vec_release(&o->vars.at[i].at);
    au_vec_release(&o->phase);
    au_vec_release(&o->vars);
    au_map_release(&o->phases);
    au_intern_release(&o->thread);
    au_intern_release(&o->var);
    free(o);
}

static uint32_t knows(const phase *p, uint32_t of) {
    return of < p->knows.n ? p->knows.at[of] : 0;
}

static bool same_phase(const phase *a, const phase *b) {
    size_t n = a->knows.n > b->knows.n ? a->knows.n : b->knows.n;
    if (a->thread != b->thread || a->own != b->own)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (knows(a, i) != knows(b, i))
            return false;
    return true;
}

/* The phase that a thread of the trace is in. */
static uint32_t phase_of(au_open_set *o, const au_clocks *c, uint32_t thread,
                         const uint32_t *name) {
    phase p = {.thread = name[thread], .own = c->clock[thread].at[thread]};
    uint64_t hash = au_hash_join(p.thread, p.own), sum = 0;
    for (uint32_t u = 0; u < c->clock[thread].n; u++) {
        if (!c->clock[thread].at[u] || name[u] == AU_NONE)
            continue;
        while (p.knows.n <= name[u])
            au_vec_push(&p.knows, 0);
        p.knows.at[name[u]] = c->clock[thread].at[u];
        sum += au_hash_join(name[u], c->clock[thread].at[u]);
    }
    hash = au_hash_join(hash, sum);
    uint64_t *k;
    while (*(k = au_map_put(&o->phases, hash, NULL)) && !same_phase(&o->phase.at[*k - 1], &p))
        hash++;
    if (*k) {
        au_vec_release(&p.knows);
        return (uint32_t)*k - 1;
    }
    au_vec_push(&o->phase, p);
    *k = o->phase.n;
    return (uint32_t)o->phase.n - 1;
}

static bool in_order(const phase *a, const phase *b) {
    return a->thread == b->thread || knows(b, a->thread) >= a->own || knows(a, b->thread) >= b->own;
}

static bool opens(struct open_var *v, bool unordered) {
    if (v->open || !(unordered || (v->several && v->varies)))
        return false;
    return v->open = true;
}

/* True: it is open only now. */
static bool note(au_open_set *o, struct open_var *v, uint32_t entry, bool varies) {
    v->varies |= varies;
    for (size_t i = 0; i < v->at.n; i++)
        if (v->at.at[i] == entry)
            return opens(v, false);
    bool unordered = false;
    const phase *p = &o->phase.at[entry / 2];
    for (size_t i = 0; i < v->at.n && !v->open; i++) {
        const phase *q = &o->phase.at[v->at.at[i] / 2];
        v->several |= q->thread != p->thread;
        unordered |= ((entry | v->at.at[i]) & 1) && !in_order(p, q);
    }
    if (!v->open)
        au_vec_push(&v->at, entry);
    return opens(v, unordered);
}

bool au_open_set_add(au_open_set *o, const au_trace *t, const char *const *thread) {
    const au_columns *e = &t->events;
    size_t before = o->vars.n;
    bool grew = false, forked = false;
    au_clocks c;
    au_clocks_init(&c, t);
    uint32_t *name = au_alloc_array(t->names.thread.n, sizeof *name);
    uint32_t *now = au_alloc_array(t->names.thread.n, sizeof *now); /* phase, AU_NONE */
    uint32_t *var = au_alloc_array(t->names.var.n, sizeof *var);
    for (size_t i = 0; i < t->names.thread.n; i++) {
        name[i] = thread[i] ? au_intern_add(&o->thread, thread[i], strlen(thread[i])) : AU_NONE;
        now[i] = AU_NONE;
    }
    memset(var, 0xff, t->names.var.n * sizeof *var);
    for (size_t i = 0; i < e->n; i++) {
        uint32_t who = e->thread[i], v = e->obj[i];
        forked |= e->op[i] == AU_OP_FORK;
        if (e->op[i] == AU_OP_FORK || e->op[i] == AU_OP_JOIN) {
            au_clocks_event(&c, t, i);
            now[who] = now[e->obj[i]] = AU_NONE;
        }
        if (!au_op_is_access(e->op[i]) || name[who] == AU_NONE)
            continue;
        if (now[who] == AU_NONE) {
            au_clocks_event(&c, t, i);
            now[who] = phase_of(o, &c, who, name);
        }
        if (var[v] == AU_NONE) {
            const char *s = au_intern_str(&t->names.var, v);
            var[v] = au_intern_add(&o->var, s, au_intern_len(&t->names.var, v));
            while (o->vars.n <= var[v])
                memset(au_vec_add(&o->vars), 0, sizeof *o->vars.at);
        }
        bool writes = e->op[i] != AU_OP_READ && e->op[i] != AU_OP_AREAD;
        if (note(o, &o->vars.at[var[v]], 2 * now[who] + writes, writes && forked))
            grew |= var[v] < before;
    }
    au_clocks_release(&c);
    free(name);
    free(now);
    free(var);
    return grew;
}

void au_open_set_get(const au_open_set *o, const au_trace *t, au_bitset *open) {
    au_bitset_init(open, t->names.var.n);
    for (uint32_t v = 0; v < t->names.var.n; v++) {
        uint32_t id = au_intern_find(&o->var, au_intern_str(&t->names.var, v),
                                     au_intern_len(&t->names.var, v));
        if (id != AU_NONE && o->vars.at[id].open)
            au_bitset_add(open, v);
    }
}

bool au_open_set_widen(au_open_set *o, const char *var) {
    uint32_t id = au_intern_find(&o->var, var, strlen(var));
    if (id == AU_NONE)
        return false;
    o->vars.at[id].varies = true;
    return opens(&o->vars.at[id], false);
}
