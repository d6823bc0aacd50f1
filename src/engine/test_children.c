/* engine/test_children.c: see test_children.h. */
#include "engine/test_children.h"

#include "base/alloc.h"
#include "base/aside.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/progress.h"
#include "engine/ended.h"
#include "engine/recorder.h"
#include "record/replay.h"
#include "wire/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- in a process of its own: each execution leaves and finds files (record/world.h) ---- */

typedef struct {
    const au_suite *suite;
    const au_suite_case *parent;
    au_recorder recorder;
    char **slot; /* in the environment of its program */
} family;

/* Its program, with a place for the variable. */
static au_status load(family *f, au_error *err) {
    au_replay r;
    au_status st = au_replay_load(&r, f->parent->trace, err);
    if (st != AU_OK)
        return st;
    st = au_replay_same_program(&r, err);
    au_recorder *to = &f->recorder;
    to->program = r.program;
    r.program = (au_program){0};
    to->feed = (au_feed){r.input.at, r.input.n};
    to->feed_whole = r.input_whole;
    to->have_feed = true;
    r.input.at = NULL;
    r.input.n = 0;
    au_replay_release(&r);
    size_t n = 0;
    char **env = to->program.envp;
    while (env[n])
        n++;
    to->program.envp = au_alloc_array(n + 2, sizeof *env);
    memcpy(to->program.envp, env, n * sizeof *env);
    free(env);
    f->slot = &to->program.envp[n];
    to->program.terminal[1] = to->program.terminal[2] = false;
    to->stop_after =
        (uint64_t)((10 + 4 * f->parent->seconds) * 1e9); /* it may wait for its parent for ever */
    return st;
}

static void say(au_out *out, const family *f, const char *path, const char *why) {
    au_out_printf(out, "?%s [child %s]: %s\n", f->parent->name, path, why);
}

/* One line into out: its recording, or why there is none. How many children it has itself. */
static unsigned record(family *f, const char *path, uint32_t *became, au_out *out) {
    au_error err = AU_ERROR_NONE;
    au_run_result x;
    unsigned forks = 0;
    free(*f->slot);
    *f->slot = au_sprintf(AU_CHILD_VARIABLE "=%s", path);
    char *trace = au_suite_claim(f->suite->dir, &f->recorder.program);
    au_recorder_run how = {.output = trace, .more = true, .discard = true, .again = true};
    if (au_recorder_record(&f->recorder, &how, &x, &err) != AU_OK) {
        say(out, f, path, err.text);
        au_suite_withdraw(trace);
        free(trace);
        return 0;
    }
    const struct au_control *last = &x.launch.last;
    if (last->ended == 1 + AU_END_EXEC) {
        au_suite_withdraw(trace);
    } else if (x.write_status != AU_OK || *last->message) {
        say(out, f, path, *last->message ? last->message : x.write_error.text);
        au_suite_withdraw(trace);
    } else {
        au_suite_put(trace, &f->recorder.program, x.launch.status, x.launch.seconds, NULL, 0);
        au_out_printf(out, "=%s\n", trace);
        forks = last->forks;
        memcpy(became, last->became, sizeof last->became);
    }
    au_out_flush(out, &err);
    au_run_release(&x);
    free(trace);
    return forks;
}

/* The children of 'path', theirs after each. */
static void record_below(family *f, const char *path, unsigned forks, const uint32_t *became,
                         size_t *n, au_out *out) {
    uint32_t below[AU_BECAME / 32] = {0};
    for (unsigned i = 1; i <= forks && !au_deadline_signal(); i++) {
        if (i <= AU_BECAME && became[(i - 1) / 32] >> (i - 1) % 32 & 1)
            continue; /* a process of the suite itself, if it has hooks */
        if (++*n > AU_LIMIT_SUITE_CHILDREN) {
            char text[AU_LIMIT_TEXT];
            say(out, f, path, au_limit_say(AU_AT_SUITE_CHILDREN, forks - i + 1, 0, text));
            return;
        }
        char *child = au_sprintf("%s%s%u", path, *path ? "." : "", i);
        unsigned more = record(f, child, below, out);
        record_below(f, child, more, below, n, out);
        free(child);
    }
}

static void record_all(void *ctx, au_out *out) {
    family *f = ctx;
    au_error err = AU_ERROR_NONE;
    size_t n = 0;
    if (load(f, &err) == AU_OK)
        record_below(f, "", f->parent->forks, f->parent->became, &n, out);
    else
        say(out, f, "1", err.text);
}

/* ---- who waits for it ---- */

static void take(const char *text, size_t size, au_test_children *out) {
    for (const char *end; size && (end = memchr(text, '\n', size));) {
        size_t n = (size_t)(end - text);
        char *rest = au_strndup(text + 1, n - 1);
        au_suite_case c;
        if (*text == '=' && au_suite_read(rest, &c))
            au_vec_push(&out->at, c);
        if (*text == '?')
            au_vec_push(&out->trouble, rest);
        else
            free(rest);
        size -= n + 1;
        text = end + 1;
    }
}

void au_test_children_record(const au_suite *s, au_suite_case *const *parent, size_t n,
                             unsigned jobs, au_test_children *out) {
    family *f = au_alloc_array(n + 1, sizeof *f);
    au_aside **child = au_alloc_array(n + 1, sizeof *child);
    size_t next = 0;
    for (size_t i = 0; i < n; i++) {
        for (; next < n && next < i + jobs && !au_deadline_signal(); next++) {
            f[next] = (family){.suite = s, .parent = parent[next]};
            child[next] = au_aside_start(record_all, &f[next]);
        }
        au_progress("recording children of process", i + 1, n);
        const char *text = "";
        size_t size = 0;
        if (child[i] && !au_aside_wait(child[i], &text, &size))
            au_vec_push(&out[i].trouble,
                        au_sprintf("%s: recording its children was broken off", parent[i]->name));
        take(text, size, &out[i]);
        au_aside_free(child[i]);
    }
    au_progress_end();
    free(child);
    free(f);
}

void au_test_children_release(au_test_children *c) {
    au_suite_cases_release(&c->at);
    au_suite_names_release(&c->trouble);
}
