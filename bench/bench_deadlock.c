/* bench/bench_deadlock.c: how fast the deadlock predictors are on a loaded trace, one core.
 *
 *     bench_deadlock TRACE [repeat]     CPU seconds of each, best of 'repeat' (5)
 *     bench_deadlock TRACE list         what they find */
#include "linear/lockgraph.h"
#include "linear/misuse.h"
#include "linear/syncp_deadlock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { BLOCK = 1 << 16 };

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double best(double old, double since) {
    double d = cpu() - since;
    return old < d ? old : d;
}

static void row(const char *what, double seconds, size_t events, uint64_t found) {
    printf("%-32s %8.3f s %8.1f M events/s   %llu\n", what, seconds, (double)events / seconds / 1e6,
           (unsigned long long)found);
}

static au_lockgraph *collect(const au_trace *t) {
    au_lockgraph *g = au_lockgraph_new(&t->names, true);
    for (size_t i = 0; i < t->events.n; i += BLOCK) {
        au_block b =
            au_columns_block(&t->events, i, i + BLOCK < t->events.n ? i + BLOCK : t->events.n);
        au_lockgraph_block(g, &b);
    }
    return g;
}

static size_t misuse(const au_trace *t) {
    au_findings f;
    au_findings_init(&f);
    au_misuse *m = au_misuse_new(&t->names, &f, NULL, NULL);
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    au_misuse_block(m, &b);
    au_misuse_finish(m);
    size_t n = f.finding.n;
    au_misuse_free(m);
    au_findings_release(&f);
    return n;
}

static void measure(const au_trace *t, int repeat, bool list) {
    au_error err = AU_ERROR_NONE;
    double stream = 1e9, search = 1e9, prepare = 1e9, walk = 1e9, wrong = 1e9;
    uint64_t cycles = 0, misused = 0;
    size_t n = t->events.n;
    au_syncp_deadlock_counts c = {0};
    for (int k = 0; k < repeat; k++) {
        double start = cpu();
        au_lockgraph *g = collect(t);
        stream = best(stream, start);
        start = cpu();
        au_lockgraph_finish(g, NULL);
        search = best(search, start);
        cycles = au_lockgraph_cycles(g);
        start = cpu();
        misused = misuse(t);
        wrong = best(wrong, start);
        start = cpu();
        au_syncp *s = au_syncp_new(t, &err);
        if (!s)
            exit(3);
        prepare = best(prepare, start);
        au_findings f;
        au_findings_init(&f);
        start = cpu();
        au_syncp_deadlocks(t, s, g, NULL, &f, NULL, NULL, &c);
        walk = best(walk, start);
        if (!k && *au_lockgraph_note(g))
            printf("%s\n", au_lockgraph_note(g));
        if (!k)
            printf("%zu dependencies; candidates %llu, must-hb %llu, lockset %llu\n",
                   au_lockgraph_deps(g),
                   (unsigned long long)au_lockgraph_funnel(g)->left[AU_STAGE_CANDIDATES],
                   (unsigned long long)au_lockgraph_funnel(g)->left[AU_STAGE_MUST_HB],
                   (unsigned long long)au_lockgraph_funnel(g)->left[AU_STAGE_LOCKSET]);
        for (size_t i = 0; !k && list && i < f.finding.n; i++)
            printf("%u turns: %s (%s)\n", f.finding.at[i].schedule.n, f.finding.at[i].detail,
                   au_finding_why(&f.finding.at[i]));
        au_findings_release(&f);
        au_syncp_free(s);
        au_lockgraph_free(g);
    }
    row("lock dependencies", stream, n, 0);
    row("search for cycles", search, n, cycles);
    row("lock misuse", wrong, n, misused);
    row("sync-preserving: index", prepare, n, 0);
    row("sync-preserving: walks", walk, n, c.found);
    printf("%llu cycles undecided\n", (unsigned long long)c.undecided);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("peak %ld KiB\n", use.ru_maxrss);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: bench_deadlock TRACE [repeat|list]\n");
        return 2;
    }
    au_error err = AU_ERROR_NONE;
    au_trace *t = au_trace_load(argv[1], NULL, &err);
    if (!t) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    bool list = argc > 2 && !strcmp(argv[2], "list");
    measure(t, list ? 1 : argc > 2 ? atoi(argv[2]) : 5, list);
    au_trace_free(t);
    return 0;
}
