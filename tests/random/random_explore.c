/* tests/random/random_explore.c: what an exploration covers is what there is.
 *
 * Random small programs are written down twice (gen_twin.h): as C and as a model. The C program is
 * compiled by 'augur cc' and explored until nothing is left; the oracle tries every interleaving of the
 * model. Then
 *   - the assertions that failed in an executed run are those that fail for the oracle;
 *   - a run deadlocked, or went on spinning, if and only if the oracle knows a state in which threads wait and none
 *     can go on; loops that spin are one step in the model, which waits;
 *   - all recorded runs put together (explore/family.h) are a model whose final states, again by
 *     the oracle, are those of the printed one; no goal is left in it that can be reached;
 *   - every run ends in a final state that the oracle knows, and no two runs of a program without such loops are
 *     the same way of every thread;
 *   - the exploration says that every interleaving was covered.
 * Runs at random ('record --schedule random') must end in a state of the oracle's, too: that tests the
 * two printers.
 *
 *     random_explore --count 100 --seed 1 [--size 3] [--keep DIR] [--jobs 2] [--go-on yes]
 *
 * The program augur is ../../augur as seen from this one, or $AUGUR. A case that fails is made smaller
 * (statements are left out as long as it fails) and printed. */
#include "base/hash.h"
#include "batches.h"
#include "explore/explore.h"
#include "explore/family.h"
#include "gen_twin.h"
#include "model/ctp.h"
#include "model/run.h"
#include "oracle/oracle.h"
#include "record/record.h"
#include "record/replay.h"
#include "trace/recording.h"
#include "trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BATCH = 25,
    MOST_EVENTS = 8000,
    PLAIN_RUNS = 2,
    WHY = 2000,
    MOST_STATES = 300000,
    MOST_RUNS = 600
};

typedef struct {
    uint64_t programs, runs, behaviours, asserts, deadlocks, finals, too_large, not_claimed;
} counts;

static const char *augur;
static char why[WHY];
static const char
    *kind_of_why;  /* two failures are alike if they have the same text but for numbers */
static bool keeps; /* --keep */
static bool go_on; /* past failures, without making them smaller */
static counts total;

static bool bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool bad(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    kind_of_why = fmt;
    return false;
}

/* --- states ------------------------------------------------------------------------------- */

/* A final state: values by the names of gen_twin.h, and where each thread is. Hash and text. */
typedef struct {
    int32_t value[TWIN_SHARED + 1];
    int32_t way[TWIN_THREADS];
    char rest[TWIN_THREADS]; /* D done, S stopped, W waiting, U not started */
} state;

typedef AU_VEC(state) states;

static int compare_states(const void *a, const void *b) {
    return memcmp(a, b, sizeof(state));
}

static void sort_states(states *s) {
    if (!s->n)
        return;
    qsort(s->at, s->n, sizeof *s->at, compare_states);
    size_t to = 1;
    for (size_t i = 1; i < s->n; i++)
        if (compare_states(&s->at[i], &s->at[to - 1]))
            s->at[to++] = s->at[i];
    s->n = to;
}

static bool has_state(const states *s, const state *x) {
    return s->n && bsearch(x, s->at, s->n, sizeof *s->at, compare_states);
}

static const char *state_text(const twin *t, const state *s, char *to, size_t n) {
    size_t at = 0;
    for (uint32_t i = 0; i < t->shared; i++)
        at += (size_t)snprintf(to + at, n - at, "g%u=%d ", i, s->value[i]);
    at += (size_t)snprintf(to + at, n - at, "a=%d ", s->value[TWIN_SHARED]);
    for (uint32_t i = 0; i < t->threads; i++)
        at += (size_t)snprintf(to + at, n - at, "T%u:%c%d ", i, s->rest[i], s->way[i]);
    return to;
}

/* Which of a state's numbers the variable with this name is; NULL: none. 'prefix': of C. */
static int32_t *place_of(const twin *t, state *s, const char *prefix, const char *name) {
    size_t n = strlen(prefix);
    const char *found = n ? strstr(name, prefix) : name;
    if (!found)
        return NULL;
    found += n;
    unsigned i;
    char end;
    if (!strcmp(found, "a"))
        return &s->value[TWIN_SHARED];
    if (sscanf(found, "g%u%c", &i, &end) == 1 && i < t->shared)
        return &s->value[i];
    if (sscanf(found, n ? "way[%u]%c" : "way%u%c", &i, &end) >= 1 && i < t->threads)
        return &s->way[i];
    return NULL;
}

/* The values at the start. memset: states are compared byte by byte. */
static void initial_state(const twin *t, state *s) {
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < t->shared; i++)
        s->value[i] = t->initial[i];
    s->value[TWIN_SHARED] = t->initial[TWIN_SHARED];
}

/* Thread T<n> of the printed model, T0.<n> of a family (T0 is the main thread in both). */
static uint32_t thread_of(const char *name, bool family) {
    unsigned n;
    char end;
    if (!strcmp(name, "T0"))
        return 0;
    if (sscanf(name, family ? "T0.%u%c" : "T%u%c", &n, &end) == 1 && n < TWIN_THREADS)
        return n;
    return AU_NONE;
}

/* --- what the oracle says of a model ------------------------------------------------------ */

typedef struct {
    bool exhaustive;
    uint32_t asserts;     /* bit k: assertion k can fail */
    bool deadlock, waits; /* waits: some threads do for good, whatever becomes of others */
    states final;
    state shown; /* which of a state's numbers the model has: not 0 */
    char *goal;  /* of a family: one that can be reached; NULL */
} truth;

static void truth_release(truth *w) {
    au_vec_release(&w->final);
    free(w->goal);
    *w = (truth){0};
}

/* The assertion that a step is; AU_NONE if it is none of the program's. */
static uint32_t assertion_of(const twin *t, const au_model *m, const au_step *s, bool family) {
    if (!family) {
        unsigned k;
        const char *label = s->label == AU_NONE ? "" : au_intern_str(&m->strings, s->label);
        return sscanf(label, "a%u", &k) == 1 ? k : AU_NONE;
    }
    for (uint32_t k = 0; k < t->asserts; k++)
        if (t->line[k] == s->line)
            return k;
    return AU_NONE;
}

static const au_goal *goal_of(const au_family *f, uint32_t step) {
    const au_goal *goal;
    size_t n = au_family_goals(f, &goal);
    for (size_t i = 0; i < n; i++)
        if (goal[i].step == step)
            return &goal[i];
    return NULL;
}

static void take_finals(const twin *t, const au_model *m, const au_oracle_result *r,
                        const char *prefix, truth *w) {
    for (size_t i = 0; i < r->final.n; i++) {
        const au_final *f = &r->final.at[i];
        state s;
        initial_state(t, &s);
        size_t nth = 0;
        for (size_t v = 0; v < m->var.n; v++) {
            if (m->var.at[v].kind != AU_VAR_SHARED)
                continue;
            int32_t *to = place_of(t, &s, prefix, m->var.at[v].name);
            if (to) {
                *to = (int32_t)f->value[nth];
                *place_of(t, &w->shown, prefix, m->var.at[v].name) = 1;
            }
            nth++;
        }
        for (size_t k = 0; k < m->thread.n; k++) {
            uint32_t n = thread_of(m->thread.at[k].name, *prefix);
            if (n < t->threads)
                s.rest[n] = "DSWU"[f->rest[k]];
        }
        w->waits |= memchr(s.rest, 'W', sizeof s.rest) != NULL;
        /* Where an assertion failed the program ends, and does not wait. */
        w->deadlock |= memchr(s.rest, 'W', sizeof s.rest) && !memchr(s.rest, 'S', sizeof s.rest);
        au_vec_push(&w->final, s);
    }
    sort_states(&w->final);
}

/* prefix: of the C variables' names, "" for the printed model. f: the family that m is of. */
static bool ask_oracle(const twin *t, const au_model *m, const au_family *family,
                       const char *prefix, truth *w) {
    au_error err = AU_ERROR_NONE;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.props = AU_PROP_ASSERT;
    o.max_states = MOST_STATES;
    *w = (truth){0};
    au_oracle_result *r = au_oracle_run(m, &o, &err);
    if (!r)
        return bad("the oracle on %s: %s", *prefix ? "the family" : "the model", err.text);
    w->exhaustive = r->exhaustive;
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *f = &r->finding.at[i];
        if (f->kind != AU_FOUND_ASSERT)
            continue;
        const au_step *s = &m->step.at[f->event[0].step];
        const au_goal *g = family ? goal_of(family, s->id) : NULL;
        uint32_t k = assertion_of(t, m, s, family);
        if (g && g->kind != AU_GOAL_ASSERT && !w->goal)
            w->goal = au_sprintf("%s at line %u", g->text, g->line);
        else if (k != AU_NONE)
            w->asserts |= 1u << k;
    }
    take_finals(t, m, r, prefix, w);
    au_oracle_free(r);
    return true;
}

/* --- what a recording says ---------------------------------------------------------------- */

typedef struct {
    uint8_t end;
    uint32_t assertion; /* that failed; AU_NONE */
    state last;         /* rest: not known but for runs that ended well */
} ran;

static bool read_run(const twin *t, const char *prefix, const char *path, ran *to) {
    au_error err = AU_ERROR_NONE;
    au_reader *r = au_reader_open(path, NULL, &err);
    au_trace *tr = r ? au_trace_load_from(r, &err) : NULL;
    const au_recording_facts *facts = tr ? au_reader_facts(r) : NULL;
    if (!facts) {
        au_reader_free(r);
        return bad("cannot read '%s': %s", path, err.text);
    }
    initial_state(t, &to->last);
    to->end = facts->end;
    to->assertion = AU_NONE;
    uint32_t line = 0;
    const au_columns *c = &tr->events;
    for (size_t i = 0; i < c->n; i++) {
        const char *loc = c->loc[i] != AU_NONE && c->loc[i] >= AU_LOC_NAMED
                              ? au_intern_str(&tr->names.loc, c->loc[i] - AU_LOC_NAMED)
                              : "";
        const char *colon = strrchr(loc, ':');
        line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
        bool write = c->op[i] == AU_OP_WRITE || c->op[i] == AU_OP_AWRITE || c->op[i] == AU_OP_RMW;
        if (!write || !c->any_value)
            continue;
        int32_t *v = place_of(t, &to->last, prefix, au_intern_str(&tr->names.var, c->obj[i]));
        if (v)
            *v = (int32_t)c->value[i];
    }
    if (to->end == AU_END_ASSERT)
        for (uint32_t k = 0; k < t->asserts; k++)
            if (t->line[k] == line)
                to->assertion = k;
    memset(to->last.rest, 0, sizeof to->last.rest);
    memset(to->last.rest, 'D', t->threads);
    au_trace_free(tr);
    au_reader_free(r);
    return true;
}

/* One run must be one of the oracle's. */
static bool known_run(const twin *t, const ran *r, const truth *oracle, const char *name) {
    char text[300];
    switch (r->end) {
    case AU_END_EXIT:
        if (has_state(&oracle->final, &r->last))
            return true;
        return bad("%s ends in %s, which the oracle does not know", name,
                   state_text(t, &r->last, text, sizeof text));
    case AU_END_ASSERT:
        if (r->assertion != AU_NONE && (oracle->asserts >> r->assertion & 1))
            return true;
        return bad("assertion %d fails in %s, but not for the oracle", (int)r->assertion, name);
    case AU_END_DEADLOCK:
        return oracle->deadlock ? true : bad("%s deadlocks, but not for the oracle", name);
    case AU_END_LIMIT: /* somebody spins for good */
        return t->spins && oracle->deadlock
                   ? true
                   : bad("%s does not end, but does so for the oracle", name);
    default:
        return bad("%s ends in another way (%u)", name, r->end);
    }
}

/* --- running ------------------------------------------------------------------------------ */

static bool plain_runs(const twin *t, const au_program *of, const char *prefix, uint64_t seed,
                       const truth *oracle) {
    char path[300];
    snprintf(path, sizeof path, "%s/plain.trace", batches_dir);
    for (uint32_t i = 0; i < PLAIN_RUNS; i++) {
        au_error err = AU_ERROR_NONE;
        au_program p = *of;
        p.plan.policy = AU_POLICY_RANDOM;
        p.plan.max_events = MOST_EVENTS;
        p.plan.switch_every = 3;
        p.plan.seed = seed * 1000 + i;
        au_control_map m;
        au_child child;
        au_run_result r;
        au_feed feed = {"", 0};
        au_run run = {.program = &p,
                      .output = path,
                      .plan = {.mode = AU_MODE_RECORD},
                      .feed = &feed,
                      .whole_input = true,
                      .discard_output = true};
        if (au_run_program(&run, &m, &child, &r, &err) != AU_OK)
            return bad("cannot run: %s", err.text);
        au_run_release(&r);
        ran x;
        if (!read_run(t, prefix, path, &x) || !known_run(t, &x, oracle, "a run at random"))
            return false;
    }
    return true;
}

static int compare_ways(const void *a, const void *b) {
    const state *x = a, *y = b;
    return memcmp(x->way, y->way, sizeof x->way);
}

/* All recordings of an exploration, put together. */
typedef struct {
    au_family *family;
    uint32_t asserts; /* that failed in some run */
    bool deadlock;
    states way; /* of runs that ended well */
} together;

static bool take_run(const twin *t, const char *prefix, const char *path, const truth *oracle,
                     together *all) {
    au_error err = AU_ERROR_NONE;
    ran r;
    bool added;
    if (!read_run(t, prefix, path, &r) || !known_run(t, &r, oracle, path))
        return false;
    if (r.assertion != AU_NONE)
        all->asserts |= 1u << r.assertion;
    all->deadlock |= r.end == AU_END_DEADLOCK || r.end == AU_END_LIMIT;
    if (r.end == AU_END_EXIT)
        au_vec_push(&all->way, r.last);
    if (au_family_add(all->family, path, &added, &err) != AU_OK)
        return bad("'%s' does not join the family: %s", path, err.text);
    return true;
}

/* Variables that only one thread at a time can touch are not in a family's model: what they hold
 * follows from the way of that thread. */
static void forget(truth *w, const state *but) {
    for (size_t i = 0; i < w->final.n; i++) {
        state *s = &w->final.at[i];
        for (size_t k = 0; k <= TWIN_SHARED; k++)
            if (!but->value[k])
                s->value[k] = 0;
        for (size_t k = 0; k < TWIN_THREADS; k++)
            if (!but->way[k])
                s->way[k] = 0;
    }
    sort_states(&w->final);
}

static bool compare_finals(const twin *t, truth *a, truth *b) {
    state shown = b->shown;
    forget(a, &shown);
    forget(b, &shown);
    char text[300], other[300] = "";
    for (size_t i = 0; i < a->final.n; i++)
        if (!has_state(&b->final, &a->final.at[i]))
            return bad("the oracle's final state %sis not in the family, which has %zu, as %s",
                       state_text(t, &a->final.at[i], text, sizeof text), b->final.n,
                       b->final.n ? state_text(t, &b->final.at[0], other, sizeof other) : "");
    /* A thread that failed in a round may stop for good there: others have it try again. */
    for (size_t i = 0; i < b->final.n; i++)
        if (!has_state(&a->final, &b->final.at[i]) &&
            !(t->spins && memchr(b->final.at[i].rest, 'S', sizeof b->final.at[i].rest)))
            return bad("the family's final state %s is not the oracle's",
                       state_text(t, &b->final.at[i], text, sizeof text));
    return true;
}

/* For who looks into a failing case (--keep): the family as text. */
static void write_family(const au_family *f) {
    char path[300];
    au_error err = AU_ERROR_NONE;
    snprintf(path, sizeof path, "%s/family.ctp", batches_dir);
    au_out *out = au_out_open(path, &err);
    if (!out)
        return;
    if (au_ctp_print(au_family_model(f), out, &err) == AU_OK)
        au_out_commit(out, &err);
    else
        au_out_abandon(out);
}

static bool compare_with(const twin *t, truth *oracle, const char *prefix, const au_explored *x,
                         together *all) {
    char text[300];
    if (all->asserts != oracle->asserts)
        return bad("assertions %x failed in runs, %x for the oracle", all->asserts,
                   oracle->asserts);
    if (all->deadlock != oracle->deadlock)
        return bad("a deadlock %s",
                   oracle->deadlock ? "for the oracle, in no run" : "in a run only");
    if (all->way.n)
        qsort(all->way.at, all->way.n, sizeof *all->way.at, compare_ways);
    /* One run may show that a round leads back to where it began, and go on as another one. */
    for (size_t i = 1; i < all->way.n && !t->spins; i++)
        if (!compare_ways(&all->way.at[i - 1], &all->way.at[i]))
            return bad("two runs went the same way: %s",
                       state_text(t, &all->way.at[i], text, sizeof text));
    /* The question about deadlocks does not know which of them runs have shown by themselves: one may be
     * executed once more. */
    uint64_t again = oracle->waits ? 8 : 0;
    if (x->repeated > again || x->diverged || x->missed)
        return bad("%llu runs brought nothing new, %llu diverged, %llu missed their goal",
                   (unsigned long long)x->repeated, (unsigned long long)x->diverged,
                   (unsigned long long)x->missed);
    if (!x->every)
        return bad("not everything was covered");
    truth family;
    if (keeps)
        write_family(all->family);
    bool good = ask_oracle(t, au_family_model(all->family), all->family, prefix, &family);
    if (good && !family.exhaustive)
        total.too_large++;
    else if (good && family.goal)
        good = bad("a goal can still be reached: %s", family.goal);
    /* One that fails whatever the others do is the end of its thread there, and no question. */
    else if (good && (family.asserts & ~oracle->asserts))
        good = bad("assertions %x fail in the family, %x for the oracle", family.asserts,
                   oracle->asserts);
    else if (good)
        good = compare_finals(t, oracle, &family);
    truth_release(&family);
    return good;
}

static bool by_number(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    return n != m ? n < m : strcmp(a, b) < 0;
}

/* The recordings that were kept, in their order; to be freed. */
typedef AU_VEC(char *) names;
static void kept(const char *where, names *to) {
    DIR *d = opendir(where);
    struct dirent *e;
    while (d && (e = readdir(d)))
        if (strlen(e->d_name) > 6 && !strcmp(e->d_name + strlen(e->d_name) - 6, ".trace"))
            au_vec_push(to, au_sprintf("%s/%s", where, e->d_name));
    if (d)
        closedir(d);
    for (size_t i = 1; i < to->n; i++)
        for (size_t k = i; k && by_number(to->at[k], to->at[k - 1]); k--) {
            char *x = to->at[k];
            to->at[k] = to->at[k - 1];
            to->at[k - 1] = x;
        }
}

static bool explore(const twin *t, const au_program *p, const char *prefix, truth *oracle) {
    char where[300];
    au_error err = AU_ERROR_NONE;
    snprintf(where, sizeof where, "%s/kept", batches_dir);
    batches_command("rm -rf kept");
    au_dossier d;
    au_explored x = {0};
    au_dossier_init(&d);
    au_explore_options o = {.program = p,
                            .keep = where,
                            .keep_all = true,
                            .max_runs = MOST_RUNS,
                            .max_events = MOST_EVENTS,
                            .jobs = 1,
                            .question_seconds = 20};
    bool good = au_explore(&o, &d, &x, &err) == AU_OK || bad("explore: %s", err.text);
    names list = {0};
    au_family_options fo = {0};
    together all = {.family = au_family_new(&fo)};
    if (good)
        kept(where, &list);
    total.runs += x.runs;
    total.behaviours += x.ways;
    if (good && list.n < x.ways)
        good = bad("%llu ways, but %zu recordings are kept", (unsigned long long)x.ways, list.n);
    for (size_t i = 0; i < list.n; i++) {
        good = good && take_run(t, prefix, list.at[i], oracle, &all);
        free(list.at[i]);
    }
    au_vec_release(&list);
    good = good && compare_with(t, oracle, prefix, &x, &all);
    au_vec_release(&all.way);
    au_family_free(all.family);
    au_dossier_release(&d);
    return good;
}

/* --- programs ------------------------------------------------------------------------------ */

static bool compile(twin *const *t, uint32_t n, unsigned level) {
    char path[300];
    uint32_t line;
    twin_text text = {0};
    twin_c_head(&text, &line);
    for (uint32_t i = 0; i < n; i++)
        twin_c(t[i], i, &text, &line);
    twin_c_main(&text, n);
    snprintf(path, sizeof path, "%s/batch.c", batches_dir);
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(text.at, 1, text.n, f) == text.n;
    if (f)
        good &= fclose(f) == 0;
    au_vec_release(&text);
    if (!good)
        return bad("cannot write '%s'", path);
    int status = batches_command("%s cc -O%u -g -fwrapv -pthread batch.c -o batch", augur, level);
    return status == 0 || bad("'augur cc' returns %d", status);
}

/* What 'augur record' would start, as a recording has it; argument 1 is still to be set. */
static bool load_program(au_replay *r) {
    char path[300];
    au_error err = AU_ERROR_NONE;
    int status =
        batches_command("%s record --quiet --max-events 8000 -o first.trace ./batch 0", augur);
    snprintf(path, sizeof path, "%s/first.trace", batches_dir);
    if (status > 1 || au_replay_load(r, path, &err) != AU_OK)
        return bad("cannot record: status %d %s", status, err.text);
    return true;
}

static bool test_program(const twin *t, uint32_t number, uint64_t seed, const au_replay *from) {
    au_error err = AU_ERROR_NONE;
    char argument[20], prefix[20];
    snprintf(argument, sizeof argument, "%u", number);
    snprintf(prefix, sizeof prefix, "p%u_", number);
    twin_text text = {0};
    twin_ctp(t, &text);
    au_model *m = au_ctp_read(text.at, text.n, "twin.ctp", NULL, &err);
    au_vec_release(&text);
    if (!m)
        return bad("the model cannot be read: %s", err.text);
    truth oracle;
    bool good = ask_oracle(t, m, NULL, "", &oracle);
    au_model_free(m);
    total.programs++;
    if (good && !oracle.exhaustive) {
        total.too_large++;
    } else if (good) {
        total.asserts += (uint64_t)__builtin_popcount(oracle.asserts);
        total.deadlocks += oracle.deadlock;
        total.finals += oracle.final.n;
        au_program p = from->program;
        char *argv[] = {from->program.argv[0], argument, NULL};
        p.argv = argv;
        good = plain_runs(t, &p, prefix, seed, &oracle) && explore(t, &p, prefix, &oracle);
    }
    truth_release(&oracle);
    return good;
}

/* Is it still wrong, in this way (NULL: in any)? Alone in its file. */
static bool still_fails(const twin_plan *plan, const char *kind) {
    twin *t = twin_make(plan);
    au_replay from;
    bool fails = false;
    if (compile(&t, 1, (unsigned)(plan->seed % 3)) && load_program(&from)) {
        fails = !test_program(t, 0, plan->seed, &from) && (!kind || kind == kind_of_why);
        au_replay_release(&from);
    }
    twin_free(t);
    return fails;
}

static void print_both(const twin_plan *plan) {
    twin *t = twin_make(plan);
    twin_text c = {0}, ctp = {0};
    uint32_t line = 1;
    twin_c(t, 0, &c, &line);
    twin_ctp(t, &ctp);
    printf("smaller: %s\n%.*s\n%.*s\n", why, (int)c.n, c.at, (int)ctp.n, ctp.at);
    au_vec_release(&c);
    au_vec_release(&ctp);
    twin_free(t);
}

/* Leaves statements out, one after the other, as long as something is wrong. */
static void shrink(const twin_plan *failing) {
    twin_plan p = *failing;
    twin *t = twin_make(&p);
    p.n_drop = t->statements;
    twin_free(t);
    uint8_t *drop = au_alloc_array(p.n_drop + 1, sizeof *drop);
    memset(drop, 0, p.n_drop + 1);
    p.drop = drop;
    const char *kind = kind_of_why;
    if (!still_fails(&p, kind)) {
        printf("alone in its file it does not fail\n");
    } else {
        for (uint32_t i = 0; i < p.n_drop; i++) {
            drop[i] = 1;
            if (!still_fails(&p, kind))
                drop[i] = 0;
        }
        still_fails(&p, kind);
        print_both(&p);
    }
    free(drop);
}

static bool test_batch(uint64_t seed, uint32_t n, uint32_t size) {
    twin *t[BATCH];
    au_replay from;
    for (uint32_t i = 0; i < n; i++)
        t[i] = twin_make(&(twin_plan){.seed = seed + i, .size = size});
    bool good = compile(t, n, (unsigned)(seed % 3)), there = good && load_program(&from);
    good = there;
    if (!good)
        printf("seeds %llu to %llu: %s\n", (unsigned long long)seed,
               (unsigned long long)seed + n - 1, why);
    for (uint32_t i = 0; i < n && there && (good || go_on); i++) {
        bool well = test_program(t[i], i, seed + i, &from);
        good &= well;
        if (!well) {
            printf("seed %llu (--count 1 --seed %llu --size %u): %s\n",
                   (unsigned long long)seed + i, (unsigned long long)seed + i, size, why);
            fflush(stdout);
            if (!go_on)
                shrink(&(twin_plan){.seed = seed + i, .size = size});
        }
    }
    if (there)
        au_replay_release(&from);
    for (uint32_t i = 0; i < n; i++)
        twin_free(t[i]);
    return good;
}

/* Families are made in this process, which needs the LLVM module beside it (base/parts.h). */
static void link_llvm(void) {
    char path[4096], part[4200];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        abort();
    path[n] = 0;
    *strrchr(path, '/') = 0;
    snprintf(part, sizeof part, "%s/augur-llvm.so", path);
    if (symlink("../../augur-llvm.so", part) && errno != EEXIST)
        fprintf(stderr, "random_explore: cannot make '%s'\n", part);
}

int main(int argc, char **argv) {
    batches b = {.name = "random_explore",
                 .count = 25,
                 .seed = 1,
                 .size = 3,
                 .jobs = 2,
                 .batch = BATCH,
                 .test = test_batch,
                 .total = (uint64_t *)&total,
                 .n_totals = sizeof total / sizeof(uint64_t)};
    batches_options(&b, argc, argv);
    keeps = b.keep;
    go_on = b.go_on;
    augur = batches_augur();
    link_llvm();
    bool good = batches_run(&b);
    printf("%llu programs, %llu runs (%llu behaviours); failing assertions %llu, deadlocks %llu, "
           "final "
           "states %llu; %llu too large for the oracle\n",
           (unsigned long long)total.programs, (unsigned long long)total.runs,
           (unsigned long long)total.behaviours, (unsigned long long)total.asserts,
           (unsigned long long)total.deadlocks, (unsigned long long)total.finals,
           (unsigned long long)total.too_large);
    return good ? 0 : 1;
}
