/* confirm/cases.c: see cases.h. */
#include "confirm/cases.h"

#include "base/deadline.h"
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
        [AU_KIND_ASSERTION] = 0, [AU_KIND_DEADLOCK] = 1, [AU_KIND_MISUSE] = 2,
        [AU_KIND_LOST] = 3,      [AU_KIND_RACE] = 4,     [AU_KIND_ATOMICITY] = 5,
        [AU_KIND_NONDET] = 6,    [AU_KIND_OUTPUT] = 7};
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
        c->standing = au_confirm_standing(c->standing, j->rests);
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
        if (st == AU_OK && j.cut)
            not_tried(d, c, au_deadline_why());
        else if (st == AU_OK && !n->interrupted)
            settle(d, c, &j, output, p, n);
        au_vec_release(&turns);
    }
    if (st != AU_OK)
        not_tried(d, c, err.text);
    unlink(output);
    free(output);
}

/* ---- from one dossier to another ---- */

static bool same_schedule(const au_case *a, const au_case *b) {
    if (a->schedule.n != b->schedule.n)
        return false;
    for (size_t i = 0; i < a->schedule.n; i++) {
        const au_turn *x = &a->schedule.at[i], *y = &b->schedule.at[i];
        if (x->upto != y->upto || x->mark != y->mark ||
            strcmp(a->thread.at[x->thread], b->thread.at[y->thread]))
            return false;
    }
    return true;
}

static au_case *like(au_dossier *d, const au_case *c, bool exactly) {
    for (size_t i = 0; i < d->at.n; i++)
        if (d->at.at[i].kind == c->kind && !strcmp(d->at.at[i].fingerprint, c->fingerprint) &&
            (!exactly || same_schedule(&d->at.at[i], c)))
            return &d->at.at[i];
    return NULL;
}

void au_confirm_carry(au_dossier *d, const au_dossier *tried) {
    bool more = false;
    for (size_t i = 0; i < tried->at.n; i++) {
        const au_case *c = &tried->at.at[i];
        bool did = c->replay == AU_REPLAY_CONFIRMED;
        if (c->replay == AU_REPLAY_NOT_TRIED)
            continue;
        au_case *there = like(d, c, true);
        if (!there && did)
            there = like(d, c, false);
        if (!there && !did)
            continue;
        size_t at = there ? (size_t)(there - d->at.at) : d->at.n;
        const char *id = there ? there->id : "";
        au_case made = *au_dossier_copy(d, c);
        if (there) {
            made.id = id;
            au_case_release(&d->at.at[at]);
            d->at.at[at] = made;
            d->at.n--;
        }
        more |= !there;
        d->disagreements += c->disagrees;
    }
    if (more)
        au_dossier_number(d);
}

void au_confirm_cases(au_dossier *d, const au_confirm_plan *p, au_confirm_counts *n) {
    tasks all = plan(d);
    stages open = {0};
    for (size_t i = 0; i < all.n; i++) {
        au_case *c = &d->at.at[all.at[i].at];
        if (au_deadline_signal())
            n->interrupted = au_deadline_signal();
        if (n->interrupted) {
            not_tried(d, c, "interrupted");
            continue;
        }
        if (au_deadline_over()) {
            not_tried(d, c, au_deadline_why());
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
