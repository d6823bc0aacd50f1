/* tests/random/random_memory.c: executions against interleavings, on random models.
 *
 * Sequential consistency as a memory model (the enumeration of executions, which tso and rc11 use,
 * with its axioms) must give what the oracle finds by interleavings: findings, reads with the writes
 * that they can see, final states. And each memory model allows what a stronger one does: the final
 * states of sc are among those of tso, those of tso among those of rc11, whatever orders the accesses
 * have. */
#include "cases.h"
#include "gen_model.h"
#include "model/ctp.h"
#include "model/run.h"
#include "odd_model.h"
#include "oracle/oracle.h"
#include "weak_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATES 60000

typedef struct {
    uint64_t models, refused, large, answers, executions, orders;
} counts;

typedef AU_VEC(char *) lines;

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void lines_release(lines *l) {
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i]);
    au_vec_release(l);
}

static void finals(const au_model *m, const au_oracle_result *r, lines *out) {
    for (size_t i = 0; i < r->final.n; i++) {
        const au_final *f = &r->final.at[i];
        au_out *o = au_out_memory();
        au_out_printf(o, "end, complete %d:", f->complete);
        for (size_t v = 0, n = 0; v < m->var.n; v++)
            if (m->var.at[v].kind == AU_VAR_SHARED)
                au_out_printf(o, " %s=%lld", m->var.at[v].name, (long long)f->value[n++]);
        for (size_t t = 0; t < m->thread.n; t++)
            au_out_printf(o, " %s: %d at %u", m->thread.at[t].name, (int)f->rest[t], f->node[t]);
        size_t n;
        const char *text = au_out_memory_data(o, &n);
        au_vec_push(out, au_strndup(text, n));
        au_out_abandon(o);
    }
    qsort(out->at, out->n, sizeof *out->at, by_text);
}

/* Everything that is found, without schedules. */
static void answers(const au_model *m, const au_oracle_result *r, lines *out) {
    finals(m, r, out);
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *f = &r->finding.at[i];
        au_out *o = au_out_memory();
        au_out_printf(o, "finding %d var %d obj %d '%s' spurious %d steps", (int)f->kind,
                      (int)f->var, (int)f->obj, f->detail, f->spurious);
        for (uint32_t k = 0; k < f->n_events; k++)
            au_out_printf(o, " %u", f->event[k].step);
        size_t n;
        const char *text = au_out_memory_data(o, &n);
        au_vec_push(out, au_strndup(text, n));
        au_out_abandon(o);
    }
    for (size_t i = 0; i < r->read_from.n; i++) {
        const au_read_from *f = &r->read_from.at[i];
        au_vec_push(out,
                    au_sprintf("read %d of %s sees %d, observed %d, changed %d", (int)f->read,
                               m->var.at[f->var].name, (int)f->writer, f->observed, f->changed));
    }
    qsort(out->at, out->n, sizeof *out->at, by_text);
}

/* The first line of a that b does not have; NULL: none. */
static const char *lacks(const lines *a, const lines *b) {
    for (size_t i = 0; i < a->n; i++)
        if (!b->n || !bsearch(&a->at[i], b->at, b->n, sizeof *b->at, by_text))
            return a->at[i];
    return NULL;
}

static au_model *read_model(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options o = {.unroll = 2};
    au_model *m = au_ctp_read(text, strlen(text), "model", &o, &err);
    if (m)
        au_model_observe(m);
    return m;
}

static au_oracle_result *ask(const au_model *m, au_memory memory, bool executions) {
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    au_error err = AU_ERROR_NONE;
    o.memory = memory;
    o.memory_asked = true;
    o.executions = executions;
    o.max_states = STATES;
    o.props = AU_PROP_RACE | AU_PROP_DEADLOCK | AU_PROP_ASSERT | AU_PROP_NONDET | AU_PROP_LOCKS;
    return au_oracle_run(m, &o, &err);
}

/* What differs; NULL: nothing. The caller's. */
static char *differs(au_model *m, uint64_t seed, counts *c) {
    au_oracle_result *r[4] = {ask(m, AU_MEMORY_SC, false), ask(m, AU_MEMORY_SC, true)};
    lines l[4] = {{0}};
    char *found = NULL;
    if (!r[1]) {
        c->refused++;
    } else if (!r[0]->exhaustive || !r[1]->exhaustive) {
        c->large++;
    } else {
        const char *what;
        answers(m, r[0], &l[0]);
        answers(m, r[1], &l[1]);
        c->answers += l[0].n;
        c->executions += r[1]->executions;
        if ((what = lacks(&l[0], &l[1])))
            found = au_sprintf("only by interleavings: %s\n", what);
        else if ((what = lacks(&l[1], &l[0])))
            found = au_sprintf("only by executions: %s\n", what);
        au_choose_orders(m, seed);
        r[2] = ask(m, AU_MEMORY_TSO, false);
        r[3] = ask(m, AU_MEMORY_RC11, false);
        for (int i = 0; i < 2; i++)
            lines_release(&l[i]);
        for (int i = 1; i < 4; i++)
            finals(m, r[i], &l[i]);
        for (int i = 1; i < 3 && !found && r[2]->exhaustive && r[3]->exhaustive; i++) {
            c->orders++;
            if ((what = lacks(&l[i], &l[i + 1])))
                found = au_sprintf("allowed by %s only: %s\n",
                                   i == 1 ? "sc, not tso" : "tso, not rc11", what);
        }
    }
    for (int i = 0; i < 4; i++) {
        au_oracle_free(r[i]);
        lines_release(&l[i]);
    }
    return found;
}

typedef struct {
    uint64_t seed;
} again;

static bool still_differs(const char *text, void *ctx) {
    au_model *m = read_model(text);
    counts c = {0};
    char *found = m ? differs(m, ((again *)ctx)->seed, &c) : NULL;
    bool yes = found != NULL;
    free(found);
    au_model_free(m);
    return yes;
}

static bool one_model(uint64_t seed, counts *c) {
    char *text;
    if (seed & 1) {
        text = au_odd_ctp(seed);
    } else {
        au_gen_ctp_options o = au_gen_ctp_defaults(1 + (seed >> 1) % 3);
        text = au_gen_ctp(seed, &o);
    }
    au_model *m = read_model(text);
    AU_BUG_IF(!m);
    c->models++;
    char *found = differs(m, seed, c);
    au_model_free(m);
    if (found) {
        again a = {seed};
        char *less = au_shrink_ctp(text, still_differs, &a);
        printf("seed %lu: %s%s", (unsigned long)seed, found, less);
        free(less);
    }
    free(text);
    bool same = !found;
    free(found);
    return same;
}

int main(int argc, char **argv) {
    cases all = {.count = 100, .seed = 1, .most = 1};
    uint64_t bad = 0;
    au_cases_options(&all, argc, argv, NULL);
    counts c = {0};
    for (uint64_t i = 0; i < all.count && bad < all.most; i++) {
        uint64_t seed = au_cases_seed(&all, i);
        au_cases_enter(seed);
        bad += !one_model(seed, &c);
    }
    printf("%lu models (%lu refused, %lu too large), %lu answers, %lu executions, %lu times the "
           "final states of two memory models, %lu disagreements\n",
           (unsigned long)c.models, (unsigned long)c.refused, (unsigned long)c.large,
           (unsigned long)c.answers, (unsigned long)c.executions, (unsigned long)c.orders,
           (unsigned long)bad);
    return bad != 0;
}
