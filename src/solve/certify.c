/* solve/certify.c: solving with a proof, lemmas where a solution needs them. */
#include "solve/certify.h"

#include "base/alloc.h"
#include "base/bitset.h"

/* certify_trace.cc */
struct au_traced;
struct au_traced *au_traced_new(const char *path, double until);
void au_traced_add(struct au_traced *t, int lit);
int au_traced_solve(struct au_traced *t);
int au_traced_value(struct au_traced *t, int lit);
void au_traced_free(struct au_traced *t);

typedef struct {
    au_ref *r;
    struct au_traced *solver;
    size_t given;      /* literals of the clauses that the solver has */
    au_ref_list *path; /* by thread: its executed ordered events */
    uint32_t *slot;    /* by event: its number in its path */
    uint32_t *before;  /* [event * threads + u]: how many of u's path come before it */
    au_ref_lemmas found;
} finder;

static bool holds(const finder *f, int lit) {
    if (lit == AU_CNF_TRUE || lit == AU_CNF_FALSE)
        return lit == AU_CNF_TRUE;
    return au_traced_value(f->solver, lit);
}

/* The order's literals are monotone along a path. */
static uint32_t count_before(const finder *f, uint32_t e, uint32_t u) {
    uint32_t low = 0, high = (uint32_t)f->path[u].n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (holds(f, au_ref_before(f->r, f->path[u].at[mid], e)))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void follow_paths(finder *f) {
    uint32_t n = (uint32_t)f->r->m->thread.n;
    for (uint32_t t = 0; t < n; t++) {
        au_vec_clear(&f->path[t]);
        for (size_t i = 0; i < f->r->line[t].n; i++) {
            uint32_t e = f->r->line[t].at[i];
            if (!holds(f, f->r->event.at[e].lit))
                continue;
            f->slot[e] = (uint32_t)f->path[t].n;
            au_vec_push(&f->path[t], e);
        }
    }
    for (uint32_t t = 0; t < n; t++)
        for (size_t i = 0; i < f->path[t].n; i++)
            for (uint32_t u = 0; u < n; u++) {
                uint32_t e = f->path[t].at[i];
                f->before[(size_t)e * n + u] = u == t ? f->slot[e] : count_before(f, e, u);
            }
}

/* The last event p of a thread before e, and the last one of another before p: it is not before e. */
static void look_at_order(finder *f) {
    uint32_t n = (uint32_t)f->r->m->thread.n;
    for (uint32_t t = 0; t < n; t++)
        for (size_t i = 0; i < f->path[t].n; i++) {
            uint32_t e = f->path[t].at[i];
            const uint32_t *of_e = f->before + (size_t)e * n;
            for (uint32_t v = 0; v < n; v++) {
                if (v == t || !of_e[v])
                    continue;
                uint32_t p = f->path[v].at[of_e[v] - 1];
                const uint32_t *of_p = f->before + (size_t)p * n;
                for (uint32_t u = 0; u < n; u++)
                    if (u != v && of_p[u] > of_e[u] && f->path[u].at[of_p[u] - 1] != e)
                        au_vec_push(&f->found, ((au_ref_lemma){AU_REF_TRANSITIVE,
                                                               f->path[u].at[of_p[u] - 1], p, e}));
            }
        }
}

/* A store that comes between the write and the read that sees it. */
static bool is_broken(const finder *f, const au_ref_read *d, uint32_t w) {
    const au_ref_list *stores = &f->r->stores[d->var];
    for (size_t i = 0; i < stores->n; i++) {
        uint32_t s = stores->at[i];
        if (s != w && s != d->event && holds(f, f->r->event.at[s].lit) &&
            holds(f, au_ref_before(f->r, s, d->event)) && !holds(f, au_ref_before(f->r, s, w)))
            return true;
    }
    return false;
}

static void look_at_reads(finder *f) {
    for (uint32_t i = 0; i < f->r->read.n; i++) {
        const au_ref_read *d = &f->r->read.at[i];
        for (uint32_t k = 0; d->sees && k < d->writer.n; k++)
            if (!d->between[k] && holds(f, d->sees[k]) && is_broken(f, d, d->writer.at[k]))
                au_vec_push(&f->found, ((au_ref_lemma){AU_REF_BETWEEN, i, k, 0}));
    }
}

static void give_clauses(finder *f) {
    for (; f->given < f->r->cnf.lit.n; f->given++)
        au_traced_add(f->solver, f->r->cnf.lit.at[f->given]);
}

au_certify_end au_certify(au_ref *r, const char *proof, double until, au_ref_lemmas *lemmas,
                          bool *true_of) {
    size_t threads = r->m->thread.n;
    finder f = {.r = r, .solver = au_traced_new(proof, until)};
    if (!f.solver)
        return AU_CERTIFY_FAILED;
    f.path = au_alloc_array(threads + 1, sizeof *f.path);
    f.slot = au_alloc_array(r->event.n + 1, sizeof *f.slot);
    f.before = au_alloc_array(r->event.n * threads + 1, sizeof *f.before);
    au_certify_end end = AU_CERTIFY_OPEN;
    for (;;) {
        give_clauses(&f);
        int answer = au_traced_solve(f.solver);
        if (answer != 10) {
            end = answer == 20 ? AU_CERTIFY_PROVED : AU_CERTIFY_OPEN;
            break;
        }
        au_vec_clear(&f.found);
        follow_paths(&f);
        look_at_order(&f);
        look_at_reads(&f);
        if (!f.found.n) {
            for (size_t i = 0; i < r->asked.n; i++)
                true_of[i] = holds(&f, r->asked.at[i]);
            end = AU_CERTIFY_WEAK;
            break;
        }
        for (size_t i = 0; i < f.found.n; i++)
            if (au_ref_add(r, &f.found.at[i]))
                au_vec_push(lemmas, f.found.at[i]);
    }
    au_traced_free(f.solver);
    for (size_t t = 0; t < threads; t++)
        au_vec_release(&f.path[t]);
    free(f.path);
    free(f.slot);
    free(f.before);
    au_vec_release(&f.found);
    return end;
}
