/* bench/bench_race.c: how fast the race predictors are on a loaded trace, one core.
 *
 *     bench_race TRACE [repeat [full]]   CPU seconds of each, best of 'repeat' (5)
 *     bench_race TRACE list [full]       what they find, executed by the checker
 *
 * With 'full' every finding gets its schedule, however long: the default budget of
 * race.h leaves most of them out on long traces, which is much of its speed. */
#include "base/clock.h"
#include "linear/eraser.h"
#include "linear/hb.h"
#include "linear/race.h"
#include "witness/check.h"

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

static void row(const char *what, double seconds, size_t events, uint64_t found) {
    printf("%-28s %8.3f s %8.1f M events/s   %llu\n", what, seconds, (double)events / seconds / 1e6,
           (unsigned long long)found);
}

static double best(double old, double since) {
    double d = cpu() - since;
    return old < d ? old : d;
}

enum { BLOCK = 1 << 16 };

static void measure(const au_trace *t, int repeat, au_race_options o) {
    au_error err = AU_ERROR_NONE;
    size_t n = t->events.n, memory = 0;
    double hb = 1e9, eraser = 1e9, prepare = 1e9, races = 1e9;
    uint64_t hb_found = 0, suspects = 0, found = 0, pairs = 0;
    au_race_stats st = {0};
    for (int k = 0; k < repeat; k++) {
        au_findings f;
        au_findings_init(&f);
        double start = cpu();
        au_hb *h = au_hb_new(&t->names, &o, &f);
        for (size_t i = 0; i < n; i += BLOCK) {
            au_block b = au_columns_block(&t->events, i, i + BLOCK < n ? i + BLOCK : n);
            if (au_hb_block(h, &b, &err) != AU_OK)
                exit(3);
        }
        pairs = au_hb_pairs(h);
        au_hb_free(h);
        hb = best(hb, start);
        hb_found = f.finding.n;
        au_findings_release(&f);

        start = cpu();
        au_eraser *e = au_eraser_new(&t->names);
        for (size_t i = 0; i < n; i += BLOCK) {
            au_block b = au_columns_block(&t->events, i, i + BLOCK < n ? i + BLOCK : n);
            au_eraser_block(e, &b);
        }
        suspects = au_eraser_count(e).lockset;
        au_eraser_free(e);
        eraser = best(eraser, start);

        start = cpu();
        au_syncp *s = au_syncp_new(t, &err);
        if (!s)
            exit(3);
        prepare = best(prepare, start);
        au_findings_init(&f);
        au_syncp_races(s, &o, &f, &st);
        races = best(races, start);
        found = f.finding.n;
        memory = au_syncp_memory(s);
        au_syncp_free(s);
        au_findings_release(&f);
    }
    row("happens-before", hb, n, hb_found);
    printf("  (%llu racing pairs)\n", (unsigned long long)pairs);
    row("lockset", eraser, n, suspects);
    row("sync-preserving, prepare", prepare, n, 0);
    row("sync-preserving, all", races, n, found);
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("  %llu closures, %llu racy variables, %llu coarse, %llu late; %.1f bytes an event; "
           "peak %ld "
           "MB\n",
           (unsigned long long)st.closures, (unsigned long long)st.racy,
           (unsigned long long)st.coarse, (unsigned long long)st.late, (double)memory / (double)n,
           u.ru_maxrss / 1024);
}

static void list(const au_trace *t, au_race_options o) {
    au_error err = AU_ERROR_NONE;
    au_findings f;
    au_findings_init(&f);
    if (au_races(t, &o, &f, NULL, NULL, &err) != AU_OK)
        exit(3);
    au_checker *c = au_checker_new(t);
    for (size_t i = 0; i < f.finding.n; i++) {
        const au_finding *x = &f.finding.at[i];
        au_check_result r = {0};
        if (x->why == AU_WHY_UNCHECKED)
            au_checker_run(c, x, &r);
        bool shown = x->why == AU_WHY_UNCHECKED && r.verdict == AU_CHECK_SHOWN;
        printf("%s %s events %llu %llu turns %u: %s\n", x->detail,
               au_intern_str(&t->names.var, x->obj), (unsigned long long)x->event[0].number,
               (unsigned long long)x->event[1].number, x->schedule.n,
               shown      ? "shown"
               : r.why[0] ? r.why
                          : au_finding_why(x));
    }
    au_checker_free(c);
    au_findings_release(&f);
}

int main(int argc, char **argv) {
    au_error err = AU_ERROR_NONE;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_race TRACE [repeat | list]\n");
        return 2;
    }
    au_trace *t = au_trace_load(argv[1], NULL, &err);
    if (!t) {
        fprintf(stderr, "bench_race: %s\n", err.text);
        return 2;
    }
    au_race_options o = {0};
    if (argc > 3 && strcmp(argv[3], "full") == 0)
        o.max_turns = o.budget = UINT64_MAX;
    if (argc > 2 && strcmp(argv[2], "list") == 0)
        list(t, o);
    else
        measure(t, argc > 2 ? atoi(argv[2]) : 5, o);
    au_trace_free(t);
    return 0;
}
