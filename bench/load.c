/* bench/load.c: reads a trace several times and prints the number of events and
 * the best times in seconds, by the wall and by the processor: what the readers do without
 * start-up, printing or analysis.
 *
 *     load REPEAT TRACE            into columns (au_trace_load)
 *     load REPEAT TRACE stream     block by block (au_reader_next)
 *
 * Both check every event, as all readers do. */
#include "base/clock.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool load(const char *path, uint64_t *events, au_error *err) {
    au_trace *t = au_trace_load(path, NULL, err);
    if (!t)
        return false;
    *events = t->events.n;
    au_trace_free(t);
    return true;
}

static bool stream(const char *path, uint64_t *events, au_error *err) {
    au_reader *r = au_reader_open(path, NULL, err);
    if (!r)
        return false;
    au_block b = {.n = 0};
    au_status st;
    *events = 0;
    while ((st = au_reader_next(r, &b, err)) == AU_OK && b.n)
        *events += b.n;
    au_reader_free(r);
    return st == AU_OK;
}

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    int repeat = argc == 3 || argc == 4 ? atoi(argv[1]) : 0;
    bool streamed = argc == 4 && strcmp(argv[3], "stream") == 0;
    if (repeat < 1 || (argc == 4 && !streamed)) {
        fprintf(stderr, "usage: load REPEAT TRACE [stream]\n");
        return 2;
    }
    double best = 0, best_cpu = 0;
    uint64_t events = 0;
    for (int i = 0; i < repeat; i++) {
        au_error err = AU_ERROR_NONE;
        double start = au_now(), start_cpu = cpu();
        if (!(streamed ? stream : load)(argv[2], &events, &err)) {
            fprintf(stderr, "load: %s\n", err.text);
            return 1;
        }
        double took = au_now() - start, took_cpu = cpu() - start_cpu;
        if (i == 0 || took < best)
            best = took;
        if (i == 0 || took_cpu < best_cpu)
            best_cpu = took_cpu;
    }
    printf("%llu %.5f %.5f\n", (unsigned long long)events, best, best_cpu);
    return 0;
}
