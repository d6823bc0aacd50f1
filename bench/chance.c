/* bench/chance.c: how many runs does chance need?
 *
 *     chance RECORDING POLICY REPEAT MOST [SPAN]
 *
 * Runs the recorded program again and again on the schedules 'random' or 'pct' with the same hooks, each
 * time with another seed, until it fails (an assertion, a deadlock, a signal, another status than 0), at most
 * MOST times; and all that REPEAT times. Prints the median number of runs, how often the bug did
 * not show in MOST runs (such a row counts as MOST: more would be needed), the median seconds,
 * and the mean milliseconds of a run. As soon as the median is decided the rest is left out.
 * SPAN: the change points of pct lie among so many events; a run is not cut off by it unless it
 * is longer than that. Nothing is written: chance is not charged for the disk. */
#include "base/clock.h"
#include "base/vec.h"
#include "record/record.h"
#include "record/replay.h"
#include "wire/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

typedef struct {
    double runs, seconds;
    bool found;
} attempt;

/* 1: it failed; 0: it did not; -1: it could not be run */
static int run_once(const au_replay *what, const au_program *p) {
    au_error err = AU_ERROR_NONE;
    au_control_map m;
    au_child child;
    au_run_result r;
    au_feed feed = {what->input.at, what->input.n};
    au_run run = {.program = p,
                  .plan = {.mode = AU_MODE_RECORD},
                  .feed = &feed,
                  .whole_input = what->input_whole,
                  .discard_output = true};
    if (au_run_program(&run, &m, &child, &r, &err) != AU_OK) {
        fprintf(stderr, "chance: %s\n", err.text);
        return -1;
    }
    int why = r.launch.ended ? (int)r.launch.last.ended - 1 : AU_END_EXIT;
    bool failed = why == AU_END_ASSERT || why == AU_END_DEADLOCK ||
                  (why != AU_END_LIMIT && r.launch.status != 0);
    au_run_release(&r);
    return failed;
}

static int by_runs(const void *a, const void *b) {
    const attempt *x = a, *y = b;
    return x->runs < y->runs ? -1 : x->runs > y->runs ? 1 : (int)y->found - (int)x->found;
}

static bool try_until(const au_replay *what, au_program *p, uint64_t nth, uint64_t most,
                      attempt *to) {
    double start = au_now();
    *to = (attempt){0};
    while (!to->found && to->runs < (double)most) {
        p->plan.seed = 1 + nth * 1000003 + (uint64_t)to->runs;
        int failed = run_once(what, p);
        if (failed < 0)
            return false;
        to->runs++;
        to->found = failed;
    }
    to->seconds = au_now() - start;
    return true;
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: chance RECORDING POLICY REPEAT MOST [SPAN]\n");
        return 2;
    }
    au_error err = AU_ERROR_NONE;
    au_replay what;
    if (au_replay_load(&what, argv[1], &err) != AU_OK) {
        fprintf(stderr, "chance: %s\n", err.text);
        return 2;
    }
    au_program p = what.program;
    int policy = au_policy_by_name(argv[2]);
    uint64_t repeat = strtoull(argv[3], NULL, 10), most = strtoull(argv[4], NULL, 10);
    if (policy < 0 || !repeat || !most) {
        fprintf(stderr, "chance: bad arguments\n");
        return 2;
    }
    p.plan.policy = (uint32_t)policy;
    p.plan.pct_depth = 3;
    p.plan.switch_every = 0;
    p.plan.max_events = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
    AU_VEC(attempt) all = {0};
    double runs = 0, seconds = 0;
    uint64_t cut = 0;
    for (uint64_t i = 0; i < repeat && cut <= repeat / 2; i++) {
        attempt a;
        if (!try_until(&what, &p, i, most, &a))
            return 2;
        au_vec_push(&all, a);
        runs += a.runs;
        seconds += a.seconds;
        cut += !a.found;
    }
    size_t done = all.n;
    while (all.n < repeat) /* more than half were cut off: so is the median */
        au_vec_push(&all, ((attempt){(double)most, seconds / runs * (double)most, false}));
    qsort(all.at, all.n, sizeof *all.at, by_runs);
    const attempt *low = &all.at[(repeat - 1) / 2], *high = &all.at[repeat / 2];
    printf("%.1f %llu/%zu %.3f %.2f\n", (low->runs + high->runs) / 2, (unsigned long long)cut, done,
           (low->seconds + high->seconds) / 2, 1000 * seconds / runs);
    au_vec_release(&all);
    au_replay_release(&what);
    return 0;
}
