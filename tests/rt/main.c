/* rt_run [--replay] [--other] [-q] [--policy N] [--seed N] PROGRAM ARG...: records a program with the
 * runtime inside and prints its events; for work on the runtime. */
#include "rt/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    struct rt_run r = {.n_ev = 0}, again = {.n_ev = 0};
    int i = 1, quiet = 0, replay = 0, other = 0;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "-q"))
            quiet = 1;
        else if (!strcmp(argv[i], "--skip"))
            r.skip = quiet = 1;
        else if (!strcmp(argv[i], "--replay"))
            replay = 1;
        else if (!strcmp(argv[i], "--other"))
            replay = other = 1;
        else if (!strcmp(argv[i], "--policy") && i + 1 < argc)
            r.options.policy = (uint32_t)atoi(argv[++i]);
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            r.options.seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--switch") && i + 1 < argc)
            r.options.switch_every = strtoull(argv[++i], NULL, 10);
    }
    if (i >= argc)
        return 2;
    int e = rt_run(&r, argv + i);
    if (!quiet)
        rt_run_print(&r);
    printf("%s%s events %zu (%llu) turns %zu bytes %zu records %zu patches %zu runs %zu bits %zu "
           "end %d/%d/%lld wait 0x%x\n%s\n",
           r.out, r.error, r.n_ev, (unsigned long long)r.control.events, r.n_made, r.bytes,
           r.records, r.patches, r.runs, r.bits, r.has_end, r.end_why, (long long)r.end_status,
           (unsigned)r.wait_status, r.message);
    if (replay) {
        again.options = (struct au_control){.mode = AU_MODE_REPLAY,
                                            .n_turns = r.n_made,
                                            .inputs_size = r.n_fed,
                                            .other = (uint32_t)other};
        again.turns = r.made;
        again.inputs = r.fed;
        int f = rt_run(&again, argv + i);
        size_t k = 0;
        while (k < r.n_ev && k < again.n_ev && rt_ev_equal(&r.ev[k], &again.ev[k]))
            k++;
        printf("replay %d %s: %zu of %zu/%zu events equal; end %d/%d; %s\n", f, again.error, k,
               r.n_ev, again.n_ev, again.has_end, again.end_why, again.message);
        if (k < r.n_ev || k < again.n_ev)
            for (size_t j = k > 3 ? k - 3 : 0; j < k + 3; j++) {
                struct rt_ev *x = j < r.n_ev ? &r.ev[j] : NULL;
                struct rt_ev *y = j < again.n_ev ? &again.ev[j] : NULL;
                if (x)
                    printf("  T%u %llu s%u op %u 0x%llx %llx", x->thread, (unsigned long long)x->n,
                           x->site, x->op, (unsigned long long)x->address,
                           (unsigned long long)x->value);
                if (y)
                    printf("  |  T%u %llu s%u op %u 0x%llx %llx", y->thread,
                           (unsigned long long)y->n, y->site, y->op, (unsigned long long)y->address,
                           (unsigned long long)y->value);
                printf("\n");
            }
        rt_run_release(&again);
    }
    rt_run_release(&r);
    return e ? 1 : 0;
}
