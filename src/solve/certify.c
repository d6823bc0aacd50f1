/* solve/certify.c: solving with a proof, lemmas where a solution needs them. */
#include "solve/certify.h"

#include "base/alloc.h"
#include "base/bitset.h"

/* certify_trace.cc */
struct au_traced;
struct au_traced *au_traced_new(const char *path, double until);
void au_traced_reserve(struct au_traced *t, int n_vars);
void au_traced_add(struct au_traced *t, int lit);
int au_traced_solve(struct au_traced *t);
int au_traced_value(struct au_traced *t, int lit);
void au_traced_free(struct au_traced *t);

typedef struct {
    au_ref *r;
    struct au_traced *solver;
    size_t given;      /* literals of the clauses that the solver has */
    au_ref_list *path; /* by thread: its executed ordered events */
    uint32_t
        *line; /* by event: where it stands in a line that agrees with the solution if one does … */
    bool agrees;      /* … and this one does */
    uint8_t **table;  /* else: [t * threads + u], t < u: the order of any two, by ranks */
    uint32_t *slot;   /* by event: its number in its path */
    uint32_t *before; /* [event * threads + u]: how many of u's path come before it */
    au_ref_lemmas found;
} finder;

static bool holds(const finder *f, int lit) {
    if (lit == AU_CNF_TRUE || lit == AU_CNF_FALSE)
        return lit == AU_CNF_TRUE;
    return au_traced_value(f->solver, lit);
}

/* --- a line ------------------------------------------------------------------------------------ */

/* Not all pairs have a literal. The events are put in a line, always next the one that nothing has to precede any more and
 * that stands first by its key; where they go round in circles, the first by its key. */
typedef struct {
    uint32_t *next; /* by thread: so many of its path are in the line */
    uint32_t *wait; /* by event: literals and forks and joins that want another one before it */
} liner;

/* Grows with what must come before, and along a thread. */
static uint32_t key_of(const finder *f, uint32_t e) {
    uint32_t n = (uint32_t)f->r->m->thread.n, own = f->r->event.at[e].thread;
    uint32_t key = f->r->event.at[e].place;
    for (uint32_t t = 0; t < n; t++)
        key += t == own ? 0 : f->r->must[(size_t)e * n + t];
    return key;
}

/* Does the solution, or do forks and joins, say so? */
static bool is_said(const finder *f, uint32_t a, uint32_t b) {
    int lit = au_ref_known_before(f->r, a, b);
    return lit && holds(f, lit);
}

static void count_waits(const finder *f, liner *l) {
    uint32_t n = (uint32_t)f->r->m->thread.n;
    for (uint32_t t = 0; t < n; t++)
        for (size_t i = 0; i < f->path[t].n; i++)
            for (uint32_t u = 0; u < n; u++)
                for (size_t k = 0; u != t && k < f->path[u].n; k++)
                    l->wait[f->path[t].at[i]] += is_said(f, f->path[u].at[k], f->path[t].at[i]);
}

/* Who is next: AU_NONE, all are in the line. */
static uint32_t choose(const finder *f, const liner *l) {
    uint32_t best = AU_NONE, best_key = 0;
    bool best_free = false;
    for (uint32_t t = 0; t < f->r->m->thread.n; t++) {
        if (l->next[t] == f->path[t].n)
            continue;
        uint32_t e = f->path[t].at[l->next[t]], key = key_of(f, e);
        bool free = !l->wait[e];
        if (best == AU_NONE || (free && !best_free) || (free == best_free && key < best_key)) {
            best = e;
            best_key = key;
            best_free = free;
        }
    }
    return best;
}

static void make_line(finder *f) {
    uint32_t n = (uint32_t)f->r->m->thread.n, e, place = 0;
    liner l = {au_alloc_array(n + 1, sizeof *l.next),
               au_alloc_array(f->r->event.n + 1, sizeof *l.wait)};
    count_waits(f, &l);
    f->agrees = true;
    while ((e = choose(f, &l)) != AU_NONE) {
        uint32_t t = f->r->event.at[e].thread;
        f->agrees &= !l.wait[e];
        f->line[e] = place++;
        l.next[t]++;
        for (uint32_t u = 0; u < n; u++)
            for (size_t k = u == t ? f->path[u].n : l.next[u]; k < f->path[u].n; k++)
                l.wait[f->path[u].at[k]] -= is_said(f, e, f->path[u].at[k]);
    }
    free(l.next);
    free(l.wait);
}

/* --- the order of any two ------------------------------------------------------------------------- */

enum { OPEN, YES, NO };

/* What the literals say goes on along both threads; what they leave open is as in the line. */
static void fill_table(finder *f, uint32_t t, uint32_t u) {
    const au_ref_list *a = &f->r->line[t], *b = &f->r->line[u];
    size_t rows = a->n, width = b->n;
    uint8_t *p = f->table[t * f->r->m->thread.n + u];
    for (size_t i = rows; i-- > 0;)
        for (size_t k = 0; k < width; k++) {
            int lit = au_ref_known_before(f->r, a->at[i], b->at[k]);
            bool yes = lit && holds(f, lit);
            yes |= (i + 1 < rows && p[(i + 1) * width + k] == YES) ||
                   (k && p[i * width + k - 1] == YES);
            p[i * width + k] = yes ? YES : OPEN;
        }
    for (size_t i = 0; i < rows; i++)
        for (size_t k = width; k-- > 0;) {
            int lit = au_ref_known_before(f->r, a->at[i], b->at[k]);
            bool no = lit && !holds(f, lit);
            no |= (i && p[(i - 1) * width + k] == NO) ||
                  (k + 1 < width && p[i * width + k + 1] == NO);
            if (no && p[i * width + k] == OPEN)
                p[i * width + k] = NO;
        }
}

static void fill_tables(finder *f) {
    uint32_t n = (uint32_t)f->r->m->thread.n;
    for (uint32_t t = 0; t < n && !f->agrees; t++)
        for (uint32_t u = t + 1; u < n; u++) {
            uint8_t **p = &f->table[t * n + u];
            if (!*p)
                *p = au_alloc_array(f->r->line[t].n * f->r->line[u].n + 1, 1);
            fill_table(f, t, u);
        }
}

/* Both are executed. */
static bool comes_before(const finder *f, uint32_t a, uint32_t b) {
    const au_ref_event *x = &f->r->event.at[a], *y = &f->r->event.at[b];
    if (x->thread == y->thread)
        return x->place < y->place;
    if (x->thread > y->thread)
        return !comes_before(f, b, a);
    const uint8_t *p = f->agrees ? NULL : f->table[x->thread * f->r->m->thread.n + y->thread];
    uint8_t said = p ? p[(size_t)f->r->rank[a] * f->r->line[y->thread].n + f->r->rank[b]] : OPEN;
    return said == OPEN ? f->line[a] < f->line[b] : said == YES;
}

/* Monotone along a path. */
static uint32_t count_before(const finder *f, uint32_t e, uint32_t u) {
    uint32_t low = 0, high = (uint32_t)f->path[u].n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (comes_before(f, f->path[u].at[mid], e))
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
    make_line(f);
    fill_tables(f);
    for (uint32_t t = 0; t < n && !f->agrees; t++)
        for (size_t i = 0; i < f->path[t].n; i++)
            for (uint32_t u = 0; u < n; u++) {
                uint32_t e = f->path[t].at[i];
                f->before[(size_t)e * n + u] = u == t ? f->slot[e] : count_before(f, e, u);
            }
}

/* The last event p of a thread before e, and the last one of another before p: it is not before e. */
static void look_at_order(finder *f) {
    uint32_t n = (uint32_t)f->r->m->thread.n;
    for (uint32_t t = 0; t < n && !f->agrees; t++)
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
            comes_before(f, s, d->event) && !comes_before(f, s, w))
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
    au_traced_reserve(f->solver, f->r->cnf.n_vars);
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
    f.line = au_alloc_array(r->event.n + 1, sizeof *f.line);
    f.table = au_alloc_array(threads * threads + 1, sizeof *f.table);
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
    for (size_t i = 0; i < threads * threads; i++)
        free(f.table[i]);
    free(f.path);
    free(f.table);
    free(f.line);
    free(f.slot);
    free(f.before);
    au_vec_release(&f.found);
    return end;
}
