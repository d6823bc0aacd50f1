/* explore/found.c: what the runs of an exploration did wrong, and what the funnel makes of them.
 *
 * An executed run that fails (an assertion, a crash, a deadlock, another exit status than the first run) is
 * a finding by itself, confirmed: its recording is the proof. Every run that brought something new then goes
 * through the funnel, for races, broken blocks, lock orders and what else an interleaving of it
 * can do; what is found there is executed. That is done in worker processes, one a run: a
 * run that is hard to check must not use up the time of the others. */
#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/progress.h"
#include "base/worker.h"
#include "confirm/confirm.h"
#include "explore/explore_priv.h"
#include "funnel/check_run.h"
#include "report/dossier.h"
#include "wire/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 200 }; /* of the order that a case shows */

/* ---- runs that fail ---- */

/* The same bug to whoever has to mend it. A failed assertion is where it stands, whether it was
 * predicted (then it is known what it says) or executed. */
static bool is_same(const au_case *a, const au_case *b) {
    if (!strcmp(a->fingerprint, b->fingerprint))
        return true;
    return a->kind == AU_KIND_ASSERTION && b->kind == AU_KIND_ASSERTION && a->event.n == 1 &&
           b->event.n == 1 && *a->event.at[0].location &&
           !strcmp(a->event.at[0].location, b->event.at[0].location);
}

static au_case *find_case(au_dossier *d, const au_case *like) {
    for (size_t i = 0; i < d->at.n; i++)
        if (is_same(&d->at.at[i], like))
            return &d->at.at[i];
    return NULL;
}

/* The recording's own word, without any analysis. */
static void failure_of(const char *path, au_dossier *into) {
    au_error ignored = AU_ERROR_NONE;
    au_read_options how = {.partial = true};
    const au_plan none = {.last = AU_STAGE_CANDIDATES, .bound = AU_NONE, .bound_from = AU_NONE};
    au_dossier_options o = {.input = &path, .n_inputs = 1, .steps = STEPS, .sources = true};
    au_check_run c;
    if (au_check_run_open(&c, &none, path, &how, &ignored) != AU_OK)
        return;
    if (au_check_run_go(&c, &ignored) == AU_OK)
        au_check_run_dossier(&c, into, &o);
    au_check_run_release(&c);
}

static const char *what_happened(const au_ran *r, char *text, size_t size) {
    switch (r->end) {
    case AU_END_ASSERT:
        return "an assertion fails";
    case AU_END_DEADLOCK:
        return "the program deadlocks";
    case AU_END_SIGNAL:
        snprintf(text, size, "the program is ended by signal %d (%s)", (int)r->status,
                 strsignal((int)r->status));
        return text;
    default:
        snprintf(text, size, "the program exits with status %d, where the first run had 0",
                 (int)r->status);
        return text;
    }
}

/* Where no event of the recording tells more. */
static void add_plainly(au_dossier *d, const au_ran *r) {
    char text[160];
    /* A status that says that the program failed is what it tells the world, not an assertion. */
    au_case *c = au_dossier_add(d, r->end == AU_END_DEADLOCK ? AU_KIND_DEADLOCK
                                   : r->end == AU_END_EXIT   ? AU_KIND_OUTPUT
                                                             : AU_KIND_ASSERTION);
    c->var = r->end == AU_END_EXIT ? "exit status" : "";
    const char *what = what_happened(r, text, sizeof text);
    c->what = c->message = au_dossier_text_copy(d, what);
    if (r->stuck) {
        char *more = au_sprintf("%s: %s, and nothing changes any more", what, r->stuck);
        c->what = c->message = au_dossier_text_copy(d, more);
        free(more);
    }
    au_case_mark(d, c);
}

/* Drops cases that the other one has, too; or, with 'less', only those that are less certain. */
static void drop_told(au_dossier *d, au_dossier *other, bool less) {
    for (size_t i = 0; i < d->at.n;) {
        const au_case *told = find_case(other, &d->at.at[i]);
        if (!told || (less ? told->standing >= d->at.at[i].standing
                           : told->standing > d->at.at[i].standing)) {
            i++;
            continue;
        }
        au_case last = au_vec_last(&d->at);
        au_vec_last(&d->at) = d->at.at[i];
        d->at.at[i] = last;
        au_dossier_drop_last(d);
    }
}

/* What was aimed at says more than the recording does: "bank.c:12: x > 3". */
static void put_aim(au_dossier *d, au_case *c, const char *text) {
    char *what = au_sprintf("assertion '%s' fails", text);
    const char *place = c->event.n ? c->event.at[0].location : "";
    char *message = au_sprintf("%s: %s asserts at %s", what,
                               c->event.n ? c->event.at[0].thread : "a thread", place);
    c->what = au_dossier_text_copy(d, what);
    c->message = au_dossier_text_copy(d, message);
    au_case_mark(d, c);
    free(what);
    free(message);
}

/* The user's own run is another one. */
static void put_explored(au_dossier *d, au_case *c) {
    static const char own[] = "the recorded run itself";
    const char **text[] = {&c->what, &c->message};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const char *at = *text[i] ? strstr(*text[i], own) : NULL;
        if (!at)
            continue;
        char *new = au_sprintf("%.*sa run of the exploration%s", (int)(at - *text[i]), *text[i],
                               at + strlen(own));
        *text[i] = au_dossier_text_copy(d, new);
        free(new);
    }
    au_case_mark(d, c);
}

bool au_found_failure(au_exploration *s, au_ran *r, const char *aim) {
    if (!au_ran_failed(s, r))
        return false;
    s->failures++;
    au_dossier one;
    au_dossier_init(&one);
    failure_of(r->path, &one);
    bool plainly = !one.at.n;
    if (plainly)
        add_plainly(&one, r);
    bool news = false;
    for (size_t i = 0; i < one.at.n; i++) {
        au_case *told = find_case(s->d, &one.at.at[i]);
        news |= !told || told->standing != AU_IS_CONFIRMED;
    }
    const char *path = news ? au_execute_keep(s, r) : "";
    for (size_t i = 0; i < one.at.n; i++) {
        au_case *c = &one.at.at[i];
        if (aim && r->end == AU_END_ASSERT)
            put_aim(&one, c, aim);
        else
            put_explored(&one, c);
        c->standing = au_confirm_standing(AU_IS_POSSIBLE, r->rests);
        c->why = au_why_text(r->rests);
        c->replay = AU_REPLAY_CONFIRMED;
        c->recording = au_dossier_text_copy(&one, path);
        if (*path) {
            char *command = au_sprintf("augur replay %s", path);
            c->replay_command = au_dossier_text_copy(&one, command);
            free(command);
        }
    }
    if (news && plainly && r->end == AU_END_EXIT && *path) {
        au_dossier_options o = {.steps = STEPS, .sources = true};
        au_dossier_of_ended(&one, &one.at.at[0], path, s->ran.n ? s->ran.at[0].path : "", &o);
    }
    if (news) {
        au_vec_clear(&one.input);
        au_vec_clear(&one.inconclusive); /* of a check that was not asked for */
        au_vec_clear(&one.note);
        au_vec_clear(&one.funnel);
        one.events = 0;
        drop_told(&one, s->d, false);
        drop_told(s->d, &one, true);
        au_dossier_join(s->d, &one);
    }
    au_dossier_release(&one);
    return true;
}

/* ---- the funnel ---- */

struct checks {
    au_exploration *s;
    au_vec_keys run;
};

/* Executes what was found; in the worker. */
static void confirm_all(const struct checks *k, const au_check_run *c, au_dossier *d) {
    const au_explore_options *o = k->s->o;
    au_confirm_options how = {.discard_output = true,
                              .sandbox = o->sandbox,
                              .omit = o->omit,
                              .seconds = o->run_seconds > 0 ? o->run_seconds : 10};
    au_error err = AU_ERROR_NONE;
    au_stage_set *stage = NULL;
    unsigned tried = 0;
    for (size_t i = 0; i < d->at.n && i < c->outcome.findings.finding.n; i++) {
        au_case *x = &d->at.at[i];
        const au_case *told = find_case(k->s->d, x);
        if (told && told->standing == AU_IS_CONFIRMED)
            continue; /* in another run */
        au_turns turns;
        au_judgement j;
        if (tried >= AU_LIMIT_EXPLORE_TRIED || au_deadline_over()) {
            x->replay_text = tried >= AU_LIMIT_EXPLORE_TRIED
                                 ? au_limit_of(AU_AT_EXPLORE_TRIED)->words
                                 : "time limit reached before it was executed";
            continue;
        }
        if (au_case_whole_turns(x, &turns, &err) != AU_OK) {
            x->replay_text = "it has no schedule";
            continue;
        }
        if (!stage)
            stage = au_confirm_open(c->path, &how, &err);
        tried++;
        if (!stage || au_confirm(stage, x, &turns, NULL, &j, NULL, &err) != AU_OK) {
            x->replay_text = au_dossier_text_copy(d, err.text);
        } else if (j.cut) {
            x->replay_text = au_deadline_why();
        } else {
            x->replay = j.judged == AU_JUDGED_CONFIRMED   ? AU_REPLAY_CONFIRMED
                        : j.judged == AU_JUDGED_NOT_SHOWN ? AU_REPLAY_NOT_SHOWN
                                                          : AU_REPLAY_DIVERGED;
            x->replay_text = au_dossier_text_copy(d, j.why);
            if (au_judgement_contradicts(&j) && x->standing == AU_IS_PROVED)
                au_case_contradict(d, x);
            if (j.judged == AU_JUDGED_CONFIRMED) {
                x->standing = au_confirm_standing(x->standing, j.rests);
                x->why = au_why_text(j.rests);
            }
        }
        au_vec_release(&turns);
    }
    au_confirm_free(stage);
}

/* A run that was fed what it would not have got, maybe, shows nothing for certain. */
static void weaken(const au_ran *r, au_dossier *d) {
    for (size_t i = 0; i < d->at.n && r->rests == AU_WHY_RESTS_OUTSIDE; i++) {
        au_case *c = &d->at.at[i];
        if (c->standing > AU_IS_PROVED)
            continue;
        c->standing = AU_IS_POSSIBLE;
        c->why = au_why_text(r->rests);
    }
}

static void check_one(void *ctx, uint32_t index, au_out *out) {
    struct checks *k = ctx;
    const au_ran *r = &k->s->ran.at[k->run.at[index]];
    au_error err = AU_ERROR_NONE;
    au_read_options how = {.partial = true};
    au_plan p = *k->s->o->check;
    const char *path = r->path;
    au_dossier_options o = {.input = &path, .n_inputs = 1, .steps = STEPS, .sources = true};
    au_check_run c;
    au_dossier d;
    p.jobs = 1; /* runs are what is checked at once */
    au_progress_enable(false);
    au_dossier_init(&d);
    if (au_check_run_open(&c, &p, path, &how, &err) != AU_OK) {
        au_out_printf(out, "!%s", err.text);
        return;
    }
    /* The parent waits no longer than until the end: what is found by then must be told before. */
    double left = au_deadline_left(), until = au_deadline_narrow(0.6 * left);
    au_status st = au_check_run_go(&c, &err);
    au_deadline_widen(until);
    au_deadline_narrow(0.8 * au_deadline_left());
    if (st == AU_OK) {
        au_check_run_dossier(&c, &d, &o);
        confirm_all(k, &c, &d);
        weaken(r, &d);
        if (c.outcome
                .cut) { /* a run that was not checked to its end is not covered; nobody asked about it alone */
            au_out_char(out, '?');
            au_vec_clear(&d.inconclusive);
        }
        au_dossier_json(&d, out);
    } else {
        au_out_printf(out, "!%s", err.text);
    }
    au_check_run_release(&c);
    au_dossier_release(&d);
}

/* A run that could not be checked is not passed over in silence. */
static void not_checked(au_exploration *s, const au_ran *r, const char *why) {
    char *text = au_sprintf("run %" PRIu32 " was not checked for races and other findings: %s",
                            r->number, why);
    au_vec_push(&s->d->inconclusive, au_dossier_text_copy(s->d, text));
    free(text);
}

/* What the funnel finds, the exploration must have found as well, if it covered everything: a
 * failed assertion ends an execution that leaves what was explored. */
static void compare(au_exploration *s, const au_ran *r, const au_dossier *one) {
    for (size_t i = 0; i < one->at.n && !s->overlooked; i++) {
        const au_case *c = &one->at.at[i];
        bool fails = c->kind == AU_KIND_ASSERTION && c->replay == AU_REPLAY_CONFIRMED;
        if (fails && !find_case(s->d, c))
            s->overlooked = au_sprintf("an assertion of run %" PRIu32 " can fail, at %s, but no "
                                       "explored run showed it (please report this)",
                                       r->number, c->event.n ? c->event.at[0].location : "?");
    }
}

/* Only new cases are worth a recording. */
static void take_cases(au_exploration *s, au_ran *r, au_dossier *one) {
    bool news = false;
    for (size_t i = 0; i < one->at.n; i++) {
        const au_case *told = find_case(s->d, &one->at.at[i]);
        news |= !told || told->standing > one->at.at[i].standing;
    }
    compare(s, r, one);
    const char *path = news ? au_execute_keep(s, r) : "";
    for (size_t i = 0; i < one->at.n; i++)
        one->at.at[i].recording = au_dossier_text_copy(one, path);
    au_vec_clear(&one->input);
    drop_told(one, s->d, false);
    drop_told(s->d, one, true);
    au_dossier_join(s->d, one);
}

static bool take_check(void *ctx, const au_job_result *job) {
    struct checks *k = ctx;
    au_exploration *s = k->s;
    au_ran *r = &s->ran.at[k->run.at[job->index]];
    au_error err = AU_ERROR_NONE;
    au_dossier one;
    au_dossier_init(&one);
    bool cut = job->size && *job->data == '?';
    if (job->end == AU_JOB_CANCELLED) {
        au_dossier_release(&one);
        return false;
    }
    if (job->end != AU_JOB_DONE && au_deadline_over()) {
        /* its time was up: how many were checked is told */
    } else if (job->end != AU_JOB_DONE) {
        not_checked(s, r, job->detail);
    } else if (job->size && *job->data == '!') {
        char *why = au_strndup(job->data + 1, job->size - 1);
        not_checked(s, r, why);
        free(why);
    } else if (au_dossier_read(&one, job->data + cut, job->size - cut, "<worker>", &err) != AU_OK) {
        not_checked(s, r, err.text);
    } else {
        take_cases(s, r, &one);
        s->x->checked += !cut;
        if (s->o->first && one.at.n)
            s->stop = true;
    }
    au_dossier_release(&one);
    au_progress("runs checked", s->x->checked, k->run.n);
    return !s->stop;
}

void au_found_by_funnel(au_exploration *s) {
    struct checks k = {.s = s};
    au_error err = AU_ERROR_NONE;
    double begun = au_now();
    if (!s->o->check)
        return;
    /* Those that took a side which no run had taken first: code that nobody has looked at. */
    for (int fresh = 1; fresh >= 0; fresh--)
        for (size_t i = 0; i < s->ran.n; i++)
            if (s->ran.at[i].to_check &&
                (s->ran.at[i].fresh || s->ran.at[i].family == AU_NONE) == fresh)
                au_vec_push(&k.run, i);
    s->x->to_check = k.run.n;
    unsigned jobs = s->o->jobs ? s->o->jobs : au_cores();
    for (size_t from = 0; from < k.run.n && !s->stop && !s->x->interrupted; from += jobs) {
        size_t n = k.run.n - from < jobs ? k.run.n - from : jobs;
        struct checks some = {.s = s};
        if (au_deadline_over())
            break;
        au_vec_append(&some.run, k.run.at + from, n);
        /* No limit of memory: it would be the program's, too. Questions have their own. */
        au_pool_limits limits = {.jobs = jobs};
        au_pool_run((uint32_t)n, &limits, check_one, take_check, &some, &err);
        au_vec_release(&some.run);
    }
    au_progress_end();
    au_vec_release(&k.run);
    s->x->check_seconds = au_now() - begun;
}
