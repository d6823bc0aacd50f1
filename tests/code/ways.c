/* tests/code/ways.c: the family of some recordings: its goals, which of them can be reached, and
 * a schedule for each. For tests/e2e/family.sh.
 *
 *     ways [--dir DIR] RECORDING…
 *
 * Prints one line a goal: its kind, place and answer; with --dir, DIR/goalN.txt is the schedule of goal
 * N as 'augur replay --schedule' reads it. */
#include "explore/family.h"
#include "model/ctp.h"
#include "model/run.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kinds[] = {
    [AU_GOAL_BRANCH] = "branch", [AU_GOAL_VALUE] = "value",     [AU_GOAL_TRY] = "try",
    [AU_GOAL_FIRST] = "first",   [AU_GOAL_TIMEOUT] = "timeout", [AU_GOAL_SPURIOUS] = "spurious",
    [AU_GOAL_END] = "end",       [AU_GOAL_ASSERT] = "assert"};

static int tell_turns(const au_family *f, const au_solution *r, const char *dir, size_t number) {
    au_turns turns = {0};
    au_error err = AU_ERROR_NONE;
    if (au_family_turns(f, r, true, &turns, &err)) {
        fprintf(stderr, "ways: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < turns.n; i++)
        printf(" T%u:%" PRIu64 "%s", turns.at[i].thread, turns.at[i].upto,
               turns.at[i].mark == AU_MARK_SPURIOUS  ? "s"
               : turns.at[i].mark == AU_MARK_TIMEOUT ? "t"
                                                     : "");
    if (dir) {
        char *path = au_sprintf("%s/goal%zu.txt", dir, number);
        FILE *out = fopen(path, "w");
        if (!out)
            return perror(path), 1;
        for (size_t i = 0; i < turns.n; i++)
            fprintf(out, "T%u %" PRIu64 " %s\n", turns.at[i].thread, turns.at[i].upto,
                    au_mark_name((au_turn_mark)turns.at[i].mark));
        fclose(out);
        free(path);
    }
    au_vec_release(&turns);
    return 0;
}

static int ask(const au_family *f, const char *dir) {
    au_error err = AU_ERROR_NONE;
    au_solve_options o = AU_SOLVE_DEFAULTS;
    au_solve_limits limits = {.seconds = 20};
    const au_goal *goal;
    size_t n = au_family_goals(f, &goal);
    au_solver *s = au_solver_new(au_family_model(f), &o, &err);
    if (!s) {
        fprintf(stderr, "ways: %s\n", err.text);
        return 1;
    }
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        au_query q = {.kind = AU_ASK_ASSERT,
                      .step = {goal[i].step, AU_NONE, AU_NONE},
                      .var = AU_NONE,
                      .obj = AU_NONE,
                      .writer = AU_NONE};
        au_solution r;
        au_solver_ask(s, &q, &limits, &r);
        printf("goal %zu %s %s:%u %s (%s):", i, kinds[goal[i].kind], goal[i].file, goal[i].line,
               r.answer == AU_SAT     ? "reachable"
               : r.answer == AU_UNSAT ? "unreachable"
                                      : "unknown",
               goal[i].text);
        if (r.answer == AU_SAT)
            bad |= tell_turns(f, &r, dir, i);
        printf("\n");
        au_solution_release(&r);
    }
    au_solver_free(s);
    return bad;
}

/* Is the run an execution of the whole model, and of what it is alone? */
static int check_run(au_family *f, uint32_t run) {
    for (int whole = 0; whole < 2; whole++) {
        if (whole)
            au_family_observe(f, run);
        else
            au_family_focus(f, run);
        au_error err = AU_ERROR_NONE;
        const char *wrong = au_model_check(au_family_model(f));
        if (!wrong && au_model_check_observed(au_family_model(f), NULL, &err))
            wrong = err.text;
        if (wrong) {
            fprintf(stderr, "ways: run %u, %s: %s\n", run, whole ? "all" : "alone", wrong);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    const char *dir = NULL;
    bool print = false;
    size_t n_runs = 0;
    au_family_options o = {.checks = 0, .most_events = 100000};
    au_family *f = au_family_new(&o);
    int bad = 0;
    for (int i = 1; i < argc && !bad; i++) {
        if (!strcmp(argv[i], "--dir") && i + 1 < argc) {
            dir = argv[++i];
            continue;
        }
        if (!strcmp(argv[i], "--print")) {
            print = true;
            continue;
        }
        au_error err = AU_ERROR_NONE;
        bool added;
        if (au_family_add(f, argv[i], &added, &err)) {
            fprintf(stderr, "ways: %s\n", err.text);
            bad = 2;
        } else {
            n_runs++;
            printf("run %s: %s\n", argv[i], added ? "new" : "nothing new");
        }
    }
    for (size_t i = 0; i < n_runs && !bad; i++)
        bad = check_run(f, (uint32_t)i);
    if (!bad && n_runs)
        au_family_observe(f, 0);
    const char *wrong = bad ? NULL : au_model_check(au_family_model(f));
    if (wrong) {
        fprintf(stderr, "ways: %s\n", wrong);
        bad = 1;
    }
    if (print && !bad) {
        au_error err = AU_ERROR_NONE;
        au_out *out = au_out_open("-", &err);
        if (au_ctp_print(au_family_model(f), out, &err))
            fprintf(stderr, "ways: %s\n", err.text);
        au_out_commit(out, &err);
    }
    if (!bad)
        bad = ask(f, dir);
    const char *gap = bad ? NULL : au_family_gap(f);
    if (!bad)
        printf("gap: %s\n", gap ? gap : "none");
    au_family_free(f);
    return bad;
}
