/* A thinned trace against the whole one (trace/thin.h): random recordings, made byte by byte, with few variables and
 * places, so that accesses repeat; read as they are and with every access that repeats others left out.
 *   - proved races, lock cycles and broken blocks are the same, by places and threads, and possible races by variable;
 *   - what was proved on the thinned trace is executed on the whole one, by the numbers of hooks that a replay would get,
 *     and shown there;
 *   - records that repeat others are read many at once (recording_runs.c): the same events come out as one by one;
 *   - where few events may wait, more are kept, and the findings are the same. */
#include "../unit/recording_build.h"
#include "base/limits.h"
#include "base/rng.h"
#include "cases.h"
#include "funnel/check_run.h"
#include "trace/trace.h"
#include "witness/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, LOCKS = 2, PLACES = 2, WORDS = 3 };
#define MEMORY UINT64_C(0x555555558000)
#define LOCK_AT(k) (MEMORY + 0x100 + 64 * (uint64_t)(k))
#define STACK(t) (UINT64_C(0x7f0000000000) + (uint64_t)(t)*0x100000)

typedef struct {
    build b;
    au_rng rng;
    uint32_t access[WORDS][3][PLACES]; /* sites: read, write, update */
    uint32_t lock[LOCKS], unlock[LOCKS], fork, join, begin, end, own, made, freed, call;
    int holder[LOCKS]; /* -1 */
    bool block[THREADS];
    uint32_t threads, places;
} play;

static uint32_t below(play *p, uint32_t n) {
    return au_rng_below(&p->rng, n);
}

static void open_play(play *p) {
    uint32_t line = 1;
    uint32_t type = build_type(&p->b, "long", AU_TYPE_SCALAR, 8, 0, 0);
    for (int w = 0; w < WORDS; w++)
        build_global(&p->b, (const char *[]){"x", "y", "z"}[w], type, 8);
    for (int w = 0; w < WORDS; w++)
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < PLACES; i++)
                p->access[w][k][i] = build_site(
                    &p->b, "f", line++, (uint8_t[]){AU_OP_READ, AU_OP_WRITE, AU_OP_RMW}[k], "", 0);
    for (int k = 0; k < LOCKS; k++) {
        p->lock[k] = build_site(&p->b, "f", line++, AU_OP_ACQ, "", 0);
        p->unlock[k] = build_site(&p->b, "f", line++, AU_OP_REL, "", 0);
        p->holder[k] = -1;
    }
    p->fork = build_site(&p->b, "f", line++, AU_OP_FORK, "", 0);
    p->join = build_site(&p->b, "f", line++, AU_OP_JOIN, "", 0);
    p->begin = build_site(&p->b, "f", line++, AU_OP_BEGIN, "", 0);
    p->end = build_site(&p->b, "f", line++, AU_OP_END, "", 0);
    p->own = build_site(&p->b, "f", line++, AU_OP_READ, "", 0);
    p->made = build_site(&p->b, "f", line++, AU_OP_ALLOC, "", 0);
    p->freed = build_site(&p->b, "f", line++, AU_OP_FREE, "", 0);
    p->call = build_site(&p->b, "f", line++, AU_OP_CALL, "", 0);
    build_begin(&p->b, STACK(0), (const uint64_t[]){MEMORY, MEMORY + 8, MEMORY + 16}, "/bin/f");
    for (int k = 0; k < LOCKS; k++)
        au_stream_put_object(p->b.w, LOCK_AT(k), AU_WIRE_OBJ_LOCK, 0);
}

/* Values do not matter: the structure does. halves: some accesses are of half a word, so that words are two cells. */
static void access_memory(play *p, bool halves, bool atomics) {
    uint32_t w = below(p, WORDS), kind = below(p, 8), place = below(p, p->places);
    uint64_t at = MEMORY + 8 * (uint64_t)w;
    uint8_t size = 8, op = kind < 4 ? AU_OP_READ : AU_OP_WRITE;
    unsigned k = kind < 4 ? 0 : 1;
    if (atomics && w == 0) { /* x is atomic only */
        k = kind < 4 ? 0 : kind < 6 ? 1 : 2;
        op = (uint8_t[]){AU_OP_AREAD, AU_OP_AWRITE, AU_OP_RMW}[k];
    } else if (halves && w == 1) {
        size = below(p, 2) ? 4 : 8;
        at += size == 4 && below(p, 2) ? 4 : 0;
    }
    build_event(&p->b, p->access[w][k][place], op, size, at, 0, 0);
}

/* The body of a loop, again and again: accesses of fixed places, of one that moves, of a block, its own or everybody's,
 * that comes and goes; calls. */
static void loop(play *p, uint32_t t) {
    enum { BODY = 5 };
    uint32_t n = 1 + below(p, BODY), kind[BODY], word[BODY], place[BODY], times = 2 + below(p, 8);
    bool blocky = !below(p, 4);
    uint64_t block = !blocky && below(p, 2) ? STACK(t) + 0x100 : MEMORY + 0x80;
    for (uint32_t i = 0; i < n; i++) {
        kind[i] = blocky ? (uint32_t[]){2, 3, 20, 20, 36}[below(p, 5)] : below(p, 40);
        word[i] = 1 + below(p, WORDS - 1);
        place[i] = below(p, p->places);
    }
    for (uint32_t k = 0; k < times; k++)
        for (uint32_t i = 0; i < n; i++) {
            uint64_t at = MEMORY + 8 * (uint64_t)word[i];
            bool write = kind[i] % 2;
            if (kind[i] < 20)
                build_event(&p->b, p->access[word[i]][write][place[i]],
                            write ? AU_OP_WRITE : AU_OP_READ, 8, at, write ? 3 * k : 0, 0);
            else if (kind[i] < 28)
                build_event(&p->b, p->own, (blocky ? t % 2 : write) ? AU_OP_WRITE : AU_OP_READ, 4,
                            block + word[i] * 4, 0, 0);
            else if (kind[i] < 32)
                build_event(&p->b, p->access[2][0][place[i]], AU_OP_READ, 4,
                            MEMORY + 16 + k / 2 % 2 * 4, 0, 0);
            else if (kind[i] < 36)
                build_event(&p->b, p->call, AU_OP_CALL, 0, 0, 0, 0);
            else if (kind[i] < 38 && (k == times / 2 || !blocky)) /* another one where it was */
                build_event(&p->b, p->made, AU_OP_ALLOC, 0, block, 0, 32);
            else if (kind[i] >= 38 && k + 1 == times)
                build_event(&p->b, p->freed, AU_OP_FREE, 0, block, 0, 0);
        }
}

static void synchronise(play *p, uint32_t t) {
    uint32_t k = below(p, LOCKS + 1);
    if (k == LOCKS) {
        build_event(&p->b, p->block[t] ? p->end : p->begin, p->block[t] ? AU_OP_END : AU_OP_BEGIN,
                    0, 0, 0, 0);
        p->block[t] = !p->block[t];
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
    open_play(p);
    p->threads = 2 + below(p, THREADS - 1);
    p->places = 1 + below(p, PLACES);
    uint32_t n = 8 + below(p, 24), rare = 4 + below(p, 24), turn = 2 + below(p, 30), t = 0;
    bool halves = below(p, 2), atomics = below(p, 2), forks = below(p, 4), loops = below(p, 2);
    for (uint32_t k = 1; k < p->threads; k++) {
        au_stream_put_thread(p->b.w, k, STACK(k), 0x10000, 0);
        if (forks)
            build_event(&p->b, p->fork, AU_OP_FORK, 0, k, 0, 0);
    }
    if (loops) /* each pair of events is tried on the whole trace */
        n = 4 + below(p, 8);
    for (uint32_t i = 0; i < n; i++) {
        if (!below(p, turn)) {
            t = below(p, p->threads);
            build_turn(&p->b, t);
        }
        if (!below(p, 40))
            au_stream_put_input(p->b.w, AU_INPUT_CLOCK, 0, 0, NULL, 0);
        if (!below(p, rare))
            synchronise(p, t);
        else if (loops && !below(p, 3))
            loop(p, t);
        else
            for (uint32_t again = 1 + below(p, 6); again--;)
                access_memory(p, halves, atomics);
    }
    build_close(&p->b, 0);
}

static au_trace *load(const play *p, bool thin, bool singly, uint64_t waiting) {
    au_error err = AU_ERROR_NONE;
    au_read_options o = {.fold = true, .thin = thin, .singly = singly, .waiting = waiting};
    au_reader *r = au_reader_from(au_in_memory(p->b.file.at, p->b.file.n, "recording"), &o, &err);
    au_trace *t = r ? au_trace_load_from(r, &err) : NULL;
    if (!t) {
        fprintf(stderr, "random_thin: %s\n", err.text);
        exit(1);
    }
    au_reader_free(r);
    return t;
}

/* Is it the same trace, event by event and hook by hook? */
static bool is_equal(const au_trace *a, const au_trace *b) {
    const au_columns *x = &a->events, *y = &b->events;
    uint64_t index[THREADS] = {0};
    bool ok = x->n == y->n && a->hooks.thinned == b->hooks.thinned;
    for (size_t i = 0; i < x->n && ok; i++) {
        uint16_t t = x->thread[i];
        ok = x->op[i] == y->op[i] && t == y->thread[i] && x->obj[i] == y->obj[i] &&
             x->loc[i] == y->loc[i] && x->value[i] == y->value[i] &&
             x->has_value[i] == y->has_value[i];
        index[t]++;
        ok = ok && au_hooks_of(&a->hooks, t, index[t]) == au_hooks_of(&b->hooks, t, index[t]);
    }
    return ok;
}

/* ---- what is found ---------------------------------------------------------------------------- */

typedef AU_VEC(char *) lines;

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(lines *l) {
    size_t kept = 0;
    if (l->n)
        qsort(l->at, l->n, sizeof *l->at, by_text);
    for (size_t i = 0; i < l->n; i++)
        if (!kept || strcmp(l->at[kept - 1], l->at[i]) != 0)
            l->at[kept++] = l->at[i];
        else
            free(l->at[i]);
    l->n = kept;
}

static void release(lines *l) {
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i]);
    au_vec_release(l);
}

static char *side(const au_trace *t, const au_event_ref *e) {
    return au_sprintf("T%u %s %s", e->thread, au_op_name(e->op),
                      e->loc == AU_NONE ? "?"
                                        : au_intern_str(&t->names.loc, e->loc - AU_LOC_NAMED));
}

/* Which accesses, by places; races whichever way round. Of a race that is only possible, the variable: happens-before
 * remembers one of the writes that a thread made since it last synchronised, which one depends on the reads between, and a
 * pair of places is told once, whichever threads. */
static char *line_of(const au_trace *t, const au_finding *f, bool places) {
    char *s[8], *all;
    uint32_t n = f->n_events < 8 ? f->n_events : 8;
    for (uint32_t i = 0; i < n; i++)
        s[i] = places ? side(t, &f->event[i]) : au_strdup("?");
    if (f->kind != AU_KIND_ATOMICITY)
        qsort(s, n, sizeof *s, by_text);
    bool proved = f->kind != AU_KIND_ATOMICITY && f->standing == AU_IS_PROVED;
    all = au_sprintf("%s %s on %s:", au_kind_name(f->kind),
                     !places  ? "at all"
                     : proved ? "proved"
                              : "possible",
                     f->obj == AU_NONE || f->kind == AU_KIND_DEADLOCK
                         ? "-"
                         : au_intern_str(&t->names.var, f->obj));
    for (uint32_t i = 0; i < n; i++) {
        char *more = au_sprintf("%s  %s", all, s[i]);
        free(all);
        free(s[i]);
        all = more;
    }
    return all;
}

static uint64_t proved_thinned;

/* How many events of the thread have a hook of at most this number. */
static uint64_t events_upto(const au_trace *t, uint16_t thread, uint64_t hook) {
    uint64_t n = 0, all = thread < t->hooks.thread.n ? t->hooks.thread.at[thread].events : 0;
    while (n < all && au_hooks_of(&t->hooks, thread, n + 1) <= hook)
        n++;
    return n;
}

static uint64_t number_of(const au_trace *t, uint16_t thread, uint64_t index) {
    for (size_t i = 0; i < t->events.n; i++)
        if (t->events.thread[i] == thread && !--index)
            return i;
    return AU_NONE64;
}

/* A finding of the thinned trace, in hooks, is executed on the whole one. */
static bool holds(const au_trace *whole, au_checker *c, const au_finding *f, char *why,
                  size_t room) {
    au_event_ref event[8];
    au_turn *turn = au_alloc_array(f->schedule.n + 1, sizeof *turn);
    au_finding x = *f;
    bool cut =
        false; /* an access of two cells: the schedule ends before it, the checker knows cells only */
    x.event = event;
    x.schedule.turn = turn;
    x.schedule.n = 0;
    for (uint32_t i = 0; i < f->n_events; i++) {
        event[i] = f->event[i];
        uint16_t th = event[i].thread;
        uint64_t k = events_upto(whole, th, event[i].index - 1) + 1;
        cut |= events_upto(whole, th, event[i].index) != k;
        event[i].index = k;
        event[i].number = number_of(whole, th, k);
    }
    uint64_t done[THREADS] = {0};
    for (uint32_t i = 0; i < f->schedule.n; i++) {
        au_turn u = f->schedule.turn[i];
        u.upto = events_upto(whole, (uint16_t)u.thread, u.upto);
        if (u.upto <= done[u.thread])
            continue;
        done[u.thread] = u.upto;
        turn[x.schedule.n++] = u;
    }
    au_check_result r;
    au_checker_run(c, &x, &r);
    snprintf(why, room, "%s", r.why);
    free(turn);
    return cut || r.verdict == AU_CHECK_SHOWN;
}

static bool check(const au_trace *t, const au_trace *whole, lines *out) {
    const au_plan plan = {.props = AU_PROP_RACE | AU_PROP_ATOMICITY | AU_PROP_DEADLOCK,
                          .blocks = AU_BLOCKS_AUTO,
                          .all = true,
                          .last = AU_STAGE_LOCKSET,
                          .bound = AU_NONE,
                          .budget = 1000000,
                          .seconds = 10};
    au_error err = AU_ERROR_NONE;
    au_check_run r;
    bool ok = true;
    au_check_run_of_trace(&r, &plan, t);
    if (au_check_run_go(&r, &err) != AU_OK) {
        fprintf(stderr, "random_thin: %s\n", err.text);
        return false;
    }
    au_checker *c = t != whole ? au_checker_new(whole) : NULL;
    for (size_t i = 0; i < r.outcome.findings.finding.n; i++) {
        const au_finding *f = &r.outcome.findings.finding.at[i];
        bool race = f->kind == AU_KIND_RACE;
        char *line = line_of(t, f, !race || f->standing == AU_IS_PROVED), why[256];
        if (c && f->standing == AU_IS_PROVED && f->kind != AU_KIND_ATOMICITY) {
            proved_thinned++;
            if (!holds(whole, c, f, why, sizeof why)) {
                fprintf(stderr, "random_thin: not shown on the whole trace: %s: %s\n", line, why);
                ok = false;
            }
        }
        au_vec_push(out, line);
        if (race && f->standing == AU_IS_PROVED) {
            line = line_of(t, f, false);
            au_vec_push(out, line);
        }
    }
    au_checker_free(c);
    au_check_run_release(&r);
    sort(out);
    return ok;
}

static void print(const char *title, const au_trace *t) {
    uint64_t index[THREADS] = {0};
    fprintf(stderr, "%s\n", title);
    for (size_t i = 0; i < t->events.n; i++) {
        uint16_t th = t->events.thread[i];
        const au_intern *space = au_names_space_const(&t->names, au_op_space(t->events.op[i]));
        fprintf(stderr, "  T%u.%" PRIu64 " %s %s %s\n", th, au_hooks_of(&t->hooks, th, ++index[th]),
                au_op_name(t->events.op[i]),
                space && t->events.obj[i] != AU_NONE ? au_intern_str(space, t->events.obj[i]) : "",
                t->events.loc[i] == AU_NONE
                    ? "?"
                    : au_intern_str(&t->names.loc, t->events.loc[i] - AU_LOC_NAMED));
    }
}

static bool same(const lines *a, const lines *b) {
    bool ok = true;
    size_t i = 0, k = 0;
    while (i < a->n || k < b->n) {
        int c = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->at[i], b->at[k]);
        if (c < 0)
            fprintf(stderr, "random_thin: only of the whole trace: %s\n", a->at[i]);
        if (c > 0)
            fprintf(stderr, "random_thin: only of the thinned trace: %s\n", b->at[k]);
        ok &= !c;
        i += c <= 0;
        k += c >= 0;
    }
    return ok;
}

int main(int argc, char **argv) {
    cases all = {.count = 1000, .seed = 1};
    au_cases_options(&all, argc, argv, NULL);
    uint64_t found = 0, left_out = 0, events = 0;
    au_limit_set_for_test(AU_AT_THINNED, 1);
    for (uint64_t k = 0; k < all.count; k++) {
        uint64_t seed = au_cases_seed(&all, k);
        au_cases_enter(seed);
        play p;
        make(&p, seed);
        au_trace *whole = load(&p, false, false, 0), *thin = load(&p, true, false, 0),
                 *singly = load(&p, true, true, 0), *soon = load(&p, true, k % 2, 1 + k % 5);
        lines a = {0}, b = {0}, c = {0};
        bool ok = check(whole, whole, &a) && check(thin, whole, &b) && check(soon, whole, &c);
        ok &= same(&a, &b) && same(&a, &c);
        if (whole->events.n - thin->events.n != thin->hooks.thinned) {
            fprintf(stderr, "random_thin: %zu of %zu events kept, but %" PRIu64 " left out\n",
                    thin->events.n, whole->events.n, thin->hooks.thinned);
            ok = false;
        }
        if (!is_equal(thin, singly)) {
            print("record by record:", singly);
            ok = false;
        }
        if (!ok) {
            print("the whole trace:", whole);
            print("thinned:", thin);
            print("thinned, few waiting:", soon);
            fprintf(stderr, "random_thin: seed %" PRIu64 "\n", seed);
            return 1;
        }
        found += a.n;
        events += whole->events.n;
        left_out += thin->hooks.thinned;
        release(&a);
        release(&b);
        release(&c);
        au_trace_free(whole);
        au_trace_free(thin);
        au_trace_free(singly);
        au_trace_free(soon);
        build_release(&p.b);
    }
    printf("random_thin: %" PRIu64 " recordings, %" PRIu64 " of %" PRIu64
           " events left out; %" PRIu64 " findings the same, %" PRIu64
           " schedules executed on the whole run\n",
           all.count, left_out, events, found, proved_thinned);
    return all.count >= 100 && (!left_out || !found || !proved_thinned);
}
