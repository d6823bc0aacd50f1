/* verify/rup.c: forward check by unit propagation with two watched literals.
 *
 * What follows from no assumption stays on the trail ('fixed'). A clause that is taken away is taken from the watches only;
 * one that has fixed a literal is kept: more clauses let more follow, and all of them are implied. */
#include "verify/rup.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t clause; /* where it begins in 'lit' */
    int other;       /* a literal of it: if that is true, it need not be looked at */
} watch;

typedef struct {
    AU_VEC(int) lit;         /* clauses: hash-chain link, length, literals */
    AU_VEC(watch) * watches; /* by literal */
    signed char *value;      /* by literal */
    AU_VEC(int) trail;
    size_t done, fixed;
    au_map first; /* hash of a clause: the last one added with it, + 1 */
    int n_vars;
    bool closed; /* the empty clause is there */
    bool full;   /* there are more literals than a clause can be numbered by */
} checker;

static size_t at(int lit) {
    return (size_t)abs(lit) * 2 + (lit < 0);
}

static void assign(checker *k, int lit) {
    k->value[at(lit)] = 1;
    k->value[at(-lit)] = -1;
    au_vec_push(&k->trail, lit);
}

static void backtrack(checker *k) {
    while (k->trail.n > k->fixed) {
        int lit = au_vec_pop(&k->trail);
        k->value[at(lit)] = k->value[at(-lit)] = 0;
    }
    k->done = k->fixed;
}

/* True: a contradiction. */
static bool propagate(checker *k) {
    while (k->done < k->trail.n) {
        int fake = -k->trail.at[k->done++];
        size_t w = at(fake), keep = 0;
        size_t n = k->watches[w].n;
        for (size_t i = 0; i < n; i++) {
            watch x = k->watches[w].at[i];
            if (k->value[at(x.other)] > 0) {
                k->watches[w].at[keep++] = x;
                continue;
            }
            int *c = &k->lit.at[x.clause], size = c[-1];
            if (size < 0)
                continue; /* taken away */
            int other = c[0] == fake ? c[1] : c[0];
            int next = 2;
            while (next < size && k->value[at(c[next])] < 0)
                next++;
            if (k->value[at(other)] > 0) {
                k->watches[w].at[keep++] = (watch){x.clause, other};
            } else if (next < size) {
                c[0] = other;
                c[1] = c[next];
                c[next] = fake;
                au_vec_push(&k->watches[at(c[1])], ((watch){x.clause, other}));
            } else {
                k->watches[w].at[keep++] = (watch){x.clause, other};
                if (k->value[at(other)] < 0) {
                    while (++i < n)
                        k->watches[w].at[keep++] = k->watches[w].at[i];
                    k->watches[w].n = keep;
                    return true;
                }
                assign(k, other);
            }
        }
        k->watches[w].n = keep;
    }
    return false;
}

/* Of the set of literals, whatever their order. */
static uint64_t hash_of(const int *lit, size_t n) {
    uint64_t sum = 0, product = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = au_hash_join((uint64_t)(uint32_t)lit[i], 0x9e3779b97f4a7c15u);
        sum += x;
        product *= x | 1;
    }
    return au_hash_join(sum, product) | 1;
}

static void settle(checker *k) {
    k->closed |= propagate(k);
    k->fixed = k->trail.n;
}

/* Requires: nothing is assumed. */
static void add(checker *k, const int *lit, size_t n) {
    bool fresh;
    k->full |= n > INT32_MAX - 2 || k->lit.n > INT32_MAX - 2 - n;
    if (k->full)
        return;
    uint64_t *first = au_map_put(&k->first, hash_of(lit, n), &fresh);
    int link = fresh ? 0 : (int)*first;
    uint32_t c = (uint32_t)k->lit.n + 2;
    au_vec_push(&k->lit, link);
    au_vec_push(&k->lit, (int)n);
    if (n)
        au_vec_append(&k->lit, lit, n);
    *first = c;
    /* the two that are watched: not false, if there are such */
    size_t open = 0;
    int *x = &k->lit.at[c];
    for (size_t i = 0; i < n && open < 2; i++)
        if (k->value[at(x[i])] >= 0) {
            int swap = x[open];
            x[open++] = x[i];
            x[i] = swap;
        }
    if (n >= 2) {
        au_vec_push(&k->watches[at(x[0])], ((watch){c, x[1]}));
        au_vec_push(&k->watches[at(x[1])], ((watch){c, x[0]}));
    }
    if (!open)
        k->closed = true;
    else if (open == 1 && !k->value[at(x[0])])
        assign(k, x[0]);
}

static bool same_set(const int *a, const int *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < n && b[k] != a[i])
            k++;
        if (k == n)
            return false;
    }
    return true;
}

/* Takes one clause with these literals away. One that there is not is no harm: nothing rests on its absence. */
static void take_away(checker *k, const int *lit, size_t n) {
    uint64_t *first = au_map_find(&k->first, hash_of(lit, n));
    int *link = NULL;
    for (uint32_t c = first ? (uint32_t)*first : 0; c;) {
        int *x = &k->lit.at[c];
        if (x[-1] == (int)n && same_set(lit, x, n)) {
            bool fixes = false;
            for (size_t i = 0; i < n; i++)
                fixes |= k->value[at(x[i])] > 0;
            if (fixes)
                return;
            if (link)
                *link = x[-2];
            else
                *first = (uint64_t)x[-2];
            x[-1] = -x[-1];
            return;
        }
        link = &x[-2];
        c = (uint32_t)x[-2];
    }
}

/* With all its literals false there is a contradiction. */
static bool follows(checker *k, const int *lit, size_t n) {
    bool good = false;
    for (size_t i = 0; i < n && !good; i++) {
        if (k->value[at(lit[i])] > 0)
            good = true;
        else if (!k->value[at(lit[i])])
            assign(k, -lit[i]);
    }
    good = good || propagate(k);
    backtrack(k);
    return good;
}

/* One number of the binary form; false: the end is missing. */
static bool get(const unsigned char **p, const unsigned char *end, int *lit) {
    uint64_t v = 0;
    for (unsigned shift = 0; *p < end && shift < 35; shift += 7) {
        unsigned char b = *(*p)++;
        v |= (uint64_t)(b & 127) << shift;
        if (!(b & 128)) {
            *lit = v & 1 ? -(int)(v >> 1) : (int)(v >> 1);
            return v >> 1 <= INT32_MAX;
        }
    }
    return false;
}

static bool run(checker *k, const unsigned char *p, const unsigned char *end, au_rup_result *r) {
    AU_VEC(int) line = {0};
    while (!k->closed && p < end && !*r->why && !k->full) {
        int kind = *p++, lit;
        r->line++;
        au_vec_clear(&line);
        bool good = kind == 'a' || kind == 'd';
        while (good && (good = get(&p, end, &lit)) && lit) {
            good = abs(lit) <= k->n_vars;
            au_vec_push(&line, lit);
        }
        if (!good) {
            r->why = "it is damaged";
        } else if (kind == 'd') {
            r->deleted++;
            take_away(k, line.at, line.n);
        } else if (r->added++, !follows(k, line.at, line.n)) {
            r->why = "a clause of it does not follow by unit propagation";
        } else {
            add(k, line.at, line.n);
            settle(k);
        }
    }
    au_vec_release(&line);
    if (k->full)
        r->why = "it is too long";
    if (!k->closed && !*r->why)
        r->why = "it ends without the empty clause";
    return k->closed && !*r->why;
}

bool au_rup_check(const au_cnf *c, const unsigned char *proof, size_t n, au_rup_result *r) {
    checker k = {.n_vars = c->n_vars};
    *r = (au_rup_result){.why = ""};
    k.watches = au_alloc_array((size_t)(c->n_vars + 1) * 2, sizeof *k.watches);
    k.value = au_alloc_array((size_t)(c->n_vars + 1) * 2, sizeof *k.value);
    au_map_init(&k.first);
    for (size_t i = 0; i < c->lit.n; i++) {
        size_t from = i;
        while (c->lit.at[i])
            i++;
        add(&k, c->lit.at + from, i - from);
    }
    settle(&k);
    bool good = run(&k, proof, n ? proof + n : proof, r); /* an empty proof may be no memory */
    for (size_t i = 0; i < (size_t)(c->n_vars + 1) * 2; i++)
        au_vec_release(&k.watches[i]);
    free(k.watches);
    free(k.value);
    au_vec_release(&k.lit);
    au_vec_release(&k.trail);
    au_map_release(&k.first);
    return good;
}
