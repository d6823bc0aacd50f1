/* tests/random/random_tsg.c: transaction sequence graphs on tiny random models.
 *
 * Exploring only along the switches of a graph (GenMAT, GenMAT', CCFG, either priority, with and
 * without what the MATs give beyond what is needed) shows the same final states, failing
 * assertions, control states and assigned values as full exploration. */
#include "base/out.h"
#include "base/rng.h"
#include "explore.h"
#include "gen_model.h"
#include "model/ctp.h"
#include "odd_model.h"
#include "tsg/complete.h"
#include "tsg/tsg.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
    uint64_t models, skipped, plain, graphs, states, less, added, switches, subset, bits;
} counts;

static uint64_t case_seed;

/* --- models -------------------------------------------------------------------------------- */

static char *take(au_out *o) {
    char *own = au_strdup(au_out_memory_data(o, NULL));
    au_out_abandon(o);
    return own;
}

/* Accesses and sections: what the paper has. plain: two threads, one lock at a time. */
static char *text_of_sections(au_rng *r, bool plain) {
    au_out *o = au_out_memory();
    uint32_t threads = plain ? 2 : 2 + au_rng_below(r, 2), most = threads == 3 ? 5 : 8;
    au_out_str(o, "shared x = 0\nshared y = 0\nshared z = 1\nlock l\nlock k\n");
    for (uint32_t t = 0; t < threads; t++) {
        static const char *const name[] = {"x", "y", "z"};
        bool l = false, k = false;
        au_out_printf(o, "thread T%u {\n  p%u := 0\n  q%u := 0\n", t, t, t);
        uint32_t n = 1 + au_rng_below(r, most);
        for (uint32_t i = 0; i < n; i++) {
            const char *v = name[au_rng_below(r, 3)];
            switch (au_rng_below(r, plain ? 8 : 9)) {
            case 0:
            case 1:
                au_out_printf(o, "  p%u := %s\n", t, v);
                break;
            case 2:
                au_out_printf(o, "  %s := p%u + %u\n", v, t, au_rng_below(r, 3));
                break;
            case 3:
                au_out_printf(o, "  %s := %u\n", v, au_rng_below(r, 5));
                break;
            case 4:
                au_out_printf(o, "  q%u := q%u + p%u * 2\n", t, t, t);
                break;
            case 5:
            case 6:
                if (!l && !(plain && k)) {
                    au_out_str(o, "  acq l\n");
                    l = true;
                } else if (l) {
                    au_out_str(o, "  rel l\n");
                    l = false;
                }
                break;
            case 7:
                if (!k && !(plain && l)) {
                    au_out_str(o, "  acq k\n");
                    k = true;
                } else if (k) {
                    au_out_str(o, "  rel k\n");
                    k = false;
                }
                break;
            default:
                au_out_printf(o, "  assert p%u < %u\n", t, 1 + au_rng_below(r, 4));
                break;
            }
        }
        if (l)
            au_out_str(o, "  rel l\n");
        if (k)
            au_out_str(o, "  rel k\n");
        au_out_printf(o, "  q%u := p%u\n}\n", t, t);
    }
    return take(o);
}

/* Loops are kept: nothing here needs them unrolled. */
static au_model *read_model(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options o = {.unroll = AU_NONE};
    return au_ctp_read(text, strlen(text), "model", &o, &err);
}

static char *make_text(uint64_t seed) {
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 90));
    char *text;
    switch (au_rng_below(&r, 5)) {
    case 0:
        return text_of_sections(&r, true);
    case 1:
    case 2:
        return text_of_sections(&r, false);
    case 3: {
        au_gen_ctp_options o = au_gen_ctp_defaults(1 + au_rng_below(&r, 3));
        o.misuse = au_rng_below(&r, 4) == 0;
        o.loops = au_rng_below(&r, 3) == 0;
        text = au_gen_ctp(seed, &o);
        break;
    }
    default:
        text = au_odd_ctp(seed);
        break;
    }
    au_model *m = read_model(text);
    if (!m) {
        free(text);
        return text_of_sections(&r, false);
    }
    au_model_free(m);
    return text;
}

/* --- adequate ---------------------------------------------------------------------------------- */

static bool may(void *ctx, uint32_t thread, uint32_t node, uint32_t to, uint32_t at) {
    const au_tsg *g = ctx;
    return au_tsg_may_switch(g, g->facts.base[thread] + node, g->facts.base[to] + at);
}

enum { MOST = 60000 };

static void explore_graph(const au_model *m, const au_tsg_options *o, const explored *full,
                          counts *c, au_out *out) {
    static const char *const kind[] = {"ccfg", "mat", "mat'"};
    au_tsg *g = au_tsg_new(m, o);
    explore_how how = {.may = may, .ctx = g, .most = MOST * 3};
    explored e;
    explore(m, &how, &e);
    if (e.all) {
        c->graphs++;
        c->states += full->states;
        c->less += e.states;
        c->added += g->added;
        c->switches += g->ce.n;
        const char *lost = explored_less(full, &e);
        if (lost)
            au_out_printf(out, "%s%s%s: %s is lost\n", kind[o->kind],
                          o->first_wins ? " --first" : "", o->lean ? " lean" : "", lost);
        lost = explored_less(&e, full);
        if (lost)
            au_out_printf(out, "%s: %s out of nowhere\n", kind[o->kind], lost);
    }
    explored_release(&e);
    au_tsg_free(g);
}

/* TP(MAT') in TP(MAT): a theorem of the paper that does not hold; counted. */
static bool is_subset(const au_model *m) {
    au_facts f;
    au_facts_make(&f, m);
    au_mat_vec a = {0}, b = {0};
    au_switch_vec x = {0}, y = {0};
    au_mat_generate(&f, &(au_mat_options){false, false}, &a);
    au_mat_generate(&f, &(au_mat_options){true, false}, &b);
    au_mat_switches(&a, &x);
    au_mat_switches(&b, &y);
    bool all = true;
    for (size_t i = 0; i < y.n; i++)
        all &= au_switches_have(&x, y.at[i].from, y.at[i].to);
    au_vec_release(&a);
    au_vec_release(&b);
    au_vec_release(&x);
    au_vec_release(&y);
    au_facts_release(&f);
    return all;
}

static char *check(const au_model *m, counts *c) {
    au_out *out = au_out_memory();
    explore_how all = {.most = MOST};
    explored full;
    explore(m, &all, &full);
    if (full.all) {
        au_facts f;
        au_facts_make(&f, m);
        c->plain += au_complete_plain(&f);
        au_facts_release(&f);
        for (int kind = AU_TSG_CCFG; kind <= AU_TSG_MAT_PRIME; kind++)
            for (int how = 0; how < (kind ? 4 : 1); how++)
                explore_graph(m, &(au_tsg_options){(au_tsg_kind)kind, how & 1, false, how >> 1},
                              &full, c, out);
        c->subset += is_subset(m);
    } else {
        c->skipped++;
    }
    explored_release(&full);
    char *found = take(out);
    if (*found)
        return found;
    free(found);
    return NULL;
}

/* --- what differs, made small --------------------------------------------------------------------- */

static char *check_text(const char *text) {
    counts c = {0};
    au_model *m = read_model(text);
    char *found = m ? check(m, &c) : NULL;
    au_model_free(m);
    return found;
}

static bool still_differs(const char *text, void *ctx) {
    (void)ctx;
    char *found = check_text(text);
    free(found);
    return found != NULL;
}

static void on_death(int signal_number) {
    char text[64];
    int n = snprintf(text, sizeof text, "signal %d at seed %llu\n", signal_number,
                     (unsigned long long)case_seed);
    (void)!write(STDOUT_FILENO, text, (size_t)n);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static bool one_model(uint64_t seed, counts *c) {
    case_seed = seed;
    char *text = make_text(seed);
    au_model *m = read_model(text);
    AU_BUG_IF(!m);
    c->models++;
    char *found = check(m, c);
    if (found) {
        char *less = au_shrink_ctp(text, still_differs, NULL), *what = check_text(less);
        printf("seed %llu\n%s\n%s", (unsigned long long)seed, less, what);
        free(less);
        free(what);
    }
    bool good = !found;
    free(found);
    au_model_free(m);
    free(text);
    return good;
}

int main(int argc, char **argv) {
    uint64_t count = 100, seed = 1, most = 1, bad = 0, one = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t v = strtoull(argv[i + 1], NULL, 10);
        if (!strcmp(argv[i], "--count"))
            count = v;
        else if (!strcmp(argv[i], "--seed"))
            seed = v;
        else if (!strcmp(argv[i], "--failures"))
            most = v;
        else if (!strcmp(argv[i], "--one"))
            one = v;
        else
            return 2;
    }
    signal(SIGABRT, on_death);
    signal(SIGSEGV, on_death);
    counts c = {0};
    if (one)
        count = 1;
    for (uint64_t i = 0; i < count && bad < most; i++)
        bad += !one_model(one ? one : seed * 1000000 + i, &c);
    printf("%llu models (%llu too large, %llu with nothing to add), %llu graphs: %llu switches, "
           "%llu of them added; %llu states explored for %llu; TP(MAT') in TP(MAT) in %llu; %llu "
           "failures\n",
           (unsigned long long)c.models, (unsigned long long)c.skipped, (unsigned long long)c.plain,
           (unsigned long long)c.graphs, (unsigned long long)c.switches,
           (unsigned long long)c.added, (unsigned long long)c.less, (unsigned long long)c.states,
           (unsigned long long)c.subset, (unsigned long long)bad);
    return bad != 0;
}
