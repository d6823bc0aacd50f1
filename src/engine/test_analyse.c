/* engine/test_analyse.c: the recordings of a suite: which are analysed, in what time, and what they show. The last function
 * is the list of the steps. */
#include "engine/test_priv.h"

#include "base/alloc.h"
#include "base/aside.h"
#include "base/deadline.h"
#include "base/hash.h"
#include "base/progress.h"
#include "engine/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { TROUBLE = sizeof((au_error *)0)->text };

/* ---- one recording ---- */

static void no_remark(void *ctx, const char *text) {
    (void)ctx;
    (void)text;
}
static void no_end(void *ctx, const au_program *p, const au_run_result *r, const char *recording) {
    (void)ctx;
    (void)p;
    (void)r;
    (void)recording;
}
static void no_recording(void *ctx) {
    (void)ctx;
}
static void no_exploration(void *ctx, const au_error *why) {
    (void)ctx;
    (void)why;
}

typedef AU_VEC(char *) words;

/* What is the suite's: a run of a member is stored bare, whatever the suite makes of it. */
#define NOT_OF_RUN                                                                                 \
    "again|cases|retry|children|since|keep|format|output|html|budget|most|verbose|suppressions|"   \
    "baseline|fail-on"

/* As 'augur run' would be called for it. Caller frees both. */
static au_opts *run_options(const au_engine_test *t, const au_suite_case *c, double seconds,
                            words *argv, au_error *err) {
    const au_command *run = au_command_by_name("run");
    size_t n;
    char **given = au_opts_words(t->o, NOT_OF_RUN, &n);
    for (size_t i = 0; i < n; i++)
        au_vec_push(argv, given[i]);
    free(given);
    au_vec_push(argv, au_sprintf("--budget=%.3f", seconds));
    au_vec_push(argv, au_strdup("--keep=1000000"));
    au_vec_push(argv, au_sprintf("--recorded=%s", c->trace));
    au_vec_push(argv, au_strdup("--"));
    au_vec_push(argv, au_strdup(c->exe));
    return au_opts_parse(run, (int)argv->n, argv->at, err);
}

/* A recording that is analysed, in a process of its own: what goes wrong with one is no matter of the others. */
typedef struct {
    const au_engine_test *t;
    const au_suite_case *c;
    double seconds; /* that it has; 0: no limit */
    au_aside *child;
} analysis;

/* Writes the number of its run, or why there is none. */
static void analyse(void *ctx, au_out *out) {
    static const au_engine_run_watch quiet = {no_remark, no_end, no_recording, no_exploration,
                                              NULL};
    const analysis *a = ctx;
    au_error err = AU_ERROR_NONE;
    words argv = {0};
    au_engine_run s;
    au_opts *o = run_options(a->t, a->c, a->seconds, &argv, &err);
    au_status st = o ? au_engine_run_do(&s, o, &quiet, &err) : err.status;
    if (st == AU_OK)
        au_out_u64(out, s.keep.run.number);
    else
        au_out_str(out, err.text);
    if (o)
        au_engine_run_release(&s);
}

/* Which is its run, 0: there is none, said in trouble. */
static uint64_t end_of(analysis *a, char trouble[TROUBLE]) {
    const char *text = "";
    size_t n = 0;
    uint64_t run = 0;
    bool begun = a->child != NULL, whole = begun && au_aside_wait(a->child, &text, &n);
    for (size_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
        run = 10 * run + (uint64_t)(text[i] - '0');
    if (whole && !run)
        snprintf(trouble, TROUBLE, "%.*s", (int)(n < 900 ? n : 900), text);
    else if (!whole)
        snprintf(trouble, TROUBLE, "%s",
                 au_deadline_signal() || !begun ? "no time was left (--budget)"
                                                : "its analysis ended without an answer");
    au_aside_free(a->child);
    a->child = NULL;
    return whole ? run : 0;
}

/* ---- all of them ---- */

static au_store *reach(const au_engine_test *t, au_error *err) {
    return t->open ? t->open : au_store_open(au_opt_str(t->o, "store"), false, err);
}
static void leave(const au_engine_test *t, au_store *s) {
    if (s != t->open)
        au_store_close(s);
}

static void add_test(au_dossier *d, au_case *c, const char *name) {
    for (size_t i = 0; i < c->test.n; i++)
        if (!strcmp(c->test.at[i], name))
            return;
    au_vec_push(&c->test, au_dossier_text_copy(d, name));
}

/* What the run found, said of this case. */
static au_status take(au_engine_test *t, const au_suite_case *c, uint64_t run, bool *covered,
                      bool *decided, au_error *err) {
    au_dossier one;
    au_dossier_init(&one);
    au_store *s = reach(t, err);
    au_status st = s ? au_store_load(s, run, &one, err) : err->status;
    leave(t, s);
    if (st == AU_OK) {
        for (size_t i = 0; i < one.at.n; i++) {
            au_case *x = &one.at.at[i];
            au_vec_clear(&x->test);
            add_test(&one, x, c->name);
            x->known = false; /* the suite asks triage, baseline and suppressions as they are now */
            x->triage = x->note = "";
        }
        au_vec_push(&t->dossier.suite, au_dossier_text_copy(&t->dossier, c->name));
        *covered = au_dossier_is_exhaustive(&one);
        *decided = !one.inconclusive.n;
        au_dossier_join(&t->dossier, &one);
    }
    au_dossier_release(&one);
    return st;
}

/* ---- what was analysed before ---- */

/* What an analysis depends on besides the recording. */
static uint64_t options_key(const au_engine_test *t) {
    size_t n;
    char **given = au_opts_words(t->o, NOT_OF_RUN "|jobs|store|quiet|color|progress", &n);
    uint64_t key = 0;
    for (size_t i = 0; i < n; i++) {
        key = XXH3_64bits_withSeed(given[i], strlen(given[i]) + 1, key);
        free(given[i]);
    }
    free(given);
    return key;
}

static bool look_up(const au_engine_test *t, uint64_t key, au_store_analysed *a) {
    au_error err = AU_ERROR_NONE;
    bool found = false;
    au_store *s = reach(t, &err);
    if (!s || au_store_analysed_get(s, key, a, &found, &err) != AU_OK)
        found = false;
    leave(t, s);
    return found;
}

/* At once: what a suite that is killed has analysed is not lost. */
static void note_down(const au_engine_test *t, uint64_t key, const au_store_analysed *a) {
    au_error err = AU_ERROR_NONE;
    au_store *s = reach(t, &err);
    if (s)
        au_store_analysed_put(s, key, a, &err); /* if it cannot be, it is analysed again */
    leave(t, s);
}

/* It need not be recorded again: all of it was decided, and it takes nothing from outside. */
static void note_known(const au_engine_test *t, const au_suite_case *c, const au_store_analysed *a,
                       bool decided) {
    au_error err = AU_ERROR_NONE;
    au_store *s = c->number && a->run && decided && a->seconds <= 0 ? reach(t, &err) : NULL;
    if (s)
        au_store_known_put(s, c->number, a->run, &err); /* if it cannot be, it is recorded again */
    leave(t, s);
}

/* The same bytes; the same program, input and hooks; the n-th child of that. */
typedef enum { BYTES, LIKENESS, CHILD } key_kind;
static uint64_t key_of(const au_engine_test *t, const au_suite_case *c, key_kind kind, uint64_t n) {
    uint64_t all[] = {t->options, kind == BYTES ? c->hash : c->likeness, kind, n};
    return XXH3_64bits(all, sizeof all);
}

/* With --since: it executes nothing of what was changed. */
static bool is_elsewhere(const au_engine_test *t, const au_suite_case *c) {
    return t->since && !au_since_concerns(t->since, c->trace);
}

/* It left something open for want of time, and there is more now. */
static bool is_worth_more(const au_engine_test *t, const au_store_analysed *a) {
    return a->seconds > 0 && t->share > 2 * a->seconds;
}

/* One that an earlier suite had is not analysed again, unless that left something open for want of time and there is
 * more now. */
static bool is_seen(au_engine_test *t, const au_suite_case *c, bool *covered) {
    au_store_analysed a;
    au_error err = AU_ERROR_NONE;
    bool decided;
    if (au_opt_flag(t->o, "again") || !c->hash)
        return false;
    bool same = look_up(t, key_of(t, c, BYTES, 0), &a) && a.run;
    if (!same && !(look_up(t, key_of(t, c, LIKENESS, 0), &a) && a.run))
        return false;
    if (is_worth_more(t, &a))
        return false;
    if (take(t, c, a.run, covered, &decided, &err) != AU_OK)
        return false;
    *covered &= same; /* values may differ: the sentence about coverage is not of this run */
    note_known(t, c, &a, decided);
    return true;
}

/* ---- all of them ---- */

typedef struct {
    analysis a;
    uint64_t child_key; /* of a child of fork; 0: it is none */
    size_t rank;        /* so many others of the same program come before it */
    size_t place;
} job;
typedef AU_VEC(job) jobs_todo;

/* What it has found; false, and why, if nobody knows. */
static bool finish(au_engine_test *t, job *j, bool *covered, char trouble[TROUBLE]) {
    au_error err = AU_ERROR_NONE;
    bool decided;
    analysis *a = &j->a;
    au_store_analysed done = {.run = end_of(a, trouble)};
    if (!done.run)
        return false;
    if (take(t, a->c, done.run, covered, &decided, &err) != AU_OK) {
        snprintf(trouble, TROUBLE, "%s", err.text);
        return false;
    }
    done.seconds = decided ? 0 : a->seconds > 0 ? a->seconds : AU_FOREVER;
    if (a->c->hash) {
        note_down(t, key_of(t, a->c, LIKENESS, 0), &done);
        note_down(t, key_of(t, a->c, BYTES, 0), &done);
        note_known(t, a->c, &done, decided);
    }
    if (j->child_key)
        note_down(t, j->child_key, &done);
    return true;
}

/* An analysis ends by itself at its time, and reports what it has: the command waits so much longer for the last. */
static double grace(double budget) {
    return budget > 0 ? 2 + budget / 10 : 0;
}

/* Starts analyses until 'jobs' go on. 'left' recordings share what is left of the time. */
static void start_some(const au_engine_test *t, job *j, size_t n, size_t *next, size_t going,
                       size_t left, unsigned jobs) {
    double budget = au_opt_number(t->o, "budget");
    for (; *next < n && going < jobs; ++*next) {
        analysis *x = &j[*next].a;
        double time = au_deadline_left() - grace(budget);
        if (time <= 0 || au_deadline_over())
            break;
        x->seconds = budget > 0 ? time * jobs / (double)(left > jobs ? left : jobs) : 0;
        x->child = au_aside_start(analyse, x);
        going++;
    }
}

static int by_rank(const void *x, const void *y) {
    const job *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

/* Every program has its turn before any has a second one: if the time does not last, it goes where most is new. */
static void order_jobs(jobs_todo *todo) {
    au_map n;
    au_map_init(&n);
    for (size_t i = 0; i < todo->n; i++) {
        const char *exe = todo->at[i].a.c->exe;
        todo->at[i].place = i;
        todo->at[i].rank = (*au_map_put(&n, XXH3_64bits(exe, strlen(exe)), NULL))++;
    }
    au_map_release(&n);
    if (todo->n)
        qsort(todo->at, todo->n, sizeof *todo->at, by_rank);
}

static void analyse_jobs(au_engine_test *t, jobs_todo *todo, unsigned jobs, size_t *covered) {
    size_t next = 0;
    for (size_t i = 0; i < todo->n; i++) {
        bool all = false;
        char trouble[TROUBLE] = "";
        start_some(t, todo->at, todo->n, &next, next - i, todo->n - i, jobs);
        au_progress("analysing, recording", i + 1, todo->n);
        bool good = finish(t, &todo->at[i], &all, trouble);
        next = next > i ? next : i + 1;
        *covered += all;
        t->undecided += !good;
        au_progress_found(t->dossier.at.n);
        t->watch->analysed(t->watch->ctx, todo->at[i].a.c, good ? NULL : trouble);
    }
    au_progress_end();
}

/* Children that are all known need not be recorded. */
static bool children_are_seen(au_engine_test *t, const au_suite_case *parent, size_t *covered) {
    au_store_analysed a;
    if (au_opt_flag(t->o, "again") || t->since || !parent->hash ||
        !look_up(t, key_of(t, parent, CHILD, 0), &a))
        return false;
    unsigned n = a.children;
    for (unsigned i = 1; i <= n; i++)
        if (!look_up(t, key_of(t, parent, CHILD, i), &a) || !a.run || is_worth_more(t, &a))
            return false;
    for (unsigned i = 1; i <= n; i++) {
        bool all = false, decided;
        au_error err = AU_ERROR_NONE;
        char *name = au_sprintf("%s [child %u]", parent->name, i);
        au_suite_case c = {.name = name};
        if (!look_up(t, key_of(t, parent, CHILD, i), &a) ||
            take(t, &c, a.run, &all, &decided, &err) != AU_OK)
            t->undecided++;
        t->same++;
        t->n_children++;
        free(name);
    }
    (void)covered; /* the parent's values may differ */
    return true;
}

/* requires: cases; fills: children, n_children, and todo */
static void add_children(au_engine_test *t, jobs_todo *todo, unsigned jobs, size_t *covered) {
    AU_VEC(au_suite_case *) parent = {0};
    for (size_t i = 0; i < t->cases.n; i++) {
        au_suite_case *c = &t->cases.at[i];
        if (c->forks && au_opt_flag(t->o, "children") && !children_are_seen(t, c, covered))
            au_vec_push(&parent, c);
    }
    t->n_families = parent.n;
    t->children = au_alloc_array(parent.n + 1, sizeof *t->children);
    memset(t->children, 0, (parent.n + 1) * sizeof *t->children);
    au_test_children_record(&t->suite, parent.at, parent.n, jobs, t->children);
    for (size_t i = 0; i < parent.n; i++) {
        au_test_children *x = &t->children[i];
        au_store_analysed n = {.children = (unsigned)x->at.n};
        for (size_t k = 0; k < x->at.n; k++) {
            bool all = false;
            uint64_t key = parent.at[i]->hash ? key_of(t, parent.at[i], CHILD, k + 1) : 0;
            if (is_elsewhere(t, &x->at.at[k])) {
                t->elsewhere++;
            } else if (is_seen(t, &x->at.at[k], &all)) {
                t->same++;
            } else {
                job j = {.a = {.t = t, .c = &x->at.at[k]}, .child_key = key};
                au_vec_push(todo, j);
            }
            *covered += all;
        }
        t->n_children += x->at.n;
        for (size_t k = 0; k < x->trouble.n; k++)
            t->watch->no_child(t->watch->ctx, x->trouble.at[k]);
        t->undecided += x->trouble.n;
        if (!x->trouble.n && parent.at[i]->hash)
            note_down(t, key_of(t, parent.at[i], CHILD, 0), &n);
    }
    au_vec_release(&parent);
}

/* ---- what was not recorded ---- */

void au_test_begin_time(const au_engine_test *t) {
    double budget = au_opt_number(t->o, "budget");
    au_deadline_set(budget > 0 ? budget + grace(budget) : 0);
}

au_status au_test_put_known(au_engine_test *t, au_error *err) {
    au_store_numbers all = {0};
    au_suite_numbers known = {0};
    au_status st = AU_OK;
    t->options = options_key(t);
    if (!au_opt_flag(t->o, "again") && !au_opt_flag(t->o, "exhaustive") && !t->since) {
        au_store *s = reach(t, err);
        st = s ? au_store_known_all(s, &all, err) : err->status;
        leave(t, s);
    }
    for (size_t i = 0; i < all.n; i++)
        au_vec_push(&known, all.at[i]);
    if (st == AU_OK)
        st = au_suite_put_known(&t->suite, t->options ? t->options : 1, &known, err);
    au_vec_release(&all);
    au_vec_release(&known);
    return st;
}

/* What the suite need not record: it was in the store when the suite began. */
static void take_known(au_engine_test *t, const au_suite_case *c) {
    au_error err = AU_ERROR_NONE;
    uint64_t run = 0;
    bool covered, decided, found = false;
    if (t->open && au_store_known_get(t->open, c->number, &run, &found, &err) == AU_OK && found &&
        take(t, c, run, &covered, &decided, &err) == AU_OK)
        return;
    t->undecided++;
    t->watch->analysed(t->watch->ctx, c, *err.text ? err.text : "the store has lost it");
}

/* Takes what earlier suites had, in the order of this one; the others are to be analysed. */
static void sort_out(au_engine_test *t, jobs_todo *todo, size_t *covered) {
    au_error err = AU_ERROR_NONE;
    size_t k = 0;
    t->open = reach(t, &err);
    for (size_t i = 0; i < t->cases.n; i++) {
        bool all = false;
        while (k < t->known.n && strcmp(t->known.at[k].trace, t->cases.at[i].trace) < 0)
            take_known(t, &t->known.at[k++]);
        if (is_elsewhere(t, &t->cases.at[i])) {
            t->elsewhere++;
        } else if (is_seen(t, &t->cases.at[i], &all)) {
            t->same++;
        } else {
            job j = {.a = {.t = t, .c = &t->cases.at[i]}};
            au_vec_push(todo, j);
        }
        *covered += all;
    }
    while (k < t->known.n)
        take_known(t, &t->known.at[k++]);
    au_store_close(t->open);
    t->open = NULL; /* from here on others are started */
}

void au_test_analyse(au_engine_test *t) {
    jobs_todo todo = {0};
    size_t covered = 0;
    double budget = au_opt_number(t->o, "budget");
    unsigned jobs = au_aside_jobs((unsigned)au_opt_int(t->o, "jobs"));
    t->share = budget > 0 && t->cases.n ? budget * jobs / (double)t->cases.n : AU_FOREVER;
    sort_out(t, &todo, &covered);
    add_children(t, &todo, jobs, &covered);
    order_jobs(&todo);
    analyse_jobs(t, &todo, jobs, &covered);
    au_vec_release(&todo);
    size_t all = t->cases.n + t->known.n + t->n_children;
    t->dossier.explored = "";
    if (t->since) {
        char *text = au_sprintf("only what was changed since '%s': %zu of %zu recordings execute "
                                "functions that were changed, the others are not looked at",
                                au_opt_str(t->o, "since"), all - t->elsewhere, all);
        au_vec_push(&t->dossier.note, au_dossier_text_copy(&t->dossier, text));
        free(text);
    }
    if (covered < all || t->killed.n ||
        t->refused.n) { /* the sentence about coverage is of one run */
        char why[80];
        t->dossier.claim = "";
        t->dossier.covered = false;
        t->dossier.open.n = 0;
        snprintf(why, sizeof why, "%zu of %zu recordings are not covered", all - covered, all);
        au_dossier_not_covered(&t->dossier, why, "a larger --budget");
    }
}
