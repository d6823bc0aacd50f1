/* scan/warn_many.c: variables with so many accesses that pairs of them are not listed.
 *
 * Accesses are taken together by line (a spot), those of a spot by the class of their nodes (au_facts_class) and by
 * what guards them: a kind. Kinds answer what fork, join and locks rule out for all their steps at once. Spots with
 * the same kinds share the answers. */
#include "scan/warn.h"

#include <string.h>

enum { CROWD = 400 }; /* pairs of spots that are left: beyond, each spot is told once */

typedef struct {
    uint64_t kind; /* class << 32 | guard */
    uint32_t step; /* an example */
} member;
typedef AU_VEC(member) members;

typedef struct {
    uint32_t line, loc, step;
    bool write, indivisible;
    uint32_t unknown; /* what this unknown function may do, wherever it is called; 0: none */
    uint32_t set;
    members member;
} spot;

/* What is known of two sets of kinds. */
typedef struct {
    uint8_t
        out; /* MUST_HB, LOCKSET: all are ruled out; STAGES: some are left; 255: not two threads */
    uint64_t kind[2]; /* that meet */
} verdict;

typedef AU_VEC(uint64_t) numbers;

struct au_warn_many {
    const au_facts *f;
    const au_scan_options *o;
    au_scan_result *r;
    AU_VEC(numbers) set; /* of kinds, ascending */
    au_idtable set_index;
    AU_VEC(verdict) verdict;
    au_map verdict_of; /* low set << 32 | high set: verdict + 1 */
};

au_warn_many *au_warn_many_new(const au_facts *f, const au_scan_options *o, au_scan_result *r) {
    au_warn_many *k = AU_NEW(au_warn_many);
    k->f = f;
    k->o = o;
    k->r = r;
    au_idtable_init(&k->set_index);
    au_map_init(&k->verdict_of);
    return k;
}

void au_warn_many_free(au_warn_many *k) {
    for (size_t i = 0; i < k->set.n; i++)
        au_vec_release(&k->set.at[i]);
    au_vec_release(&k->set);
    au_vec_release(&k->verdict);
    au_idtable_release(&k->set_index);
    au_map_release(&k->verdict_of);
    free(k);
}

/* --- spots ---------------------------------------------------------------------------------------- */

typedef struct {
    const au_model *m;
    AU_VEC(spot) spot;
    au_idtable index;
} spots;

static bool same_spot(const void *ctx, uint32_t id, const void *key) {
    const spot *a = &((const spots *)ctx)->spot.at[id], *b = key;
    return a->line == b->line && a->loc == b->loc && a->write == b->write &&
           a->indivisible == b->indivisible && a->unknown == b->unknown &&
           (a->line || a->step == b->step);
}

static void put(spots *s, const au_warn_many *k, const au_warn_touch *t) {
    const au_step *p = &s->m->step.at[t->step];
    spot new = {.line = p->line,
                .loc = p->loc,
                .step = t->step,
                .write = t->write,
                .indivisible = p->indivisible,
                .unknown = k->o->unknown ? k->o->unknown[t->step] : 0};
    if (new.unknown)
        new.line = new.loc = 1;
    uint64_t h =
        au_hash_join(au_hash_join(new.line, new.loc),
                     (uint64_t) new.unknown << 32 | (uint64_t) new.write << 1 | new.indivisible);
    if (!new.line)
        h = au_hash_join(h, new.step);
    uint32_t id = au_idtable_find(&s->index, h, same_spot, s, &new);
    if (id == AU_NONE) {
        id = (uint32_t)s->spot.n;
        au_vec_push(&s->spot, new);
        au_idtable_add(&s->index, h, id);
    }
    members *of = &s->spot.at[id].member;
    uint64_t kind = au_facts_class(k->f, au_facts_src(k->f, t->step));
    kind = kind << 32 | (k->o->guard ? k->o->guard[t->step] : 0);
    for (size_t i = 0; i < of->n; i++)
        if (of->at[i].kind == kind)
            return;
    au_vec_push(of, ((member){kind, t->step}));
}

static int by_kind(const void *a, const void *b) {
    const member *x = a, *y = b;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static bool same_set(const void *ctx, uint32_t id, const void *key) {
    const numbers *a = &((const au_warn_many *)ctx)->set.at[id];
    const members *b = key;
    for (size_t i = 0; i < b->n && a->n == b->n; i++)
        if (a->at[i] != b->at[i].kind)
            return false;
    return a->n == b->n;
}

static uint32_t set_of(au_warn_many *k, members *of) {
    uint64_t h = of->n;
    qsort(of->at, of->n, sizeof *of->at, by_kind);
    for (size_t i = 0; i < of->n; i++)
        h = au_hash_join(h, of->at[i].kind);
    uint32_t id = au_idtable_find(&k->set_index, h, same_set, k, of);
    if (id != AU_NONE)
        return id;
    numbers set = {0};
    for (size_t i = 0; i < of->n; i++)
        au_vec_push(&set, of->at[i].kind);
    id = (uint32_t)k->set.n;
    au_vec_push(&k->set, set);
    au_idtable_add(&k->set_index, h, id);
    return id;
}

/* --- pairs of sets ---------------------------------------------------------------------------------- */

static verdict judge(const au_warn_many *k, const numbers *a, const numbers *b) {
    const au_facts *f = k->f;
    verdict v = {.out = UINT8_MAX};
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            uint32_t x = au_facts_of_class(f, (uint32_t)(a->at[i] >> 32));
            uint32_t y = au_facts_of_class(f, (uint32_t)(b->at[j] >> 32));
            if (f->owner[x] == f->owner[y])
                continue;
            if (au_facts_meet(f, x, y) &&
                !au_warn_excluded(k->o, (uint32_t)a->at[i], (uint32_t)b->at[j]))
                return (verdict){AU_SCAN_STAGES, {a->at[i], b->at[j]}};
            uint8_t out = au_warn_ordered(f, x, y) ? AU_SCAN_MUST_HB : AU_SCAN_LOCKSET;
            if (v.out == UINT8_MAX || out > v.out)
                v.out = out;
        }
    return v;
}

/* The verdict's kinds are in the order of a and b. */
static verdict verdict_of(au_warn_many *k, uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t *at = au_map_put(&k->verdict_of, au_key2(low, high), NULL);
    if (!*at) {
        au_vec_push(&k->verdict, judge(k, &k->set.at[low], &k->set.at[high]));
        *at = k->verdict.n;
    }
    verdict v = k->verdict.at[*at - 1];
    if (low != a) {
        uint64_t c = v.kind[0];
        v.kind[0] = v.kind[1];
        v.kind[1] = c;
    }
    return v;
}

static uint32_t step_at(const spot *s, uint64_t kind) {
    for (size_t i = 0; i < s->member.n; i++)
        if (s->member.at[i].kind == kind)
            return s->member.at[i].step;
    return s->step;
}

/* Two lines are told once, whichever of them reads. */
static bool is_told(au_map *told, const spot *a, const spot *b) {
    uint64_t x = a->line ? au_key2(a->line, a->loc) : au_key2(a->step, AU_NONE);
    uint64_t y = b->line ? au_key2(b->line, b->loc) : au_key2(b->step, AU_NONE);
    x = au_hash_join(x, a->unknown);
    y = au_hash_join(y, b->unknown);
    uint64_t *at = au_map_put(told, x < y ? au_hash_join(x, y) : au_hash_join(y, x), NULL);
    return (*at)++;
}

static void warn(au_warn_many *k, uint32_t var, const spot *a, const spot *b, uint32_t others) {
    verdict v = verdict_of(k, a->set, b->set);
    au_warning w = {.kind = AU_KIND_RACE,
                    .var = var,
                    .write = {a->write, b->write},
                    .end = AU_SCAN_UNDECIDED,
                    .why = "not analysed",
                    .gone = AU_SCAN_STAGES,
                    .partial = true,
                    .others = others};
    au_vec_push(&w.place,
                ((au_scan_place){
                    {step_at(a, v.kind[0]), step_at(b, v.kind[1])}, var, {a->write, b->write}}));
    au_vec_push(&w.out, AU_SCAN_STAGES);
    au_vec_push(&k->r->warning, w);
}

/* --- a variable --------------------------------------------------------------------------------------- */

static bool conflict(const spot *a, const spot *b) {
    return (a->write || b->write) && !(a->indivisible && b->indivisible);
}

bool au_warn_many_add(au_warn_many *k, uint32_t var, const au_warn_touch *touch, size_t n) {
    spots s = {.m = k->f->m};
    size_t left = 0;
    bool shared = false;
    au_idtable_init(&s.index);
    for (size_t i = 0; i < n; i++)
        put(&s, k, &touch[i]);
    for (size_t i = 0; i < s.spot.n; i++)
        s.spot.at[i].set = set_of(k, &s.spot.at[i].member);
    for (size_t i = 0; i < s.spot.n; i++)
        for (size_t j = i; j < s.spot.n; j++) {
            const spot *a = &s.spot.at[i], *b = &s.spot.at[j];
            if (!a->write && !b->write)
                continue;
            verdict v = verdict_of(k, a->set, b->set);
            shared |= v.out != UINT8_MAX;
            if (v.out == UINT8_MAX || !conflict(a, b))
                continue;
            if (v.out == AU_SCAN_STAGES)
                left += !a->unknown && !b->unknown;
            else
                k->r->hidden[v.out]++;
        }
    bool crowd = left > CROWD;
    au_map told;
    au_map_init(&told);
    if (crowd)
        k->r->folded += left;
    for (size_t i = 0; i < s.spot.n; i++) {
        const spot *best = NULL;
        uint32_t others = 0;
        bool once = crowd || s.spot.at[i].unknown; /* beside one of all that it conflicts with */
        for (size_t j = once ? 0 : i; j < s.spot.n; j++) {
            const spot *a = &s.spot.at[i], *b = &s.spot.at[j];
            if (!conflict(a, b) || verdict_of(k, a->set, b->set).out != AU_SCAN_STAGES ||
                (b->unknown && (!a->unknown || j < i))) /* told with b */
                continue;
            if (!once && !is_told(&told, a, b))
                warn(k, var, a, b, 0);
            if (!once)
                continue;
            if (!best || (b->write && !best->write)) /* a writer says more */
                best = b;
            others++;
        }
        if (best && !is_told(&told, &s.spot.at[i], &s.spot.at[i]))
            warn(k, var, &s.spot.at[i], best, others - 1);
    }
    au_map_release(&told);
    for (size_t i = 0; i < s.spot.n; i++)
        au_vec_release(&s.spot.at[i].member);
    au_vec_release(&s.spot);
    au_idtable_release(&s.index);
    return shared;
}
