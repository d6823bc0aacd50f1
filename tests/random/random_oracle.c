/* tests/random/random_oracle.c: the oracle against every path of tiny random models.
 *
 * paths.h finds all answers of docs/oracle.md by walking all paths; the oracle must
 * give the same sets, and each schedule it gives, executed here step by step, must
 * show what it is said to show. */
#include "base/hash.h"
#include "base/rng.h"
#include "cases.h"
#include "compare.h"
#include "gen_model.h"
#include "model/ctp.h"
#include "model/run.h"
#include "odd_model.h"

#include <stdio.h>

static const char *const semantics_name[] = {"ctp", "mcm", "cam", "locks"};
static const char *const atomic_name[] = {"auto", "marked", "critical", "none"};

typedef struct {
    uint64_t models, walks, skipped, paths, runs, schedules, items;
} counts;

/* Semantics, prefix or whole, reads kept or not: each is a walk of its own. */
#define WAYS 16
static au_oracle_options way_of(unsigned i) {
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.semantics = (au_semantics)(i & 3);
    o.whole = i >> 2 & 1;
    o.keep_reads = i >> 3 & 1;
    return o;
}

static void say_options(const au_oracle_options *o) {
    printf("augur oracle --model %s --atomic %s%s%s", semantics_name[o->semantics],
           atomic_name[o->atomic], o->whole ? " --no-prefix" : "",
           o->keep_reads ? " --keep-reads" : "");
    if (o->context_bound != AU_NONE)
        printf(" --context-bound %u", o->context_bound);
    printf("\n");
}

/* NULL if the text is not a model. */
static au_model *read_model(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options o = {.unroll = 2};
    au_model *m = au_ctp_read(text, strlen(text), "model", &o, &err);
    if (m)
        au_model_observe(m);
    return m;
}

/* Asks the oracle and compares: NULL, or what differs (the caller's). */
static char *ask(au_paths *w, const au_oracle_options *o, counts *c) {
    au_error err = AU_ERROR_NONE;
    au_oracle_result *r = au_oracle_run(w->m, o, &err);
    if (!r)
        return au_sprintf("the oracle refuses: %s\n", err.text);
    au_out *out = au_out_memory();
    if (!r->exhaustive)
        au_out_printf(out, "the oracle is not exhaustive: %s\n", r->reason);
    c->items += au_compare_sets(w, o, r, out);
    c->schedules += au_compare_schedules(w, o, r, out);
    c->runs++;
    au_oracle_free(r);
    size_t n;
    const char *text = au_out_memory_data(out, &n);
    char *found = n ? au_strndup(text, n) : NULL;
    au_out_abandon(out);
    return found;
}

/* --- a disagreement, made small ----------------------------------------------------------- */

#define BUDGET 100000
static au_paths walker; /* large: not on the stack */

static char *ask_text(const char *text, const au_oracle_options *o) {
    au_model *m = read_model(text);
    char *found = NULL;
    if (!m)
        return NULL;
    counts c = {0};
    if (au_paths_init(&walker, m, o->semantics, o->whole, o->keep_reads)) {
        if (au_paths_walk(&walker, BUDGET))
            found = ask(&walker, o, &c);
        au_paths_release(&walker);
    }
    au_model_free(m);
    return found;
}

static bool still_differs(const char *text, void *ctx) {
    char *found = ask_text(text, ctx);
    free(found);
    return found != NULL;
}

static void show(const char *text, const au_oracle_options *o, uint64_t seed) {
    au_oracle_options small = *o;
    if (small.context_bound != AU_NONE) { /* without a bound is easier to read */
        small.context_bound = AU_NONE;
        if (!still_differs(text, &small))
            small = *o;
    }
    char *less = au_shrink_ctp(text, still_differs, &small), *found = ask_text(less, &small);
    printf("seed %lu: the oracle and the paths differ\n", (unsigned long)seed);
    say_options(&small);
    printf("%s\n%s", less, found);
    free(less);
    free(found);
}

/* --- models ------------------------------------------------------------------------------- */

/* False on a disagreement, which is then shown. */
static bool one_model(uint64_t seed, counts *c) {
    char *text = au_odd_ctp(seed);
    au_model *m = read_model(text);
    AU_BUG_IF(!m);
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 78));
    bool same = true;
    c->models++;
    for (unsigned i = 0; i < WAYS && same; i++) {
        au_oracle_options o = way_of(i);
        if (au_rng_below(&r, 2)) /* more models rather than every way of each */
            continue;
        c->walks++;
        if (!au_paths_init(&walker, m, o.semantics, o.whole, o.keep_reads)) {
            c->skipped++;
            continue;
        }
        if (au_paths_walk(&walker, BUDGET)) {
            c->paths += walker.paths;
            uint32_t bound = au_rng_below(&r, 4);
            for (unsigned k = 0; k < 3 && same; k++) {
                o.context_bound = k == 0 ? AU_NONE : (bound + k) & 3;
                o.atomic = (au_atomic_blocks)((au_rng_below(&r, 3) + k) % 3);
                char *found = ask(&walker, &o, c);
                same = !found;
                free(found);
            }
        } else {
            c->skipped++;
        }
        au_paths_release(&walker);
        if (!same)
            show(text, &o, seed);
    }
    au_model_free(m);
    free(text);
    return same;
}

int main(int argc, char **argv) {
    cases all = {.count = 100, .seed = 1, .most = 1};
    uint64_t bad = 0;
    au_cases_options(&all, argc, argv, NULL);
    counts c = {0};
    for (uint64_t i = 0; i < all.count && bad < all.most; i++)
        bad += !one_model(au_cases_seed(&all, i), &c);
    printf("%lu models, %lu walks (%lu skipped), %lu paths, %lu runs of the oracle, %lu answers, "
           "%lu schedules, %lu disagreements\n",
           (unsigned long)c.models, (unsigned long)c.walks, (unsigned long)c.skipped,
           (unsigned long)c.paths, (unsigned long)c.runs, (unsigned long)c.items,
           (unsigned long)c.schedules, (unsigned long)bad);
    return bad != 0;
}
