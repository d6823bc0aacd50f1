/* explore/family.c: runs of one program on one input (family.h). */
#include "explore/family_priv.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>

au_family *au_family_new(const au_family_options *o) {
    au_family *f = AU_NEW(au_family);
    f->o = *o;
    au_words_init(&f->words);
    f->open = au_open_set_new();
    au_intern_init(&f->name);
    au_family_accesses_init(f);
    au_tree_init(&f->tree);
    au_tree_build(&f->tree, AU_NONE, 0, true, &f->built);
    return f;
}

void au_family_free(au_family *f) {
    if (!f)
        return;
    au_codes_free(f->codes);
    for (size_t i = 0; i < f->path.n; i++)
        free(f->path.at[i]);
    au_vec_release(&f->path);
    au_vec_release(&f->var);
    au_words_release(&f->words);
    au_open_set_free(f->open);
    au_intern_release(&f->name);
    au_tree_model_release(&f->built);
    au_tree_release(&f->tree);
    free(f->gap);
    for (size_t i = 0; i < f->call.n; i++) {
        free(f->call.at[i].thread);
        free(f->call.at[i].name);
        free(f->call.at[i].place);
    }
    au_vec_release(&f->call);
    free(f->stuck);
    au_family_accesses_release(f);
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

/* Puts a recording into a tree. */
static au_status put_in(au_family *f, au_tree *tree, const char *path, uint32_t number, bool *fresh,
                        au_error *err) {
    au_family_run r;
    au_status st = au_family_run_load(f, path, number, &r, err);
    free(f->stuck);
    f->stuck = st || f->outside ? NULL : au_family_find_stuck(&r);
    if (!st && !f->stale) {
        au_tree_run run = {.m = r.m,
                           .name = path,
                           .open = r.open,
                           .thread = (const char *const *)r.thread,
                           .step = r.step,
                           .parent = r.parent,
                           .ended = r.ended,
                           .length = r.length,
                           .can_go = r.can_go,
                           .waits = r.waits,
                           .waits_for = r.waits_for};
        bool news = false;
        st = au_tree_add(tree, &run, &news, err);
        if (!st && (news || number == 1))
            au_family_note_accesses(f, &r, number);
        if (fresh)
            *fresh = news;
    }
    au_family_run_release(&r);
    return st;
}

/* All runs, and one more, into a new tree, as often as something turns out to be shared or
 * open that was not when earlier ones were put in. */
static au_status begin_again(au_family *f, const char *more, bool *fresh, au_error *err) {
    au_status st = AU_OK;
    au_tree tree;
    for (int round = 0; round < AU_LIMIT_EXPLORE_MERGES; round++) {
        au_tree_init(&tree);
        au_family_accesses_release(f);
        au_family_accesses_init(f);
        f->stale = false;
        for (size_t i = 0; i < f->path.n && !st && !f->stale; i++)
            st = put_in(f, &tree, f->path.at[i], (uint32_t)i + 1, NULL, err);
        if (!st && !f->stale)
            st = put_in(f, &tree, more, (uint32_t)f->path.n + 1, fresh, err);
        if (!st && !f->stale) {
            au_tree_release(&f->tree);
            f->tree = tree;
            return AU_OK;
        }
        au_tree_release(&tree);
        if (st)
            return st;
    }
    return au_error_set(err, AU_EINTERNAL, "%s", au_limit_of(AU_AT_EXPLORE_MERGES)->words);
}

au_status au_family_add(au_family *f, const char *recording, bool *added, au_error *err) {
    bool fresh = false, whole = f->stale;
    au_error own = AU_ERROR_NONE;
    err = err ? err : &own;
    au_status st = AU_OK;
    if (!whole) {
        st = put_in(f, &f->tree, recording, (uint32_t)f->path.n + 1, &fresh, err);
        whole = f->stale;
    }
    if (!st && whole) {
        fresh = false;
        st = begin_again(f, recording, &fresh, err);
        f->stale |= st != AU_OK; /* the tables are ahead of the tree */
        fresh |= !st;
    }
    if (!st) {
        au_vec_push(&f->path, au_strdup(recording));
        if (fresh) {
            au_tree_model_release(&f->built);
            au_tree_build(&f->tree, AU_NONE, 0, true, &f->built);
        }
    }
    if (added)
        *added = fresh && !st;
    return st;
}

void au_family_focus(au_family *f, uint32_t run) {
    au_tree_model_release(&f->built);
    au_tree_build(&f->tree, run, run, true, &f->built);
}

void au_family_observe(au_family *f, uint32_t run) {
    au_tree_model_release(&f->built);
    au_tree_build(&f->tree, AU_NONE, run, true, &f->built);
}

void au_family_plain(au_family *f) {
    au_tree_model_release(&f->built);
    au_tree_build(&f->tree, AU_NONE, 0, false, &f->built);
}

const char *au_family_stuck(const au_family *f) {
    return f->stuck;
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
        if (it->does.kind != AU_STEP_ASSUME || it->goal != AU_GOAL_BRANCH || !it->site)
            continue;
        *au_map_put(&open, it->site, NULL) = 1;
        *au_map_put(&seen, au_hash_join(it->site, it->side), NULL) = 1;
    }
    c->open_branches = open.n;
    c->sides_taken = c->sides_seen = seen.n;
    au_map_release(&open);
    au_map_release(&seen);
}

bool au_family_is_openmp(const au_family *f) {
    return f->openmp;
}

const char *au_family_gap(const au_family *f) {
    return f->gap            ? f->gap
           : f->tree.guarded ? "the result of an update is known only for its recorded values"
                             : NULL;
}
