/* explore/search.c: which goal next, and what came of it.
 *
 * Goals go in rounds. A round asks about the goals that were never asked about, the most promising
 * first; each that can be reached is executed as soon as the answer is there, while the
 * workers go on. The new run joins its family, and goals that it reached by the way are skipped. A round ends early when
 * runs brought goals of a better class than those it still has.
 *
 * A goal that no interleaving reaches may be reached when the family has grown, by threads that
 * went other ways: when nothing new is left, all of those are asked about again, until none of
 * them can be reached in the family as it is. Where the model has a gap a few schedules are tried at random then.
 *
 * When half of the time or of the runs is used up and goals are left, there are more of them than can be asked about. A
 * bug that is not rare is then found sooner by chance: some schedules are executed at random, and only a run that fails
 * joins the others. */
#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/progress.h"
#include "explore/explore_priv.h"
#include "wire/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { AT_RANDOM = 16 }; /* schedules, where the model has a gap: coverage is not claimed there */
enum { HUNTED = 256 };   /* schedules at random, when half of the time is gone … */
static const double TO_HUNT = 0.4;   /* … in so much of the rest */
static const double TO_SEARCH = 0.7; /* of the time, if runs are checked afterwards */
enum { MOST_RUNS = 32 }; /* of a round, before the model is made anew: nothing is lost */

bool au_search_over(au_exploration *s) {
    const au_explore_options *o = s->o;
    if (au_deadline_signal())
        s->stop = s->x->interrupted = true;
    if (s->x->interrupted)
        s->why_stopped = "interrupted", s->what_to_try = "it again";
    else if (s->stop)
        s->why_stopped = "stopped at the first finding (--first)",
        s->what_to_try = "it without --first";
    else if (s->ended)
        s->why_stopped = "the first run was ended by a signal",
        s->what_to_try = "an input with which it ends by itself";
    else if ((s->until > 0 && au_now() >= s->until) || au_deadline_over())
        s->why_stopped = "time limit reached (--budget)", s->what_to_try = "a larger --budget";
    else if (o->max_runs && s->x->runs >= o->max_runs)
        s->why_stopped = "run limit reached (--max-runs)", s->what_to_try = "a larger --max-runs";
    return s->why_stopped;
}

/* ---- runs join ---- */

static au_status new_circle(au_exploration *s, au_error *err) {
    au_family_options o = {
        .checks = s->o->checks, .split = s->o->split, .most_events = AU_LIMIT_EXPLORE_EVENTS};
    au_circle c = {.f = au_family_new(&o)};
    if (!c.f)
        return au_error_set(err, AU_EINTERNAL, "there is no family of runs");
    au_map_init(&c.by_key);
    au_vec_push(&s->circle, c);
    return AU_OK;
}

static void drop_circle(au_circle *c) {
    au_queue_release(c);
    au_vec_release(&c->member);
    au_vec_release(&c->deadlock_tried);
    au_family_free(c->f);
}

static uint64_t sides(const au_family *f) {
    au_family_counts n;
    au_family_count(f, &n);
    return n.sides_seen + n.open_branches;
}

/* false: this family does not take it, *err says why. */
static bool join_circle(au_exploration *s, uint32_t at, au_ran *r, au_error *err) {
    au_circle *c = &s->circle.at[at];
    uint64_t before = sides(c->f);
    bool added = false;
    if (au_family_add(c->f, r->path, &added, err) != AU_OK)
        return false;
    added |= !c->member.n; /* a program that does nothing has done it now */
    if (r->end == AU_END_LIMIT && au_family_stuck(c->f)) {
        free(r->stuck);
        r->stuck = au_strdup(au_family_stuck(c->f));
        r->end = AU_END_DEADLOCK;
    }
    r->family = at;
    r->is_new = added;
    r->fresh = added && (sides(c->f) > before || !c->member.n);
    au_vec_push(&c->member, r->number - 1);
    au_vec_push(&c->deadlock_tried, !r->fresh); /* old code is asked about at the end */
    c->version += added;
    if (added)
        au_queue_refresh(c);
    return true;
}

/* Runs are called run-3, not by a path that will be gone. */
static void shorten(const au_exploration *s, char *text) {
    size_t n = strlen(s->dir);
    for (char *at = text; (at = strstr(at, s->dir));) {
        size_t k = n + (at[n] == '/');
        memmove(at, at + k, strlen(at + k) + 1);
    }
}

/* Its own family first, then the others; one of its own if no other takes it. */
static void join(au_exploration *s, au_ran *r, uint32_t family) {
    au_error err = AU_ERROR_NONE;
    double begun = au_now();
    bool done = family < s->circle.n && join_circle(s, family, r, &err);
    char why[sizeof r->message], limit[AU_LIMIT_TEXT] = "";
    snprintf(why, sizeof why, "%.399s", err.text);
    for (uint32_t i = 0; i < s->circle.n && !done; i++)
        done = i != family && join_circle(s, i, r, &err);
    bool apart = !done;
    if (!done && s->circle.n < AU_LIMIT_EXPLORE_FAMILIES && new_circle(s, &err) == AU_OK) {
        done = join_circle(s, (uint32_t)s->circle.n - 1, r, &err);
        if (!done)
            drop_circle(&au_vec_pop(&s->circle));
    }
    if (!done && s->circle.n >= AU_LIMIT_EXPLORE_FAMILIES)
        au_limit_say(AU_AT_EXPLORE_FAMILIES, 0, 0, limit);
    else if (!done)
        snprintf(why, sizeof why, "%.399s", err.text);
    if (*limit)
        snprintf(why, sizeof why, "%.399s", limit);
    if (apart && r->number > 1)
        s->x->apart++;
    if (apart && (r->number > 1 || !done))
        snprintf(r->message, sizeof r->message, "%s", why);
    shorten(s, r->message);
    s->x->add_seconds += au_now() - begun;
    s->x->ways += done && r->is_new;
    s->x->repeated += done && !r->is_new;
    r->to_check = !done || r->is_new;
}

/* ---- one goal ---- */

au_ran *au_search_went(au_exploration *s, const char *aim, uint32_t family) {
    au_ran *r = &au_vec_last(&s->ran);
    au_progress_found(s->d->at.n);
    au_progress("runs", s->x->runs, s->o->max_runs);
    bool diverged = !r->broken && r->end == AU_END_DIVERGED;
    s->x->diverged += diverged;
    if (r->broken || diverged)
        return r;
    join(s, r, family);
    if (r->late || r->end == AU_END_LIMIT)
        s->x->stopped++;
    au_told_note(s, r);
    if (s->o->keep_all)
        au_execute_keep(s, r);
    if (au_found_failure(s, r, aim) && s->o->first)
        s->stop = true;
    return r;
}

/* Executes, lets the run join, tells what it did wrong. NULL: it could not be started. */
static au_ran *go(au_exploration *s, const au_turns *way, const au_aim *a, uint32_t family,
                  au_error *err) {
    char *aim = a && a->kind == AU_GOAL_ASSERT ? au_strdup(a->text) : NULL; /* a may move */
    const au_circle *c = family < s->circle.n ? &s->circle.at[family] : NULL;
    uint32_t parent = a && a->run < c->member.n ? c->member.at[a->run] : s->ran.n ? 0 : AU_NONE;
    if (au_execute(s, way, parent, err) != AU_OK) {
        free(aim);
        return NULL;
    }
    au_ran *r = au_search_went(s, aim, family);
    free(aim);
    return r;
}

struct round {
    au_exploration *s;
    uint32_t family;
    uint32_t alone; /* run of the family, AU_NONE: all */
    uint32_t runs;
    au_error *err;
    au_status st;
};

static const char *end_text(const au_ran *r, char *text, size_t size) {
    switch (r->end) {
    case AU_END_ASSERT:
        return "an assertion failed";
    case AU_END_DEADLOCK:
        return "deadlock";
    case AU_END_LIMIT:
        return "stopped: too many events";
    case AU_END_DIVERGED:
        snprintf(text, size, "diverged: %s", r->message);
        return text;
    default:
        break;
    }
    if (r->late)
        return "stopped: too long";
    snprintf(text, size, r->end == AU_END_SIGNAL ? "signal %d" : "exit %d", (int)r->status);
    return text;
}

static void tell_run(const au_exploration *s, const au_ran *r, const char *aim,
                     const char *verdict) {
    char text[500];
    au_tell_line(s, "run %" PRIu32 " (%.1f ms): %s: %s, %s", r->number, r->seconds * 1e3, aim,
                 verdict, end_text(r, text, sizeof text));
}

/* The same turns are the same run. */
static bool was_walked(au_exploration *s, const au_turns *way) {
    bool fresh;
    uint64_t h = way->n;
    for (size_t i = 0; i < way->n; i++)
        h = au_hash_join(au_hash_join(h, au_key2(way->at[i].thread, way->at[i].mark)),
                         way->at[i].upto);
    au_map_put(&s->walked, h, &fresh);
    return !fresh;
}

/* A schedule was found: is the goal there? */
static bool aim_at(struct round *x, uint64_t key, const au_turns *way) {
    au_exploration *s = x->s;
    au_circle *c = &s->circle.at[x->family];
    au_aim *a = au_queue_aim(c, key);
    if (!a->waits || a->state == AU_AIM_DONE)
        return true; /* another run came by */
    uint64_t failures = s->failures;
    if (was_walked(s, way)) {
        a->state = AU_AIM_MISSED;
        return true;
    }
    au_ran *r = go(s, way, a, x->family, x->err);
    if (!r) {
        x->st = x->err->status;
        return false;
    }
    x->runs++;
    c = &s->circle.at[x->family]; /* both may have moved */
    a = au_queue_aim(c, key);
    bool reached = !a->waits;
    if (a->kind == AU_GOAL_ASSERT && s->failures > failures) {
        reached = true;
        *au_map_put(&s->failed, a->site, NULL) = 1;
    }
    if (a->kind == AU_GOAL_FIRST && r->family != x->family)
        reached = true; /* it is in another family for that */
    if (reached)
        ++*au_map_put(&s->sites, a->site, NULL);
    a->state = reached ? AU_AIM_DONE : AU_AIM_MISSED;
    s->x->missed += !reached && r->end != AU_END_DIVERGED && !r->broken;
    tell_run(s, r, a->where, reached ? "reached" : "not reached");
    return true;
}

static void take_deadlocks(struct round *x, const au_predicted *p) {
    au_exploration *s = x->s;
    for (size_t i = 0; i < p->n_ways && !au_search_over(s); i++) {
        uint64_t failures = s->failures;
        if (was_walked(s, &p->way[i]))
            continue;
        au_ran *r = go(s, &p->way[i], NULL, x->family, x->err);
        if (!r) {
            x->st = x->err->status;
            return;
        }
        tell_run(s, r, "a deadlock", s->failures > failures ? "reached" : "not reached");
    }
    au_circle *c = &s->circle.at[x->family];
    if (x->alone != AU_NONE) {
        c->deadlock_tried.at[x->alone] = true;
        return;
    }
    c->deadlock_version = p->version;
    c->deadlock_open = p->answer != AU_UNSAT; /* all sets of threads were told */
}

static bool is_half_gone(const au_exploration *s) {
    uint64_t most = s->o->max_runs;
    return !s->hunt_is_over &&
           ((s->hunt_from > 0 && au_now() >= s->hunt_from) || (most && s->x->runs >= most / 2));
}

static bool answered(void *ctx, const au_predicted *p) {
    struct round *x = ctx;
    au_exploration *s = x->s;
    au_aim *a = p->key ? au_queue_aim(&s->circle.at[x->family], p->key) : NULL;
    if (a && x->alone != AU_NONE)
        a->tried = true;
    if (a && !p->version && p->answer == AU_UNSAT)
        return !au_search_over(s); /* no goal any more, or not of this run */
    s->x->asked++;
    s->x->ask_seconds += p->seconds;
    au_vec_push(&s->ask_time, p->seconds);
    s->x->reachable += p->n_ways > 0;
    s->x->unreachable += p->answer == AU_UNSAT && !p->n_ways;
    s->x->unanswered += p->answer == AU_UNKNOWN;
    if (p->answer == AU_UNKNOWN && !*s->unanswered && x->alone == AU_NONE)
        snprintf(s->unanswered, sizeof s->unanswered, "%s", p->why);
    if (!p->key) {
        take_deadlocks(x, p);
        return x->st == AU_OK && !au_search_over(s);
    }
    unsigned class = au_queue_class(s, a);
    if (x->alone == AU_NONE) {
        a->asked = true;
        a->version = p->version;
        if (p->answer != AU_SAT && a->state != AU_AIM_DONE && a->state != AU_AIM_MISSED)
            a->state = p->answer == AU_UNSAT ? AU_AIM_NEVER : AU_AIM_UNKNOWN;
    }
    /* Later, if nothing else is left. */
    if (p->answer == AU_SAT && p->spurious && !a->lazy && !s->o->spurious) {
        a->lazy = true;
        a->tried = a->asked = false;
        return !au_search_over(s);
    }
    if (p->answer == AU_SAT && (au_search_over(s) || !aim_at(x, p->key, &p->way[0])))
        return false;
    return !au_search_over(s) && !is_half_gone(s) && x->runs < MOST_RUNS &&
           !(x->runs && au_queue_better(s, &s->circle.at[x->family], class));
}

/* ---- by chance ---- */

/* What a random run shows is as true as any; what it does not show says nothing. Ends with the first that fails. */
static au_status hunt(au_exploration *s, au_error *err) {
    static const au_turns none;
    double until = s->until > 0 ? au_now() + TO_HUNT * (s->until - au_now()) : 0;
    uint64_t failures = s->failures, most = s->o->max_runs ? s->o->max_runs / 4 : HUNTED;
    s->hunt_is_over = true;
    for (uint64_t i = 0; i < most && i < HUNTED && !au_search_over(s); i++) {
        if ((until > 0 && au_now() >= until) || s->failures > failures)
            break;
        if (au_execute(s, &none, 0, err) != AU_OK)
            return err->status;
        if (au_ran_failed(s, &au_vec_last(&s->ran))) {
            tell_run(s, au_search_went(s, NULL, 0), "a random schedule", "recorded");
        } else {
            s->hunted++;
            au_told_note(s, &au_vec_last(&s->ran));
            au_execute_drop(s);
        }
    }
    return AU_OK;
}

/* ---- rounds ---- */

static au_status rounds(au_exploration *s, au_error *err) {
    au_status st = AU_OK;
    bool any = true;
    while (any && st == AU_OK && !au_search_over(s)) {
        any = false;
        for (uint32_t i = 0; i < s->circle.n && st == AU_OK && !au_search_over(s); i++) {
            au_vec_keys key = {0};
            struct round x = {.s = s, .family = i, .err = err};
            double begun = au_now();
            s->round++;
            au_queue_choose(s, &s->circle.at[i], &x.alone, &key);
            any |= key.n > 0;
            if (key.n)
                st = au_predict(s, &s->circle.at[i], x.alone, key.at, key.n, answered, &x, err);
            if (x.st != AU_OK)
                st = x.st;
            *(x.alone == AU_NONE ? &s->whole_seconds : &s->alone_seconds) += au_now() - begun;
            au_vec_release(&key);
            if (any && st == AU_OK && is_half_gone(s))
                st = hunt(s, err);
        }
    }
    return st;
}

/* ---- what the model does not have ---- */

static bool has_gap(const au_exploration *s) {
    bool gap = s->x->apart || !s->circle.n;
    for (size_t i = 0; i < s->circle.n; i++)
        gap |= au_family_gap(s->circle.at[i].f) != NULL;
    return gap;
}

/* Then the first run is all there is. */
static bool is_openmp(const au_exploration *s) {
    for (size_t i = 0; i < s->circle.n; i++)
        if (au_family_is_openmp(s->circle.at[i].f))
            return true;
    return false;
}

/* Where the model has a gap no schedule can be computed: some are tried at random. What they show is as true as
 * any run, and what they bring to the model is explored. */
static au_status at_random(au_exploration *s, au_error *err) {
    static const au_turns none;
    double begun = au_now(), share = s->until > 0 ? (s->until - begun) / 2 : 0;
    for (unsigned i = 0; i < AT_RANDOM && has_gap(s) && !s->x->stopped; i++) {
        if (au_search_over(s) || (share > 0 && au_now() - begun > share))
            break;
        au_ran *r = go(s, &none, NULL, 0, err);
        if (!r)
            return err->status;
        tell_run(s, r, "a random schedule", "recorded");
    }
    return AU_OK;
}

au_status au_search_run(au_exploration *s, au_error *err) {
    if (s->o->records)
        au_deadline_recording(true);
    au_status st = au_execute(s, NULL, AU_NONE, err);
    au_deadline_recording(false);
    if (s->o->records)
        au_deadline_set(s->o->budget);
    if (au_deadline_left() < AU_FOREVER)
        s->until = au_now() + (s->o->check ? TO_SEARCH : 1) * au_deadline_left();
    if (s->until > 0)
        s->hunt_from = (au_now() + s->until) / 2;
    if (st != AU_OK)
        return st;
    au_ran *r = au_search_went(s, NULL, 0);
    if (r->broken && !s->x->interrupted && !au_deadline_ends_recording(NULL))
        st = au_error_set(err, AU_EUNSUPPORTED, "nothing of '%s' was recorded: %s",
                          s->o->program->path, r->message);
    if (st == AU_OK) {
        s->x->first_status = r->wait_status;
        tell_run(s, r, "the first one", r->family == AU_NONE ? r->message : "recorded");
        bool go_on = !is_openmp(s);
        if (go_on)
            st = rounds(s, err);
        if (go_on && st == AU_OK && has_gap(s) && !au_search_over(s))
            st = at_random(s, err);
        if (go_on && st == AU_OK)
            st = au_told_more(s, err);
        if (go_on && st == AU_OK && s->x->runs > 1)
            st = rounds(s, err);
        if (go_on && st == AU_OK)
            st = au_told_end(s, err);
    }
    au_progress_end();
    return st;
}

void au_search_release(au_exploration *s) {
    au_told_release(s);
    for (size_t i = 0; i < s->circle.n; i++)
        drop_circle(&s->circle.at[i]);
    au_vec_release(&s->circle);
    au_map_release(&s->sites);
    au_map_release(&s->failed);
    au_map_release(&s->walked);
    free(s->overlooked);
    au_vec_release(&s->run_time);
    au_vec_release(&s->ask_time);
}
