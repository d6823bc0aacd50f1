/* explore/tell.c: what an exploration covered, and what it did not.
 *
 * "Every interleaving of this input was covered" is said only if nothing stands against it: every goal that
 * is left was answered, exactly, about the family as it is, by "no interleaving reaches it"; every
 * run went into one family, and that family has no gap. Everything else is listed. */
#include "base/json.h"
#include "explore/explore_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void au_tell_line(const au_exploration *s, const char *fmt, ...) {
    char text[1024];
    va_list ap;
    if (!s->o->tell)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    s->o->tell(s->o->ctx, text);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *at, size_t n) {
    if (!n)
        return 0;
    qsort(at, n, sizeof *at, by_size);
    return n % 2 ? at[n / 2] : (at[n / 2 - 1] + at[n / 2]) / 2;
}

/* ---- counting ---- */

typedef struct {
    uint64_t open, unknown, missed, never, lazy; /* goals that wait */
    const char *first_open, *first_unknown, *first_missed;
} left_over;

static void count_goals(const au_exploration *s, const au_circle *c, left_over *l) {
    for (size_t i = 0; i < c->aim.n; i++) {
        const au_aim *a = &c->aim.at[i];
        if (!a->waits || au_queue_told(s, a) || a->state == AU_AIM_DONE)
            continue;
        if (au_queue_left_out(s, a) && a->state != AU_AIM_MISSED) {
            l->lazy++;
        } else if (a->state == AU_AIM_MISSED) {
            if (!l->missed++)
                l->first_missed = a->where;
        } else if (a->state == AU_AIM_UNKNOWN && a->version == c->version) {
            if (!l->unknown++)
                l->first_unknown = a->where;
        } else if (a->state == AU_AIM_NEVER && a->version == c->version) {
            l->never++;
        } else if (!l->open++) {
            l->first_open = a->where;
        }
    }
}

/* Outcomes of branches, by place, that no run took and that no interleaving reaches. */
static uint64_t never_taken(const au_exploration *s, const au_circle *c) {
    au_map bad, good;
    uint64_t n = 0;
    au_map_init(&bad);
    au_map_init(&good);
    for (size_t i = 0; i < c->aim.n; i++) {
        const au_aim *a = &c->aim.at[i];
        if (a->kind != AU_GOAL_BRANCH)
            continue;
        bool never = a->waits && a->state == AU_AIM_NEVER && a->version == c->version && !a->seen &&
                     !au_map_find(&s->sites, a->site);
        au_map_put(never ? &good : &bad, a->site, NULL);
    }
    for (size_t i = 0; i < good.cap; i++)
        n += good.used[i] && !au_map_find(&bad, good.slot[2 * i]);
    au_map_release(&bad);
    au_map_release(&good);
    return n;
}

static void count(au_exploration *s, left_over *l) {
    au_explored *x = s->x;
    for (size_t i = 0; i < s->circle.n; i++) {
        au_family_counts n;
        au_family_count(s->circle.at[i].f, &n);
        /* Of several families the one that saw most is told. */
        if (n.sides_seen > x->sides_seen || !i) {
            x->sides_seen = n.sides_seen;
            x->open_branches = n.open_branches;
            x->sides_taken = n.sides_taken;
            x->never = never_taken(s, &s->circle.at[i]);
        }
        count_goals(s, &s->circle.at[i], l);
    }
    x->goals = l->open + l->unknown + l->missed + l->never + l->lazy;
    x->lazy = l->lazy;
    x->proved = l->never;
    x->run_median = median(s->run_time.at, s->run_time.n);
    x->ask_median = median(s->ask_time.at, s->ask_time.n);
}

/* ---- sentences ---- */

static const char *many(uint64_t n) {
    return n == 1 ? "" : "s";
}

static void put_summary(const au_exploration *s, au_out *out) {
    const au_explored *x = s->x;
    au_out_printf(out, "%" PRIu64 " run%s, %" PRIu64 " distinct behaviour%s.", x->runs,
                  many(x->runs), x->ways, many(x->ways));
    if (x->open_branches)
        au_out_printf(out,
                      " Explored %" PRIu64 " of %" PRIu64
                      " outcomes of schedule-dependent branches; %" PRIu64 " unreachable%s.",
                      x->sides_taken, 2 * x->open_branches, x->never,
                      x->never && !x->every ? " as far as explored" : "");
    else if (x->runs)
        au_out_str(out, " No branch depends on the schedule.");
}

/* Why not everything was covered, and what may help against the first that something helps against. */
typedef struct {
    au_dossier *d; /* gets them all */
    au_out *out;
    unsigned n;
    const char *hint;
    size_t from; /* of what is open in the dossier, the first of these reasons */
} against;

static void reason(against *a, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void reason(against *a, const char *hint, const char *fmt, ...) {
    char text[900];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (hint && !a->hint)
        a->hint = hint;
    for (size_t i = a->from; i < a->d->open.n; i++) /* groups of runs have like reasons */
        if (!strcmp(a->d->open.at[i], text))
            return;
    au_out_printf(a->out, "%s%s", a->n++ ? "; " : "", text);
    au_vec_push(&a->d->open, au_dossier_text_copy(a->d, text));
}

static const au_ran *first_stopped(const au_exploration *s) {
    for (size_t i = 0; i < s->ran.n; i++)
        if (s->ran.at[i].late || s->ran.at[i].end == AU_END_LIMIT)
            return &s->ran.at[i];
    return NULL;
}

static const au_ran *first_apart(const au_exploration *s) {
    for (size_t i = 0; i < s->ran.n; i++)
        if (!s->ran.at[i].broken && s->ran.at[i].end != AU_END_DIVERGED &&
            (s->ran.at[i].family == AU_NONE || (s->ran.at[i].family && *s->ran.at[i].message)))
            return &s->ran.at[i];
    return NULL;
}

/* Deadlocks were asked about in every family as it is, and all of them were told. */
static bool knows_deadlocks(const au_exploration *s) {
    for (size_t i = 0; i < s->circle.n; i++)
        if (s->circle.at[i].deadlock_version != s->circle.at[i].version ||
            s->circle.at[i].deadlock_open)
            return false;
    return true;
}

/* A question that was asked and not answered: it decides on the exit status, too. */
static void undecided(against *a) {
    au_vec_push(&a->d->inconclusive, au_vec_last(&a->d->open));
}

static void put_left_over(const left_over *l, const au_exploration *s, against *a) {
    if (l->open)
        reason(a, NULL, "%" PRIu64 " outcome%s or value%s not explored, among them %s", l->open,
               many(l->open), many(l->open), l->first_open);
    if (l->unknown) {
        reason(a, "a larger --timeout", "%" PRIu64 " question%s undecided (%s), among them %s",
               l->unknown, many(l->unknown), *s->unanswered ? s->unanswered : "no reason given",
               l->first_unknown);
        undecided(a);
    }
    if (l->missed)
        reason(a, NULL, "%" PRIu64 " outcome%s or value%s predicted but not reached, among them %s",
               l->missed, many(l->missed), many(l->missed), l->first_missed);
}

static bool has_race(void *ctx, const char *var) {
    const au_dossier *d = ctx;
    for (size_t i = 0; i < d->at.n; i++)
        if (d->at.at[i].kind == AU_KIND_RACE && !strcmp(d->at.at[i].var, var))
            return true;
    return false;
}

/* … or an update of it was lost. */
static bool has_lost(void *ctx, const char *var) {
    const au_dossier *d = ctx;
    for (size_t i = 0; i < d->at.n; i++)
        if (d->at.at[i].kind == AU_KIND_LOST && !strcmp(d->at.at[i].var, var))
            return true;
    return has_race(ctx, var);
}

/* Everything that stands against "every". */
static void put_reasons(const au_exploration *s, const left_over *l, against *a) {
    const au_explored *x = s->x;
    if (s->why_stopped)
        reason(a, s->what_to_try, "%s", s->why_stopped);
    put_left_over(l, s, a);
    const au_ran *r = x->stopped ? first_stopped(s) : NULL;
    if (r) {
        reason(a, "a larger --run-timeout or --max-events",
               "%" PRIu64 " run%s stopped at a limit, run %" PRIu32 " first", x->stopped,
               many(x->stopped), r->number);
        if (s->ran.at[0].end !=
            AU_END_LIMIT) /* the recording was stopped there, too, as was wished */
            undecided(a);
    }
    r = first_apart(s);
    if (r)
        reason(a, NULL, "run %" PRIu32 " could not be merged with the others: %s", r->number,
               r->message);
    for (size_t i = 0; i < s->circle.n; i++) {
        const char *gap = au_family_gap(s->circle.at[i].f);
        if (gap)
            reason(a, NULL, "%s", gap);
    }
    for (size_t i = 0; i < s->circle.n && !a->n && s->o->check; i++) {
        char *pair = au_family_unseen_pair(s->circle.at[i].f, has_race, s->d);
        char *lost = !pair && au_plan_wants(s->o->check, AU_PROP_LOST)
                         ? au_family_unseen_lost(s->circle.at[i].f, has_lost, s->d)
                         : NULL;
        if (pair)
            reason(a, NULL, "%s", pair);
        free(pair);
        if (lost)
            reason(a, NULL, "%s", lost);
        free(lost);
    }
    if (!s->circle.n && !r)
        reason(a, NULL, "no run could be analysed");
    if (s->overlooked)
        reason(a, NULL, "%s", s->overlooked);
    if (!s->feed_whole)
        reason(a, NULL, "only part of standard input was kept");
    if (!knows_deadlocks(s))
        reason(a, "a larger --budget", "the deadlock check is incomplete");
    if (x->checked < x->to_check)
        reason(a, "a larger --budget",
               "%" PRIu64 " of %" PRIu64 " runs checked for races and other findings", x->checked,
               x->to_check);
}

/* A wait of a path has one spurious wake-up: there could be any number. */
static bool may_wake_again(const au_exploration *s) {
    for (size_t i = 0; i < s->circle.n; i++)
        for (size_t k = 0; k < s->circle.at[i].aim.n; k++)
            if (s->circle.at[i].aim.at[k].kind == AU_GOAL_SPURIOUS)
                return true;
    return false;
}

/* The memory that the model has (docs/limits.md). */
#define MEMORY "sequentially consistent memory"

static void put_claim(au_exploration *s, const left_over *l, const against *a, au_out *out) {
    size_t n;
    if (s->x->every) {
        au_out_str(out, "Every interleaving of this input was covered. (" MEMORY ")");
    } else if (s->x->calm && !l->lazy) {
        au_out_str(out, "Every interleaving of this input was covered, except for more than one "
                        "spurious wake-up on a thread's path. (" MEMORY ")");
    } else if (s->x->calm) {
        au_out_printf(out,
                      "Every interleaving of this input was covered, except for %" PRIu64
                      " outcome%s that only a spurious wake-up reaches. (" MEMORY
                      ") Try 'augur explore --all-spurious'.",
                      l->lazy, many(l->lazy));
    } else {
        const char *text = au_out_memory_data(a->out, &n);
        au_out_printf(out, "Not every interleaving of this input was covered: %.*s. Try %s.",
                      (int)n, text, a->hint ? a->hint : "more schedules ('augur run --runs 20')");
    }
}

void au_tell_end(au_exploration *s) {
    left_over l = {0};
    count(s, &l);
    au_out *all = au_out_memory(), *claim = au_out_memory();
    against a = {.d = s->d, .out = au_out_memory(), .from = s->d->open.n};
    size_t n;
    put_reasons(s, &l, &a);
    s->x->calm = !a.n;
    s->x->every = s->x->calm && !l.lazy && !may_wake_again(s);
    if (s->x->every) /* also those whose condition says that they cannot be */
        s->x->never = 2 * s->x->open_branches - s->x->sides_taken;
    put_summary(s, all);
    put_claim(s, &l, &a, claim);
    if (s->x->calm && !s->x->every)
        au_vec_push(&s->d->open, "spurious wake-ups that nobody gave");
    s->d->explored = au_dossier_text_copy(s->d, au_out_memory_data(all, &n));
    s->d->claim = au_dossier_text_copy(s->d, au_out_memory_data(claim, &n));
    s->d->covered = s->x->every;
    au_out_abandon(a.out);
    au_out_abandon(claim);
    au_out_abandon(all);
}

/* ---- numbers ---- */

void au_tell_numbers(au_exploration *s) {
    const au_explored *x = s->x;
    const struct {
        const char *name;
        double value;
    } all[] = {{"runs", (double)x->runs},
               {"behaviours", (double)x->ways},
               {"repeated_runs", (double)x->repeated},
               {"diverged_runs", (double)x->diverged},
               {"missed_runs", (double)x->missed},
               {"stopped_runs", (double)x->stopped},
               {"unmerged_runs", (double)x->apart},
               {"questions", (double)x->asked},
               {"reachable", (double)x->reachable},
               {"unreachable", (double)x->unreachable},
               {"unanswered", (double)x->unanswered},
               {"goals_left", (double)x->goals},
               {"goals_unreachable", (double)x->proved},
               {"open_branches", (double)x->open_branches},
               {"sides_taken", (double)x->sides_taken},
               {"sides_unreachable", (double)x->never},
               {"checked_runs", (double)x->checked},
               {"goals_left_out", (double)x->lazy},
               {"every_interleaving", x->every},
               {"every_without_spurious", x->calm},
               {"run_seconds", x->run_seconds},
               {"question_seconds", x->ask_seconds},
               {"merge_seconds", x->add_seconds},
               {"check_seconds", x->check_seconds},
               {"run_median_ms", x->run_median * 1e3},
               {"question_median_ms", x->ask_median * 1e3}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        au_vec_push(&s->d->number, ((au_case_number){all[i].name, all[i].value}));
}
