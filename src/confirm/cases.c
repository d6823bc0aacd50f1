/* confirm/cases.c: see cases.h. */
#include "confirm/cases.h"

#include "base/clock.h"
#include "base/progress.h"
#include "report/dossier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- in which order ---- */

typedef struct {
    size_t at;
    unsigned worth;
    size_t turns;
} task;
typedef AU_VEC(task) tasks;

/* What one sees before one's eyes comes first. */
static unsigned worth_of(const au_case *c) {
    static const unsigned kind[AU_KINDS] = {
        [AU_KIND_ASSERTION] = 0, [AU_KIND_DEADLOCK] = 1,  [AU_KIND_MISUSE] = 2,
        [AU_KIND_RACE] = 3,      [AU_KIND_ATOMICITY] = 4, [AU_KIND_NONDET] = 5};
    return 8 * (unsigned)(c->standing > AU_IS_PROVED) + kind[c->kind];
}

static int by_worth(const void *a, const void *b) {
    const task *x = a, *y = b;
    if (x->worth != y->worth)
        return x->worth < y->worth ? -1 : 1;
    if (x->turns != y->turns)
        return x->turns < y->turns ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void not_tried(au_dossier *d, au_case *c, const char *why) {
    c->replay = AU_REPLAY_NOT_TRIED;
    c->replay_text = au_dossier_text_copy(d, why);
}

static tasks plan(au_dossier *d) {
    tasks all = {0};
    for (size_t i = 0; i < d->at.n; i++) {
        au_case *c = &d->at.at[i];
        if (c->replay != AU_REPLAY_NOT_TRIED || c->standing == AU_IS_CONFIRMED)
            continue;
        if (c->standing == AU_IS_REFUTED)
            not_tried(d, c, "it is refuted");
        else if (!c->schedule.n || !*c->recording)
            not_tried(d, c, "it has no schedule");
        else
            au_vec_push(&all, ((task){i, worth_of(c), c->schedule.n}));
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, by_worth);
    return all;
}

/* ---- execution ---- */

/* Recordings that are open; NULL: it could not be opened, and why. */
typedef struct {
    const char *path;
    au_stage_set *set;
    char *why;
} stage;
typedef AU_VEC(stage) stages;

static const stage *stage_of(stages *all, const char *path, const au_confirm_options *o) {
    for (size_t i = 0; i < all->n; i++)
        if (!strcmp(all->at[i].path, path))
            return &all->at[i];
    au_error err = AU_ERROR_NONE;
    stage *s = au_vec_add(all);
    *s = (stage){.path = path, .set = au_confirm_open(path, o, &err)};
    s->why = s->set ? NULL : au_strdup(err.text);
    return s;
}

static void settle(au_dossier *d, au_case *c, const au_judgement *j, const char *recording,
                   const au_confirm_plan *p, au_confirm_counts *n) {
    au_error ignored = AU_ERROR_NONE; /* the predicted order is as good a witness */
    au_dossier_options how = {.steps = p->steps, .sources = true};
    n->tried++;
    if (au_judgement_contradicts(j) && c->standing == AU_IS_PROVED)
        au_case_contradict(d, c);
    c->replay_text = au_dossier_text_copy(d, j->why);
    switch (j->judged) {
    case AU_JUDGED_CONFIRMED:
        n->confirmed += j->rests == AU_WHY_NONE;
        c->replay = AU_REPLAY_CONFIRMED;
        if (c->standing == AU_IS_POSSIBLE)
            c->why = ""; /* why it was no more */
        c->standing = j->rests == AU_WHY_NONE ? AU_IS_CONFIRMED : AU_IS_PROVED;
        if (j->rests != AU_WHY_NONE)
            c->why = au_dossier_text_copy(d, au_why_text(j->rests));
        au_dossier_of_replay(d, c, recording, &how, &ignored);
        break;
    case AU_JUDGED_NOT_SHOWN:
        n->not_shown++;
        c->replay = AU_REPLAY_NOT_SHOWN;
        break;
    case AU_JUDGED_DIVERGED:
        n->diverged++;
        c->replay = AU_REPLAY_DIVERGED;
        break;
    }
}

static void try_one(au_dossier *d, au_case *c, const stage *s, const au_confirm_plan *p,
                    au_confirm_counts *n) {
    au_turns turns;
    au_judgement j;
    au_error err = AU_ERROR_NONE;
    char *output = au_sprintf("%s/replay.trace", p->dir);
    au_status st = au_case_whole_turns(c, &turns, &err);
    if (st == AU_OK) {
        st = au_confirm(s->set, c, &turns, output, &j, &n->interrupted, &err);
        if (st == AU_OK && !n->interrupted)
            settle(d, c, &j, output, p, n);
        au_vec_release(&turns);
    }
    if (st != AU_OK)
        not_tried(d, c, err.text);
    unlink(output);
    free(output);
}

void au_confirm_cases(au_dossier *d, const au_confirm_plan *p, au_confirm_counts *n) {
    tasks all = plan(d);
    stages open = {0};
    for (size_t i = 0; i < all.n; i++) {
        au_case *c = &d->at.at[all.at[i].at];
        if (n->interrupted) {
            not_tried(d, c, "interrupted");
            continue;
        }
        if (p->until > 0 && au_now() > p->until) {
            not_tried(d, c, "time budget used up");
            continue;
        }
        au_progress("executing findings", i, all.n);
        const stage *s = stage_of(&open, c->recording, &p->run);
        if (s->set)
            try_one(d, c, s, p, n);
        else
            not_tried(d, c, s->why);
        if (n->interrupted)
            not_tried(d, c, "interrupted");
    }
    au_progress_end();
    for (size_t i = 0; i < open.n; i++) {
        au_confirm_free(open.at[i].set);
        free(open.at[i].why);
    }
    au_vec_release(&open);
    au_vec_release(&all);
}
