/* scan/warn.c: see warn.h. */
#include "scan/warn.h"

#include <string.h>

typedef struct {
    const au_facts *f;
    au_scan_result *r;
    au_map known; /* hash of places: warning + 1 */
} finder;

/* What a person would call the same place. */
static uint64_t place_hash(const au_model *m, uint32_t step, bool write) {
    const au_step *s = &m->step.at[step];
    uint64_t h = au_hash_join(write, s->line);
    h = au_hash_join(h, s->col);
    h = au_hash_join(h, s->loc);
    if (!s->line) /* no place is known: each step is one of its own */
        h = au_hash_join(h, step + 1);
    return h;
}

static uint64_t warning_hash(const au_model *m, au_kind kind, uint32_t var, const uint32_t *step,
                             const bool *write) {
    uint64_t a = place_hash(m, step[0], write[0]);
    uint64_t b = kind == AU_KIND_RACE ? place_hash(m, step[1], write[1]) : 0;
    uint64_t v =
        var == AU_NONE ? 0 : au_hash_bytes(m->var.at[var].name, strlen(m->var.at[var].name));
    return au_hash_join(au_hash_join(v, kind), a < b ? au_hash_join(a, b) : au_hash_join(b, a));
}

static void add(finder *k, au_kind kind, uint32_t var, uint32_t s, bool ws, uint32_t t, bool wt) {
    const au_model *m = k->f->m;
    uint32_t step[2] = {s, t};
    bool write[2] = {ws, wt};
    uint64_t *at = au_map_put(&k->known, warning_hash(m, kind, var, step, write), NULL);
    if (!*at) {
        au_warning w = {.kind = kind,
                        .var = var,
                        .write = {ws, wt},
                        .end = AU_SCAN_UNDECIDED,
                        .why = "not looked at",
                        .gone = AU_SCAN_STAGES};
        au_vec_push(&k->r->warning, w);
        *at = k->r->warning.n;
    }
    au_warning *w = &k->r->warning.at[*at - 1];
    au_vec_push(&w->place, ((au_scan_place){{s, t}}));
    au_vec_push(&w->out, AU_SCAN_STAGES);
}

typedef struct {
    uint32_t step;
    bool write;
} touch;
typedef AU_VEC(touch) touches;

/* Accesses of a variable, each statement once as a reader and once as a writer. */
static void gather(const au_model *m, touches *of) {
    au_map seen;
    au_map_init(&seen);
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        for (uint32_t a = 0; a < s->n_accesses; a++) {
            uint32_t event = au_query_event(m, i);
            uint64_t key = ((uint64_t)s->access[a].var << 32 | event) * 2 + s->access[a].write;
            bool fresh;
            au_map_put(&seen, key, &fresh);
            if (fresh)
                au_vec_push(&of[s->access[a].var], ((touch){event, s->access[a].write}));
        }
    }
    au_map_release(&seen);
}

static void races(finder *k) {
    const au_model *m = k->f->m;
    touches *of = au_alloc_array(m->var.n + 1, sizeof *of);
    gather(m, of);
    for (uint32_t v = 0; v < m->var.n; v++) {
        bool shared = false;
        for (size_t i = 0; i < of[v].n; i++)
            for (size_t j = i + 1; j < of[v].n; j++) {
                touch a = of[v].at[i], b = of[v].at[j];
                const au_step *s = &m->step.at[a.step], *t = &m->step.at[b.step];
                if (s->thread == t->thread || (!a.write && !b.write))
                    continue;
                shared = true;
                if (!s->indivisible || !t->indivisible)
                    add(k, AU_KIND_RACE, v, a.step, a.write, b.step, b.write);
            }
        k->r->shared += shared;
        au_vec_release(&of[v]);
    }
    free(of);
}

void au_warn_find(const au_facts *f, unsigned props, au_scan_result *r) {
    finder k = {f, r, {0}};
    const au_model *m = f->m;
    au_map_init(&k.known);
    if (props & AU_PROP_RACE)
        races(&k);
    bool waits = false;
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
                        .why = "not looked at",
                        .gone = AU_SCAN_STAGES};
        au_vec_push(&r->warning, w);
        au_vec_push(&au_vec_last(&r->warning).place, ((au_scan_place){{AU_NONE, AU_NONE}}));
        au_vec_push(&au_vec_last(&r->warning).out, AU_SCAN_STAGES);
    }
    for (size_t i = 0; i < r->warning.n; i++)
        r->candidates[r->warning.at[i].kind]++;
    au_map_release(&k.known);
}

static bool ordered(const au_facts *f, uint32_t a, uint32_t b) {
    uint32_t t = f->owner[a], u = f->owner[b];
    return au_facts_unstarted(f, a, u) || au_facts_unstarted(f, b, t) ||
           (au_facts_done(f, a, u) && b != au_facts_exit(f, u)) ||
           (au_facts_done(f, b, t) && a != au_facts_exit(f, t));
}

au_scan_stage au_warn_cheap(const au_facts *f, const au_warning *w, const au_scan_place *p) {
    if (w->kind != AU_KIND_RACE)
        return AU_SCAN_STAGES;
    uint32_t a = au_facts_src(f, p->step[0]), b = au_facts_src(f, p->step[1]);
    if (ordered(f, a, b))
        return AU_SCAN_MUST_HB;
    return au_facts_meet(f, a, b) ? AU_SCAN_STAGES : AU_SCAN_LOCKSET;
}
