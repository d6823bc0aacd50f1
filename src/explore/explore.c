#include "explore/explore.h"

#include "base/clock.h"
#include "explore/explore_priv.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A word for a shell. The caller frees it. */
static char *quoted(const char *s) {
    au_out *out = au_out_memory();
    size_t n;
    au_out_shell(out, s);
    const char *text = au_out_memory_data(out, &n);
    char *copy = au_strndup(text, n);
    au_out_abandon(out);
    return copy;
}

/* How each case is seen again: a run that failed is repeated, a prediction is executed on the run that
 * it is about; its schedule is in the file of findings. */
static void put_commands(au_exploration *s, const char *findings) {
    char *file = quoted(findings);
    for (size_t i = 0; i < s->d->at.n; i++) {
        au_case *c = &s->d->at.at[i];
        if (!*c->recording)
            continue;
        char *trace = quoted(c->recording);
        char *text = *c->replay_command ? au_sprintf("augur replay %s", trace)
                                        : au_sprintf("augur replay %s --findings %s --finding %s",
                                                     trace, file, c->id);
        if (*c->replay_command || c->schedule.n)
            c->replay_command = au_dossier_text_copy(s->d, text);
        free(text);
        free(trace);
    }
    free(file);
}

static void put_head(au_exploration *s) {
    au_dossier *d = s->d;
    const au_program *p = s->o->program;
    char when[40];
    time_t now = time(NULL);
    struct tm tm;
    au_vec_clear(&d->input);
    au_vec_push(&d->input, au_dossier_text_copy(d, p->path));
    d->program = au_dossier_text_copy(d, p->exe);
    d->cwd = au_dossier_text_copy(d, p->cwd);
    au_vec_clear(&d->arg);
    for (size_t i = 1; p->argv[0] && p->argv[i]; i++)
        au_vec_push(&d->arg, au_dossier_text_copy(d, p->argv[i]));
    if (gmtime_r(&now, &tm) && strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm))
        d->when = au_dossier_text_copy(d, when);
    d->seconds = s->x->seconds = au_now() - s->begun;
    d->peak_kib = au_peak_kib();
    d->events = 0;
    for (size_t i = 0; i < s->ran.n; i++)
        d->events += s->ran.at[i].events;
    au_dossier_number(d);
}

/* The cases beside the recordings, for 'augur replay'. */
static void put_findings(au_exploration *s) {
    au_error err = AU_ERROR_NONE;
    if (!s->o->keep)
        return;
    char *path = au_sprintf("%s/findings.json", s->o->keep);
    put_commands(s, path);
    bool any = false;
    for (size_t i = 0; i < s->d->at.n; i++)
        any |= *s->d->at.at[i].recording;
    au_out *out = any ? au_out_open(path, &err) : NULL;
    if (out) {
        au_dossier_json(s->d, out);
        au_out_commit(out, &err);
    }
    if (err.status != AU_OK)
        au_vec_push(&s->d->note, au_dossier_text_copy(s->d, err.text));
    free(path);
}

au_status au_explore(const au_explore_options *o, au_dossier *d, au_explored *x, au_error *err) {
    au_exploration s = {.o = o, .x = x, .d = d, .begun = au_now()};
    *x = (au_explored){0};
    au_map_init(&s.sites);
    au_map_init(&s.failed);
    au_map_init(&s.walked);
    au_status st = au_execute_begin(&s, err);
    if (st == AU_OK)
        st = au_search_run(&s, err);
    if (st == AU_OK) {
        au_found_by_funnel(&s);
        au_tell_end(&s);
        put_head(&s);
        au_tell_numbers(&s);
        if (o->last)
            o->last(o->last_ctx, d);
        put_findings(&s);
    }
    au_execute_end(&s);
    au_search_release(&s);
    return st;
}
