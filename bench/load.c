/* bench/load.c: loads a trace into columns several times and prints the number
 * of events and the best time in seconds: what the readers do without start-up,
 * printing or analysis.
 *
 *     load REPEAT TRACE */
#include "base/clock.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int repeat = argc == 3 ? atoi(argv[1]) : 0;
    if (repeat < 1) {
        fprintf(stderr, "usage: load REPEAT TRACE\n");
        return 2;
    }
    double best = 0;
    size_t events = 0;
    for (int i = 0; i < repeat; i++) {
        au_error err = AU_ERROR_NONE;
        double start = au_now();
        au_trace *t = au_trace_load(argv[2], NULL, &err);
        double took = au_now() - start;
        if (!t) {
            fprintf(stderr, "load: %s\n", err.text);
            return 1;
        }
        events = t->events.n;
        au_trace_free(t);
        if (i == 0 || took < best)
            best = took;
    }
    printf("%zu %.4f\n", events, best);
    return 0;
}
