/* tsg/mat.c: see mat.h. */
#include "tsg/mat.h"

#include "base/hash.h"

#define DUMMY (UINT32_MAX - 1) /* the access at the end of every thread */

/* What a transaction consists of: a step, or an if without synchronisation in it as a whole. */
typedef struct {
    uint32_t begin, end; /* nodes */
    uint32_t first, n;   /* steps: 'step' */
    uint32_t place;      /* within its thread */
} element;

typedef struct {
    AU_VEC(uint32_t) at; /* elements as far as anybody has asked; DUMMY may be the last */
    uint32_t end;        /* node after the last */
    bool ended;          /* there are no more */
    size_t passed; /* so many can run while the other thread stands where its chain begins … */
    bool blocked;  /* … and the next cannot */
} chain;

typedef struct {
    const au_facts *f;
    const au_mat_options *o;
    AU_VEC(element) element; /* the steps, then the ifs */
    AU_VEC(uint32_t) step;
    uint32_t *whole;        /* by node: the if that begins there, AU_NONE */
    uint32_t *count;        /* by thread: its elements */
    uint32_t low, high;     /* the threads: 'high' has priority */
    uint8_t *depends;       /* [place in low * count of high + place in high]: 1 no, 2 yes */
    bool *lonely;           /* by cell: no conflict between the two threads */
    AU_VEC(au_switch) work; /* pairs of nodes: of low, of high */
    au_map seen;
    au_mat_vec *into;
} maker;

/* --- elements ------------------------------------------------------------------------------ */

/* The steps between an if and where its sides meet; false if there is more than plain steps in it,
 * or a way in from outside. */
static bool inside_if(maker *k, uint32_t node, uint32_t merge) {
    const au_facts *f = k->f;
    size_t first = k->step.n, ins = 0;
    AU_VEC(uint32_t) work = {0};
    bool good = true;
    au_vec_push(&work, node);
    while (work.n && good) {
        uint32_t at = au_vec_pop(&work);
        const au_node *n = au_facts_node(f, at);
        good = n->out.n > 0 && (at == node || f->first_into[at + 1] - f->first_into[at] == 1) &&
               n->kind != AU_NODE_LOOP;
        for (size_t i = 0; i < n->out.n && good; i++) {
            uint32_t to = au_facts_dst(f, n->out.at[i]);
            au_vec_push(&k->step, n->out.at[i]);
            good = f->m->step.at[n->out.at[i]].kind < AU_STEP_ACQ;
            ins += to == merge;
            if (to != merge)
                au_vec_push(&work, to);
        }
    }
    au_vec_release(&work);
    good = good && ins == f->first_into[merge + 1] - f->first_into[merge];
    if (!good)
        k->step.n = first;
    return good;
}

static void find_elements(maker *k) {
    const au_facts *f = k->f;
    const au_model *m = f->m;
    k->count = au_alloc_array(m->thread.n + 1, sizeof *k->count);
    k->whole = au_alloc_array(f->nodes + 1, sizeof *k->whole);
    for (uint32_t i = 0; i < m->step.n; i++) {
        au_vec_push(&k->element,
                    ((element){au_facts_src(f, i), au_facts_dst(f, i), (uint32_t)k->step.n, 1,
                               k->count[m->step.at[i].thread]++}));
        au_vec_push(&k->step, i);
    }
    for (uint32_t n = 0; n < f->nodes; n++) {
        const au_node *node = au_facts_node(f, n);
        uint32_t t = f->owner[n], first = (uint32_t)k->step.n;
        k->whole[n] = AU_NONE;
        if (node->kind != AU_NODE_IF || node->merge == AU_NONE ||
            !inside_if(k, n, f->base[t] + node->merge))
            continue;
        k->whole[n] = (uint32_t)k->element.n;
        au_vec_push(&k->element, ((element){n, f->base[t] + node->merge, first,
                                            (uint32_t)k->step.n - first, k->count[t]++}));
    }
}

/* --- chains ------------------------------------------------------------------------------- */

/* What comes next at a node that one way leads to; AU_NONE: a transaction ends here. */
static uint32_t next_element(const maker *k, uint32_t node, size_t ins) {
    const au_facts *f = k->f;
    const au_node *n = au_facts_node(f, node);
    if (f->first_into[node + 1] - f->first_into[node] != ins)
        return AU_NONE;
    return k->whole[node] != AU_NONE ? k->whole[node] : n->out.n == 1 ? n->out.at[0] : AU_NONE;
}

/* Ways into its end that come from the element itself. */
static size_t ways_in(const maker *k, const element *e) {
    size_t n = 0;
    for (uint32_t i = 0; i < e->n; i++)
        n += au_facts_dst(k->f, k->step.at[e->first + i]) == e->end;
    return n;
}

/* From an element on, as long as there is one way. */
static void start(const maker *k, uint32_t first, chain *c) {
    au_vec_clear(&c->at);
    au_vec_push(&c->at, first);
    c->end = k->element.at[first].end;
    c->ended = c->blocked = false;
    c->passed = 0;
}

/* One more; a chain is mostly asked for its first few. */
static void extend(const maker *k, chain *c) {
    uint32_t last = au_vec_last(&c->at), at = AU_NONE;
    if (c->end != k->element.at[c->at.at[0]].begin)
        at = next_element(k, c->end, ways_in(k, &k->element.at[last]));
    c->ended = at == AU_NONE;
    if (at != AU_NONE) {
        au_vec_push(&c->at, at);
        c->end = k->element.at[at].end;
    } else if (k->o->dummies && c->end == au_facts_exit(k->f, k->f->owner[c->end])) {
        au_vec_push(&c->at, DUMMY);
    }
}

static bool has(const maker *k, chain *c, size_t i) {
    while (c->at.n <= i && !c->ended)
        extend(k, c);
    return i < c->at.n;
}

static uint32_t end_of(const maker *k, const chain *c, size_t i) {
    return c->at.at[i] == DUMMY ? c->end : k->element.at[c->at.at[i]].end;
}

static uint32_t begin_of(const maker *k, const chain *c) {
    return k->element.at[c->at.at[0]].begin;
}

/* --- D ---------------------------------------------------------------------------------------- */

static bool touches_lonely(const maker *k, uint32_t el) {
    const element *e = &k->element.at[el];
    const au_facts *f = k->f;
    for (uint32_t i = 0; i < e->n; i++) {
        uint32_t step = k->step.at[e->first + i];
        for (uint32_t t = f->first_touch[step]; t < f->first_touch[step + 1]; t++)
            if (k->lonely[f->touch[t].cell])
                return true;
    }
    return false;
}

static bool in_conflict(const maker *k, const element *a, const element *b) {
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < b->n; j++)
            if (au_facts_conflict(k->f, k->step.at[a->first + i], k->step.at[b->first + j]))
                return true;
    return false;
}

static bool depend(const maker *k, uint32_t low, uint32_t high) {
    if (low == DUMMY || high == DUMMY)
        return low == high || touches_lonely(k, low == DUMMY ? high : low);
    const element *a = &k->element.at[low], *b = &k->element.at[high];
    uint8_t *slot = &k->depends[(size_t)a->place * k->count[k->high] + b->place];
    if (!*slot)
        *slot = 1 + (in_conflict(k, a, b) && au_facts_meet(k->f, a->end, b->end));
    return *slot == 2;
}

static void find_lonely(maker *k) {
    const au_facts *f = k->f;
    for (uint32_t v = 0; v < f->m->var.n && k->o->dummies; v++) {
        bool used[2][2] = {{false}}; /* by thread: read, written */
        for (size_t i = 0; i < f->cell_steps[v].n; i++) {
            uint32_t step = f->cell_steps[v].at[i], t = f->m->step.at[step].thread;
            for (uint32_t c = f->first_touch[step]; c < f->first_touch[step + 1]; c++)
                if (f->touch[c].cell == v && (t == k->low || t == k->high))
                    used[t == k->high][f->touch[c].write] = true;
        }
        k->lonely[v] = !((used[0][1] && (used[1][0] || used[1][1])) || (used[0][0] && used[1][1]));
    }
}

/* --- which orders are possible ---------------------------------------------------------------------- */

static bool passes(const maker *k, const chain *c, size_t i, uint32_t node) {
    return c->at.at[i] >= k->f->m->step.n || au_facts_passes(k->f, c->at.at[i], node);
}

static bool all_pass(const maker *k, const chain *c, size_t last, uint32_t node) {
    for (size_t i = 0; i <= last; i++)
        if (!passes(k, c, i, node))
            return false;
    return true;
}

/* The same where 'other' begins: what is known of the first ones is kept. */
static bool begins(const maker *k, chain *c, size_t last, const chain *other) {
    while (!c->blocked && c->passed <= last) {
        c->blocked = !passes(k, c, c->passed, begin_of(k, other));
        c->passed += !c->blocked;
    }
    return c->passed > last;
}

/* --- one pair of control states ------------------------------------------------------------------------- */

static void push(maker *k, uint32_t low, uint32_t high) {
    uint64_t key = au_key2(low, high);
    uint64_t *slot = au_map_put(&k->seen, key, NULL);
    if (*slot)
        return;
    *slot = 1;
    au_vec_push(&k->work, ((au_switch){low, high}));
}

static void found(maker *k, uint32_t low, uint32_t high, uint32_t end_low, uint32_t end_high) {
    const au_facts *f = k->f;
    bool swap = k->low > k->high;
    au_transaction a = {low, end_low}, b = {high, end_high};
    au_vec_push(k->into, ((au_mat){{swap ? b : a, swap ? a : b}}));
    bool low_over = end_low == au_facts_exit(f, k->low);
    bool high_over = end_high == au_facts_exit(f, k->high);
    if (!high_over)
        push(k, low, end_high);
    if (!low_over)
        push(k, end_low, high);
    if (!low_over && !high_over)
        push(k, end_low, end_high);
}

/* The MAT of these two chains, if there is one. cap: no step of 'low' beyond it is free of
 * those of 'high' that are not the last. */
static bool choose(maker *k, chain *low, chain *high, bool feasible_only) {
    size_t cap = SIZE_MAX;
    for (size_t h = 0; has(k, high, h) && (!feasible_only || begins(k, high, h, low)); h++) {
        size_t first = SIZE_MAX;
        for (size_t l = 0;
             l <= cap && has(k, low, l) && (!feasible_only || begins(k, low, l, high)); l++) {
            if (!depend(k, low->at.at[l], high->at.at[h]))
                continue;
            if (first == SIZE_MAX)
                first = l;
            /* Either of the two, then the other one. What of 'low' waits for the end of 'high' keeps on waiting. */
            if (feasible_only && !all_pass(k, low, l, end_of(k, high, h)))
                break;
            if (feasible_only && !all_pass(k, high, h, end_of(k, low, l)))
                continue;
            found(k, begin_of(k, low), begin_of(k, high), end_of(k, low, l), end_of(k, high, h));
            return true;
        }
        cap = first < cap ? first : cap;
    }
    return false;
}

/* A pair of chains without one, looked at to their ends (not only as far as feasible): go on behind them. */
static void skip(maker *k, uint32_t at_low, uint32_t at_high, const chain *low, const chain *high) {
    push(k, low->end, at_high);
    push(k, at_low, high->end);
    push(k, low->end, high->end);
}

/* The elements that begin at a node: an if as a whole, or each way out. */
static size_t ways_out(const maker *k, uint32_t node) {
    return k->whole[node] != AU_NONE ? 1 : au_facts_node(k->f, node)->out.n;
}
static uint32_t way_out(const maker *k, uint32_t node, size_t i) {
    return k->whole[node] != AU_NONE ? k->whole[node] : au_facts_node(k->f, node)->out.at[i];
}

static void one_pair(maker *k, uint32_t low, uint32_t high) {
    chain x = {0}, y = {0};
    if (!au_facts_meet(k->f, low, high))
        return;
    for (size_t i = 0; i < ways_out(k, low); i++)
        for (size_t j = 0; j < ways_out(k, high); j++) {
            start(k, way_out(k, low, i), &x);
            start(k, way_out(k, high, j), &y);
            if (!(k->o->feasible_only && choose(k, &x, &y, true)) && !choose(k, &x, &y, false))
                skip(k, low, high, &x, &y);
        }
    au_vec_release(&x.at);
    au_vec_release(&y.at);
}

/* Where the two begin to be there both. */
static void seeds(maker *k) {
    const au_facts *f = k->f;
    uint32_t low = au_facts_entry(f, k->low), high = au_facts_entry(f, k->high);
    push(k, low, high);
    if (au_facts_meet(f, low, high))
        return;
    for (uint32_t i = 0; i < f->m->step.n; i++) {
        const au_step *s = &f->m->step.at[i];
        if (s->kind == AU_STEP_FORK && s->thread == k->low)
            push(k, au_facts_dst(f, i), high);
        if (s->kind == AU_STEP_FORK && s->thread == k->high)
            push(k, low, au_facts_dst(f, i));
    }
}

void au_mat_generate(const au_facts *f, const au_mat_options *o, au_mat_vec *into) {
    const au_model *m = f->m;
    maker k = {.f = f, .o = o, .into = into};
    k.lonely = au_alloc_array(m->var.n + 1, sizeof *k.lonely);
    find_elements(&k);
    for (uint32_t i = 0; i < m->thread.n; i++)
        for (uint32_t j = i + 1; j < m->thread.n; j++) {
            k.low = o->first_wins ? j : i;
            k.high = o->first_wins ? i : j;
            k.depends = au_alloc_array((size_t)k.count[i] * k.count[j] + 1, 1);
            find_lonely(&k);
            au_map_init(&k.seen);
            seeds(&k);
            while (k.work.n) {
                au_switch p = au_vec_pop(&k.work);
                one_pair(&k, p.from, p.to);
            }
            au_map_release(&k.seen);
            free(k.depends);
        }
    au_vec_release(&k.work);
    au_vec_release(&k.element);
    au_vec_release(&k.step);
    free(k.lonely);
    free(k.count);
    free(k.whole);
}

/* --- switches ------------------------------------------------------------------------------------------- */

static int by_nodes(const void *a, const void *b) {
    const au_switch *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

void au_switches_sort(au_switch_vec *v) {
    if (v->n)
        qsort(v->at, v->n, sizeof *v->at, by_nodes);
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        if (!n || by_nodes(&v->at[n - 1], &v->at[i]))
            v->at[n++] = v->at[i];
    v->n = n;
}

bool au_switches_have(const au_switch_vec *v, uint32_t from, uint32_t to) {
    au_switch key = {from, to};
    return v->n && bsearch(&key, v->at, v->n, sizeof *v->at, by_nodes);
}

void au_mat_switches(const au_mat_vec *mats, au_switch_vec *into) {
    for (size_t i = 0; i < mats->n; i++)
        for (int k = 0; k < 2; k++)
            au_vec_push(into, ((au_switch){mats->at[i].t[k].end, mats->at[i].t[1 - k].begin}));
    au_switches_sort(into);
}
