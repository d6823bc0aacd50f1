/* explore/told.c: different output: on the same input, another interleaving tells the world something else.
 *
 * Every run of the exploration is compared with the first one, and so are some on random schedules. What differs is executed
 * again, and so is the first run, in turns: only what is the same in both executions of each schedule depends on the
 * schedule, and not on the time of day or a number that the kernel gives out. */
#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "confirm/confirm.h"
#include "explore/explore_priv.h"
#include "record/replay.h"
#include "report/dossier.h"
#include "wire/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    AT_RANDOM = 12, /* runs for this alone */
    ALIKE = 3,      /* candidates of one stream or file that are tried */
    STEPS = 200     /* of the order that a case shows */
};
/* Of the time that is left to the exploration: the part that random runs may take. */
static const double SHARE = 0.25;

static void release_other(au_other *x) {
    free(x->where);
    free(x->text);
    au_outcome_release(&x->told);
    au_vec_release(&x->turns);
}

void au_told_release(au_exploration *s) {
    for (size_t i = 0; i < s->other.n; i++)
        release_other(&s->other.at[i]);
    au_vec_release(&s->other);
}

/* ---- candidates ---- */

static size_t alike(const au_exploration *s, const char *where) {
    size_t n = 0;
    for (size_t i = 0; i < s->other.n; i++)
        n += !strcmp(s->other.at[i].where, where);
    return n;
}

static bool take_turns(const au_ran *r, au_other *to) {
    au_error ignored = AU_ERROR_NONE;
    au_replay p;
    if (au_replay_load(&p, r->path, &ignored) != AU_OK)
        return false;
    bool good = p.turns.n <= AU_LIMIT_RUN_TURNS;
    if (good)
        au_vec_append(&to->turns, p.turns.at, p.turns.n);
    to->apart = p.births.n > 0;
    au_replay_release(&p);
    return good;
}

void au_told_note(au_exploration *s, au_ran *r) {
    const au_ran *first = &s->ran.at[0];
    char *where = NULL, *text = NULL;
    if (s->o->compare == AU_COMPARE_NONE || r == first)
        return;
    /* A status that says that it failed is told as such (found.c). */
    if (!r->broken && !r->late && !first->late && !au_ran_failed(s, r))
        text = au_outcome_told_otherwise(&first->told, &r->told, s->o->compare, &where);
    if (text && alike(s, where) < ALIKE) {
        au_other x = {.where = where, .text = text, .told = r->told};
        r->told = (au_outcome){0};
        where = text = NULL;
        if (take_turns(r, &x))
            au_vec_push(&s->other, x);
        else
            release_other(&x);
    }
    au_outcome_release(&r->told);
    r->told = (au_outcome){0};
    free(where);
    free(text);
}

/* ---- some more, at random ---- */

/* Nothing is said of it: as if it had not been. */
static void forget(au_exploration *s) {
    au_execute_drop(s);
    s->x->runs--;
    (void)au_vec_pop(&s->run_time);
}

/* The first that fails where nothing else did is a run like any other: it joins, and is a finding. */
au_status au_told_more(au_exploration *s, au_error *err) {
    static const au_turns none;
    double begun = au_now(), share = s->until > 0 ? SHARE * (s->until - begun) : 0;
    bool wanted =
        s->o->compare != AU_COMPARE_NONE && !s->ran.at[0].broken && s->ran.at[0].threads > 1;
    for (unsigned i = 0; i < AT_RANDOM && wanted && !au_search_over(s); i++) {
        if (s->until > 0 && au_now() - begun >= share)
            break;
        if (au_execute(s, &none, 0, err) != AU_OK)
            return err->status;
        au_ran *r = &au_vec_last(&s->ran);
        if (au_ran_failed(s, r) && !s->failures) {
            au_search_went(s, NULL, 0);
            return AU_OK;
        }
        au_told_note(s, r);
        s->hunted++;
        forget(s);
    }
    return AU_OK;
}

/* ---- again ---- */

/* Executes these turns; was it told as before? The run is the last of s->ran. Clocks and numbers are the machine's
 * own, not those of the first run: what is told of them is not the same. */
static au_status same_again(au_exploration *s, const au_turns *turns, const au_outcome *was,
                            bool *same, au_error *err) {
    au_status st = au_execute(s, turns, AU_NONE, err);
    *same = false;
    if (st != AU_OK)
        return st;
    au_ran *r = &au_vec_last(&s->ran);
    if (r->broken || r->late || r->end == AU_END_DIVERGED || r->told.diverged)
        return AU_OK;
    char *text = au_outcome_told_otherwise(was, &r->told, AU_COMPARE_ORDER, NULL);
    *same = !text && was->end == r->told.end && was->status == r->told.status;
    free(text);
    return AU_OK;
}

static void put_schedule(au_dossier *d, au_case *c, const au_turns *turns) {
    au_intern threads;
    char name[24];
    au_intern_init(&threads);
    for (size_t i = 0; i < turns->n; i++) {
        snprintf(name, sizeof name, "T%u", (unsigned)turns->at[i].thread);
        au_case_add_turn(d, c, &threads, name, turns->at[i].upto, turns->at[i].mark);
    }
    au_intern_release(&threads);
}

/* r: executed on these turns, the last run. */
static void add_case(au_exploration *s, const au_other *x, au_ran *r) {
    au_dossier one;
    au_dossier_options o = {.steps = STEPS, .sources = true};
    au_dossier_init(&one);
    au_case *c = au_dossier_add(&one, AU_KIND_OUTPUT);
    c->var = au_dossier_text_copy(&one, x->where);
    c->what = au_dossier_text_copy(&one, x->text);
    c->message = au_sprintf("different output: %s", x->text);
    const char *message = c->message;
    c->message = au_dossier_text_copy(&one, message);
    free((void *)(uintptr_t)message);
    c->standing = au_confirm_standing(AU_IS_POSSIBLE, r->rests);
    c->why = au_why_text(r->rests);
    c->replay = AU_REPLAY_CONFIRMED;
    c->aside = true;
    au_case_mark(&one, c);
    au_dossier_of_ended(&one, c, r->path, s->ran.at[0].path, &o);
    const char *path = x->apart ? "" : au_execute_keep(s, &s->ran.at[0]);
    if (*path) {
        c->recording = au_dossier_text_copy(&one, path);
        put_schedule(&one, c, &x->turns);
    }
    au_dossier_join(s->d, &one);
    au_dossier_release(&one);
}

static bool is_told(const au_exploration *s, const char *where) {
    for (size_t i = 0; i < s->d->at.n; i++)
        if (s->d->at.at[i].kind == AU_KIND_OUTPUT && !strcmp(s->d->at.at[i].var, where))
            return true;
    return false;
}

static au_status try_again(au_exploration *s, const au_other *x, au_error *err) {
    au_ran *first = &s->ran.at[0];
    au_error ignored = AU_ERROR_NONE;
    au_replay p;
    bool same;
    if (au_replay_load(&p, first->path, &ignored) != AU_OK)
        return AU_OK;
    au_status st = same_again(s, &p.turns, &s->ran.at[0].told, &same, err);
    au_replay_release(&p);
    if (st != AU_OK)
        return st;
    forget(s);
    if (!same)
        return AU_OK;
    st = same_again(s, &x->turns, &x->told, &same, err);
    if (st != AU_OK)
        return st;
    if (same)
        add_case(s, x, &au_vec_last(&s->ran));
    forget(s);
    return AU_OK;
}

au_status au_told_end(au_exploration *s, au_error *err) {
    au_status st = AU_OK;
    for (size_t i = 0; i < s->other.n && st == AU_OK && !s->x->interrupted; i++) {
        if (au_deadline_over())
            break;
        if (!is_told(s, s->other.at[i].where))
            st = try_again(s, &s->other.at[i], err);
    }
    return st;
}
