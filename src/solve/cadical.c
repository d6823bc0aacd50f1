/* solve/cadical.c: the default backend. Reads are encoded when something asks for their
 * value or their writer: what no property and no guard looks at costs nothing. */
#include "base/clock.h"
#include "solve/backend.h"
#include "solve/blast.h"
#include "solve/cadical_priv.h"
#include "solve/weak_priv.h"

#include <stdio.h>

/* --- names -------------------------------------------------------------------- */

unsigned au_cad_bits(au_span s, bool *sign) {
    *sign = s.low < 0;
    uint64_t far = (uint64_t)(s.low < 0 ? ~s.low : 0) | (uint64_t)(s.high < 0 ? ~s.high : s.high);
    unsigned n = 0;
    while (n < 64 && far >> n)
        n++;
    return n;
}

/* Fresh bits as many as its range needs, the rest are copies of the sign. */
static void read_bits(au_cad *k, uint32_t read, unsigned width, int *into) {
    au_ranges_more(&k->ranges, k->c);
    au_span s = k->ranges.read.at[read];
    if (s.low == s.high || width == 1) {
        for (unsigned i = 0; i < width; i++)
            into[i] = s.low == s.high ? ((uint64_t)s.low >> i & 1 ? AU_LIT_TRUE : AU_LIT_FALSE)
                                      : au_sat_new(&k->sat);
    } else {
        bool sign;
        unsigned n = au_cad_bits(s, &sign);
        int top = AU_LIT_FALSE;
        for (unsigned i = 0; i < width; i++) {
            if (i < n)
                into[i] = au_sat_new(&k->sat);
            else if (i == n && sign)
                top = into[i] = au_sat_new(&k->sat);
            else
                into[i] = top;
        }
    }
    au_vec_push(&k->valued, read);
}

static void variable(void *ctx, uint32_t name, unsigned width, int *into) {
    au_cad *k = ctx;
    au_name n = k->c->name.at[name];
    switch (n.kind) {
    case AU_NAME_EXEC:
        into[0] = k->exec[n.a];
        return;
    case AU_NAME_READ: {
        uint64_t v;
        if (au_mutexes_reads(&k->mutexes, &k->c->read.at[n.a], &v))
            for (unsigned i = 0; i < width; i++)
                into[i] = v >> i & 1 ? AU_LIT_TRUE : AU_LIT_FALSE;
        else if (k->folds.kind[k->c->read.at[n.a].var])
            au_cad_fold(k, n.a, width, into);
        else
            read_bits(k, n.a, width, into);
        return;
    }
    case AU_NAME_BEFORE:
        into[0] = au_order_before(&k->order, n.a, n.b);
        return;
    case AU_NAME_SEES:
        into[0] = au_cad_sees(k, n.a)[n.b];
        return;
    case AU_NAME_HAVOC:
    case AU_NAME_FREE:
        for (unsigned i = 0; i < width; i++)
            into[i] = au_sat_new(&k->sat);
        return;
    default:
        AU_BUG_IF(true);
    }
}

/* --- values --------------------------------------------------------------------- */

au_term au_cad_written(const au_cssa *c, uint32_t event, uint32_t var) {
    const au_cssa_event *e = &c->event.at[event];
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (c->write.at[e->first_write + i].var == var)
            return c->write.at[e->first_write + i].value;
    AU_BUG_IF(true);
    return (au_term){UINT32_MAX};
}

/* The value of a read is that of the write it sees. Only the bits that its range leaves
 * open: every value that is written lies in it, in every order that is one. */
static void link_value(au_cad *k, uint32_t read) {
    au_cssa *c = k->c;
    const int *sees = au_cad_sees(k, read);
    au_cssa_read r = c->read.at[read]; /* blasting may add reads */
    unsigned width = c->m->var.at[r.var].width;
    int mine[64], theirs[64];
    au_blast_term(&k->blast, au_term_of_var(c->terms, r.name, width), mine);
    for (size_t i = 0; i < r.writer.n; i++) {
        if (r.writer.at[i] == AU_INITIAL) {
            for (unsigned j = 0; j < width; j++)
                theirs[j] = c->m->var.at[r.var].init >> j & 1 ? AU_LIT_TRUE : AU_LIT_FALSE;
        } else {
            au_term v = au_cad_written(c, r.writer.at[i], r.var);
            if (v.n == UINT32_MAX)
                continue; /* anything */
            au_blast_term(&k->blast, v, theirs);
        }
        for (unsigned j = 0; j < width; j++) {
            if (j && mine[j] == mine[j - 1])
                break; /* copies of the sign from here on */
            if (mine[j] == AU_LIT_TRUE || mine[j] == AU_LIT_FALSE)
                continue;
            au_sat_3(&k->sat, -sees[i], -mine[j], theirs[j]);
            au_sat_3(&k->sat, -sees[i], mine[j], -theirs[j]);
        }
    }
}

/* Takes in what was added to the au_cssa, and what that asks for in turn. */
static void catch_up(au_cad *k) {
    for (;;) {
        if (k->axioms < k->c->axiom.n) {
            au_term t = k->c->axiom.at[k->axioms++];
            au_sat_1(&k->sat, au_blast_bool(&k->blast, t));
        } else if (k->valued.n) {
            link_value(k, au_vec_pop(&k->valued));
        } else if (k->based.n) {
            au_based b = au_vec_pop(&k->based);
            au_cad_base(k, &b);
        } else {
            return;
        }
    }
}

/* --- deciding --------------------------------------------------------------------- */

static void take_prefix(au_cad *k, au_prefix *p) {
    const au_cssa *c = k->c;
    au_bitset_clear(&p->exec);
    au_bitset_clear(&p->failed);
    for (uint32_t e = 0; e < c->event.n; e++) {
        if (!au_sat_value(&k->sat, k->exec[e]))
            continue;
        au_bitset_add(&p->exec, e);
        /* One that nothing looked at can be anything. */
        int fails;
        if (!c->o.whole && au_blast_known(&k->blast, c->event.at[e].fails, &fails) &&
            au_sat_value(&k->sat, fails))
            au_bitset_add(&p->failed, e);
    }
}

static void take_havocs(au_cad *k, au_prefix *p) {
    const au_cssa *c = k->c;
    for (uint32_t i = 0; i < c->name.n; i++) {
        if (c->name.at[i].kind != AU_NAME_HAVOC)
            continue;
        int bit[64];
        uint64_t v = 0;
        if (au_blast_known(&k->blast, au_term_of_var(c->terms, i, c->name.at[i].width), bit))
            for (unsigned j = 0; j < c->name.at[i].width; j++)
                v |= (uint64_t)au_sat_value(&k->sat, bit[j]) << j;
        p->havoc[c->name.at[i].a] = v;
    }
}

static void dump(const au_cad *k, const char *base, const int *assume, size_t n) {
    char *path = au_sprintf("%s.cnf", base);
    FILE *f = fopen(path, "w");
    free(path);
    if (!f)
        return;
    fprintf(f, "p cnf %d %llu\n1 0\n", k->sat.n_vars,
            (unsigned long long)(k->sat.n_clauses + n + 1));
    for (size_t i = 0; i < k->sat.clause.n; i++)
        fprintf(f, k->sat.clause.at[i] ? "%d " : "%d\n", k->sat.clause.at[i]);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%d 0\n", assume[i]);
    fclose(f);
}

/* Everything is looked at in the solution before the first clause is added. */
static uint64_t find_cuts(au_cad *k, au_prefix *p) {
    au_breaks order = {0};
    au_betweens reads = {0};
    au_order_look(&k->order, &p->exec, &p->order, &order);
    au_cad_look(k, &reads);
    uint64_t n = order.n + reads.n;
    au_order_cut(&k->order, &order);
    au_cad_part(k, &reads);
    au_vec_release(&order);
    au_vec_release(&reads);
    if (!n && k->weak)
        n = au_weak_cut(k->weak, p);
    return n;
}

static au_answer decide(au_backend *b, au_term property, const au_ask *ask, au_prefix *p,
                        bool *bound_used) {
    au_cad *k = (au_cad *)b;
    int assume[1];
    size_t n = 0;
    AU_BUG_IF(ask->context_bound != k->order.bound);
    assume[n++] = au_blast_bool(&k->blast, property);
    catch_up(k);
    k->sat.deadline = ask->seconds > 0 ? au_now() + ask->seconds : 0;
    k->sat.conflicts = ask->conflicts;
    for (;;) {
        int r = au_sat_solve(&k->sat, assume, n);
        if (r == 20) {
            *bound_used = k->order.bound != AU_NONE;
            if (ask->dump)
                dump(k, ask->dump, assume, n);
            return AU_UNSAT;
        }
        if (r != 10)
            return AU_UNKNOWN;
        take_prefix(k, p);
        take_havocs(k, p);
        uint64_t cuts = find_cuts(k, p);
        if (!cuts) {
            if (ask->dump)
                dump(k, ask->dump, assume, n);
            return AU_SAT;
        }
    }
}

static void release(au_backend *b) {
    au_cad *k = (au_cad *)b;
    for (size_t i = 0; i < k->sees.n; i++)
        free(k->sees.at[i]);
    au_vec_release(&k->sees);
    au_vec_release(&k->valued);
    au_vec_release(&k->based);
    au_vec_release(&k->base_bit);
    au_cad_free_positions(k);
    au_weak_free(k->weak);
    au_order_release(&k->order);
    au_folds_release(&k->folds);
    au_mutexes_release(&k->mutexes);
    au_wish_release(&k->wish);
    au_map_release(&k->parted);
    au_ranges_release(&k->ranges);
    au_blast_release(&k->blast);
    au_sat_release(&k->sat);
    free(k->exec);
    free(k);
}

static void sizes(const au_backend *b, uint64_t *pairs, uint64_t *variables, uint64_t *clauses,
                  uint64_t *rounds) {
    const au_cad *k = (const au_cad *)b;
    *pairs = k->order.n_pairs;
    *variables = (uint64_t)k->sat.n_vars;
    *clauses = k->sat.n_clauses;
    *rounds = k->order.rounds;
}

au_backend *au_backend_cadical(au_cssa *c, const au_cadical_options *o) {
    au_cad *k = AU_NEW(au_cad);
    k->base = (au_backend){.name = "cadical", .decide = decide, .free = release, .sizes = sizes};
    k->c = c;
    au_sat_init(&k->sat, o->proofs, o->keep);
    au_blast_init(&k->blast, c->terms, &k->sat, variable, k);
    au_map_init(&k->position);
    au_map_init(&k->parted);
    k->exec = au_alloc_array(c->event.n + 1, sizeof *k->exec);
    au_wish_make(&k->wish, c);
    au_mutexes_make(&k->mutexes, c, !o->no_lemmas);
    au_folds_make(&k->folds, c, &k->mutexes, !o->no_lemmas);
    for (uint32_t e = 0; e < c->event.n; e++)
        k->exec[e] = au_sat_wish(&k->sat, k->wish.place[e] < c->m->observed.n);
    for (uint32_t e = 0; e < c->event.n && o->ranges; e++)
        if (!o->ranges->executed[c->event.at[e].step])
            au_sat_1(&k->sat, -k->exec[e]); /* its guard never holds */
    au_ranges_make(&k->ranges, c, o->full_widths, o->ranges);
    au_order_init(&k->order, c, &k->sat, k->exec, k->wish.place, &k->mutexes,
                  o->atomic && o->ranges ? o->ranges->g : NULL, o->bound);
    if (o->executions)
        au_weak_begin(k, o->memory);
    catch_up(k);
    return &k->base;
}
