/* confirm/harm.c: see harm.h. */
#include "confirm/harm.h"

#include "base/deadline.h"
#include "base/progress.h"
#include "report/dossier.h"
#include "report/schedule.h"
#include "wire/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONTINUATIONS = 3 }; /* of each order: one without chance, then random ones */

/* The worse, the larger. */
typedef enum { NONE_SEEN, STATE, OUTPUT, FAILS } harm;
static const char *const harm_name[] = {"none-seen", "state", "output", "fails"};

typedef struct {
    au_dossier *d;
    au_case *c;
    au_stage_set *set,
        *first; /* of its recording; of the first run, that a lost update is compared with */
    const au_confirm_plan *p;
    au_compare how;
    au_confirm_counts *n;
    au_outcome was;  /* the recorded run's */
    unsigned orders; /* 2; 1: order 0 is compared with the recorded run, which is order 1 */
    char *path[2];   /* recordings of the first continuation, by order */
    au_turns turns[2];
    /* what came of it */
    harm worst;
    char *text;
    int order;  /* the worse one */
    bool shown; /* … and path[order] shows it */
    unsigned executed, failed, endless, diverged;
} trial;

/* The turns up to both accesses, then these in their order (0) or the other one. */
static au_status turns_of(const au_case *c, int order, au_turns *turns, au_error *err) {
    if (c->kind != AU_KIND_RACE) {
        *turns = (au_turns){0};
        return order ? AU_OK : au_case_whole_turns(c, turns, err);
    }
    au_status st = au_case_turns(c, turns, err);
    if (st != AU_OK)
        return st;
    au_case other = *c;
    au_case_event event[2] = {c->event.at[order], c->event.at[!order]};
    other.event.at = event;
    au_turns_complete(turns, &other);
    return AU_OK;
}

/* False: it could not be executed, or the tool is to stop. again: with the machine's own clocks and numbers. */
static bool execute(trial *t, int order, unsigned k, const char *recording, bool again,
                    au_outcome *o) {
    au_error ignored = AU_ERROR_NONE;
    au_stage_run how = {.turns = order < (int)t->orders ? &t->turns[order] : NULL,
                        .output = recording,
                        .machine = again,
                        .after = k ? AU_AFTER_RANDOM : AU_AFTER_GIVE_WAY,
                        .seed = k};
    *o = (au_outcome){0};
    if (t->n->interrupted || au_deadline_over() ||
        au_confirm_outcome(how.turns ? t->set : t->first, &how, recording != NULL, o,
                           &t->n->interrupted, &ignored) != AU_OK)
        return false;
    t->executed++;
    t->endless += o->late;
    t->failed += au_outcome_fails(o);
    t->diverged += o->diverged;
    return !t->n->interrupted && !au_deadline_over();
}

static void found(trial *t, harm h, int order, bool shown, char *text) {
    if (h > t->worst) {
        free(t->text);
        t->worst = h;
        t->order = order;
        t->shown = shown;
        t->text = text;
    } else {
        free(text);
    }
}

/* The order that tells what the recorded run tells is the good one. */
static int worse_of(const trial *t, const au_outcome o[2]) {
    if (t->orders == 1)
        return 0;
    char *first = au_outcome_told_otherwise(&t->was, &o[0], AU_COMPARE_ORDER, NULL);
    char *second = au_outcome_told_otherwise(&t->was, &o[1], AU_COMPARE_ORDER, NULL);
    int worse = first && !second ? 0 : 1;
    if (!first && !second) { /* told alike: by what they left */
        char *a = au_outcome_left_otherwise(&t->was, &o[0], 0, "");
        char *b = au_outcome_left_otherwise(&t->was, &o[1], 0, "");
        worse = a && !b ? 0 : 1;
        free(a);
        free(b);
    }
    free(first);
    free(second);
    return worse;
}

/* Of the raced memory. */
static uint64_t address_of(const trial *t) {
    au_error ignored = AU_ERROR_NONE;
    au_walk *w = au_walk_open(t->path[0], NULL, NULL, &ignored);
    au_stream_record r = {.tag = AU_TAG_EV};
    uint32_t thread;
    uint64_t at = 0;
    const au_case_event *e = &t->c->event.at[0];
    bool known = au_schedule_thread(e->thread, &thread);
    while (w && known && !at && r.tag != AU_TAG_PAD && au_walk_next(w, &r, &ignored) == AU_OK)
        if (r.tag == AU_TAG_EV && r.thread == thread && r.index == e->index)
            at = r.address;
    au_walk_free(w);
    return at;
}

/* Both orders, each executed once more, in turns: is each what it was? */
static bool stays(trial *t, const au_outcome o[2], bool memory) {
    bool same = true;
    char *passing = au_sprintf("%s/harm-again.trace", t->p->dir);
    for (int i = 0; i < 2 && same; i++) {
        au_outcome again;
        same = execute(t, i, 0, passing, true, &again) && again.end == o[i].end &&
               again.status == o[i].status;
        char *text = same ? au_outcome_told_otherwise(&o[i], &again, AU_COMPARE_ORDER, NULL) : NULL;
        if (same && memory && !text)
            text = au_outcome_left_otherwise(&o[i], &again, 0, "");
        same &= !text;
        free(text);
        au_outcome_release(&again);
    }
    unlink(passing);
    free(passing);
    return same;
}

/* The first continuation: all that differs is this order. */
static void compare(trial *t, const au_outcome o[2]) {
    int bad = worse_of(t, o);
    char *told = au_outcome_told_otherwise(&o[!bad], &o[bad], t->how, NULL);
    if (told && stays(t, o, false)) {
        found(t, OUTPUT, bad, true, au_sprintf("output differs: %s", told));
        free(told);
        return;
    }
    free(told);
    char *left = au_outcome_left_otherwise(&o[!bad], &o[bad], address_of(t), t->c->var);
    if (left && stays(t, o, true))
        found(t, STATE, bad, true, au_sprintf("state differs: %s", left));
    free(left);
}

static void compare_ends(trial *t, const au_outcome o[2], unsigned k) {
    char text[120];
    for (int i = 0; i < 2; i++)
        if (au_outcome_fails(&o[i]) && !au_outcome_fails(&o[!i]))
            found(t, FAILS, i, !k,
                  au_sprintf("fails: %s", au_outcome_end(&o[i], text, sizeof text)));
}

static void try_all(trial *t) {
    unsigned most = t->orders == 1 ? 1 : CONTINUATIONS;
    for (unsigned k = 0; k < most && t->worst < FAILS; k++) {
        au_outcome o[2] = {{0}, {0}};
        bool good = true;
        for (int i = 0; i < 2 && good; i++)
            good = execute(t, i, k, k ? NULL : t->path[i], false, &o[i]);
        if (good && !o[0].diverged && !o[1].diverged) {
            compare_ends(t, o, k);
            if (!k && t->worst < FAILS)
                compare(t, o);
        }
        good &= !o[0].late && !o[1].late; /* the next one would take as long */
        for (int i = 0; i < 2; i++)
            au_outcome_release(&o[i]);
        if (!good)
            return;
    }
}

/* What is told of it from now on happens in the worse order. */
static void turn_round(au_case *c) {
    au_case_event e = c->event.at[0];
    c->event.at[0] = c->event.at[1];
    c->event.at[1] = e;
    au_case_events *order[] = {&c->witness, &c->observed};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < order[k]->n; i++)
            if (order[k]->at[i].decisive)
                order[k]->at[i].decisive = 3 - order[k]->at[i].decisive;
}

static void settle(trial *t) {
    au_error ignored = AU_ERROR_NONE;
    au_dossier_options how = {.steps = t->p->steps, .sources = true};
    char *text;
    bool cut = au_deadline_over();
    if (!au_confirm_ends(t->set))
        text = au_sprintf("not executed to the end: the recorded run did not end by itself");
    else if (t->worst > NONE_SEEN)
        text = au_sprintf("%s", t->text);
    else if (!t->executed)
        text = au_sprintf("not executed to the end: %s",
                          cut ? au_deadline_why() : "its schedule could not be executed");
    else if (t->endless)
        text = au_sprintf("no difference seen in %u executions, of which %u did not end",
                          t->executed, t->endless);
    else if (t->diverged)
        text = au_sprintf("no difference seen in %u executions, of which %u went another way",
                          t->executed, t->diverged);
    else
        text = au_sprintf("no difference seen in %u executions", t->executed);
    t->c->harm = harm_name[t->worst];
    t->c->harm_text = au_dossier_text_copy(t->d, text);
    free(text);
    if (t->worst > NONE_SEEN && t->order == 1)
        turn_round(t->c);
    if (t->shown && t->orders == 2)
        au_dossier_of_replay(t->d, t->c, t->path[t->order], &how, &ignored);
}

static void try_case(au_dossier *d, au_case *c, au_stage_set *set, au_stage_set *first,
                     const au_confirm_plan *p, au_compare how, const au_outcome *was,
                     au_confirm_counts *n) {
    au_error ignored = AU_ERROR_NONE;
    trial t = {.d = d, .c = c, .set = set, .first = first, .p = p, .how = how, .was = *was, .n = n};
    t.orders = c->kind == AU_KIND_RACE ? 2 : 1;
    bool good = true;
    for (int i = 0; i < 2; i++) {
        t.path[i] = au_sprintf("%s/harm-%d.trace", p->dir, i);
        good &= turns_of(c, i, &t.turns[i], &ignored) == AU_OK;
    }
    if (good && au_confirm_ends(set))
        try_all(&t);
    settle(&t);
    for (int i = 0; i < 2; i++) {
        unlink(t.path[i]);
        free(t.path[i]);
        au_vec_release(&t.turns[i]);
    }
    free(t.text);
}

/* ---- all of them ---- */

static bool is_wanted(const au_case *c) {
    bool kind = (c->kind == AU_KIND_RACE && c->event.n == 2) || c->kind == AU_KIND_LOST;
    return kind && c->standing == AU_IS_CONFIRMED && c->schedule.n && *c->recording && !*c->harm;
}

/* A stage, and what the recorded run told the world on it. */
typedef struct {
    const char *path;
    au_stage_set *set;
    au_outcome was;
} scene;
typedef AU_VEC(scene) scenes;

static scene *scene_of(scenes *all, const char *path, const au_confirm_plan *p,
                       au_confirm_counts *n) {
    au_error ignored = AU_ERROR_NONE;
    for (size_t i = 0; i < all->n; i++)
        if (!strcmp(all->at[i].path, path))
            return &all->at[i];
    scene *x = au_vec_add(all);
    *x = (scene){.path = path, .set = au_confirm_open(path, &p->run, &ignored)};
    char *passing = au_sprintf("%s/harm-was.trace", p->dir);
    au_stage_run how = {.output = passing, .after = AU_AFTER_GIVE_WAY};
    if (x->set && au_confirm_ends(x->set) && !au_deadline_over() &&
        au_confirm_outcome(x->set, &how, true, &x->was, &n->interrupted, &ignored) != AU_OK)
        x->was = (au_outcome){.diverged = true};
    unlink(passing);
    free(passing);
    return x;
}

void au_confirm_harm(au_dossier *d, const char *first, const au_confirm_plan *p, au_compare how,
                     au_confirm_counts *n) {
    scenes all = {0};
    for (size_t i = 0; i < d->at.n && !n->interrupted; i++) {
        au_case *c = &d->at.at[i];
        if (!is_wanted(c))
            continue;
        au_progress("executing races to the end", i, d->at.n);
        au_stage_set *base = NULL;
        if (c->kind == AU_KIND_LOST)
            base = scene_of(&all, first, p, n)->set;
        scene *x = scene_of(&all, c->recording, p, n);
        if (x->set && (base || c->kind == AU_KIND_RACE))
            try_case(d, c, x->set, base, p, how, &x->was, n);
    }
    au_progress_end();
    for (size_t i = 0; i < all.n; i++) {
        au_confirm_free(all.at[i].set);
        au_outcome_release(&all.at[i].was);
    }
    au_vec_release(&all);
}
