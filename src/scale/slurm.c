/* scale/slurm.c: see slurm.h.
 *
 * What is going on is asked of 'squeue' alone, by the name that all jobs of one check share: it
 * needs no accounting database, and knows the jobs of a 'sbatch' that did not live to tell its
 * number. Time between two looks grows with the time that has gone by. */
#include "scale/slurm.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/in.h"
#include "base/progress.h"
#include "scale/shards.h"
#include "scale/tool.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_GONE = 2, LAST_WORDS = 400 };
static const double LEAST_PAUSE = 0.1, MOST_PAUSE = 15, /* seconds between two looks */
    PATIENCE = 600,                                     /* with a Slurm that does not answer */
    AT_THE_END = 20;                                    /* for jobs that were cancelled */

typedef enum { WAITING, DONE } state;

typedef struct {
    state is;
    uint32_t submitted; /* so often */
    unsigned gone;      /* looks at which it was neither queued nor there */
    bool queued;        /* at the last look */
    char *why;          /* what was wrong with its last result; NULL */
} shard;

typedef struct {
    const au_slurm_plan *p;
    au_dossier *whole;
    au_answers *answers;
    shard *shard; /* by number - 1 */
    uint32_t done;
    char *directory, *script, *name;
    bool made_parent;
    bool submitted;          /* something was */
    bool again;              /* a shard was, more than once */
    double silent, refusing; /* since when squeue, sbatch does not do its work; 0: it does */
} job;

typedef AU_VEC(char *) words;

/* ---- signals ------------------------------------------------------------------------------ */

static volatile sig_atomic_t stop_signal;
static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPS = sizeof stops / sizeof *stops };

static void on_stop(int sig) {
    stop_signal = sig;
}

static void listen_for_stops(struct sigaction *before) {
    struct sigaction now = {.sa_handler = on_stop};
    sigemptyset(&now.sa_mask);
    now.sa_flags = SA_RESETHAND; /* the second one is not waited for */
    stop_signal = 0;
    for (int i = 0; i < STOPS; i++) {
        sigaction(stops[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(stops[i], &now, NULL);
    }
}

/* In slices: a signal that comes just before one is not slept through. */
static void pause_for(double seconds) {
    for (double until = au_now() + seconds; au_now() < until && !stop_signal;)
        nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL);
}

/* ---- words -------------------------------------------------------------------------------- */

static void add(words *w, char *word) {
    au_vec_push(w, word);
}

static void release(words *w) {
    for (size_t i = 0; i < w->n; i++)
        free(w->at[i]);
    au_vec_release(w);
}

/* As a shell would part them; variables and patterns are nothing special. */
static au_status split(const char *text, words *into, au_error *err) {
    for (const char *s = text; *s;) {
        au_out *out = au_out_memory();
        char quote = 0;
        size_t n;
        for (; *s == ' ' || *s == '\t' || *s == '\n';)
            s++;
        bool any = *s;
        for (; *s && (quote || !strchr(" \t\n", *s)); s++) {
            if (quote ? *s == quote : *s == '\'' || *s == '"')
                quote = quote ? 0 : *s;
            else if (*s == '\\' && quote != '\'' && s[1])
                au_out_char(out, *++s);
            else
                au_out_char(out, *s);
        }
        const char *word = au_out_memory_data(out, &n);
        if (any)
            add(into, au_strndup(word, n));
        au_out_abandon(out);
        if (quote)
            return au_error_set(err, AU_EUSAGE, "a quote in '%s' does not end", text);
    }
    return AU_OK;
}

/* ---- the directory ------------------------------------------------------------------------ */

static char *result_of(const job *j, uint32_t number) {
    return au_sprintf("%s/shard-%u.json", j->directory, number);
}

static char *log_of(const job *j, uint32_t number) {
    return au_sprintf("%s/log-%u", j->directory, number);
}

static char *status_of(const job *j, uint32_t number) {
    return au_sprintf("%s/status-%u", j->directory, number);
}

static au_status make_directory(job *j, au_error *err) {
    char here[PATH_MAX];
    const char *parent = j->p->directory;
    if (!getcwd(here, sizeof here))
        return au_error_errno(err, "cannot get the current directory");
    j->made_parent = !mkdir(parent, 0777);
    if (!j->made_parent && errno != EEXIST)
        return au_error_errno(err, "cannot make the directory '%s'", parent);
    char *name = *parent == '/' ? au_sprintf("%s/slurm-XXXXXX", parent)
                                : au_sprintf("%s/%s/slurm-XXXXXX", here, parent);
    if (!mkdtemp(name)) {
        au_error_errno(err, "cannot make a directory in '%s'", parent);
        free(name);
        return err->status;
    }
    j->directory = name;
    j->name = au_sprintf("augur-%s", strrchr(name, '/') + 1);
    j->script = au_sprintf("%s/job.sh", name);
    return AU_OK;
}

static void remove_directory(job *j) {
    /* A job that was cancelled may still be dying. */
    for (int i = 0; j->directory && i < 20; i++) {
        DIR *d = opendir(j->directory);
        for (struct dirent *e; d && (e = readdir(d));)
            if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
                unlinkat(dirfd(d), e->d_name, 0);
        if (d)
            closedir(d);
        if (!rmdir(j->directory) || errno == ENOENT)
            break;
        nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL);
    }
    if (j->made_parent)
        rmdir(j->p->directory); /* if it is empty */
}

/* A shard that ends without a result says with which status: 2 is not worth another try. */
static au_status write_script(const job *j, au_error *err) {
    au_out *out = au_out_open(j->script, err);
    if (!out)
        return err->status;
    au_out_str(out, "#!/bin/sh\n# One shard of a check; written by augur, which removes it.\n"
                    "i=$SLURM_ARRAY_TASK_ID\ndirectory=");
    au_out_shell(out, j->directory);
    au_out_str(out, "\n");
    au_out_shell(out, j->p->augur);
    au_out_str(out, " check --quiet --format=json");
    for (size_t i = 0; i < j->p->n_options; i++) {
        au_out_char(out, ' ');
        au_out_shell(out, j->p->option[i]);
    }
    au_out_printf(out,
                  " --jobs=\"${SLURM_CPUS_PER_TASK:-0}\" --shard=\"$i/%u\" "
                  "--output=\"$directory/shard-$i.json\" --",
                  j->p->shards);
    for (size_t i = 0; i < j->p->n_inputs; i++) {
        au_out_char(out, ' ');
        au_out_shell(out, j->p->input[i]);
    }
    au_out_str(out, "\nstatus=$?\n[ -e \"$directory/shard-$i.json\" ] && exit 0\n"
                    "echo $status >\"$directory/status-$i\"\nexit $status\n");
    return au_out_commit(out, err);
}

/* ---- Slurm's commands ---------------------------------------------------------------------- */

/* The last line of what a tool said, for a message. */
static const char *last_line(const au_tool_said *said) {
    const char *line = strrchr(said->err, '\n');
    return line ? line + 1 : said->err;
}

/* "1,4-6": those that are to be submitted. */
static char *array_of(const job *j, const bool *which) {
    au_out *out = au_out_memory();
    size_t n;
    for (uint32_t i = 0; i < j->p->shards; i++) {
        uint32_t to = i;
        if (!which[i])
            continue;
        while (to + 1 < j->p->shards && which[to + 1])
            to++;
        au_out_printf(out, au_out_bytes(out) ? ",%u" : "%u", i + 1);
        if (to > i)
            au_out_printf(out, "-%u", to + 1);
        i = to;
    }
    const char *text = au_out_memory_data(out, &n);
    char *array = au_strndup(text, n);
    au_out_abandon(out);
    return array;
}

/* A path in sbatch's options, where '%' is special. */
static char *pattern(const char *path) {
    au_out *out = au_out_memory();
    size_t n;
    for (; *path; path++) {
        if (*path == '%')
            au_out_char(out, '%');
        au_out_char(out, *path);
    }
    const char *text = au_out_memory_data(out, &n);
    char *copy = au_strndup(text, n);
    au_out_abandon(out);
    return copy;
}

static au_status submit(job *j, const bool *which, au_error *err) {
    const au_slurm_plan *p = j->p;
    words w = {0};
    au_tool_said said = {0};
    char *array = array_of(j, which), *logs = pattern(j->directory);
    add(&w, au_strdup("sbatch"));
    add(&w, au_strdup("--nodes=1"));
    add(&w, au_strdup("--ntasks=1"));
    if (p->cores)
        add(&w, au_sprintf("--cpus-per-task=%u", p->cores));
    au_status st = split(p->extra, &w, err);
    /* What comes last counts: these are not for others to say. */
    add(&w, au_strdup("--parsable"));
    add(&w, au_strdup("--no-requeue"));
    add(&w, au_sprintf("--job-name=%s", j->name));
    add(&w, au_sprintf("--output=%s/log-%%a", logs));
    add(&w, au_strdup("--open-mode=truncate"));
    add(&w, au_sprintf("--array=%s", array));
    add(&w, au_strdup(j->script));
    au_vec_push(&w, NULL);
    if (st == AU_OK)
        st = au_tool_run(w.at, &said, err);
    if (st == AU_OK && said.status)
        st = au_error_set(err, AU_EUSAGE, "sbatch refused the job: %s", last_line(&said));
    for (uint32_t i = 0; i < p->shards && st == AU_OK; i++)
        if (which[i]) {
            char *status = status_of(j, i + 1);
            unlink(status);
            free(status);
            j->shard[i].submitted++;
            j->shard[i].gone = 0;
        }
    j->submitted |= st == AU_OK;
    au_tool_said_release(&said);
    release(&w);
    free(array);
    free(logs);
    return st;
}

/* Which shards are queued or running; false: Slurm does not say. *any: is one? */
static bool look(job *j, bool *any) {
    char *argv[] = {
        "squeue", "--noheader", "--array", "--format=%K", au_sprintf("--name=%s", j->name), NULL};
    au_tool_said said = {0};
    bool good = au_tool_run(argv, &said, NULL) == AU_OK && !said.status;
    free(argv[4]);
    *any = false;
    for (uint32_t i = 0; i < j->p->shards && good; i++)
        j->shard[i].queued = false;
    for (char *s = said.out; good && s && *s;) {
        char *end;
        unsigned long number = strtoul(s, &end, 10);
        if (end > s && number >= 1 && number <= j->p->shards)
            j->shard[number - 1].queued = *any = true;
        s = end + strcspn(end, "\n");
        s += *s == '\n';
    }
    au_tool_said_release(&said);
    return good;
}

/* Nothing of ours runs after this, or Slurm does not answer. */
static void cancel(job *j) {
    char *argv[] = {"scancel", au_sprintf("--name=%s", j->name), NULL};
    double until = au_now() + AT_THE_END;
    bool any = false;
    if (j->submitted && look(j, &any) && any) {
        au_tool_said said = {0};
        if (au_tool_run(argv, &said, NULL) == AU_OK)
            au_tool_said_release(&said);
        while (au_now() < until && look(j, &any) && any)
            nanosleep(&(struct timespec){0, 100 * 1000 * 1000}, NULL);
    }
    free(argv[1]);
}

/* ---- shards -------------------------------------------------------------------------------- */

/* The end of a shard's log, in one line. */
static char *last_words(const job *j, uint32_t number) {
    char *path = log_of(j, number), *text = NULL;
    size_t n = 0;
    au_error none = AU_ERROR_NONE; /* not there: no words */
    au_status st = au_in_whole(path, 1 << 24, "a log", &text, &n, &none);
    free(path);
    if (st != AU_OK)
        return au_strdup("");
    while (n && strchr(" \n\t", text[n - 1]))
        text[--n] = 0;
    char *from = n > LAST_WORDS ? text + n - LAST_WORDS : text;
    for (char *s = from; *s; s++)
        if (*s == '\n')
            *s = ' ';
    char *words_ = au_strdup(from);
    free(text);
    return words_;
}

/* Takes its result, if it is there and good. */
static void take(job *j, uint32_t number) {
    shard *s = &j->shard[number - 1];
    char *path = result_of(j, number);
    struct stat there;
    if (stat(path, &there)) {
        free(path);
        return;
    }
    au_dossier d;
    au_error err = AU_ERROR_NONE;
    au_status st = au_shards_load(&d, path, &err);
    if (st == AU_OK && strcmp(d.shard.check, j->p->check))
        st =
            au_error_set(&err, AU_EUSAGE, "its result is not of this check: did the input change?");
    else if (st == AU_OK && (d.shard.of != j->p->shards || d.shard.part.n != 1 ||
                             d.shard.part.at[0].number != number))
        st = au_error_set(&err, AU_EUSAGE, "its result is of another shard");
    if (st == AU_OK)
        st = au_answers_read(j->answers, &d, path, &err);
    if (st == AU_OK)
        st = au_shards_join(j->whole, "the others", &d, path, &err);
    au_dossier_release(&d);
    free(s->why);
    s->why = NULL;
    if (st == AU_OK) {
        s->is = DONE;
        j->done++;
        au_answers_cover(j->answers, number - 1);
    } else if (!s->queued) {
        s->why = au_strdup(err.text);
        unlink(path);
    }
    free(path);
}

/* A controller may think that a job runs whose node has forgotten it. */
static bool has_ended(const job *j, uint32_t number) {
    char *path = status_of(j, number);
    bool ended = !access(path, F_OK);
    free(path);
    return ended;
}

/* Status 2 of augur: the command line or the input is bad, and will be the next time. */
static bool is_refused(const job *j, uint32_t number) {
    char *path = status_of(j, number), *text = NULL;
    size_t n = 0;
    au_error none = AU_ERROR_NONE;
    au_status st = au_in_whole(path, 1 << 12, "a status", &text, &n, &none);
    bool refused = st == AU_OK && !strcmp(text, "2\n");
    free(text);
    free(path);
    return refused;
}

static au_status give_up(const job *j, uint32_t number, bool refused, au_error *err) {
    const shard *s = &j->shard[number - 1];
    char *words_ = last_words(j, number);
    au_error_set(err, refused ? AU_EUSAGE : AU_EINTERNAL,
                 refused ? "shard %u of %u cannot be done%.0u%s%s%s%s"
                         : "shard %u of %u was lost %u times%s%s%s%s",
                 number, j->p->shards, s->submitted, s->why ? ": " : "", s->why ? s->why : "",
                 *words_ ? "; its last output: " : "", words_);
    free(words_);
    return err->status;
}

/* Those that are gone without a result are submitted again. */
static au_status resubmit(job *j, au_error *err) {
    bool *which = au_alloc_array(j->p->shards, sizeof *which), any = false;
    au_status st = AU_OK;
    for (uint32_t i = 0; i < j->p->shards && st == AU_OK; i++) {
        shard *s = &j->shard[i];
        bool refused;
        if (s->is == DONE || s->gone < LOOKS_GONE)
            continue;
        refused = is_refused(j, i + 1);
        if (refused || s->submitted > j->p->retries)
            st = give_up(j, i + 1, refused, err);
        which[i] = any = true;
    }
    if (any && st == AU_OK) {
        char *array = array_of(j, which);
        char *text = au_sprintf("no result of shard %s: submitting again", array);
        au_error why = AU_ERROR_NONE;
        j->again = true;
        if (submit(j, which, &why) == AU_OK) {
            j->p->tell(j->p->ctx, text);
            j->refusing = 0;
        } else if (!(j->refusing > 0)) {
            j->refusing = au_now(); /* once more at the next look */
        } else if (au_now() - j->refusing > PATIENCE) {
            st = au_error_set(err, AU_EINTERNAL, "%s", why.text);
        }
        free(array);
        free(text);
    }
    free(which);
    return st;
}

static au_status wait_for_all(job *j, au_error *err) {
    double begun = au_now();
    au_status st = AU_OK;
    while (j->done < j->p->shards && st == AU_OK) {
        double gone_by = au_now() - begun, pause = gone_by / 20;
        pause_for(pause < LEAST_PAUSE ? LEAST_PAUSE : pause > MOST_PAUSE ? MOST_PAUSE : pause);
        if (stop_signal)
            return au_error_set(err, AU_EINTERNAL, "stopped");
        bool any, heard = look(j, &any); /* before the results: what is gone has left its own */
        j->silent = heard ? 0 : j->silent > 0 ? j->silent : au_now();
        for (uint32_t i = 1; i <= j->p->shards; i++) {
            shard *s = &j->shard[i - 1];
            if (s->is == WAITING)
                take(j, i);
            if (heard)
                s->gone = s->is == DONE || (s->queued && !has_ended(j, i)) ? 0 : s->gone + 1;
        }
        au_progress("shards", j->done, j->p->shards);
        if (heard)
            st = resubmit(j, err);
        if (st == AU_OK && j->silent > 0 && au_now() - j->silent > PATIENCE)
            st = au_error_set(err, AU_EINTERNAL, "Slurm has not answered for %g s", PATIENCE);
    }
    return st;
}

au_status au_slurm_run(const au_slurm_plan *p, au_dossier *whole, au_answers *answers, int *stopped,
                       au_error *err) {
    static const char *const tool[] = {"sbatch", "squeue", "scancel"};
    struct sigaction before[STOPS];
    job j = {.p = p, .whole = whole, .answers = answers};
    *stopped = 0;
    for (size_t i = 0; i < sizeof tool / sizeof *tool; i++)
        if (!au_tool_exists(tool[i]))
            return au_error_set(err, AU_EUSAGE,
                                "there is no '%s' in PATH: '--on slurm' is for machines from "
                                "which Slurm jobs can be submitted",
                                tool[i]);
    j.shard = au_alloc_array(p->shards, sizeof *j.shard);
    bool *all = au_alloc_array(p->shards, sizeof *all);
    memset(all, true, p->shards * sizeof *all);
    listen_for_stops(before);
    au_status st = make_directory(&j, err);
    if (st == AU_OK)
        st = write_script(&j, err);
    if (st == AU_OK)
        st = submit(&j, all, err);
    if (st == AU_OK)
        st = wait_for_all(&j, err);
    au_progress_end();
    if (st != AU_OK || j.again) /* of a shard that seemed lost there may be two */
        cancel(&j);
    remove_directory(&j);
    *stopped = st == AU_OK ? 0 : stop_signal;
    for (int i = 0; i < STOPS; i++)
        sigaction(stops[i], &before[i], NULL);
    for (uint32_t i = 0; i < p->shards; i++)
        free(j.shard[i].why);
    free(j.shard);
    free(all);
    free(j.directory);
    free(j.script);
    free(j.name);
    return st;
}
