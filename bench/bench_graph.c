/* bench/bench_graph.c: how fast nondeterminism is decided on a loaded trace, one core.
 *
 *     bench_graph TRACE [shared|alone] [budget]
 *
 * Prints seconds by the wall and by the processor, KiB resident, witnesses, infeasible and feasible
 * ones, linearisations tried, bytes an event of the graph; on standard error the counts of
 * nondet.h. Every feasible witness is executed by the checker, within the
 * time that is measured. */
#include "base/clock.h"
#include "graph/nondet.h"
#include "witness/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void x_begin(void *c) {
    au_checker_begin(c);
}
static bool x_go(void *c, uint32_t e, bool keep) {
    return au_checker_step(c, e, keep);
}
static uint32_t x_last(void *c, uint32_t v) {
    return au_checker_last(c, v);
}
static size_t x_mark(void *c) {
    return au_checker_mark(c);
}
static void x_rewind(void *c, size_t m) {
    au_checker_rewind(c, m);
}

int main(int argc, char **argv) {
    au_error err = AU_ERROR_NONE;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_graph TRACE [shared|alone] [budget]\n");
        return 2;
    }
    au_trace *t = au_trace_load(argv[1], NULL, &err);
    if (!t) {
        fprintf(stderr, "bench_graph: %s\n", err.text);
        return 2;
    }
    double start = cpu(), wall = au_now();
    au_cause_exec walker = {au_checker_new(t), x_begin, x_go, x_last, x_mark, x_rewind};
    au_cause_exec checker = walker;
    checker.ctx = au_checker_new(t);
    au_nondet_options o = {.walker = &walker,
                           .checker = &checker,
                           .most = 200,
                           .alone = argc > 2 && !strcmp(argv[2], "alone"),
                           .budget = argc > 3 ? strtoull(argv[3], NULL, 10) : 0};
    au_nondet_counts n;
    if (au_nondet(t, &o, &n, &err) != AU_OK) {
        fprintf(stderr, "bench_graph: %s\n", err.text);
        return 3;
    }
    double took = cpu() - start, took_wall = au_now() - wall;
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("%.5f %.5f %ld %llu %llu %llu %llu %.1f\n", took_wall, took, u.ru_maxrss,
           (unsigned long long)n.all, (unsigned long long)(n.cycle + n.refuted),
           (unsigned long long)(n.shared + n.direct + n.chosen), (unsigned long long)n.graphs,
           (double)n.memory / (double)t->events.n);
    fprintf(stderr,
            "cycle %llu shared %llu direct %llu chosen %llu refuted %llu open %llu; pairs %llu "
            "couples %llu; graphs %llu learned %llu walked %llu%s\n",
            (unsigned long long)n.cycle, (unsigned long long)n.shared, (unsigned long long)n.direct,
            (unsigned long long)n.chosen, (unsigned long long)n.refuted, (unsigned long long)n.open,
            (unsigned long long)n.pairs, (unsigned long long)n.couples,
            (unsigned long long)n.graphs, (unsigned long long)n.learned,
            (unsigned long long)n.walked, n.left ? " (over budget)" : "");
    au_checker_free(walker.ctx);
    au_checker_free(checker.ctx);
    au_trace_free(t);
    return 0;
}
