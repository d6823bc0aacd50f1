/* explore/family_lost.c: updates that are lost between ways that no run had together.
 *
 * Lost updates are looked for run by run (found.c). One needs the way of the thread that loses it and the way of the one whose
 * write is lost; each may be known from another run. The model of all ways is asked: what it cannot refute stands
 * against "every interleaving was covered". */
#include "base/clock.h"
#include "base/deadline.h"
#include "explore/family_priv.h"
#include "solve/cheap.h"

/* Of the model that is asked; for a question; for all of them together. */
enum { MOST_STEPS = 5000 };
static const double SECONDS = 1, IN_ALL = 10;

typedef struct {
    const au_model *m;
    au_solver *solver;
    au_cssa *c;
    au_cheap *cheap;
    double until;
} judge;

static bool never(const judge *j, const au_query *q) {
    au_solve_limits limits = {.seconds = SECONDS};
    au_solution r;
    if (au_cheap_stage(j->cheap, q) != AU_STAGES)
        return true;
    if (au_now() > j->until || au_deadline_over())
        return false;
    au_solver_ask(j->solver, q, &limits, &r);
    bool no = r.answer == AU_UNSAT;
    au_solution_release(&r);
    return no;
}

static char *first_of(const judge *j, bool (*told)(void *ctx, const char *var), void *ctx) {
    au_queries all = {0};
    char *text = NULL;
    au_queries_of(j->c, AU_PROP_LOST, AU_ATOMIC_NONE, false, &all);
    for (size_t i = 0; i < all.n && !text; i++) {
        const char *var = j->m->var.at[all.at[i].var].name;
        if (!told(ctx, var) && !never(j, &all.at[i]))
            text = au_sprintf(
                "an update of '%s' may be lost between threads on paths that no run had together",
                var);
    }
    au_vec_release(&all);
    return text;
}

char *au_family_unseen_lost(au_family *f, bool (*told)(void *ctx, const char *var), void *ctx) {
    au_family_counts n;
    au_error err = AU_ERROR_NONE;
    au_solve_options o = AU_SOLVE_DEFAULTS;
    au_cssa_options how = {AU_SEM_CTP, false, false, false};
    au_family_count(f, &n);
    if (n.runs < 2)
        return NULL;
    au_family_plain(f);
    judge j = {.m = f->built.m, .until = au_now() + IN_ALL};
    if (j.m->step.n < MOST_STEPS)
        j.c = au_cssa_new(j.m, &how, &err);
    if (j.c)
        j.solver = au_solver_new(j.m, &o, &err);
    char *text = NULL;
    if (j.solver) {
        j.cheap = au_cheap_new(j.c);
        text = first_of(&j, told, ctx);
    } else {
        text = au_strdup(
            "lost updates were looked for run by run only: all paths together are too many steps");
    }
    au_cheap_free(j.cheap);
    au_solver_free(j.solver);
    au_cssa_free(j.c);
    return text;
}
