/* explore/search.c: which goal next, and what came of it.
 *
 * Goals go in rounds. A round asks about the goals that were never asked about, the most promising
 * first; each that can be reached is executed as soon as the answer is there, while the
 * workers go on. The new run joins its family, and goals that it reached by the way are skipped. A round ends early when
 * runs brought goals of a better class than those it still has.
 *
 * A goal that no interleaving reaches may be reached when the family has grown, by threads that
 * went other ways: when nothing new is left, all of those are asked about again, until none of
 * them can be reached in the family as it is. */
#include "base/clock.h"
#include "base/progress.h"
#include "explore/explore_priv.h"
#include "wire/stream.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum {
    FAMILIES = 8,        /* runs that do not merge with others have families of their own */
    MOST_EVENTS = 50000, /* of a run that is merged */
    MOST_RUNS = 32       /* of a round, before the model is made anew */
};

static volatile sig_atomic_t told_to_stop;

static void on_signal(int sig) {
    told_to_stop = sig;
}

bool au_search_over(au_search *s) {
    const au_explore_options *o = s->o;
    if (told_to_stop)
        s->stop = s->x->interrupted = true;
    if (s->x->interrupted)
        s->why_stopped = "it was interrupted";
    else if (s->stop)
        s->why_stopped = "the first finding was wanted";
    else if (s->until > 0 && au_now() >= s->until)
        s->why_stopped = "its time was up";
    else if (o->max_runs && s->x->runs >= o->max_runs)
        s->why_stopped = "no more runs were wanted";
    return s->why_stopped;
}

/* ---- goals ---- */

static bool covered(const au_search *s, const au_aim *a) {
    return a->seen || au_map_find(&s->sites, a->site);
}

/* The smaller the more promising. */
static unsigned class_of(const au_search *s, const au_aim *a) {
    bool old = covered(s, a);
    switch (a->kind) {
    case AU_GOAL_ASSERT:
        return 0;
    case AU_GOAL_BRANCH:
    case AU_GOAL_TRY:
        return old ? 3 : 1;
    case AU_GOAL_VALUE:
    case AU_GOAL_TIMEOUT:
        return old ? 4 : 2;
    case AU_GOAL_END:
        return 4;
    case AU_GOAL_SPURIOUS:
        break;
    }
    return old ? 5 : 3;
}

/* Nothing more is to be learnt: an assertion that was seen to fail ends its run wherever it fails. */
static bool is_told(const au_search *s, const au_aim *a) {
    return a->kind == AU_GOAL_ASSERT && au_map_find(&s->failed, a->site);
}

static au_aim *aim_of(const au_circle *c, uint64_t key) {
    uint64_t *at = au_map_find(&c->by_key, key);
    return at ? &c->aim.at[*at] : NULL;
}

/* Takes over the family's goals; those that are none any more were reached. */
static void refresh(au_circle *c, uint32_t run) {
    const au_goal *g;
    size_t n = au_family_goals(c->f, &g);
    for (size_t i = 0; i < c->aim.n; i++)
        c->aim.at[i].waits = false;
    for (size_t i = 0; i < n; i++) {
        bool fresh;
        uint64_t *at = au_map_put(&c->by_key, g[i].key, &fresh);
        if (fresh) {
            *at = c->aim.n;
            au_aim a = {.key = g[i].key, .site = g[i].site, .kind = g[i].kind, .parent = run};
            a.where = *g[i].file ? au_sprintf("%s:%" PRIu32 ": %s", g[i].file, g[i].line, g[i].text)
                                 : au_strdup(g[i].text);
            a.text = au_strdup(g[i].text);
            au_vec_push(&c->aim, a);
        }
        c->aim.at[*at].waits = true;
        c->aim.at[*at].seen = g[i].seen;
    }
    for (size_t i = 0; i < c->aim.n; i++)
        if (!c->aim.at[i].waits)
            c->aim.at[i].state = AU_AIM_DONE;
}

/* ---- runs join ---- */

static au_status new_circle(au_search *s, au_error *err) {
    au_family_options o = {
        .checks = s->o->checks, .split = s->o->split, .most_events = MOST_EVENTS};
    au_circle c = {.f = au_family_new(&o)};
    if (!c.f)
        return au_error_set(err, AU_EINTERNAL, "there is no family of runs");
    au_map_init(&c.by_key);
    au_vec_push(&s->circle, c);
    return AU_OK;
}

static void drop_circle(au_circle *c) {
    for (size_t i = 0; i < c->aim.n; i++) {
        free(c->aim.at[i].text);
        free(c->aim.at[i].where);
    }
    au_vec_release(&c->aim);
    au_map_release(&c->by_key);
    au_family_free(c->f);
}

static uint64_t sides(const au_family *f) {
    au_family_counts n;
    au_family_count(f, &n);
    return n.sides_seen + n.open_branches;
}

/* false: this family does not take it, *err says why. */
static bool join_circle(au_search *s, uint32_t at, au_ran *r, au_error *err) {
    au_circle *c = &s->circle.at[at];
    uint64_t before = sides(c->f);
    bool added = false;
    if (au_family_add(c->f, r->path, &added, err) != AU_OK)
        return false;
    r->family = at;
    r->is_new = added;
    r->fresh = added && (sides(c->f) > before || !c->runs);
    c->runs++;
    c->version += added;
    if (added)
        refresh(c, r->number - 1);
    return true;
}

/* Runs are called run-3, not by a path that will be gone. */
static void shorten(const au_search *s, char *text) {
    size_t n = strlen(s->dir);
    for (char *at = text; (at = strstr(at, s->dir));) {
        size_t k = n + (at[n] == '/');
        memmove(at, at + k, strlen(at + k) + 1);
    }
}

/* Its own family first, then the others; one of its own if no other takes it. */
static void join(au_search *s, au_ran *r, uint32_t family) {
    au_error err = AU_ERROR_NONE;
    double begun = au_now();
    bool done = family < s->circle.n && join_circle(s, family, r, &err);
    char why[sizeof r->message];
    snprintf(why, sizeof why, "%.399s", err.text);
    for (uint32_t i = 0; i < s->circle.n && !done; i++)
        done = i != family && join_circle(s, i, r, &err);
    bool apart = !done;
    if (!done && s->circle.n < FAMILIES && new_circle(s, &err) == AU_OK) {
        done = join_circle(s, (uint32_t)s->circle.n - 1, r, &err);
        if (!done)
            drop_circle(&au_vec_pop(&s->circle));
    }
    if (!done)
        snprintf(why, sizeof why, "%.399s", err.text);
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

/* Executes, lets the run join, tells what it did wrong. NULL: it could not be started. */
static au_ran *go(au_search *s, const au_turns *way, const au_aim *a, uint32_t family,
                  au_error *err) {
    char *aim = a && a->kind == AU_GOAL_ASSERT ? au_strdup(a->text) : NULL; /* a may move */
    if (au_execute(s, way, a ? a->parent : s->ran.n ? 0 : AU_NONE, err) != AU_OK) {
        free(aim);
        return NULL;
    }
    au_ran *r = &au_vec_last(&s->ran);
    au_progress("runs", s->x->runs, s->o->max_runs);
    bool diverged = !r->broken && r->end == AU_END_DIVERGED;
    s->x->diverged += diverged;
    if (r->broken || diverged) {
        free(aim);
        return r;
    }
    if (r->late || r->end == AU_END_LIMIT)
        s->x->stopped++;
    join(s, r, family);
    if (s->o->keep_all)
        au_execute_keep(s, r);
    if (au_found_failure(s, r, aim) && s->o->first)
        s->stop = true;
    free(aim);
    return r;
}

struct round {
    au_search *s;
    uint32_t family;
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

static void tell_run(const au_search *s, const au_ran *r, const char *aim, const char *verdict) {
    char text[500];
    au_tell_line(s, "run %" PRIu32 " (%.1f ms): %s: %s, %s", r->number, r->seconds * 1e3, aim,
                 verdict, end_text(r, text, sizeof text));
}

/* A schedule was found: is the goal there? */
static bool aim_at(struct round *x, uint64_t key, const au_turns *way) {
    au_search *s = x->s;
    au_circle *c = &s->circle.at[x->family];
    au_aim *a = aim_of(c, key);
    if (!a->waits || a->state == AU_AIM_DONE)
        return true; /* another run came by */
    uint64_t failures = s->failures;
    au_ran *r = go(s, way, a, x->family, x->err);
    if (!r) {
        x->st = x->err->status;
        return false;
    }
    x->runs++;
    c = &s->circle.at[x->family]; /* both may have moved */
    a = aim_of(c, key);
    bool reached = !a->waits;
    if (a->kind == AU_GOAL_ASSERT && s->failures > failures) {
        reached = true;
        *au_map_put(&s->failed, a->site, NULL) = 1;
    }
    if (reached)
        ++*au_map_put(&s->sites, a->site, NULL);
    a->state = reached ? AU_AIM_DONE : AU_AIM_MISSED;
    s->x->missed += !reached && r->end != AU_END_DIVERGED && !r->broken;
    tell_run(s, r, a->where, reached ? "reached" : "not reached");
    return true;
}

static void take_deadlocks(struct round *x, const au_predicted *p) {
    au_search *s = x->s;
    for (size_t i = 0; i < p->n_ways && !au_search_over(s); i++) {
        uint64_t failures = s->failures;
        au_ran *r = go(s, &p->way[i], NULL, x->family, x->err);
        if (!r) {
            x->st = x->err->status;
            return;
        }
        tell_run(s, r, "threads wait for each other", s->failures > failures ? "so" : "not so");
    }
    au_circle *c = &s->circle.at[x->family];
    c->deadlock_version = p->version;
    c->deadlock_open = p->answer == AU_UNKNOWN;
}

/* Are there goals, not of this round, that promise more? */
static bool better_elsewhere(const au_search *s, const au_circle *c, unsigned class) {
    for (size_t i = 0; i < c->aim.n; i++) {
        const au_aim *a = &c->aim.at[i];
        if (a->waits && !a->asked && a->round != s->round && !is_told(s, a) &&
            class_of(s, a) < class)
            return true;
    }
    return false;
}

static bool answered(void *ctx, const au_predicted *p) {
    struct round *x = ctx;
    au_search *s = x->s;
    if (p->key && !p->version && p->answer == AU_UNSAT)
        return !au_search_over(s);
    s->x->asked++;
    s->x->ask_seconds += p->seconds;
    au_vec_push(&s->ask_time, p->seconds);
    s->x->reachable += p->answer == AU_SAT;
    s->x->unreachable += p->answer == AU_UNSAT;
    s->x->unanswered += p->answer == AU_UNKNOWN;
    if (p->answer == AU_UNKNOWN && !*s->unanswered)
        snprintf(s->unanswered, sizeof s->unanswered, "%s", p->why);
    if (!p->key) {
        take_deadlocks(x, p);
        return x->st == AU_OK && !au_search_over(s);
    }
    au_aim *a = aim_of(&s->circle.at[x->family], p->key);
    unsigned class = class_of(s, a);
    a->asked = true;
    a->version = p->version;
    if (a->state == AU_AIM_OPEN || a->state == AU_AIM_NEVER || a->state == AU_AIM_UNKNOWN)
        a->state = p->answer == AU_UNSAT ? AU_AIM_NEVER
                   : p->answer == AU_SAT ? a->state
                                         : AU_AIM_UNKNOWN;
    if (p->answer == AU_SAT && (au_search_over(s) || !aim_at(x, p->key, &p->way[0])))
        return false;
    return !au_search_over(s) && x->runs < MOST_RUNS &&
           !(x->runs && better_elsewhere(s, &s->circle.at[x->family], class));
}

/* ---- rounds ---- */

static const au_search *sorted_of; /* qsort has no context */
static const au_circle *sorted_in;

static int by_promise(const void *x, const void *y) {
    const au_aim *a = &sorted_in->aim.at[*(const uint32_t *)x];
    const au_aim *b = &sorted_in->aim.at[*(const uint32_t *)y];
    unsigned k = class_of(sorted_of, a), l = class_of(sorted_of, b);
    if (k != l)
        return k < l ? -1 : 1;
    const uint64_t *m = au_map_find(&sorted_of->sites, a->site);
    const uint64_t *n = au_map_find(&sorted_of->sites, b->site);
    if ((m ? *m : 0) != (n ? *n : 0))
        return (m ? *m : 0) < (n ? *n : 0) ? -1 : 1;
    return a < b ? -1 : a > b;
}

static bool is_due(const au_search *s, const au_circle *c, const au_aim *a, bool again) {
    if (!a->waits || is_told(s, a) || a->asked != again)
        return false;
    return a->state == AU_AIM_OPEN ||
           ((a->state == AU_AIM_NEVER || a->state == AU_AIM_UNKNOWN) && a->version < c->version);
}

/* What this family is to be asked about now; the first key may be 0. */
static void choose(au_search *s, au_circle *c, au_vec_keys *key) {
    AU_VEC(uint32_t) at = {0};
    for (int again = 0; again < 2 && !at.n; again++)
        for (uint32_t i = 0; i < c->aim.n; i++)
            if (is_due(s, c, &c->aim.at[i], again))
                au_vec_push(&at, i);
    sorted_of = s;
    sorted_in = c;
    if (at.n)
        qsort(at.at, at.n, sizeof *at.at, by_promise);
    /* At the beginning, and when the family has all it can have. */
    if (!c->deadlock_version || (!at.n && c->deadlock_version < c->version))
        au_vec_push(key, 0);
    for (size_t i = 0; i < at.n; i++) {
        c->aim.at[at.at[i]].round = s->round;
        au_vec_push(key, c->aim.at[at.at[i]].key);
    }
    au_vec_release(&at);
}

static au_status rounds(au_search *s, au_error *err) {
    au_status st = AU_OK;
    bool any = true;
    while (any && st == AU_OK && !au_search_over(s)) {
        any = false;
        for (uint32_t i = 0; i < s->circle.n && st == AU_OK && !au_search_over(s); i++) {
            au_vec_keys key = {0};
            struct round x = {.s = s, .family = i, .err = err};
            s->round++;
            choose(s, &s->circle.at[i], &key);
            any |= key.n > 0;
            if (key.n)
                st = au_predict(s, &s->circle.at[i], key.at, key.n, answered, &x, err);
            if (x.st != AU_OK)
                st = x.st;
            au_vec_release(&key);
        }
    }
    return st;
}

au_status au_search_run(au_search *s, au_error *err) {
    struct sigaction mine = {.sa_handler = on_signal}, was[2];
    told_to_stop = 0;
    sigemptyset(&mine.sa_mask);
    sigaction(SIGINT, &mine, &was[0]);
    sigaction(SIGTERM, &mine, &was[1]);
    au_ran *r = go(s, NULL, NULL, 0, err);
    au_status st = r ? AU_OK : err->status;
    if (r && r->broken && !s->x->interrupted)
        st = au_error_set(err, AU_EUNSUPPORTED, "nothing of '%s' was recorded: %s",
                          s->o->program->path, r->message);
    if (st == AU_OK) {
        s->x->first_status = r->wait_status;
        tell_run(s, r, "the first one", r->family == AU_NONE ? r->message : "recorded");
        st = rounds(s, err);
    }
    sigaction(SIGINT, &was[0], NULL);
    sigaction(SIGTERM, &was[1], NULL);
    au_progress_end();
    return st;
}

void au_search_release(au_search *s) {
    for (size_t i = 0; i < s->circle.n; i++)
        drop_circle(&s->circle.at[i]);
    au_vec_release(&s->circle);
    au_map_release(&s->sites);
    au_map_release(&s->failed);
    au_vec_release(&s->run_time);
    au_vec_release(&s->ask_time);
}
