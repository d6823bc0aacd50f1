#include "oracle/oracle.h"

#include "base/limits.h"
#include "base/progress.h"
#include "oracle/oracle_priv.h"
#include "oracle/weak.h"

#include <stdlib.h>

static au_oracle_result *refuse(au_error *err, const char *why) {
    au_error_set(err, AU_EUNSUPPORTED, "%s", why);
    return NULL;
}

static void note_observed(const au_model *m, au_oracle_result *r) {
    uint32_t *done = au_alloc_array(m->thread.n, sizeof *done);
    for (size_t i = 0; i < m->observed.n; i++) {
        uint32_t t = m->step.at[m->observed.at[i]].thread;
        done[t]++;
        if (!r->observed.n || au_vec_last(&r->observed).thread != t)
            au_vec_push(&r->observed, ((au_oracle_turn){t, 0}));
        au_vec_last(&r->observed).upto = done[t];
    }
    free(done);
}

static void note_executions(au_graph *g, au_oracle_result *r) {
    r->weak = true;
    au_weak_count(g, r);
    if (g->weak->cut) {
        r->exhaustive = false;
        r->reason = au_limit_of(AU_AT_ORACLE_EVENTS)->words;
    } else if (r->undefined && !(g->k->o->props & AU_PROP_RACE)) {
        r->exhaustive = false;
        r->reason = "there is a race ('--prop race' shows it), and C11 does not say what a program "
                    "with a race does";
    }
}

au_oracle_result *au_oracle_run(const au_model *m, const au_oracle_options *o, au_error *err) {
    if (m->thread.n > AU_LIMIT_ORACLE_THREADS)
        return refuse(err, au_limit_say(AU_AT_ORACLE_THREADS, 0, 0, (char[AU_LIMIT_TEXT]){0}));
    if (m->has_loops)
        return refuse(err, "the oracle needs a model without loops: unroll it (--unroll N)");
    bool weak = o->memory != AU_MEMORY_SC || o->executions;
    if (weak && au_weak_takes(m, o, err) != AU_OK)
        return NULL;
    au_oracle_result *r = AU_NEW(au_oracle_result);
    au_arena_init(&r->arena);
    r->exhaustive = true;
    note_observed(m, r);

    au_arena scratch;
    au_arena_init(&scratch);
    au_machine k;
    au_graph g = {0};
    au_weak w;
    au_machine_init(&k, m, o, &scratch);
    if (weak) {
        au_weak_init(&w, &k);
        g.weak = &w;
    }
    au_graph_build(&g, &k);
    r->states = g.state.n;
    r->moves = g.move.n;
    if (k.havoc_guess && o->semantics == AU_SEM_CTP) {
        r->exhaustive = false;
        r->reason = "havoc was tried with the constants of the model and their neighbours only";
    }
    if (!g.exhaustive) {
        r->exhaustive = false;
        r->reason = au_limit_of(AU_AT_ORACLE_STATES)->words;
    }
    if (weak)
        note_executions(&g, r);
    else if (!o->memory_asked && au_model_is_weak(m)) {
        r->exhaustive = false;
        r->reason =
            "the model has memory orders weaker than seq_cst and these are the interleavings "
            "only: choose a memory model ('--memory-model rc11')";
    }
    au_find_in_states(&g, r);
    if (o->props & AU_PROP_ATOMICITY)
        au_watch_atomicity(&g, r);
    if (o->props & AU_PROP_NONDET)
        weak ? au_weak_reads(&g, r) : au_watch_reads(&g, r);
    if (o->props & AU_PROP_LOST)
        au_watch_lost(&g, r);
    if (!k.ignores_values && !weak)
        au_collect_ranges(&g, r);
    au_collect_finals(&g, r);
    au_progress_end();
    au_graph_release(&g);
    if (weak)
        au_weak_release(&w);
    au_machine_release(&k);
    au_arena_release(&scratch);
    return r;
}

void au_oracle_free(au_oracle_result *r) {
    if (!r)
        return;
    au_vec_release(&r->finding);
    au_vec_release(&r->read_from);
    au_vec_release(&r->range);
    au_vec_release(&r->final);
    au_vec_release(&r->observed);
    au_arena_release(&r->arena);
    free(r);
}

size_t au_oracle_found(const au_oracle_result *r) {
    size_t n = r->finding.n;
    for (size_t i = 0; i < r->read_from.n; i++)
        n += r->read_from.at[i].changed;
    return n;
}
