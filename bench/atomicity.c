/* bench/atomicity.c: the atomicity meta-analysis from a trace file, end to end.
 *
 *     atomicity REPEAT TRACE [all]
 *     atomicity N TRACE schedule      the schedules of the first N findings
 *
 * Prints events, best wall-clock and processor seconds, the part of phase II, the
 * representatives of both classes, the funnel and the number of contexts. */
#include "linear/atomicity.h"
#include "base/clock.h"
#include "linear/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int schedules(const char *path, size_t n) {
    au_error err = AU_ERROR_NONE;
    au_trace *t = au_trace_load(path, NULL, &err);
    if (!t) {
        fprintf(stderr, "atomicity: %s\n", err.text);
        return 1;
    }
    au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
    au_atomicity *a = au_atomicity_new(&t->names, &o);
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    au_atomicity_block(a, &b);
    au_findings found;
    au_findings_init(&found);
    au_atomicity_result r;
    au_atomicity_finish(a, &found, &r, NULL, NULL);
    double start = cpu_seconds();
    au_scheduler *s = au_scheduler_new(t);
    double ready = cpu_seconds();
    uint64_t count[3] = {0}, turns = 0;
    n = n < found.finding.n ? n : found.finding.n;
    size_t step = n ? found.finding.n / n : 1;
    for (size_t i = 0; i < n; i++) {
        au_finding *f = &found.finding.at[i * step];
        count[au_atomicity_schedule(s, &found, f)]++;
        turns += f->schedule.n;
    }
    printf(
        "prepared in %.4f s; %zu schedules in %.4f s: %llu keep reads, %llu not, %llu none; %llu "
        "turns\n",
        ready - start, n, cpu_seconds() - ready, (unsigned long long)count[AU_SCHEDULE_KEEPS_READS],
        (unsigned long long)count[AU_SCHEDULE_LOCKS], (unsigned long long)count[AU_SCHEDULE_NONE],
        (unsigned long long)turns);
    au_scheduler_free(s);
    au_findings_release(&found);
    au_atomicity_free(a);
    au_trace_free(t);
    return 0;
}

int main(int argc, char **argv) {
    int repeat = argc > 2 ? atoi(argv[1]) : 0;
    if (repeat < 1) {
        fprintf(stderr, "usage: atomicity REPEAT TRACE [all]\n");
        return 2;
    }
    if (argc > 3 && strcmp(argv[3], "schedule") == 0)
        return schedules(argv[2], (size_t)repeat);
    double best = 1e9, best_cpu = 1e9, best_pairs = 1e9;
    uint64_t events = 0;
    au_atomicity_result r = {0};
    for (int i = 0; i < repeat; i++) {
        double start = au_now(), cpu = cpu_seconds();
        au_error err = AU_ERROR_NONE;
        au_reader *in = au_reader_open(argv[2], NULL, &err);
        au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
        o.all = argc > 3 && strcmp(argv[3], "all") == 0;
        au_atomicity *a = in ? au_atomicity_new(au_reader_names(in), &o) : NULL;
        au_findings found;
        au_findings_init(&found);
        au_block b = {0};
        events = 0;
        while (in && au_reader_next(in, &b, &err) == AU_OK && b.n) {
            events += b.n;
            au_atomicity_block(a, &b);
        }
        if (err.status != AU_OK) {
            fprintf(stderr, "atomicity: %s\n", err.text);
            return 1;
        }
        double second = au_now();
        au_atomicity_finish(a, &found, &r, NULL, NULL);
        double end = au_now();
        cpu = cpu_seconds() - cpu;
        best = end - start < best ? end - start : best;
        best_pairs = end - second < best_pairs ? end - second : best_pairs;
        best_cpu = cpu < best_cpu ? cpu : best_cpu;
        au_findings_release(&found);
        au_atomicity_free(a);
        au_reader_free(in);
    }
    printf("%llu %.5f %.5f %.5f awa %llu wrw %llu funnel %llu %llu %llu contexts %u\n",
           (unsigned long long)events, best, best_cpu, best_pairs, (unsigned long long)r.awa,
           (unsigned long long)r.wrw, (unsigned long long)r.funnel.left[AU_STAGE_CANDIDATES],
           (unsigned long long)r.funnel.left[AU_STAGE_MUST_HB],
           (unsigned long long)r.funnel.left[AU_STAGE_LOCKSET], r.contexts);
    return 0;
}
