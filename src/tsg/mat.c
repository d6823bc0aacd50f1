/* tsg/mat.c: see mat.h. */
#include "tsg/mat.h"

#include "base/hash.h"

#define DUMMY (UINT32_MAX - 1) /* the access at the end of every thread */

typedef struct {
    AU_VEC(uint32_t) step; /* DUMMY may be the last */
    uint32_t end;          /* node after the last */
} chain;

typedef struct {
    const au_facts *f;
    const au_mat_options *o;
    uint32_t low, high; /* the threads: 'high' has priority */
    uint8_t *depends;   /* [step of low * n_high + step of high], within their threads */
    uint32_t *place;    /* by step: its number within its thread */
    uint32_t n_high;
    bool *lonely;           /* by cell: no conflict between the two threads */
    AU_VEC(au_switch) work; /* pairs of nodes: of low, of high */
    au_map seen;
    au_mat_vec *into;
} maker;

/* --- chains ------------------------------------------------------------------------------- */

static bool goes_on(const au_facts *f, uint32_t node) {
    return f->first_into[node + 1] - f->first_into[node] == 1 && au_facts_node(f, node)->out.n == 1;
}

/* From a step on, as long as there is one way. */
static void follow(const au_facts *f, uint32_t step, bool dummy, chain *c) {
    au_vec_clear(&c->step);
    au_vec_push(&c->step, step);
    uint32_t at = au_facts_dst(f, step);
    while (goes_on(f, at) && at != au_facts_src(f, step)) {
        step = au_facts_node(f, at)->out.at[0];
        au_vec_push(&c->step, step);
        at = au_facts_dst(f, step);
    }
    c->end = at;
    if (dummy && at == au_facts_exit(f, f->owner[at]))
        au_vec_push(&c->step, DUMMY);
}

static uint32_t end_of(const maker *k, const chain *c, size_t i) {
    return c->step.at[i] == DUMMY ? c->end : au_facts_dst(k->f, c->step.at[i]);
}

/* --- D ---------------------------------------------------------------------------------------- */

static bool touches_lonely(const maker *k, uint32_t step) {
    for (uint32_t i = k->f->first_touch[step]; i < k->f->first_touch[step + 1]; i++)
        if (k->lonely[k->f->touch[i].cell])
            return true;
    return false;
}

static bool depend(const maker *k, uint32_t low, uint32_t high) {
    if (low == DUMMY || high == DUMMY)
        return low == high || touches_lonely(k, low == DUMMY ? high : low);
    return k->depends[(size_t)k->place[low] * k->n_high + k->place[high]];
}

static void fill_depends(maker *k, uint32_t n_low) {
    const au_facts *f = k->f;
    const au_model *m = f->m;
    k->depends = au_alloc_array((size_t)n_low * k->n_high + 1, 1);
    for (uint32_t v = 0; v < m->var.n; v++) {
        k->lonely[v] = true;
        for (size_t i = 0; i < f->cell_steps[v].n; i++) {
            uint32_t a = f->cell_steps[v].at[i];
            if (m->step.at[a].thread != k->low)
                continue;
            for (size_t j = 0; j < f->cell_steps[v].n; j++) {
                uint32_t b = f->cell_steps[v].at[j];
                if (m->step.at[b].thread != k->high || !au_facts_conflict(f, a, b))
                    continue;
                k->lonely[v] = false;
                if (au_facts_meet(f, au_facts_dst(f, a), au_facts_dst(f, b)))
                    k->depends[(size_t)k->place[a] * k->n_high + k->place[b]] = 1;
            }
        }
    }
}

/* --- which orders are possible ---------------------------------------------------------------------- */

/* a[0 … last_a] while the other stands at b's begin, then b[0 … last_b]. */
static bool runs(const maker *k, const chain *a, size_t last_a, const chain *b, size_t last_b) {
    uint32_t begin_b = au_facts_src(k->f, b->step.at[0]), end_a = end_of(k, a, last_a);
    for (size_t i = 0; i <= last_a; i++)
        if (a->step.at[i] != DUMMY && !au_facts_passes(k->f, a->step.at[i], begin_b))
            return false;
    for (size_t i = 0; i <= last_b; i++)
        if (b->step.at[i] != DUMMY && !au_facts_passes(k->f, b->step.at[i], end_a))
            return false;
    return true;
}

static bool feasible(const maker *k, const chain *low, size_t l, const chain *high, size_t h) {
    return runs(k, low, l, high, h) && runs(k, high, h, low, l);
}

/* --- one pair of control states ------------------------------------------------------------------------- */

static void push(maker *k, uint32_t low, uint32_t high) {
    uint64_t key = (uint64_t)low << 32 | high;
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
static bool choose(maker *k, const chain *low, const chain *high, bool feasible_only) {
    size_t cap = low->step.n;
    for (size_t h = 0; h < high->step.n; h++) {
        size_t first = low->step.n;
        for (size_t l = 0; l < low->step.n && l <= cap; l++) {
            if (!depend(k, low->step.at[l], high->step.at[h]))
                continue;
            if (first == low->step.n)
                first = l;
            if (feasible_only && !feasible(k, low, l, high, h))
                continue;
            found(k, au_facts_src(k->f, low->step.at[0]), au_facts_src(k->f, high->step.at[0]),
                  end_of(k, low, l), end_of(k, high, h));
            return true;
        }
        cap = first < cap ? first : cap;
    }
    return false;
}

/* A pair of chains without one: go on behind them. */
static void skip(maker *k, uint32_t at_low, uint32_t at_high, const chain *low, const chain *high) {
    push(k, low->end, at_high);
    push(k, at_low, high->end);
    push(k, low->end, high->end);
}

static void one_pair(maker *k, uint32_t low, uint32_t high) {
    const au_facts *f = k->f;
    const au_node *a = au_facts_node(f, low), *b = au_facts_node(f, high);
    chain x = {0}, y = {0};
    if (!au_facts_meet(f, low, high))
        return;
    for (size_t i = 0; i < a->out.n; i++)
        for (size_t j = 0; j < b->out.n; j++) {
            follow(f, a->out.at[i], k->o->dummies, &x);
            follow(f, b->out.at[j], k->o->dummies, &y);
            if (!(k->o->feasible_only && choose(k, &x, &y, true)) && !choose(k, &x, &y, false))
                skip(k, low, high, &x, &y);
        }
    au_vec_release(&x.step);
    au_vec_release(&y.step);
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
    uint32_t *steps = au_alloc_array(m->thread.n + 1, sizeof *steps);
    k.place = au_alloc_array(m->step.n + 1, sizeof *k.place);
    k.lonely = au_alloc_array(m->var.n + 1, sizeof *k.lonely);
    for (uint32_t i = 0; i < m->step.n; i++)
        k.place[i] = steps[m->step.at[i].thread]++;
    for (uint32_t i = 0; i < m->thread.n; i++)
        for (uint32_t j = i + 1; j < m->thread.n; j++) {
            k.low = o->first_wins ? j : i;
            k.high = o->first_wins ? i : j;
            k.n_high = steps[k.high];
            fill_depends(&k, steps[k.low]);
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
    free(k.lonely);
    free(k.place);
    free(steps);
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
