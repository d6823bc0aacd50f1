/* scan/warn.c: see warn.h. */
#include "scan/warn.h"

#include "base/limits.h"

#include <string.h>

typedef struct {
    const au_facts *f;
    const au_scan_options *o;
    au_scan_result *r;
    au_map known; /* hash of places: warning + 1 */
    size_t places;
} finder;

/* What a person would call the same place: n++ reads and writes, and that is one. */
static uint64_t place_hash(const au_model *m, uint32_t step, bool write) {
    const au_step *s = &m->step.at[step];
    uint64_t h = au_hash_join(au_hash_join(s->line, s->col), s->loc);
    if (!s->line) /* no place is known: each step is one of its own */
        h = au_hash_join(au_hash_join(h, step + 1), write);
    return h;
}

static uint64_t variable_hash(const finder *k, uint32_t var) {
    const char *name = var == AU_NONE ? "" : k->f->m->var.at[var].name;
    return var == AU_NONE ? 0 : k->o->same ? k->o->same[var] : au_hash_bytes(name, strlen(name));
}

static uint32_t unknown_of(const finder *k, uint32_t step) {
    return k->o->unknown ? k->o->unknown[step] : 0;
}

static uint64_t warning_hash(const finder *k, au_kind kind, uint32_t var, const uint32_t *step,
                             const bool *write) {
    const au_model *m = k->f->m;
    uint64_t a = place_hash(m, step[0], write[0]);
    uint64_t b = kind == AU_KIND_RACE ? place_hash(m, step[1], write[1]) : 0;
    uint64_t v = variable_hash(k, var);
    uint32_t x = unknown_of(k, step[0]), y = kind == AU_KIND_RACE ? unknown_of(k, step[1]) : 0;
    if (x || y) /* that function's, whatever it conflicts with */
        return au_hash_join(au_hash_join(v, kind), x && (!y || x < y) ? x : y);
    return au_hash_join(au_hash_join(v, kind), a < b ? au_hash_join(a, b) : au_hash_join(b, a));
}

static void add(finder *k, au_kind kind, uint32_t var, uint32_t s, bool ws, uint32_t t, bool wt) {
    uint32_t step[2] = {s, t};
    bool write[2] = {ws, wt};
    uint64_t *at = au_map_put(&k->known, warning_hash(k, kind, var, step, write), NULL);
    if (!*at) {
        au_warning w = {.kind = kind,
                        .var = var,
                        .write = {ws, wt},
                        .end = AU_SCAN_UNDECIDED,
                        .why = "not analysed",
                        .gone = AU_SCAN_STAGES};
        au_vec_push(&k->r->warning, w);
        *at = k->r->warning.n;
    }
    au_warning *w = &k->r->warning.at[*at - 1];
    au_vec_push(&w->place, ((au_scan_place){{s, t}, var, {ws, wt}}));
    au_vec_push(&w->out, AU_SCAN_STAGES);
}

typedef au_warn_touch touch;
typedef AU_VEC(touch) touches;

/* Accesses of a variable, each statement once as a reader and once as a writer. */
static void gather(const au_model *m, touches *of) {
    au_map seen;
    au_map_init(&seen);
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        for (uint32_t a = 0; a < s->n_accesses; a++) {
            uint32_t event = au_query_event(m, i);
            uint64_t key = au_key2(s->access[a].var, event) * 2 + s->access[a].write;
            bool fresh;
            au_map_put(&seen, key, &fresh);
            if (fresh)
                au_vec_push(&of[s->access[a].var], ((touch){event, s->access[a].write}));
        }
    }
    au_map_release(&seen);
}

static bool listed(finder *k, uint32_t v, const touches *of) {
    const au_model *m = k->f->m;
    bool shared = false;
    for (size_t i = 0; i < of->n; i++)
        for (size_t j = i + 1; j < of->n; j++) {
            touch a = of->at[i], b = of->at[j];
            const au_step *s = &m->step.at[a.step], *t = &m->step.at[b.step];
            if (s->thread == t->thread || (!a.write && !b.write))
                continue;
            shared = true;
            if (!s->indivisible || !t->indivisible) {
                add(k, AU_KIND_RACE, v, a.step, a.write, b.step, b.write);
                k->places++;
            }
        }
    return shared;
}

static void races(finder *k) {
    const au_model *m = k->f->m;
    touches *of = au_alloc_array(m->var.n + 1, sizeof *of);
    au_warn_many *many = au_warn_many_new(k->f, k->o, k->r);
    gather(m, of);
    for (uint32_t v = 0; v < m->var.n; v++) {
        size_t pairs = of[v].n * of[v].n / 2;
        if (pairs > AU_LIMIT_WARN_PAIRS)
            au_limit_reached(AU_AT_WARN_PAIRS, 1);
        else if (k->places + pairs > AU_LIMIT_WARN_PLACES)
            au_limit_reached(AU_AT_WARN_PLACES, 1);
        if (pairs <= AU_LIMIT_WARN_PAIRS && k->places + pairs <= AU_LIMIT_WARN_PLACES)
            k->r->shared += listed(k, v, &of[v]);
        else
            k->r->shared += au_warn_many_add(many, v, of[v].at, of[v].n);
        au_vec_release(&of[v]);
    }
    au_warn_many_free(many);
    free(of);
}

void au_warn_find(const au_facts *f, const au_scan_options *o, au_scan_result *r) {
    unsigned props = o->props;
    finder k = {.f = f, .o = o, .r = r};
    const au_model *m = f->m;
    au_map_init(&k.known);
    if (props & AU_PROP_RACE)
        races(&k);
    bool waits = o->waits;
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        if (s->kind == AU_STEP_ASSERT && props & AU_PROP_ASSERT &&
            !au_term_is_true(m->terms, s->cond))
            add(&k, AU_KIND_ASSERTION, AU_NONE, i, false, i, false);
        waits |= f->waits[i];
    }
    if (waits && props & AU_PROP_DEADLOCK) {
        au_warning w = {.kind = AU_KIND_DEADLOCK,
                        .var = AU_NONE,
                        .end = AU_SCAN_UNDECIDED,
                        .why = "not analysed",
                        .gone = AU_SCAN_STAGES,
                        .partial = o->waits};
        au_vec_push(&r->warning, w);
        au_vec_push(&au_vec_last(&r->warning).place,
                    ((au_scan_place){.step = {AU_NONE, AU_NONE}, .var = AU_NONE}));
        au_vec_push(&au_vec_last(&r->warning).out, AU_SCAN_STAGES);
    }
    for (size_t i = 0; i < r->warning.n; i++)
        r->candidates[r->warning.at[i].kind]++;
    r->candidates[AU_KIND_RACE] += r->hidden[0] + r->hidden[1];
    au_map_release(&k.known);
}

const au_scan_place *au_warning_place(const au_warning *w) {
    if (w->end == AU_SCAN_WITNESSED)
        return &w->place.at[w->shown];
    const au_scan_place *left = NULL;
    for (size_t i = 0; i < w->place.n; i++) {
        const au_scan_place *p = &w->place.at[i];
        if (w->out.at[i] == AU_SCAN_STAGES && (!left || (p->write[0] && p->write[1])))
            left = p;
        if (left && left->write[0] && left->write[1])
            break;
    }
    return left ? left : &w->place.at[0];
}

/* A lock on one side only is the likeliest to have been forgotten on the other. What stands for more
 * than one piece of memory may well not be the same one for both. */
static unsigned rank_of(const au_facts *f, const au_scan_options *o, const au_warning *w) {
    if (w->kind != AU_KIND_RACE)
        return 0;
    const au_scan_place *p = au_warning_place(w);
    bool locked[2] = {*w->held[0] != 0, *w->held[1] != 0};
    unsigned rank = locked[0] != locked[1] ? 0 : locked[0] ? 1 : 2;
    rank = rank * 2 + !(w->write[0] && w->write[1]);
    rank =
        rank * 2 + (f->m->step.at[p->step[0]].indivisible || f->m->step.at[p->step[1]].indivisible);
    return rank + 100 * (o->vague ? o->vague[w->var] : 0) + (w->others ? 1000 : 0);
}

static int by_rank(const void *a, const void *b) {
    const au_warning *x = a, *y = b;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                              : (x->rank > y->rank) - (x->rank < y->rank);
}

/* A merge sort: it keeps the order of equals. */
static void sort(au_warning *at, au_warning *other, size_t n) {
    if (n < 2)
        return;
    size_t half = n / 2, i = 0, j = half, to = 0;
    sort(at, other, half);
    sort(at + half, other, n - half);
    while (i < half || j < n)
        other[to++] = j == n || (i < half && by_rank(&at[i], &at[j]) <= 0) ? at[i++] : at[j++];
    memcpy(at, other, n * sizeof *at);
}

/* The locks that are held there, by class of nodes. */
static const char *held_at(const au_facts *f, uint32_t step, const char **known, au_arena *into) {
    uint32_t node = au_facts_src(f, step), class = au_facts_class(f, node);
    if (known[class])
        return known[class];
    AU_VEC(char) text = {0};
    for (uint32_t l = 0; l < f->m->obj.n; l++)
        if (au_facts_holds(f, node, l, false)) {
            const char *name = f->m->obj.at[l].name;
            for (const char *c = text.n ? ", " : ""; *c; c++)
                au_vec_push(&text, *c);
            for (; *name; name++)
                au_vec_push(&text, *name);
        }
    known[class] = au_arena_strndup(into, text.n ? text.at : "", text.n);
    au_vec_release(&text);
    return known[class];
}

void au_warn_sort(const au_facts *f, const au_scan_options *o, au_scan_result *r) {
    const char **known = au_alloc_array(au_facts_classes(f) + 1, sizeof *known);
    for (size_t i = 0; i < r->warning.n; i++) {
        au_warning *w = &r->warning.at[i];
        const au_scan_place *p = au_warning_place(w);
        for (int e = 0; e < 2 && w->kind == AU_KIND_RACE; e++)
            w->held[e] = held_at(f, p->step[e], known, &r->arena);
        w->var = p->var;
        memcpy(w->write, p->write, sizeof w->write);
        w->rank = rank_of(f, o, w);
    }
    free(known);
    au_warning *other = au_alloc_array(r->warning.n + 1, sizeof *other);
    sort(r->warning.at, other, r->warning.n);
    free(other);
}

bool au_warn_ordered(const au_facts *f, uint32_t a, uint32_t b) {
    uint32_t t = f->owner[a], u = f->owner[b];
    return !au_facts_alive(f, a, b) || au_facts_unstarted(f, a, u) || au_facts_unstarted(f, b, t) ||
           (au_facts_done(f, a, u) && b != au_facts_exit(f, u)) ||
           (au_facts_done(f, b, t) && a != au_facts_exit(f, t));
}

au_scan_stage au_warn_cheap(const au_facts *f, const au_scan_options *o, const au_warning *w,
                            const au_scan_place *p) {
    if (w->kind != AU_KIND_RACE)
        return AU_SCAN_STAGES;
    uint32_t a = au_facts_src(f, p->step[0]), b = au_facts_src(f, p->step[1]);
    if (au_warn_ordered(f, a, b))
        return AU_SCAN_MUST_HB;
    if (!au_facts_meet(f, a, b))
        return AU_SCAN_LOCKSET;
    return o->guard && au_warn_excluded(o, o->guard[p->step[0]], o->guard[p->step[1]])
               ? AU_SCAN_LOCKSET
               : AU_SCAN_STAGES;
}
