/* tests/random/random_merge.c: random checks in shards, merged in random groups and orders.
 *
 * What is said with the answers of all shards at hand is, letter by letter, what a check that is
 * not in shards says; nothing is asked twice or by nobody; results go through their JSON. */
#include "base/hash.h"
#include "base/rng.h"
#include "funnel/answers.h"
#include "funnel/check_run.h"
#include "gen_model.h"
#include "model/ctp.h"
#include "model/run.h"
#include "scale/shards.h"
#include "sync_trace.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t checks, questions, merges, findings;
} counts;

/* One of them. */
typedef struct {
    au_trace *t;
    au_model *m;
} input;

static const au_plan plain = {.props = AU_PROP_ALL,
                              .blocks = AU_BLOCKS_AUTO,
                              .budget = 1000000,
                              .effort = 1000000,
                              .last = AU_STAGE_SOLVER,
                              .bound_from = AU_NONE,
                              .bound = AU_NONE,
                              .cadical = true,
                              .jobs = 2};

/* The check as text; the caller frees it. NULL if it fails. */
static char *said(const input *in, au_answers *answers, counts *n, au_error *err) {
    au_check_run run;
    const au_check_outcome *c = &run.outcome;
    au_model_view view = {0};
    if (in->m) {
        au_model_view_init(&view, in->m);
        au_check_run_of_model(&run, &plain, in->m, &view);
    } else {
        au_check_run_of_trace(&run, &plain, in->t);
    }
    run.answers = answers;
    au_status st = au_check_run_go(&run, err);
    au_check_order(&run.outcome.findings, false);
    au_dossier d;
    au_dossier_options how = {0};
    au_dossier_init(&d);
    if (in->m)
        au_dossier_of_model(&d, c, &view, &how);
    else
        au_dossier_of_check(
            &d, &(au_dossier_subject){.trace = in->t, .names = &in->t->names, .outcome = c}, &how);
    d.timeless = true;
    au_out *out = au_out_memory();
    size_t size;
    au_dossier_text(&d, &(au_case_look){.brief = true}, out);
    au_dossier_release(&d);
    const char *text = au_out_memory_data(out, &size);
    char *copy = st == AU_OK ? au_strndup(text, size) : NULL;
    n->findings += answers ? 0 : c->findings.finding.n;
    au_out_abandon(out);
    au_check_run_release(&run);
    if (in->m)
        au_model_view_release(&view);
    return copy;
}

/* ---- results --------------------------------------------------------------------------------- */

static void begin(au_dossier *d, uint32_t shards) {
    au_dossier_init(d);
    d->shard.check = "one and the same";
    d->shard.of = shards;
}

/* Through the JSON. */
static bool write_and_read(au_dossier *d, au_error *err) {
    au_out *out = au_out_memory();
    size_t n;
    au_dossier_json(d, out);
    const char *text = au_out_memory_data(out, &n);
    au_dossier_release(d);
    au_dossier_init(d);
    bool good = au_dossier_read(d, text, n, "result", err) == AU_OK;
    au_out_abandon(out);
    return good;
}

static bool put_together(au_dossier *into, const au_dossier *a, const au_dossier *b,
                         au_error *err) {
    au_answers all;
    au_dossier_init(into);
    au_answers_init(&all, a->shard.of);
    bool good = au_shards_join(into, "a", a, "a", err) == AU_OK &&
                au_shards_join(into, "a", b, "b", err) == AU_OK &&
                au_answers_read(&all, a, "a", err) == AU_OK &&
                au_answers_read(&all, b, "b", err) == AU_OK;
    au_answers_write(&all, into);
    au_answers_release(&all);
    return good && write_and_read(into, err);
}

static bool same_answers(const au_dossier *a, const au_dossier *b) {
    return a->shard.part.n == b->shard.part.n && a->shard.answer.n == b->shard.answer.n &&
           au_case_shard_sum(&a->shard) == au_case_shard_sum(&b->shard);
}

/* Any two, until one has all; a result may be used again. */
static bool merge_all(au_dossier *d, uint32_t shards, au_rng *rng, counts *n, au_error *err) {
    bool good = true;
    for (uint32_t left = shards; good && left > 1; n->merges++) {
        uint32_t a = au_rng_below(rng, left), b = au_rng_below(rng, left);
        bool again = au_rng_below(rng, 4) == 0;
        au_dossier ab, ba;
        if (a == b)
            b = (a + 1) % left;
        good = put_together(&ab, &d[a], &d[b], err) && put_together(&ba, &d[b], &d[a], err) &&
               same_answers(&ab, &ba);
        au_dossier_release(&ba);
        if (again && good) { /* a once more: nothing new */
            good = put_together(&ba, &ab, &d[a], err) && same_answers(&ab, &ba);
            au_dossier_release(&ba);
        }
        au_dossier_release(&d[a]);
        au_dossier_release(&d[b]);
        d[a] = ab;
        d[b] = d[--left];
        au_dossier_init(&d[left]);
    }
    return good && d[0].shard.part.n == shards;
}

/* ---- one check -------------------------------------------------------------------------------- */

static bool in_shards(const input *in, uint32_t shards, au_rng *rng, const char *whole, counts *n,
                      au_error *err) {
    au_dossier *d = au_alloc_array(shards, sizeof *d);
    uint64_t asked = 0, all = 0;
    bool good = true;
    for (uint32_t i = 0; i < shards; i++) {
        au_answers a;
        au_answers_init(&a, shards);
        au_answers_cover(&a, i);
        char *text = said(in, &a, n, err);
        good &= text && !a.known;
        asked += a.asked;
        all = i && a.asked + a.passed != all ? UINT64_MAX : a.asked + a.passed;
        begin(&d[i], shards);
        au_case_part part = {i + 1, "", 0, 0};
        au_vec_push(&d[i].shard.part, part);
        au_answers_write(&a, &d[i]);
        good &= write_and_read(&d[i], err);
        au_answers_release(&a);
        free(text);
    }
    if (good && asked != all)
        printf("%llu questions, %llu asked\n", (unsigned long long)all, (unsigned long long)asked);
    good &= asked == all;
    n->questions += asked;
    good = good && merge_all(d, shards, rng, n, err);
    au_answers a;
    au_answers_init(&a, shards);
    for (uint32_t i = 0; i < shards; i++)
        au_answers_cover(&a, i);
    good = good && au_answers_read(&a, &d[0], "all", err) == AU_OK;
    char *text = good ? said(in, &a, n, err) : NULL;
    if (text && strcmp(text, whole))
        printf("---- whole\n%s---- %u shards\n%s", whole, shards, text);
    good = text && !strcmp(text, whole) && !a.asked && !a.passed && a.known == asked;
    free(text);
    au_answers_release(&a);
    for (uint32_t i = 0; i < shards; i++)
        au_dossier_release(&d[i]);
    free(d);
    return good;
}

static bool one(uint64_t seed, counts *n) {
    static const uint32_t parts[] = {1, 2, 3, 7};
    au_rng rng;
    au_error err = AU_ERROR_NONE;
    input in = {0};
    char *text = NULL;
    au_rng_init(&rng, au_hash_join(seed, 97));
    if (seed & 1) {
        in.t = au_sync_trace(&rng, 2 + au_rng_below(&rng, 2), 20 + au_rng_below(&rng, 30), 3,
                             au_rng_below(&rng, 2) ? ST_ALL : 0);
    } else {
        au_gen_ctp_options o = au_gen_ctp_defaults(1 + au_rng_below(&rng, 2));
        text = au_gen_ctp(seed, &o);
        in.m = au_ctp_read(text, strlen(text), "random", NULL, &err);
        if (in.m)
            au_model_observe(in.m);
    }
    char *whole = in.t || in.m ? said(&in, NULL, n, &err) : NULL;
    bool good = whole && in_shards(&in, parts[au_rng_below(&rng, 4)], &rng, whole, n, &err);
    n->checks++;
    if (!good) {
        printf("seed %llu: %s\n%s", (unsigned long long)seed, err.text, text ? text : "");
        if (in.t)
            au_sync_trace_print(in.t);
    }
    free(whole);
    free(text);
    au_trace_free(in.t);
    au_model_free(in.m);
    return good;
}

int main(int argc, char **argv) {
    uint64_t count = 100, seed = 1, only = 0, bad = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t v = strtoull(argv[i + 1], NULL, 10);
        if (!strcmp(argv[i], "--count"))
            count = v;
        else if (!strcmp(argv[i], "--seed"))
            seed = v;
        else if (!strcmp(argv[i], "--one"))
            only = v;
        else
            return 2;
    }
    counts n = {0};
    for (uint64_t i = 0; i < (only ? 1 : count) && !bad; i++)
        bad += !one(only ? only : seed * 1000000 + i, &n);
    printf("%llu checks, %llu findings, %llu questions in shards, %llu merges; %llu differences\n",
           (unsigned long long)n.checks, (unsigned long long)n.findings,
           (unsigned long long)n.questions, (unsigned long long)n.merges, (unsigned long long)bad);
    return bad != 0;
}
