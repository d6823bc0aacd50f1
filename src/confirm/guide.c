/* confirm/guide.c: see guide.h. */
#include "confirm/guide_priv.h"

#include "base/clock.h"
#include "report/of_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Events that a thread may execute before it comes to its next step. */
static const uint64_t patience[] = {4096, 65536, 1048576};
enum { PATIENCES = sizeof patience / sizeof *patience };

typedef struct {
    au_stage_set *set;
    const au_way *way;
    const char *output;
    double until;
    au_guided *g;
    au_turns turns;
    uint32_t *real;  /* by thread of the model: its number, AU_NONE not created yet */
    uint64_t *done;  /* by thread of the model: the event of its last step */
    au_sights sight; /* of the last execution */
    bool has_sight;
    char message[400]; /* of the runtime, in it */
    char granted[400];
    bool late;
} guide;

/* ---- one execution ---- */

static void no(guide *k, au_judged judged, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void no(guide *k, au_judged judged, const char *fmt, ...) {
    va_list ap;
    au_judgement *j = &k->g->judgement;
    va_start(ap, fmt);
    j->judged = judged;
    vsnprintf(j->why, sizeof j->why, fmt, ap);
    va_end(ap);
}

static void forget(guide *k) {
    if (k->has_sight)
        au_sights_release(&k->sight);
    k->has_sight = false;
}

/* The runtime's words without the number of the turn, which is ours. */
static void take_message(guide *k, const char *text) {
    const char *colon = !strncmp(text, "turn ", 5) ? strchr(text, ':') : NULL;
    if (colon)
        text = colon + 1 + (colon[1] == ' ');
    snprintf(k->message, sizeof k->message, "%.*s", (int)strcspn(text, "\n"), text);
}

/* The turns, then the end of the program, or its own way. False: see the judgement, or *err. */
static bool execute(guide *k, bool end, au_error *err) {
    au_stage_run how = {.turns = &k->turns, .output = k->output, .end = end};
    au_control_map m;
    au_child child;
    au_run_result r;
    forget(k);
    if (k->until > 0 && au_now() > k->until) {
        no(k, AU_JUDGED_DIVERGED, "time limit reached after %u executions", k->g->runs);
        return false;
    }
    k->g->runs++;
    if (au_confirm_execute(k->set, &how, &m, &child, &r, &k->late, err) != AU_OK)
        return false;
    take_message(k, r.launch.last.message);
    k->g->interrupted = r.signal;
    au_run_release(&r);
    if (k->g->interrupted) {
        no(k, AU_JUDGED_DIVERGED, "interrupted");
        return false;
    }
    k->has_sight = true;
    if (au_sights_read(&k->sight, k->way->source, k->output, err) != AU_OK)
        return false;
    if (!k->sight.known_modules) {
        no(k, AU_JUDGED_DIVERGED, "the program was not built from this code");
        return false;
    }
    return true;
}

/* Where a thread cannot stop it goes on for some events: the schedule says how far it really went. */
static void correct_last(guide *k, size_t fixed) {
    const au_sights *x = &k->sight;
    au_turn *last = &k->turns.at[fixed - 1];
    bool there = false;
    for (size_t i = 0; i < x->event.n; i++) {
        const au_seen *e = &x->event.at[i];
        if (e->thread == last->thread && e->index <= last->upto) {
            there = e->index == last->upto;
            continue;
        }
        if (!there)
            continue;
        if (e->thread != last->thread)
            break;
        last->upto = e->index;
    }
}

/* ---- turn by turn ---- */

static const char *what_is(const au_sign *m) {
    static const char *const name[] = {[AU_SIGN_ACCESS] = "access",
                                       [AU_SIGN_ACQ] = "lock",
                                       [AU_SIGN_REL] = "unlock",
                                       [AU_SIGN_WAIT] = "wait",
                                       [AU_SIGN_WAKE] = "end of a wait",
                                       [AU_SIGN_SIGNAL] = "signal",
                                       [AU_SIGN_ARRIVE] = "barrier",
                                       [AU_SIGN_LEAVE] = "end of a barrier",
                                       [AU_SIGN_FORK] = "new thread",
                                       [AU_SIGN_JOIN] = "join",
                                       [AU_SIGN_EXIT] = "end of the thread"};
    return m->kind == AU_SIGN_ACCESS ? m->write ? "write" : "read" : name[m->kind];
}

static void tell_place(const guide *k, uint32_t step, char *text, size_t size) {
    const au_model *m = k->way->source->model;
    const au_step *s = &m->step.at[step];
    const char *file = s->loc == AU_NONE ? m->file : au_intern_str(&m->strings, s->loc);
    const char *slash = strrchr(file, '/');
    snprintf(text, size, "%s:%" PRIu32, slash ? slash + 1 : file, s->line);
}

/* What the schedule took for granted: code that is modelled by more than it can do, or inputs, and
 * which ones. */
static const char *granted(guide *k) {
    const au_model *m = k->way->source->model;
    char values[300] = "";
    size_t n = 0, havocs = 0, told = 0;
    bool input = false;
    for (size_t i = 0; i < k->way->n; i++) {
        const au_step *s = &m->step.at[k->way->step[i]];
        uint8_t how = k->way->source->exact.at[s->id];
        uint64_t value = 0;
        char place[80];
        if (s->havoc != AU_NONE && havocs < k->way->n_havoc)
            value = k->way->havoc[havocs++];
        k->g->inexact |= how == AU_OVER;
        input |= how == AU_INPUT || how == AU_RESULT;
        if (how == AU_EXACT || s->havoc == AU_NONE || m->var.at[s->havoc].width == 1 || !s->line ||
            told == 2)
            continue;
        tell_place(k, s->id, place, sizeof place);
        n += (size_t)snprintf(values + n, sizeof values - n, "%s%" PRId64 " at %s",
                              told++ ? ", " : ": ", au_model_view_value(m, s->havoc, value), place);
    }
    if (!input && !k->g->inexact)
        return "";
    snprintf(k->granted, sizeof k->granted, "; the schedule %s%.300s",
             k->g->inexact ? "leads through over-approximated code"
                           : "needs inputs that may differ in this run",
             values);
    return k->granted;
}

static void not_reached(guide *k, uint32_t thread, const char *what, uint32_t step) {
    char place[200];
    const char *because = *k->message ? k->message : k->late ? "time limit reached" : "";
    if (!*because && k->sight.end == AU_END_ASSERT)
        because = "an assertion failed before";
    else if (!*because && k->sight.end == AU_END_SIGNAL)
        because = "the program crashed before";
    else if (!*because && k->sight.end == AU_END_EXIT)
        because = "the program ended before";
    else if (!*because && k->sight.end == AU_END_LIMIT)
        because = "it executed a million other events";
    tell_place(k, step, place, sizeof place);
    no(k, AU_JUDGED_DIVERGED, "T%" PRIu32 " (%s) does not reach the %s at %s%s%s%s",
       k->real[thread], k->way->source->model->thread.at[thread].name, what, place,
       *because ? ": " : "", because, granted(k));
}

/* The thread after the turns so far, as far as it can. */
static bool let_run(guide *k, uint32_t thread, au_turn_mark mark, int how, au_error *err) {
    size_t fixed = k->turns.n;
    uint64_t from = k->done[thread];
    for (size_t i = 0; i < fixed; i++) /* it may have gone further than its last step */
        if (k->turns.at[i].thread == k->real[thread] && k->turns.at[i].upto > from)
            from = k->turns.at[i].upto;
    au_vec_push(&k->turns, ((au_turn){.upto = from + patience[how],
                                      .thread = k->real[thread],
                                      .mark = (uint16_t)mark}));
    bool good = execute(k, true, err);
    k->turns.n = fixed;
    if (good && fixed && k->turns.at[fixed - 1].thread != k->real[thread])
        correct_last(k, fixed);
    return good;
}

static void add_turn(guide *k, uint32_t thread, uint64_t until, au_turn_mark mark) {
    au_turn *last = k->turns.n ? &au_vec_last(&k->turns) : NULL;
    if (last && last->thread == k->real[thread] && last->mark == mark) {
        if (until > last->upto)
            last->upto = until;
        return;
    }
    au_vec_push(&k->turns,
                ((au_turn){.upto = until, .thread = k->real[thread], .mark = (uint16_t)mark}));
}

/* All signs of a turn among what its thread did. The first that is not there: *missing. */
static bool find_all(guide *k, const au_sign *m, size_t n, uint64_t *until, size_t *missing) {
    uint32_t thread = m->thread;
    for (size_t i = 0; i < n; i++) {
        uint64_t index;
        if (au_sign_is_hidden(&k->sight, &m[i]))
            continue;
        const au_seen *e = au_sights_find(&k->sight, &m[i], k->real[thread], *until, &index);
        if (!e) {
            *missing = i;
            return false;
        }
        *until = index;
        if (m[i].kind == AU_SIGN_FORK && m[i].child != AU_NONE)
            k->real[m[i].child] = (uint32_t)e->address;
    }
    return true;
}

static bool take_turn(guide *k, const au_sign *m, size_t n, au_turn_mark mark, au_error *err) {
    uint32_t thread = m->thread;
    size_t missing = 0;
    if (k->real[thread] == AU_NONE) {
        no(k, AU_JUDGED_DIVERGED, "thread '%s' was not created%s",
           k->way->source->model->thread.at[thread].name, granted(k));
        return false;
    }
    for (int how = 0; how < PATIENCES; how++) {
        uint64_t until = k->done[thread];
        if (!let_run(k, thread, mark, how, err))
            return false;
        if (find_all(k, m, n, &until, &missing)) {
            if (until > k->done[thread])
                add_turn(k, thread, until, mark);
            k->done[thread] = until;
            return true;
        }
        if (k->sight.end != AU_END_LIMIT) /* it could do no more */
            break;
    }
    not_reached(k, thread, what_is(&m[missing]), m[missing].step);
    return false;
}

/* Steps of one thread in a row, as far as they are seen. A wake-up that nobody gave is a turn of its
 * own: it is marked. */
static bool take_turns(guide *k, au_error *err) {
    au_signs signs = {0};
    const au_model *m = k->way->source->model;
    bool good = true;
    au_signs_of(k->way, &signs);
    for (size_t i = 0, n; i < signs.n && good; i += n) {
        const au_sign *first = &signs.at[i];
        bool spurious = m->step.at[first->step].spurious;
        for (n = 1; i + n < signs.n; n++) {
            const au_sign *next = &signs.at[i + n];
            if (next->thread != first->thread || spurious || m->step.at[next->step].spurious)
                break;
        }
        good = take_turn(k, first, n, spurious ? AU_MARK_SPURIOUS : AU_MARK_NONE, err);
    }
    au_vec_release(&signs);
    return good;
}

/* ---- the decisive events ---- */

static const char *name_of(uint32_t number, char name[16]) {
    snprintf(name, 16, "T%" PRIu32, number);
    return name;
}

static void want_event(guide *k, uint32_t thread, uint64_t index, uint64_t until) {
    char name[16];
    au_case_event e = au_case_event_none();
    e.thread = au_dossier_text_copy(&k->g->d, name_of(k->real[thread], name));
    e.index = index;
    e.until = until;
    au_vec_push(&k->g->d.at.at[0].event, e);
}

/* Each thread to just before its access. */
static bool reach_race(guide *k, au_error *err) {
    for (size_t i = 0; i < k->way->n_events; i++) {
        au_sign m;
        uint32_t step = k->way->event[i];
        uint32_t thread = k->way->source->model->step.at[step].thread;
        const au_seen *e = NULL;
        uint64_t index;
        if (!au_sign_of(k->way->source, step, k->way->n, &m)) {
            no(k, AU_JUDGED_DIVERGED, "the place of the access in the program is unknown");
            return false;
        }
        if (k->real[thread] == AU_NONE) {
            no(k, AU_JUDGED_DIVERGED, "thread '%s' was not created%s",
               k->way->source->model->thread.at[thread].name, granted(k));
            return false;
        }
        for (int how = 0; how < PATIENCES && !e; how++) {
            if (!let_run(k, thread, 0, how, err))
                return false;
            e = au_sights_find(&k->sight, &m, k->real[thread], k->done[thread], &index);
            /* Of a call, the access in it. */
            for (uint64_t j = e ? e->index : 0;
                 e && j <= index && !au_sign_matches(&k->sight, &m, e);)
                e = au_sights_event(&k->sight, k->real[thread], ++j);
            if (k->sight.end != AU_END_LIMIT)
                break;
        }
        if (!e) {
            not_reached(k, thread, what_is(&m), step);
            return false;
        }
        uint64_t first, last;
        au_sights_unit(&k->sight, e, &first, &last);
        for (uint64_t j = first; j <= last && e->op == AU_SOP_RCOPY && !m.write; j++) {
            const au_seen *x = au_sights_event(&k->sight, k->real[thread], j);
            if (x && x->op == AU_SOP_RREAD && au_sign_matches(&k->sight, &m, x))
                e = x; /* the half that reads */
        }
        want_event(k, thread, e->index, last);
        for (size_t t = k->turns.n; t-- > 0;) /* its first half may have been a step before */
            if (k->turns.at[t].thread == k->real[thread] && k->turns.at[t].upto >= first)
                k->turns.at[t].upto = first - 1;
        if (first - 1 > k->done[thread])
            add_turn(k, thread, first - 1, 0);
    }
    return true;
}

static bool reach_failure(guide *k, au_error *err) {
    uint32_t step = k->way->event[0], thread = k->way->source->model->step.at[step].thread;
    if (k->real[thread] == AU_NONE) {
        no(k, AU_JUDGED_DIVERGED, "thread '%s' was not created%s",
           k->way->source->model->thread.at[thread].name, granted(k));
        return false;
    }
    for (int how = 0; how < PATIENCES; how++) {
        if (!let_run(k, thread, 0, how, err))
            return false;
        for (size_t i = 0; i < k->sight.event.n; i++) {
            const au_seen *e = &k->sight.event.at[i];
            if (e->thread != k->real[thread] || e->op != AU_SOP_FAIL || e->index <= k->done[thread])
                continue;
            if (e->place != au_sign_place(k->way->source, step)) {
                char place[200];
                tell_place(k, step, place, sizeof place);
                no(k, AU_JUDGED_NOT_SHOWN,
                   "the assertion of line %" PRIu32 " failed, not that at %s%s", e->line, place,
                   granted(k));
                return false;
            }
            want_event(k, thread, e->index, e->index);
            return true;
        }
        if (k->sight.end != AU_END_LIMIT)
            break;
    }
    not_reached(k, thread, "failing assertion", step);
    return false;
}

static bool reach_deadlock(guide *k, au_error *err) {
    if (!execute(k, false, err))
        return false;
    if (k->sight.end != AU_END_DEADLOCK) {
        no(k, AU_JUDGED_NOT_SHOWN, "the program did not deadlock%s", granted(k));
        return false;
    }
    for (size_t i = 0; i < k->way->n_events; i++) {
        uint32_t thread = k->way->source->model->step.at[k->way->event[i]].thread;
        if (k->real[thread] == AU_NONE) {
            no(k, AU_JUDGED_DIVERGED, "thread '%s' was not created",
               k->way->source->model->thread.at[thread].name);
            return false;
        }
        uint64_t next = au_sights_length(&k->sight, k->real[thread]) + 1;
        want_event(k, thread, next, next);
    }
    return true;
}

/* Was it done by the instructions of these steps? */
static bool is_it(guide *k, au_error *err) {
    bool good = true;
    forget(k);
    k->has_sight = true;
    if (au_sights_read(&k->sight, k->way->source, k->output, err) != AU_OK)
        return false;
    for (size_t i = 0; i < k->way->n_events && k->way->kind == AU_KIND_RACE && good; i++) {
        const au_model *model = k->way->source->model;
        uint32_t thread = k->real[model->step.at[k->way->event[i]].thread];
        uint64_t index = k->g->d.at.at[0].event.at[i].index;
        const au_seen *e = au_sights_event(&k->sight, thread, index);
        au_sign m;
        good = e && au_sign_of(k->way->source, k->way->event[i], 0, &m) &&
               au_sign_matches(&k->sight, &m, e);
        if (!good)
            no(k, AU_JUDGED_NOT_SHOWN, "event %" PRIu64 " of T%" PRIu32 " was another access",
               index, thread);
    }
    return good;
}

/* ---- all of it ---- */

static void put_schedule(guide *k, au_case *c) {
    char name[16];
    au_intern threads;
    au_intern_init(&threads);
    for (size_t i = 0; i < k->turns.n; i++)
        au_case_add_turn(&k->g->d, c, &threads, name_of(k->turns.at[i].thread, name),
                         k->turns.at[i].upto, (au_turn_mark)k->turns.at[i].mark);
    au_intern_release(&threads);
}

static bool lead(guide *k, au_error *err) {
    au_case *c = &k->g->d.at.at[0];
    if (!take_turns(k, err))
        return false;
    bool there = k->way->kind == AU_KIND_RACE        ? reach_race(k, err)
                 : k->way->kind == AU_KIND_ASSERTION ? reach_failure(k, err)
                                                     : reach_deadlock(k, err);
    if (!there)
        return false;
    put_schedule(k, c);
    k->g->found = true;
    au_turns_complete(&k->turns, c);
    if (au_confirm(k->set, c, &k->turns, k->output, &k->g->judgement, &k->g->interrupted, err) !=
        AU_OK)
        return false;
    k->g->runs++;
    return k->g->judgement.judged != AU_JUDGED_CONFIRMED || is_it(k, err);
}

au_status au_guide(au_stage_set *set, const au_way *w, const char *output, double until,
                   au_guided *g, au_error *err) {
    const au_model *m = w->source->model;
    *g = (au_guided){0};
    au_dossier_init(&g->d);
    au_case *c = au_dossier_add(&g->d, w->kind);
    c->id = au_dossier_text_copy(&g->d, w->id);
    c->message = au_dossier_text_copy(&g->d, w->message);
    guide k = {.set = set,
               .way = w,
               .output = output,
               .until = until,
               .g = g,
               .real = au_alloc_array(m->thread.n + 1, sizeof *k.real),
               .done = au_alloc_array(m->thread.n + 1, sizeof *k.done)};
    for (size_t i = 0; i < m->thread.n; i++)
        k.real[i] = i ? AU_NONE : 0;
    au_error own = AU_ERROR_NONE;
    lead(&k, &own);
    g->against = own.status == AU_OK && g->judgement.judged != AU_JUDGED_CONFIRMED &&
                 !g->interrupted && !k.late && !(k.has_sight && k.sight.end == AU_END_LIMIT) &&
                 !*granted(&k);
    forget(&k);
    au_vec_release(&k.turns);
    free(k.real);
    free(k.done);
    if (own.status != AU_OK && err)
        *err = own;
    return own.status;
}

void au_guided_release(au_guided *g) {
    au_dossier_release(&g->d);
}
