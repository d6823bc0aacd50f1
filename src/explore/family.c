/* explore/family.c: runs of one program on one input (family.h). */
#include "explore/family_priv.h"

#include <stdarg.h>
#include <stdio.h>

au_family *au_family_new(const au_family_options *o) {
    au_family *f = AU_NEW(au_family);
    f->o = *o;
    au_tree_init(&f->tree);
    au_tree_build(&f->tree, &f->built);
    return f;
}

void au_family_free(au_family *f) {
    if (!f)
        return;
    au_codes_free(f->codes);
    for (size_t i = 0; i < f->path.n; i++)
        free(f->path.at[i]);
    au_vec_release(&f->path);
    au_tree_model_release(&f->built);
    au_tree_release(&f->tree);
    free(f->gap);
    free(f);
}

void au_family_note_gap(au_family *f, const char *fmt, ...) {
    if (f->gap)
        return;
    char text[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    f->gap = au_strdup(text);
}

au_status au_family_add(au_family *f, const char *recording, bool *added, au_error *err) {
    au_family_run r;
    bool fresh = false;
    au_error own = AU_ERROR_NONE;
    err = err ? err : &own;
    au_status st = au_family_run_load(f, recording, &r, err);
    if (!st) {
        au_tree_run run = {.m = r.m,
                           .name = recording,
                           .thread = (const char *const *)r.thread,
                           .step = r.step,
                           .ended = r.ended,
                           .length = r.length};
        st = au_tree_add(&f->tree, &run, &fresh, err);
    }
    if (!st) {
        au_vec_push(&f->path, au_strdup(recording));
        if (fresh) {
            au_tree_model_release(&f->built);
            au_tree_build(&f->tree, &f->built);
        }
    }
    au_family_run_release(&r);
    if (added)
        *added = fresh && !st;
    return st;
}

const au_model *au_family_model(const au_family *f) {
    return f->built.m;
}

size_t au_family_goals(const au_family *f, const au_goal **goal) {
    *goal = f->built.goal.at;
    return f->built.goal.n;
}

void au_family_count(const au_family *f, au_family_counts *c) {
    *c = (au_family_counts){.runs = f->tree.run.n, .threads = f->built.m->thread.n};
    au_map open, seen; /* by site; by site and side */
    au_map_init(&open);
    au_map_init(&seen);
    for (size_t i = 0; i < f->tree.item.n; i++) {
        const au_item *it = &f->tree.item.at[i];
        if (it->kind != AU_STEP_ASSUME || it->goal != AU_GOAL_BRANCH || !it->site)
            continue;
        *au_map_put(&open, it->site, NULL) = 1;
        *au_map_put(&seen, au_hash_join(it->site, it->side), NULL) = 1;
    }
    c->open_branches = open.n;
    c->sides_taken = c->sides_seen = seen.n;
    au_map_release(&open);
    au_map_release(&seen);
}

const char *au_family_gap(const au_family *f) {
    return f->gap            ? f->gap
           : f->tree.guarded ? "an update is only known for the values it had"
                             : NULL;
}
