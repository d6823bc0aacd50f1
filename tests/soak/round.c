/* tests/soak/round.c: see round.h.
 *
 * Every program is recorded, checked, replayed; every finding that is called proved is executed. That is the
 * control. Then the same commands with faults. A faulted command either gives what the control gave,
 * or says that it could not: status 2 or 3 and a message, or findings beside an 'inconclusive' that the control
 * does not have. Everything else is a failure:
 *   divergence  a replay that is not identical, a proved finding that is not confirmed, a finding that is
 *               not the control's and not confirmed
 *   lost        a result that is missing without a word; a crash, a hang, a report of a sanitizer, a process
 *               or a temporary file that is left, a store that cannot be read */
#include "round.h"
#include "findings.h"
#include "whole.h"

#include "../random/gen_c.h"
#include "base/clock.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { WHY = 1200, MOST_ARGS = 24 };

const char *const soak_kinds[SOAK_KINDS] = {"ENOSPC", "EINTR", "EIO",    "mmap", "other",
                                            "short",  "kill",  "malloc", "full", "memory",
                                            "cut",    "flip",  "stop",   "term"};

typedef struct {
    const soak_how_to *how;
    const char *dir;
    char work[400], tmp[420], small[420];
    uint64_t seed;
    uint32_t number; /* of the program */
    unsigned policy;
    soak_seen seen;
    soak_end end;  /* of the last command */
    soak_end hurt; /* of the last one with a fault */
    char told[200];
    const soak_fault *fault; /* of the next command */
    const soak_fault *blame; /* … and what is to blame for what comes after it */
    cJSON *control;          /* what the check says without faults … */
    cJSON
        *control_of[ON_ALL]; /* … and the other commands that tell findings; NULL: not asked yet */
    int record_status;
    bool cxx;
    char line[2000]; /* the last command, as text */
} round_state;

static void add(uint64_t *to, uint64_t n) {
    __atomic_add_fetch(to, n, __ATOMIC_RELAXED);
}

/* --- files ----------------------------------------------------------------------------------------- */

static char *contents(const round_state *s, const char *name) {
    return au_test_whole(s->work, name);
}

static bool is_there(const round_state *s, const char *name) {
    char path[600];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", s->work, name);
    return !stat(path, &st);
}

static uint64_t size_of(const round_state *s, const char *name) {
    char path[600];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", s->work, name);
    return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

static void shell(const round_state *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void shell(const round_state *s, const char *fmt, ...) {
    char line[3000], text[2000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(line, sizeof line, "cd '%s' && { %s; } 2>/dev/null", s->work, text);
    if (system(line) < 0)
        perror("soak: system");
}

/* --- failures -------------------------------------------------------------------------------------- */

typedef enum { DIVERGED, LOST } verdict;

static void keep(const round_state *s, const char *name, const char *why) {
    char path[800], fault[100] = "-";
    if (s->blame)
        soak_fault_text(s->blame, fault, sizeof fault);
    shell(s, "mkdir -p '%s/%s' && cp -a . '%s/%s/'", s->how->keep, name, s->how->keep, name);
    snprintf(path, sizeof path, "%s/%s/again.sh", s->how->keep, name);
    FILE *f = fopen(path, "w");
    if (!f)
        return;
    fprintf(f, "#!/bin/sh\n# %s\n# in this directory: %s\n", why, s->line);
    fprintf(f,
            "AUGUR='%s' exec '%s' --round %llu --program %u --fault '%s' --keep /tmp/soak-again\n",
            s->how->augur, s->how->self, (unsigned long long)s->seed, s->number, fault);
    fclose(f);
    chmod(path, 0755);
}

static bool bad(round_state *s, verdict v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static bool bad(round_state *s, verdict v, const char *fmt, ...) {
    char why[WHY], name[200], fault[100] = "no fault";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    for (char *c = why; *c; c++)
        if (*c == '\n')
            *c = ' ';
    if (s->blame)
        soak_fault_text(s->blame, fault, sizeof fault);
    add(v == DIVERGED ? &s->how->sums->divergences : &s->how->sums->lost, 1);
    snprintf(name, sizeof name, "%llu-%u-%s", (unsigned long long)s->seed, s->number, fault);
    for (char *c = name; *c; c++)
        if (*c == '/' || *c == ' ')
            *c = '_';
    keep(s, name, why);
    printf("%s: round %llu, program %u, %s: %s\n    %s/%s/again.sh\n",
           v == DIVERGED ? "DIVERGENCE" : "LOST", (unsigned long long)s->seed, s->number, fault,
           why, s->how->keep, name);
    fflush(stdout);
    return false;
}

/* --- commands -------------------------------------------------------------------------------------- */

/* How many calls of this kind the dynamic loader makes before the tool begins: they are not the tool's. Its own
 * writes are. */
static uint32_t before_main(round_state *s, int call) {
    static uint32_t known[512]; /* 1 + the number */
    if (call < 0 || call >= 512 || call == SYS_write)
        return 0;
    if (!known[call]) {
        char path[500], word[] = "--version", *argv[] = {path, word, NULL};
        snprintf(path, sizeof path, "%s", s->how->augur);
        soak_fault none = {.how = BY_ERRNO, .who = WHO_TOOL, .call = call, .n = UINT64_MAX};
        soak_end end;
        soak_start start = {.dir = s->work,
                            .argv = argv,
                            .tmp = s->tmp,
                            .fault = &none,
                            .tool = strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
                            .seconds = 1200};
        if (!soak_run(&start, &end))
            return 0;
        known[call] = 1 + end.seen[WHO_TOOL];
    }
    return known[call] - 1;
}

/* Words are separated by single blanks; none of ours has one inside. */
static bool command(round_state *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool command(round_state *s, const char *fmt, ...) {
    char text[1500], *argv[MOST_ARGS + 1], *save = NULL;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(s->line, sizeof s->line, "%s %s", s->how->augur, text);
    char path[500];
    snprintf(path, sizeof path, "%s", s->how->augur);
    size_t n = 0;
    argv[n++] = path;
    for (char *word = strtok_r(text, " ", &save); word && n < MOST_ARGS;
         word = strtok_r(NULL, " ", &save))
        argv[n++] = word;
    argv[n] = NULL;
    const char *slash = strrchr(path, '/');
    soak_fault fault = {0};
    bool by_call = s->fault && soak_is_call(s->fault);
    uint32_t skip = by_call ? before_main(s, s->fault->call) : 0; /* before: it prints, too */
    if (s->fault) {
        fault = *s->fault;
        if (fault.who == WHO_TOOL)
            fault.n += skip;
    }
    soak_start start = {.dir = s->work,
                        .argv = argv,
                        .tmp = s->fault && s->fault->how == BY_SPACE ? s->small : s->tmp,
                        .fault = s->fault ? &fault : NULL,
                        .tool = slash ? slash + 1 : path,
                        .preload = s->how->preload,
                        .seconds = 1200};
    if (!soak_run(&start, &s->end))
        return bad(s, LOST, "the command could not be started");
    if (s->fault) {
        char *err = contents(s, "err");
        s->hurt = s->end;
        snprintf(s->told, sizeof s->told, "%.*s", (int)strcspn(err, "\n"), err);
        free(err);
    }
    s->end.seen[WHO_TOOL] -= skip < s->end.seen[WHO_TOOL] ? skip : s->end.seen[WHO_TOOL];
    if (by_call)
        for (int i = 0; i < WHO_ALL; i++)
            if (s->end.seen[i] > s->seen.seen[s->fault->command][i][s->fault->call & 511])
                s->seen.seen[s->fault->command][i][s->fault->call & 511] = s->end.seen[i];
    return true;
}

static bool said(const round_state *s, const char *file, const char *what) {
    char *text = contents(s, file);
    bool is = strstr(text, what) != NULL;
    free(text);
    return is;
}

static cJSON *json(const round_state *s, const char *name) {
    char *text = contents(s, name);
    cJSON *j = cJSON_Parse(text);
    free(text);
    return j;
}

/* A temporary file that is left; "" if none is. */
static void left_over(const round_state *s, char *to, size_t n) {
    *to = 0;
    const char *where[] = {s->tmp, s->work, s->small};
    for (int i = 0; i < 3; i++) {
        DIR *d = opendir(where[i]);
        struct dirent *e;
        while (d && (e = readdir(d)))
            if (e->d_name[0] != '.' &&
                (i == 0 || strstr(e->d_name, ".tmp-") || strstr(e->d_name, ".part-")))
                snprintf(to, n, "%.200s", e->d_name);
        if (d)
            closedir(d);
    }
}

static void clean(const round_state *s) {
    shell(s, "rm -rf '%s' *.tmp-* *.part-* && mkdir '%s'", s->tmp, s->tmp);
}

/* The dynamic loader had no memory or no file: nothing of ours ran. */
static bool not_begun(const round_state *s) {
    return s->end.status == 127 && (said(s, "err", "error while loading shared libraries") ||
                                    said(s, "err", "dl_init") || !s->how->can.calls);
}

/* What must hold of every command, whatever was done to it. */
static bool decent(round_state *s) {
    const soak_end *e = &s->end;
    char left[300];
    if (e->late)
        return bad(s, LOST, "no end after its time");
    if (e->left)
        return bad(s, LOST, "%u processes are left", e->left);
    if (said(s, "err", "ERROR: AddressSanitizer") || said(s, "err", "ERROR: LeakSanitizer") ||
        said(s, "err", "runtime error: ") || said(s, "err", "bug in augur") ||
        said(s, "out", "bug of augur")) {
        char *err = contents(s, "err");
        bad(s, LOST, "a report: %.900s", err);
        free(err);
        return false;
    }
    if (e->signal && !e->we_killed) {
        char *err = contents(s, "err");
        bad(s, LOST, "killed by signal %d: %.600s", e->signal, err);
        free(err);
        return false;
    }
    left_over(s, left, sizeof left);
    bool excused = e->we_killed || not_begun(s);
    /* What cannot be removed stays. */
    if (s->fault && s->fault->how == BY_ERRNO && soak_is_removal(s->fault))
        excused = true;
    /* A recording that cannot get its name is kept under the one that the message tells. */
    if (*left && said(s, "err", left))
        excused = true;
    if (*left && !excused) {
        bad(s, LOST, "'%s' is left, status %d", left, e->status);
        clean(s);
        return false;
    }
    clean(s);
    return true;
}

/* Status 2 or 3 and a word about it. */
static bool honest(round_state *s) {
    int status = s->end.status;
    if (s->end.we_killed || not_begun(s))
        return true;
    char *err = contents(s, "err"), *out = contents(s, "out");
    bool well = (status == 2 || status == 3) && (*err || strstr(out, "nconclusive"));
    if (!well)
        bad(s, LOST, "status %d, and says: %.300s %.600s", status, out, err);
    free(err);
    free(out);
    return well;
}

/* --- findings -------------------------------------------------------------------------------------- */

static bool confirm(round_state *s, const char *trace, const char *list, const cJSON *f) {
    const char *id = soak_text(f, "id");
    if (!command(s, "replay --quiet --findings %s --finding %s %s", list, id, trace) || !decent(s))
        return false;
    if (s->end.status == 1 && said(s, "out", "confirmed: ") && !said(s, "out", "not confirmed"))
        return true;
    char *out = contents(s, "out"), *err = contents(s, "err");
    bad(s, DIVERGED, "%s (%s) is not confirmed: status %d: %.400s %.400s", id,
        soak_text(f, "message"), s->end.status, out, err);
    free(out);
    free(err);
    return false;
}

/* What the control has is there, or it is said that not all is; what it has not can be shown. */
static bool compare(round_state *s, const cJSON *j, const cJSON *control, const char *trace,
                    const char *list) {
    const cJSON *f;
    bool open = soak_more_open(j, control);
    if (!open)
        cJSON_ArrayForEach(f, cJSON_GetObjectItem(control, "findings")) if (
            !soak_has_finding(j, f, true)) return bad(s, LOST, "no word of '%s' (%s), status %d",
                                                      soak_text(f, "message"),
                                                      soak_text(f, "status"), s->end.status);
    const soak_fault *fault = s->fault;
    s->fault = NULL;
    bool good = true;
    if (trace)
        cJSON_ArrayForEach(
            f, cJSON_GetObjectItem(j, "findings")) if (good &&
                                                       !strcmp(soak_text(f, "status"), "proved") &&
                                                       !soak_has_finding(control, f, false)) good =
            confirm(s, trace, list, f);
    s->fault = fault;
    return good;
}

/* --- compiling --------------------------------------------------------------------------------------- */

static const char *options(const round_state *s) {
    return s->cxx ? "-std=c++23 -w -fwrapv -pthread" : "-w -fwrapv -pthread";
}

static bool compile(round_state *s, const char *to) {
    return command(s, "%s -O%u -g %s batch.%s -o %s", s->cxx ? "c++" : "cc",
                   (unsigned)(s->seed % 3), options(s), s->cxx ? "cc" : "c", to);
}

/* --- without faults -------------------------------------------------------------------------------- */

static const char *schedule(const round_state *s) {
    static const char *const how[] = {"--schedule random --switch-every 4", "--schedule pct",
                                      "--schedule os"};
    return how[s->policy];
}

static bool record(round_state *s, const char *to) {
    return command(s, "record %s --seed %llu -o %s ./batch %u", schedule(s),
                   (unsigned long long)(s->seed % 1000000), to, s->number);
}

static bool check(round_state *s, const char *trace, const char *to) {
    shell(s, "rm -f %s", to);
    return command(s, "check --all --format json -o %s %s", to, trace);
}

static bool same_again(round_state *s, const char *trace) {
    if (!command(s, "replay %s", trace) || !decent(s))
        return false;
    if (s->end.status == 0 && said(s, "err", "identical: "))
        return true;
    char *err = contents(s, "err");
    bad(s, DIVERGED, "the replay is not identical: status %d: %.800s", s->end.status, err);
    free(err);
    return false;
}

static bool controls(round_state *s) {
    if (!record(s, "t.trace") || !decent(s))
        return false;
    s->record_status = s->end.status;
    if (s->end.status > 1)
        return honest(s) &&
               bad(s, LOST, "a recording without a fault has status %d", s->end.status);
    add(&s->how->sums->runs, 1);
    if (!same_again(s, "t.trace") || !check(s, "t.trace", "control.json") || !decent(s))
        return false;
    s->control = json(s, "control.json");
    if (!s->control || s->end.status == 2)
        return bad(s, LOST, "a check without a fault has status %d", s->end.status);
    const cJSON *f;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(s->control, "findings")) {
        if (strcmp(soak_text(f, "status"), "proved"))
            continue;
        add(&s->how->sums->findings, 1);
        if (!confirm(s, "t.trace", "control.json", f))
            return false;
        add(&s->how->sums->confirmed, 1);
    }
    return true;
}

/* --- with ------------------------------------------------------------------------------------------ */

/* May the program itself do something else because of it? An interrupted wait is the runtime's to begin again;
 * a thread, memory or a file that the program does not get is the program's own trouble. */
static bool changes_program(const soak_fault *f) {
    return f->who == WHO_PROGRAM && !(f->how == BY_ERRNO && f->error == EINTR);
}

/* Is the recording of a faulted run as good as any? 'whole': it was said to be. */
static bool recorded(round_state *s, const char *trace, bool whole) {
    const soak_fault *fault = s->fault;
    bool changed = changes_program(fault);
    s->fault = NULL;
    bool good = command(s, "check --all --format json -o faulted.json%s %s",
                        whole ? "" : " --partial", trace) &&
                decent(s);
    cJSON *j = good ? json(s, "faulted.json") : NULL;
    if (good && (whole || s->end.status != 2) && !j)
        good = bad(s, LOST, "a check of it has status %d", s->end.status);
    else if (good && s->end.status == 2)
        good = honest(s);
    /* The same schedule of the same program, as long as nothing happened to the program. */
    if (good && whole && s->policy != 2 && !changed)
        good = compare(s, j, s->control, trace, "faulted.json");
    /* Failures in the program's own loader move its memory. */
    if (good && whole && (!changed || (fault->how == BY_ERRNO && fault->error == EAGAIN)))
        good = same_again(s, trace);
    cJSON_Delete(j);
    s->fault = fault;
    return good;
}

static const char *place(const round_state *s, const char *name, char *to, size_t n) {
    if (s->fault->how == BY_SPACE)
        snprintf(to, n, "%s/%s", s->small, name);
    else
        snprintf(to, n, "%s", name);
    return to;
}

static bool faulted_record(round_state *s) {
    char trace[600];
    place(s, "f.trace", trace, sizeof trace);
    shell(s, "rm -f f.trace f.trace.tmp-*");
    if (!record(s, trace) || !decent(s))
        return false;
    bool same = s->end.status == s->record_status;
    bool there = is_there(s, "f.trace") || (s->fault->how == BY_SPACE && access(trace, F_OK) == 0);
    /* A program that was hurt may end otherwise; that is the end of a recording like any other. */
    bool whole = same || (s->end.status <= 1 && !s->end.signal && changes_program(s->fault));
    if (!whole && !honest(s))
        return false;
    if (whole && !there && !s->end.we_killed)
        return bad(s, LOST, "status %d, but there is no recording", s->end.status);
    add(same ? &s->how->sums->same : &s->how->sums->honest, 1);
    if (whole && s->fault->how == BY_SPACE)
        shell(s, "cp '%s' f.trace", trace);
    return !there || (s->fault->how == BY_SPACE && !whole) || recorded(s, "f.trace", whole);
}

/* Told to stop, it reports what it knows: a whole report, whenever that was. */
static bool reported(round_state *s, const cJSON *j) {
    int status = s->end.status;
    const cJSON *findings = cJSON_GetObjectItem(j, "findings");
    if (!j || !cJSON_IsArray(findings))
        return bad(s, LOST, "told to stop, it has status %d and no whole report", status);
    if (status != 0 && status != 1 && status != 3)
        return bad(s, LOST, "told to stop, it has status %d", status);
    int open = cJSON_GetArraySize(cJSON_GetObjectItem(j, "open")) +
               cJSON_GetArraySize(cJSON_GetObjectItem(j, "inconclusive"));
    if (status == 3 && s->end.fired && !open)
        return bad(s, LOST, "told to stop, it does not say what was not done");
    return true;
}

static bool faulted_check(round_state *s) {
    char to[600];
    place(s, "faulted.json", to, sizeof to);
    const char *trace = s->fault->who == WHO_TRACE ? "bad.trace" : "t.trace";
    if (!check(s, trace, to) || !decent(s))
        return false;
    if (s->fault->how == BY_SPACE)
        shell(s, "cp '%s' faulted.json", to);
    cJSON *j = json(s, "faulted.json");
    int status = s->end.status;
    bool good = true;
    if (s->fault->how == BY_TERM)
        good = reported(s, j);
    else if (is_there(s, "faulted.json") && !j)
        good = bad(s, LOST, "status %d, and what it wrote is not whole", status);
    else if (status == 2 || !j)
        good = honest(s);
    else if (status != 0 && status != 1 && status != 3 && !s->end.we_killed)
        good = bad(s, LOST, "status %d", status);
    else
        good = compare(s, j, s->control, trace, "faulted.json");
    add(j && status < 2 ? &s->how->sums->same : &s->how->sums->honest, 1);
    cJSON_Delete(j);
    if (good && s->fault->how == BY_CUT) { /* up to the damage */
        const soak_fault *fault = s->fault;
        s->fault = NULL;
        good = command(s, "check --all --partial --format json -o part.json bad.trace") &&
               decent(s) && (s->end.status < 2 || s->end.status == 3 || honest(s));
        j = good ? json(s, "part.json") : NULL;
        const cJSON *f;
        if (j && s->end.status != 2)
            cJSON_ArrayForEach(
                f, cJSON_GetObjectItem(j, "findings")) if (good && !strcmp(soak_text(f, "status"),
                                                                           "proved")) good =
                confirm(s, "bad.trace", "part.json", f);
        cJSON_Delete(j);
        s->fault = fault;
    }
    return good;
}

static bool faulted_replay(round_state *s) {
    const char *trace = s->fault->who == WHO_TRACE ? "bad.trace" : "t.trace";
    if (!command(s, "replay %s", trace) || !decent(s))
        return false;
    bool same = s->end.status == 0 && said(s, "err", "identical: ");
    add(same ? &s->how->sums->same : &s->how->sums->honest, 1);
    if (!same && said(s, "err", "diverged") && !changes_program(s->fault))
        return bad(s, DIVERGED, "a failure is called a divergence");
    return same || honest(s);
}

static bool faulted_confirm(round_state *s) {
    const cJSON *f, *chosen = NULL;
    uint32_t n = 0;
    cJSON_ArrayForEach(
        f, cJSON_GetObjectItem(s->control,
                               "findings")) if (!strcmp(soak_text(f, "status"), "proved") &&
                                                (!chosen || (s->seed + s->fault->n) % ++n == 0))
        chosen = f;
    if (!chosen)
        return true;
    if (!command(s, "replay --quiet --findings control.json --finding %s t.trace",
                 soak_text(chosen, "id")) ||
        !decent(s))
        return false;
    bool same =
        s->end.status == 1 && said(s, "out", "confirmed: ") && !said(s, "out", "not confirmed");
    add(same ? &s->how->sums->same : &s->how->sums->honest, 1);
    bool wrong = said(s, "out", "diverged") || said(s, "out", "not confirmed");
    if (!same && wrong && !changes_program(s->fault))
        return bad(s, DIVERGED, "a failure is called a divergence");
    return same || (wrong && s->end.status == 3) || honest(s);
}

/* 'run', 'explore' or 'scan' into a file; store: a name for what they keep. */
static bool find(round_state *s, soak_command what, const char *store, const char *to) {
    unsigned long long seed = s->seed % 1000000;
    shell(s, "rm -f %s", to);
    if (what == ON_RUN)
        return command(s,
                       "run --no-explore --budget 60 %s --seed %llu --store %s --format json -o %s "
                       "./batch %u",
                       schedule(s), seed, store, to, s->number);
    if (what == ON_EXPLORE)
        return command(s,
                       "explore --budget 60 --max-runs 8 --jobs 1 %s --seed %llu --keep %s "
                       "--format json -o %s ./batch %u",
                       schedule(s), seed, store, to, s->number);
    return command(s, "scan --budget 60 --jobs 1 --store %s --format json -o %s one.%s -- %s",
                   store, to, s->cxx ? "cc" : "c", options(s));
}

/* What it finds without a fault. */
static bool find_control(round_state *s, soak_command what) {
    const soak_fault *fault = s->fault;
    if (s->control_of[what])
        return true;
    s->fault = NULL;
    shell(s, "rm -rf store.%d", (int)what);
    char store[40];
    snprintf(store, sizeof store, "store.%d", (int)what);
    bool good = find(s, what, store, "found.json") && decent(s);
    s->control_of[what] = good ? json(s, "found.json") : NULL;
    if (good && (!s->control_of[what] || s->end.status == 2))
        good = bad(s, LOST, "without a fault it has status %d", s->end.status);
    s->fault = fault;
    return good;
}

/* After whatever happened to a run: the store can be read, and used. */
static bool store_is_well(round_state *s, const char *store) {
    const soak_fault *fault = s->fault;
    s->fault = NULL;
    bool good = command(s, "list --format json --store %s", store) && decent(s);
    cJSON *j = good ? json(s, "out") : NULL;
    if (good && !(s->end.status == 0 && j) && !said(s, "err", "no store"))
        good = bad(s, LOST, "the store cannot be read: status %d", s->end.status);
    cJSON_Delete(j);
    good = good && find(s, fault->command, store, "after.json") && decent(s);
    j = good ? json(s, "after.json") : NULL;
    if (good && !j)
        good = bad(s, LOST, "a run after it has status %d", s->end.status);
    if (good && (s->policy != 2 || fault->command == ON_SCAN))
        good = compare(s, j, s->control_of[fault->command], NULL, NULL);
    cJSON_Delete(j);
    s->fault = fault;
    return good;
}

static bool faulted_find(round_state *s) {
    soak_command what = s->fault->command;
    char store[600];
    if (!find_control(s, what))
        return false;
    const cJSON *control = s->control_of[what];
    place(s, "faulted.store", store, sizeof store);
    shell(s, "rm -rf faulted.store");
    if (s->fault->n % 2 && s->fault->how != BY_SPACE) /* with something in it, or none yet */
        shell(s, "cp -a store.%d faulted.store", (int)what);
    if (!find(s, what, store, "faulted.json") || !decent(s))
        return false;
    cJSON *j = json(s, "faulted.json");
    bool good = true, same_program = s->policy != 2 || what == ON_SCAN;
    if (s->fault->how == BY_TERM)
        good = reported(s, j);
    else if (is_there(s, "faulted.json") && !j)
        good = bad(s, LOST, "status %d, and what it wrote is not whole", s->end.status);
    else if (s->end.status == 2 || s->end.signal || !j)
        good = honest(s);
    else if (same_program && !changes_program(s->fault) && !soak_covers_less(j, control))
        good = compare(s, j, control, NULL, NULL);
    add(j && s->end.status < 2 ? &s->how->sums->same : &s->how->sums->honest, 1);
    cJSON_Delete(j);
    return good &&
           (s->fault->how == BY_SPACE || what == ON_EXPLORE || store_is_well(s, "faulted.store"));
}

static bool faulted_cc(round_state *s) {
    char to[600];
    place(s, "other", to, sizeof to);
    shell(s, "rm -f other");
    if (!compile(s, to) || !decent(s))
        return false;
    if (s->fault->how == BY_SPACE)
        shell(s, "cp '%s' other", to);
    bool same = s->end.status == 0;
    add(same ? &s->how->sums->same : &s->how->sums->honest, 1);
    char *err = contents(s, "err");
    bool good = true;
    if (!same && !*err && !s->end.we_killed)
        good = bad(s, LOST, "status %d and not a word", s->end.status);
    free(err);
    if (good && same) { /* as good as the other one */
        shell(s, "cmp -s other batch && touch equal");
        good =
            is_there(s, "equal") || bad(s, LOST, "status 0, but what it made is another program");
        shell(s, "rm -f equal");
    }
    return good;
}

/* A damaged copy of the trace. */
static void damage(const round_state *s, const soak_fault *f) {
    char path[600];
    shell(s, "cp t.trace bad.trace");
    snprintf(path, sizeof path, "%s/bad.trace", s->work);
    if (f->how == BY_CUT) {
        if (truncate(path, (off_t)f->n - 1))
            perror("soak: truncate");
        return;
    }
    int fd = open(path, O_RDWR | O_CLOEXEC);
    unsigned char byte = 0;
    off_t at = (off_t)((f->n - 1) / 8);
    if (fd < 0 || pread(fd, &byte, 1, at) != 1)
        perror("soak: pread");
    byte ^= (unsigned char)(1u << ((f->n - 1) % 8));
    if (pwrite(fd, &byte, 1, at) != 1)
        perror("soak: pwrite");
    close(fd);
}

static bool (*const faulted[ON_ALL])(round_state *) = {
    [ON_CC] = faulted_cc,         [ON_RECORD] = faulted_record,   [ON_CHECK] = faulted_check,
    [ON_REPLAY] = faulted_replay, [ON_CONFIRM] = faulted_confirm, [ON_RUN] = faulted_find,
    [ON_EXPLORE] = faulted_find,  [ON_SCAN] = faulted_find};

static void log_fault(const round_state *s, const char *text) {
    FILE *f = s->how->log ? fopen(s->how->log, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "%s\t%s\tstatus %d signal %d\t%s\n", text, s->hurt.fired ? "fired" : "-",
            s->hurt.status, s->hurt.signal, s->told);
    fclose(f);
}

static bool with_fault(round_state *s, const soak_fault *f) {
    char text[100], options[60];
    s->fault = s->blame = f;
    if (f->who == WHO_TRACE)
        damage(s, f);
    if (f->how == BY_SPACE) {
        snprintf(options, sizeof options, "size=%lluk", (unsigned long long)f->n);
        if (mount("none", s->small, "tmpfs", 0, options))
            perror("soak: mount");
    }
    bool good = faulted[f->command](s);
    if (f->how == BY_SPACE)
        umount2(s->small, MNT_DETACH);
    log_fault(s, soak_fault_text(f, text, sizeof text));
    add(&s->how->sums->faults, 1);
    add(&s->how->sums->fired, s->hurt.fired);
    for (int i = 0; soak_kinds[i]; i++)
        if (!strcmp(soak_kinds[i], soak_kind(f)))
            add(&s->how->sums->kind[i], 1);
    s->fault = s->blame = NULL;
    clean(s);
    return good;
}

static soak_command choose_command(au_rng *r) {
    uint32_t dice = au_rng_below(r, 100);
    return dice < 28   ? ON_RECORD
           : dice < 62 ? ON_CHECK
           : dice < 71 ? ON_REPLAY
           : dice < 80 ? ON_CONFIRM
           : dice < 90 ? ON_RUN
           : dice < 94 ? ON_EXPLORE
           : dice < 97 ? ON_SCAN
                       : ON_CC;
}

static void one_program(round_state *s, au_rng *r) {
    add(&s->how->sums->programs, 1);
    if (controls(s)) {
        for (uint32_t i = 0; i < s->how->faults; i++) {
            soak_fault f;
            soak_fault_choose(r, choose_command(r), &s->how->can, &s->seen, size_of(s, "t.trace"),
                              &f);
            with_fault(s, &f);
        }
        for (uint32_t i = 0; i < s->how->n_only; i++)
            with_fault(s, &s->how->only[i]);
    }
    cJSON_Delete(s->control);
    s->control = NULL;
    for (int i = 0; i < ON_ALL; i++) {
        cJSON_Delete(s->control_of[i]);
        s->control_of[i] = NULL;
    }
}

/* --- rounds ---------------------------------------------------------------------------------------- */

/* Programs 'from' to 'to' into a file. */
static bool write_programs(const round_state *s, const char *name, uint32_t from, uint32_t to) {
    char path[600];
    gen_text t = {0};
    gen_c_head(&t);
    for (uint32_t i = from; i < to; i++)
        gen_c_program(&t, i - from,
                      &(gen_c_plan){.seed = s->seed * SOAK_PROGRAMS + i,
                                    .size = 2 + (uint32_t)((s->seed + i) % 4),
                                    .wide = true,
                                    .cxx = s->cxx});
    gen_c_main(&t, to - from);
    snprintf(path, sizeof path, "%s/%s.%s", s->work, name, s->cxx ? "cc" : "c");
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(t.at, 1, t.n, f) == t.n;
    if (f)
        good &= fclose(f) == 0;
    au_vec_release(&t);
    return good;
}

void soak_round(const soak_how_to *how, const char *dir, uint64_t seed) {
    static round_state s; /* what was seen of calls stays for the next rounds */
    au_rng r;
    s.how = how;
    s.dir = dir;
    s.seed = seed;
    s.number = 0;
    snprintf(s.work, sizeof s.work, "%s/work", dir);
    snprintf(s.tmp, sizeof s.tmp, "%s/tmp", dir);
    snprintf(s.small, sizeof s.small, "%s/small", dir);
    mkdir(s.work, 0777);
    mkdir(s.tmp, 0777);
    mkdir(s.small, 0777);
    shell(&s, "rm -rf ..?* .[!.]* *");
    s.cxx = seed % 4 == 3;
    if (!write_programs(&s, "batch", 0, SOAK_PROGRAMS) || !compile(&s, "batch") || !decent(&s))
        return;
    if (s.end.status != 0) {
        bad(&s, LOST, "a compilation without a fault has status %d", s.end.status);
        return;
    }
    for (uint32_t i = 0; i < SOAK_PROGRAMS; i++) {
        if (how->until > 0 && au_now() > how->until)
            break;
        au_rng_init(&r, seed * 1000 + i);
        s.number = i;
        s.policy = (unsigned)((seed + i) % 3);
        if (how->only_program >= 0 && how->only_program != (int32_t)i)
            continue;
        if (write_programs(&s, "one", i, i + 1))
            one_program(&s, &r);
    }
}
