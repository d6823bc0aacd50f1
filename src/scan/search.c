/* scan/search.c: see search.h. */
#include "scan/search_priv.h"

#include "base/clock.h"

enum {
    MOST_BRANCHES =
        2048,          /* states that one transaction leads to; beyond, the answer is open (part) */
    MOST_PAIRED = 96,  /* facts of a state that are looked at in pairs: only who comes first */
    SINGLE_BITS = 22,  /* of the table of facts seen */
    PAIR_BITS = 26,    /* … of pairs */
    CLOCK = 16,        /* states between looks at the clock */
    BYTES = 256 << 20, /* for states */
    NEW_FACT = 0,
    NEW_PAIR,
    OLD /* novelty */
};

#define COARSE 0.3 /* of the time */

typedef struct {
    uint64_t at; /* in 'bytes' */
    uint32_t size, parent;
    uint32_t path, havoc; /* in 'path' and 'chosen', up to the next state's */
    uint32_t far;
    uint16_t thread, switches;
    bool done;
} sstate;

typedef struct {
    uint64_t key;
    uint32_t id;
} entry;
typedef AU_VEC(entry) heap;

typedef struct {
    uint32_t var;
    uint64_t old;
} undo;

typedef struct {
    const au_search *s;
    const au_model *m;
    const au_facts *f;
    au_kind kind;
    const au_scan_place *place;
    uint32_t who[2]; /* threads of the two places; the second AU_NONE */
    uint32_t *far[2];
    uint32_t **fork; /* by thread: distances to the steps that fork it; NULL: not needed */
    uint64_t *of;    /* by term: scratch */
    uint64_t *value; /* by variable */
    uint32_t *node;  /* by thread */
    AU_VEC(undo) undo;
    bool coarse; /* of states that look alike only one is kept */
    au_map looks;
    au_idtable index;
    AU_VEC(sstate) state;
    AU_VEC(uint8_t) bytes, packed;
    AU_VEC(uint32_t) path; /* steps */
    AU_VEC(uint64_t) chosen;
    AU_VEC(uint32_t) way; /* of the transaction that is being run */
    AU_VEC(uint64_t) picked;
    heap queue[2];
    uint64_t *single, *pair; /* bit tables */
    AU_VEC(uint64_t) fact;
    au_values *guess; /* by variable */
    bool *guessed;
    uint32_t from; /* state that is being left */
    uint32_t branches;
    size_t most_bytes;
    bool part; /* something was not looked at */
    bool found, over;
    uint32_t last; /* found: the state, or the one before the assertion */
} finder;

/* --- the queues: least key first ------------------------------------------------------------------------ */

static void put(heap *h, entry e) {
    au_vec_push(h, e);
    size_t i = h->n - 1;
    for (; i && e.key < h->at[(i - 1) / 2].key; i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = e;
}

static entry get(heap *h) {
    entry top = h->at[0], e = au_vec_pop(h);
    size_t i = 0;
    while (2 * i + 1 < h->n) {
        size_t kid = 2 * i + 1;
        if (kid + 1 < h->n && h->at[kid + 1].key < h->at[kid].key)
            kid++;
        if (e.key <= h->at[kid].key)
            break;
        h->at[i] = h->at[kid];
        i = kid;
    }
    if (h->n)
        h->at[i] = e;
    return top;
}

/* --- states --------------------------------------------------------------------------------------------- */

static void pack_value(finder *k, uint32_t var) {
    unsigned bytes = (k->m->var.at[var].width + 7u) / 8;
    for (unsigned i = 0; i < bytes; i++)
        au_vec_push(&k->packed, (uint8_t)(k->value[var] >> 8 * i));
}

static void pack(finder *k) {
    const au_search *s = k->s;
    au_vec_clear(&k->packed);
    for (uint32_t t = 0; t < k->m->thread.n; t++)
        au_vec_append(&k->packed, (const uint8_t *)&k->node[t], sizeof k->node[t]);
    for (size_t i = 0; i < s->global.n; i++)
        pack_value(k, s->global.at[i]);
    for (uint32_t t = 0; t < k->m->thread.n; t++) {
        uint32_t n = k->f->base[t] + k->node[t];
        for (uint32_t i = s->first_live[n]; i < s->first_live[n + 1]; i++)
            pack_value(k, s->live.at[i]);
    }
}

static const uint8_t *unpack_value(finder *k, uint32_t var, const uint8_t *at) {
    unsigned bytes = (k->m->var.at[var].width + 7u) / 8;
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)at[i] << 8 * i;
    k->value[var] = v;
    return at + bytes;
}

/* Locals that do not matter keep what they have. */
static void unpack(finder *k, uint32_t id) {
    const au_search *s = k->s;
    const uint8_t *at = k->bytes.at + k->state.at[id].at;
    memcpy(k->node, at, k->m->thread.n * sizeof *k->node);
    at += k->m->thread.n * sizeof *k->node;
    for (size_t i = 0; i < s->global.n; i++)
        at = unpack_value(k, s->global.at[i], at);
    for (uint32_t t = 0; t < k->m->thread.n; t++) {
        uint32_t n = k->f->base[t] + k->node[t];
        for (uint32_t i = s->first_live[n]; i < s->first_live[n + 1]; i++)
            at = unpack_value(k, s->live.at[i], at);
    }
}

static bool same(const void *ctx, uint32_t id, const void *key) {
    const finder *k = ctx;
    (void)key;
    const sstate *s = &k->state.at[id];
    return s->size == k->packed.n && !memcmp(k->bytes.at + s->at, k->packed.at, k->packed.n);
}

static bool started(const finder *k, uint32_t t) {
    uint32_t v = k->m->thread.at[t].started;
    return v == AU_NONE || k->value[v];
}

/* --- how far ---------------------------------------------------------------------------------------------- */

static uint32_t plus(uint32_t a, uint32_t b) {
    return a == AU_FAR || b == AU_FAR ? AU_FAR : a + b;
}

/* Until the thread is started. */
static uint32_t until_started(const finder *k, uint32_t t, unsigned depth) {
    uint32_t best = AU_FAR;
    if (!k->fork[t] || depth > k->m->thread.n)
        return AU_FAR;
    for (uint32_t u = 0; u < k->m->thread.n; u++) {
        uint32_t d = k->fork[t][k->f->base[u] + k->node[u]];
        if (u == t || d == AU_FAR)
            continue;
        if (!started(k, u))
            d = plus(d, until_started(k, u, depth + 1));
        d = plus(d, 1);
        best = d < best ? d : best;
    }
    return best;
}

static uint32_t how_far(const finder *k) {
    uint32_t all = 0;
    for (int i = 0; i < 2 && k->who[i] != AU_NONE; i++) {
        uint32_t t = k->who[i], d = k->far[i][k->f->base[t] + k->node[t]];
        if (!started(k, t))
            d = plus(d, until_started(k, t, 0));
        all = plus(all, d);
    }
    return all;
}

/* --- what is new -------------------------------------------------------------------------------------------- */

static bool seen(uint64_t *table, unsigned bits, uint64_t hash) {
    uint64_t bit = hash >> (64 - bits), old = table[bit / 64];
    table[bit / 64] |= UINT64_C(1) << bit % 64;
    return old >> bit % 64 & 1;
}

static void add_fact(finder *k, uint32_t var) {
    uint64_t v = k->value[var];
    au_vec_push(&k->fact, au_hash_join(var, k->coarse ? au_search_coarse_(k->s, var, v) : v));
}

/* Where threads stand, what variables hold. */
static void find_facts(finder *k) {
    const au_search *s = k->s;
    au_vec_clear(&k->fact);
    for (uint32_t t = 0; t < k->m->thread.n; t++)
        au_vec_push(&k->fact, au_hash_join(UINT64_C(1) << 40 | t, k->node[t]));
    for (size_t i = 0; i < s->global.n; i++)
        add_fact(k, s->global.at[i]);
    for (uint32_t t = 0; t < k->m->thread.n; t++) {
        uint32_t n = k->f->base[t] + k->node[t];
        for (uint32_t i = s->first_live[n]; i < s->first_live[n + 1]; i++)
            add_fact(k, s->live.at[i]);
    }
}

/* Told apart by how far it is. */
static unsigned novelty(finder *k, uint32_t far) {
    unsigned best = OLD;
    for (size_t i = 0; i < k->fact.n; i++)
        if (!seen(k->single, SINGLE_BITS, au_hash_join(k->fact.at[i], far)))
            best = NEW_FACT;
    size_t n = k->fact.n < MOST_PAIRED ? k->fact.n : MOST_PAIRED;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (!seen(k->pair, PAIR_BITS,
                      (k->fact.at[i] + 3 * k->fact.at[j] + far) * UINT64_C(0x9e3779b97f4a7c15)) &&
                best == OLD)
                best = NEW_PAIR;
    return best;
}

/* --- one transaction ------------------------------------------------------------------------------------------ */

static void evaluate(finder *k, uint32_t from, uint32_t to) {
    const au_terms *t = k->m->terms;
    for (uint32_t i = from; i < to; i++) {
        au_term x = {k->s->code.at[i]};
        k->of[x.n] = au_term_kind(t, x) == AU_T_VAR ? k->value[au_term_var(t, x)]
                                                    : au_term_worth(t, x, k->of);
    }
}

static void set(finder *k, uint32_t var, uint64_t value) {
    au_vec_push(&k->undo, ((undo){var, k->value[var]}));
    k->value[var] = value;
}

static void take_back(finder *k, size_t to) {
    while (k->undo.n > to) {
        undo u = au_vec_pop(&k->undo);
        k->value[u.var] = u.old;
    }
}

/* The way of the transaction becomes that of a new state. */
static uint32_t keep(finder *k, uint32_t thread, uint32_t far) {
    const sstate *from = k->from == AU_NONE ? NULL : &k->state.at[k->from];
    sstate n = {.at = k->bytes.n,
                .size = (uint32_t)k->packed.n,
                .parent = k->from,
                .path = (uint32_t)k->path.n,
                .havoc = (uint32_t)k->chosen.n,
                .far = far,
                .thread = (uint16_t)thread};
    n.switches =
        from ? (uint16_t)(from->switches + (from->thread != thread && from->switches < UINT16_MAX))
             : 0;
    au_vec_append(&k->bytes, k->packed.at, k->packed.n);
    au_vec_append(&k->path, k->way.at, k->way.n);
    au_vec_append(&k->chosen, k->picked.at, k->picked.n);
    au_vec_push(&k->state, n);
    return (uint32_t)k->state.n - 1;
}

static bool there(const finder *k) {
    for (int i = 0; i < 2; i++) {
        const au_step *p = &k->m->step.at[k->place->step[i]];
        if (k->node[p->thread] != p->src || !started(k, p->thread))
            return false;
    }
    return true;
}

static void arrive(finder *k, uint32_t thread) {
    uint32_t far = how_far(k);
    if (far == AU_FAR)
        return;
    if (++k->branches > MOST_BRANCHES) {
        k->part = true;
        return;
    }
    pack(k);
    find_facts(k);
    uint64_t hash = k->coarse ? au_hash_bytes(k->fact.at, k->fact.n * sizeof *k->fact.at)
                              : au_hash_bytes(k->packed.at, k->packed.n);
    if (k->coarse) {
        bool fresh;
        au_map_put(&k->looks, hash, &fresh);
        if (!fresh)
            return;
    } else if (au_idtable_find(&k->index, hash, same, k, NULL) != AU_NONE) {
        return;
    }
    uint32_t id = keep(k, thread, far);
    if (!k->coarse)
        au_idtable_add(&k->index, hash, id);
    if (k->kind == AU_KIND_RACE && there(k)) {
        k->found = true;
        k->last = id;
        return;
    }
    const sstate *s = &k->state.at[id];
    uint64_t near = (uint64_t)(far < 0xfffff ? far : 0xfffff) << 32 |
                    (uint64_t)(s->switches < 0xff ? s->switches : 0xff) << 24;
    uint64_t age = id & 0xffffff;
    put(&k->queue[0], (entry){(uint64_t)novelty(k, far) << 60 | near | age, id});
    put(&k->queue[1], (entry){near | age, id});
}

static bool at_end(const finder *k, uint32_t thread) {
    uint32_t n = k->f->base[thread] + k->node[thread];
    if (k->s->o.cuts->boundary[n])
        return true;
    for (int i = 0; i < 2; i++)
        if (k->who[i] == thread && k->m->step.at[k->place->step[i]].src == k->node[thread])
            return true;
    return false;
}

static void go(finder *k, uint32_t thread);

static void choose(finder *k, uint32_t thread, uint32_t var) {
    if (!k->guessed[var]) {
        k->guessed[var] = true;
        if (!au_search_guess_(k->s, var, &k->guess[var]))
            k->part = true;
    }
    for (size_t i = 0; i < k->guess[var].n && !k->found; i++) {
        size_t mark = k->undo.n;
        set(k, var, k->guess[var].at[i]);
        au_vec_push(&k->picked, k->guess[var].at[i]);
        go(k, thread);
        k->picked.n--;
        take_back(k, mark);
    }
}

static void take(finder *k, uint32_t thread, const au_step *p) {
    size_t mark = k->undo.n;
    evaluate(k, k->s->middle[p->id], k->s->first[p->id + 1]);
    for (uint32_t i = 0; i < p->n_updates; i++) /* all terms have their values */
        if (k->s->o.relevant[p->update[i].var])
            set(k, p->update[i].var, k->of[p->update[i].value.n]);
    uint32_t from = k->node[thread];
    k->node[thread] = p->dst;
    au_vec_push(&k->way, p->id);
    if (p->havoc != AU_NONE)
        choose(k, thread, p->havoc);
    else
        go(k, thread);
    k->way.n--;
    k->node[thread] = from;
    take_back(k, mark);
}

/* On from where the thread stands, in all ways, each to the end of the transaction. */
static void go(finder *k, uint32_t thread) {
    if (k->way.n && at_end(k, thread)) {
        arrive(k, thread);
        return;
    }
    const au_node *n = &k->m->thread.at[thread].node.at[k->node[thread]];
    for (size_t i = 0; i < n->out.n && !k->found; i++) {
        const au_step *p = &k->m->step.at[n->out.at[i]];
        if (!k->s->taken[p->id] || k->branches > MOST_BRANCHES)
            continue;
        evaluate(k, k->s->first[p->id], k->s->middle[p->id]);
        if (!k->of[p->guard.n])
            continue;
        if (!k->of[p->cond.n]) { /* its thread ends there */
            if (k->kind == AU_KIND_ASSERTION && p->id == k->place->step[0]) {
                au_vec_push(&k->way, p->id);
                k->found = true;
                au_vec_clear(&k->packed);
                k->last = keep(k, thread, 0);
            }
            continue;
        }
        take(k, thread, p);
    }
}

static void leave(finder *k, uint32_t id) {
    k->from = id;
    unpack(k, id);
    for (uint32_t t = 0; t < k->m->thread.n && !k->found; t++) {
        if (!started(k, t))
            continue;
        k->branches = 0;
        au_vec_clear(&k->way);
        au_vec_clear(&k->picked);
        go(k, t);
    }
}

/* --- all of it ------------------------------------------------------------------------------------------------ */

static void begin(finder *k) {
    const au_model *m = k->m;
    for (uint32_t v = 0; v < m->var.n; v++)
        k->value[v] = m->var.at[v].init;
    for (uint32_t t = 0; t < m->thread.n; t++)
        k->node[t] = m->thread.at[t].entry;
    k->from = AU_NONE;
    k->branches = 0;
    arrive(k, 0);
}

/* With every value as it is. */
static void start_again(finder *k) {
    k->coarse = k->over = k->part = false;
    au_map_clear(&k->looks);
    au_vec_clear(&k->state);
    au_vec_clear(&k->bytes);
    au_vec_clear(&k->path);
    au_vec_clear(&k->chosen);
    au_vec_clear(&k->queue[0]);
    au_vec_clear(&k->queue[1]);
    memset(k->single, 0, (1u << SINGLE_BITS) / 8);
    memset(k->pair, 0, (1u << PAIR_BITS) / 8);
    memset(k->guessed, 0, k->m->var.n * sizeof *k->guessed);
}

static void run(finder *k, double until) {
    unsigned turn = 0;
    begin(k);
    while (!k->found && (k->queue[0].n || k->queue[1].n)) {
        heap *h = &k->queue[turn++ % 4 == 3];
        if (!h->n)
            h = &k->queue[h == k->queue];
        entry e = get(h);
        if (k->state.at[e.id].done)
            continue;
        k->state.at[e.id].done = true;
        leave(k, e.id);
        size_t used = k->bytes.n + k->state.n * (sizeof(sstate) + 3 * sizeof(entry)) +
                      k->path.n * sizeof(uint32_t) + k->chosen.n * sizeof(uint64_t);
        if (used > k->most_bytes || k->state.n > UINT32_MAX / 4 ||
            (turn % CLOCK == 0 && au_now() > until)) {
            k->over = true;
            return;
        }
    }
}

static void tell(const finder *k, au_solution *into) {
    AU_VEC(uint32_t) chain = {0};
    uint32_t *count = au_alloc_array(k->m->thread.n + 1, sizeof *count);
    *into = (au_solution){.answer = AU_SAT, .why = "", .var = AU_NONE, .obj = AU_NONE};
    for (uint32_t id = k->last; id != AU_NONE; id = k->state.at[id].parent)
        au_vec_push(&chain, id);
    while (chain.n) {
        uint32_t id = au_vec_pop(&chain);
        const sstate *s = &k->state.at[id], *next = id + 1 < k->state.n ? s + 1 : NULL;
        size_t path = next ? next->path : k->path.n, havoc = next ? next->havoc : k->chosen.n;
        for (size_t i = s->path; i < path; i++) {
            const au_step *p = &k->m->step.at[k->path.at[i]];
            au_vec_push(&into->schedule, p->id);
            count[p->thread]++;
            into->spurious |= p->spurious;
        }
        au_vec_append(&into->havoc, k->chosen.at + s->havoc, havoc - s->havoc);
    }
    into->shown = into->schedule.n;
    for (int i = 0; i < 2 && k->who[i] != AU_NONE; i++) {
        uint32_t index = count[k->who[i]] + (k->kind == AU_KIND_RACE);
        au_vec_push(&into->event, ((au_solved_event){k->place->step[i], index}));
    }
    au_vec_release(&chain);
    free(count);
}

/* Distances to the steps that start these threads, and those that start these … */
static void find_forks(finder *k) {
    const au_model *m = k->m;
    AU_VEC(uint32_t) todo = {0}, to = {0};
    k->fork = au_alloc_array(m->thread.n + 1, sizeof *k->fork);
    for (int i = 0; i < 2 && k->who[i] != AU_NONE; i++)
        au_vec_push(&todo, k->who[i]);
    while (todo.n) {
        uint32_t t = au_vec_pop(&todo);
        if (k->fork[t] || m->thread.at[t].started == AU_NONE)
            continue;
        au_vec_clear(&to);
        for (size_t i = 0; i < k->f->forks[t].n; i++) {
            uint32_t step = k->f->forks[t].at[i];
            if (!k->s->taken[step])
                continue;
            au_vec_push(&to, au_facts_src(k->f, step));
            au_vec_push(&todo, m->step.at[step].thread);
        }
        k->fork[t] = au_search_distance_(k->s, to.at, to.n);
    }
    au_vec_release(&todo);
    au_vec_release(&to);
}

static void finder_release(finder *k) {
    for (int i = 0; i < 2; i++) {
        free(k->far[i]);
        au_vec_release(&k->queue[i]);
    }
    for (size_t t = 0; t < k->m->thread.n; t++)
        free(k->fork[t]);
    for (size_t v = 0; v < k->m->var.n; v++)
        au_vec_release(&k->guess[v]);
    free(k->fork);
    free(k->guess);
    free(k->guessed);
    free(k->of);
    free(k->value);
    free(k->node);
    free(k->single);
    free(k->pair);
    au_idtable_release(&k->index);
    au_map_release(&k->looks);
    au_vec_release(&k->undo);
    au_vec_release(&k->state);
    au_vec_release(&k->bytes);
    au_vec_release(&k->packed);
    au_vec_release(&k->path);
    au_vec_release(&k->chosen);
    au_vec_release(&k->way);
    au_vec_release(&k->picked);
    au_vec_release(&k->fact);
}

au_search_end au_search_ask(const au_search *s, au_kind kind, const au_scan_place *p,
                            const au_search_limits *limits, au_solution *into) {
    const au_model *m = s->m;
    finder k = {.s = s,
                .m = m,
                .f = s->o.cuts->f,
                .kind = kind,
                .place = p,
                .who = {m->step.at[p->step[0]].thread, AU_NONE},
                .most_bytes = limits->bytes ? limits->bytes : BYTES};
    double until = au_now() + limits->seconds;
    if (kind == AU_KIND_RACE)
        k.who[1] = m->step.at[p->step[1]].thread;
    for (int i = 0; i < 2 && k.who[i] != AU_NONE; i++) {
        uint32_t to = au_facts_src(k.f, p->step[i]);
        k.far[i] = au_search_distance_(s, &to, 1);
    }
    find_forks(&k);
    k.of = au_alloc_array(au_terms_count(m->terms) + 1, sizeof *k.of);
    k.value = au_alloc_array(m->var.n + 1, sizeof *k.value);
    k.node = au_alloc_array(m->thread.n + 1, sizeof *k.node);
    k.guess = au_alloc_array(m->var.n + 1, sizeof *k.guess);
    k.guessed = au_alloc_array(m->var.n + 1, sizeof *k.guessed);
    k.single = au_alloc_array((1u << SINGLE_BITS) / 64, sizeof *k.single);
    k.pair = au_alloc_array((1u << PAIR_BITS) / 64, sizeof *k.pair);
    au_idtable_init(&k.index);
    au_map_init(&k.looks);
    double now = au_now();
    k.coarse = true;
    run(&k, now + (until - now) * COARSE);
    if (!k.found) {
        start_again(&k);
        run(&k, until);
    }
    au_search_end end = k.found                           ? AU_SEARCH_FOUND
                        : k.over || k.part || s->left_out ? AU_SEARCH_OPEN
                                                          : AU_SEARCH_NONE;
    if (k.found)
        tell(&k, into);
    finder_release(&k);
    return end;
}

au_search *au_search_new(const au_model *m, const au_search_options *o) {
    au_search *s = AU_NEW(au_search);
    s->m = m;
    s->o = *o;
    s->taken = au_alloc_array(m->step.n + 1, sizeof *s->taken);
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        bool never = o->never && (o->never[au_facts_src(o->cuts->f, i)]);
        s->taken[i] = !never && !(p->spurious && o->no_spurious);
        if (s->taken[i] && o->exact && o->exact[i] > o->most) {
            s->taken[i] = false;
            s->left_out = true;
        }
    }
    au_search_code_(s);
    au_search_landmarks_(s);
    if (!au_search_live_(s)) {
        au_search_free(s);
        return NULL;
    }
    return s;
}

void au_search_free(au_search *s) {
    if (!s)
        return;
    au_vec_release(&s->code);
    au_vec_release(&s->global);
    au_vec_release(&s->live);
    free(s->first);
    free(s->middle);
    free(s->first_live);
    free(s->taken);
    free(s->class_of);
    free(s->class_marks);
    free(s);
}
