/* A recording read in one pass (trace/recording_online.c) against the same read as a file: random recordings in small
 * chunks, in which blocks come and go, words are used whole and in halves, and some memory is one thread's own. Looking
 * any number of bytes ahead,
 *   - nothing is found that the file does not show: races by their two places (by the word if accesses divide words), broken
 *     blocks by their three, cycles by their requests;
 *   - everything is found that the file shows, unless an access divided what had been one cell. */
#include "../unit/recording_build.h"
#include "base/rng.h"
#include "cases.h"
#include "funnel/check_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, LOCKS = 2, WORDS = 4, BLOCKS = 3, PLACES = 3 };
#define GLOBALS UINT64_C(0x555555558000)
#define HEAP(k) (UINT64_C(0x555555600000) + 64 * (uint64_t)(k))
#define LOCK_AT(k) (GLOBALS + 0x100 + 64 * (uint64_t)(k))
#define STACK(t) (UINT64_C(0x7f0000000000) + (uint64_t)(t)*0x100000)

typedef struct {
    build b;
    au_rng rng;
    uint32_t access[2][PLACES], range[2], lock[LOCKS], unlock[LOCKS], fork, alloc, release;
    int holder[LOCKS];
    bool lives[BLOCKS], halves;
} play;

static uint32_t below(play *p, uint32_t n) {
    return au_rng_below(&p->rng, n);
}

static void open_play(play *p) {
    uint32_t line = 1, type = build_type(&p->b, "long", AU_TYPE_SCALAR, 8, 0, 0);
    for (int w = 0; w < WORDS; w++)
        build_global(&p->b, (const char *[]){"x", "y", "z", "u"}[w], type, 8);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < PLACES; i++)
            p->access[k][i] = build_site(&p->b, "f", line++, k ? AU_OP_WRITE : AU_OP_READ, "", 0);
        p->range[k] = build_site(&p->b, "f", line++, k ? AU_OP_WRITE : AU_OP_READ, "", 0);
    }
    for (int k = 0; k < LOCKS; k++) {
        p->lock[k] = build_site(&p->b, "f", line++, AU_OP_ACQ, "", 0);
        p->unlock[k] = build_site(&p->b, "f", line++, AU_OP_REL, "", 0);
        p->holder[k] = -1;
    }
    p->fork = build_site(&p->b, "f", line++, AU_OP_FORK, "", 0);
    p->alloc = build_site(&p->b, "f", line++, AU_OP_ALLOC, "", 0);
    p->release = build_site(&p->b, "f", line++, AU_OP_FREE, "", 0);
    build_begin(&p->b, STACK(0),
                (const uint64_t[]){GLOBALS, GLOBALS + 8, GLOBALS + 16, GLOBALS + 24}, "/bin/f");
    for (int k = 0; k < LOCKS; k++)
        au_stream_put_object(p->b.w, LOCK_AT(k), AU_WIRE_OBJ_LOCK, 0);
}

static void access_memory(play *p) {
    uint32_t k = below(p, 2), block = below(p, 2 * BLOCKS);
    uint64_t at = GLOBALS + 8 * (uint64_t)below(p, WORDS);
    if (block < BLOCKS && p->lives[block])
        at = HEAP(block) + 8 * (uint64_t)below(p, 4);
    bool half = p->halves && !below(p, 3);
    if (!below(p, 6))
        build_event(&p->b, p->range[k], k ? AU_SOP_RSET : AU_SOP_RREAD, 0, at & ~UINT64_C(15), 0,
                    16);
    else
        build_event(&p->b, p->access[k][below(p, PLACES)], k ? AU_OP_WRITE : AU_OP_READ,
                    half ? 4 : 8, half && below(p, 2) ? at + 4 : at, 0, 0);
}

static void other(play *p, uint32_t t) {
    uint32_t k = below(p, LOCKS), block = below(p, BLOCKS);
    if (!below(p, 2)) {
        build_event(&p->b, p->lives[block] ? p->release : p->alloc,
                    p->lives[block] ? AU_OP_FREE : AU_OP_ALLOC, 0, HEAP(block), 0,
                    p->lives[block] ? 0 : 32);
        p->lives[block] = !p->lives[block];
    } else if (p->holder[k] == (int)t) {
        build_event(&p->b, p->unlock[k], AU_OP_REL, 0, LOCK_AT(k), 0, 0);
        p->holder[k] = -1;
    } else if (p->holder[k] < 0) {
        build_event(&p->b, p->lock[k], AU_OP_ACQ, 0, LOCK_AT(k), 0, 0);
        p->holder[k] = (int)t;
    }
}

static void make(play *p, uint64_t seed) {
    *p = (play){0};
    au_rng_init(&p->rng, seed);
    p->b.chunk = 600;
    p->halves = below(p, 2);
    open_play(p);
    uint32_t threads = 2 + below(p, THREADS - 1), n = 20 + below(p, 150), rare = 2 + below(p, 10),
             turn = 2 + below(p, 20), t = 0;
    for (uint32_t k = 1; k < threads; k++) {
        au_stream_put_thread(p->b.w, k, STACK(k), 0x10000, 0);
        build_event(&p->b, p->fork, AU_OP_FORK, 0, k, 0, 0);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!below(p, turn))
            build_turn(&p->b, t = below(p, threads));
        if (!below(p, rare))
            other(p, t);
        else
            access_memory(p);
    }
    build_close(&p->b, 0);
}

/* ---- what is found ---------------------------------------------------------------------------- */

typedef AU_VEC(char *) lines;

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Races by the word if words are divided: of the accesses since a thread last synchronised happens-before remembers one, and
 * a part that is a cell of its own since later remembers a later one. */
static void add_words(const au_names *names, const au_finding *f, lines *out) {
    const struct au_extent *x = &names->extent.at[f->obj];
    for (uint64_t k = x->at / 8; k < (x->at + x->n + 7) / 8; k++) {
        char *line = au_sprintf("race on the word %" PRIx64, k);
        au_vec_push(out, line);
    }
}

static char *line_of(const au_names *names, const au_finding *f) {
    char *side[4], *all = au_strdup(au_kind_name(f->kind));
    uint32_t n = f->n_events < 4 ? f->n_events : 4;
    for (uint32_t i = 0; i < n; i++)
        side[i] =
            au_sprintf("%s", f->event[i].loc == AU_NONE
                                 ? "?"
                                 : au_intern_str(&names->loc, f->event[i].loc - AU_LOC_NAMED));
    if (f->kind != AU_KIND_ATOMICITY)
        qsort(side, n, sizeof *side, by_text);
    for (uint32_t i = 0; i < n; i++) {
        char *more = au_sprintf("%s %s", all, side[i]);
        free(all);
        free(side[i]);
        all = more;
    }
    return all;
}

/* As 'augur check --stream' does it. False: it cannot be read. */
static bool check(const play *p, size_t ahead, lines *out, uint64_t *events) {
    const au_plan plan = {.props = AU_PROP_RACE | AU_PROP_ATOMICITY | AU_PROP_DEADLOCK,
                          .blocks = AU_BLOCKS_AUTO,
                          .all = true,
                          .last = AU_STAGE_LOCKSET,
                          .stream = true,
                          .bound = AU_NONE};
    au_error err = AU_ERROR_NONE;
    au_read_options o = {.fold = true, .ahead = ahead};
    au_reader *in = au_reader_from(au_in_memory(p->b.file.at, p->b.file.n, "recording"), &o, &err);
    au_check_run r = {.plan = &plan, .reader = in, .path = au_strdup("recording")};
    au_check_outcome_init(&r.outcome);
    r.names = in ? au_reader_names(in) : NULL;
    bool ok = in && au_check_run_go(&r, &err) == AU_OK && !r.outcome.inconclusive.n;
    if (!ok)
        fprintf(stderr, "random_online: %s\n",
                r.outcome.inconclusive.n ? r.outcome.inconclusive.at[0] : err.text);
    for (size_t i = 0; ok && i < r.outcome.findings.finding.n; i++) {
        const au_finding *f = &r.outcome.findings.finding.at[i];
        if (p->halves && f->kind == AU_KIND_RACE) {
            add_words(r.names, f, out);
            continue;
        }
        char *line = line_of(r.names, f);
        au_vec_push(out, line);
    }
    *events = r.outcome.events;
    size_t kept = 0;
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_text);
    for (size_t i = 0; i < out->n; i++)
        if (!kept || strcmp(out->at[kept - 1], out->at[i]) != 0)
            out->at[kept++] = out->at[i];
        else
            free(out->at[i]);
    out->n = kept;
    au_check_run_release(&r);
    return ok;
}

static void release(lines *l) {
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i]);
    au_vec_release(l);
}

/* What of a is not in b. */
static size_t missing(const lines *a, const lines *b, const char *told) {
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (!b->n || !bsearch(&a->at[i], b->at, b->n, sizeof *b->at, by_text)) {
            n++;
            if (told)
                fprintf(stderr, "random_online: %s: %s\n", told, a->at[i]);
        }
    return n;
}

int main(int argc, char **argv) {
    cases all = {.count = 1000, .seed = 1};
    au_cases_options(&all, argc, argv, NULL);
    uint64_t found = 0, lost = 0, more = 0;
    for (uint64_t k = 0; k < all.count; k++) {
        uint64_t seed = au_cases_seed(&all, k);
        au_cases_enter(seed);
        play p;
        make(&p, seed);
        lines file = {0}, once = {0};
        uint64_t events = 0, online = 0;
        size_t ahead = k % 3 == 0 ? 1 : k % 3 == 1 ? 1500 : 1 << 20;
        bool ok = check(&p, 0, &file, &events) && check(&p, ahead, &once, &online);
        ok = ok && !missing(&once, &file, "only in one pass");
        size_t less = ok ? missing(&file, &once, p.halves ? NULL : "only of the file") : 0;
        ok = ok && (!less || (p.halves && ahead < 1 << 20));
        if (!ok) {
            fprintf(stderr, "random_online: seed %" PRIu64 ", %zu bytes ahead\n", seed, ahead);
            return 1;
        }
        found += file.n;
        lost += less;
        more += online > events;
        release(&file);
        release(&once);
        build_release(&p.b);
    }
    printf("random_online: %" PRIu64 " recordings, %" PRIu64 " findings, %" PRIu64
           " of them lost where cells were divided; %" PRIu64 " had memory taken as shared\n",
           all.count, found, lost, more);
    return all.count >= 100 && (!found || !more || lost * 20 > found);
}
