/* cc/plan.c: what `clang -###` prints, taken apart.
 *
 * Standard error holds, in this order but mixed with warnings:
 *     Debian clang version 19…          a heading, some lines
 *      (in-process)                     a remark
 *      "/usr/lib/…/clang" "-cc1" …      one line a job
 * Every argument of a job is quoted; inside quotes '"', '\' and '$' stand behind a
 * backslash and everything else, newlines too, for itself. */
#include "cc/driver_priv.h"

#include <string.h>

/* Lines of the heading, which clang prints for -v and always for -###. */
static bool is_heading(const char *s, size_t n) {
    static const char *const starts[] = {
        "Target: ",
        "Thread model: ",
        "InstalledDir: ",
        "Build config: ",
        "Configuration file: ",
        "System configuration file directory: ",
        "User configuration file directory: ",
        "Found candidate GCC installation: ",
        "Selected GCC installation: ",
        "Candidate multilib: ",
        "Selected multilib: ",
        "Found CUDA installation: ",
        "Found HIP installation: ",
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t k = strlen(starts[i]);
        if (n >= k && !memcmp(s, starts[i], k))
            return true;
    }
    const char *version = memmem(s, n, "clang version ", 14);
    return version && !memchr(s, ':', (size_t)(version - s));
}

/* One quoted argument at *at (behind the opening quote). */
static char *take_argument(au_arena *a, const char *s, size_t n, size_t *at) {
    size_t from = *at, len = 0;
    for (size_t i = from; i < n && s[i] != '"'; i++, len++)
        if (s[i] == '\\' && i + 1 < n)
            i++;
    char *arg = au_arena_alloc(a, len + 1);
    size_t k = 0, i = from;
    for (; i < n && s[i] != '"'; i++) {
        if (s[i] == '\\' && i + 1 < n)
            i++;
        arg[k++] = s[i];
    }
    *at = i < n ? i + 1 : n;
    return arg;
}

static void take_job(au_cc_plan *p, const char *s, size_t n, size_t *at) {
    au_job *j = au_vec_add(&p->job);
    *j = (au_job){0};
    while (*at < n && s[*at] != '\n') {
        if (s[*at] == '"') {
            ++*at;
            au_vec_push(&j->arg, take_argument(&p->arena, s, n, at));
        } else {
            ++*at; /* the space between arguments */
        }
    }
    if (*at < n)
        ++*at;
}

typedef AU_VEC(char) text;

static char *keep(au_arena *a, text *t) {
    char *s = au_arena_strndup(a, t->n ? t->at : "", t->n);
    au_vec_release(t);
    return s;
}

void au_plan_parse(au_cc_plan *p, const char *s, size_t n) {
    static const char remark[] = " (in-process)";
    text heading = {0}, diagnostics = {0};
    *p = (au_cc_plan){0};
    au_arena_init(&p->arena);
    for (size_t at = 0; at < n;) {
        if (s[at] == ' ' && at + 1 < n && s[at + 1] == '"') {
            take_job(p, s, n, &at);
            continue;
        }
        const char *end = memchr(s + at, '\n', n - at);
        size_t len = end ? (size_t)(end - s) + 1 - at : n - at;
        if (len == sizeof remark && !memcmp(s + at, remark, sizeof remark - 1))
            ;
        else if (is_heading(s + at, len))
            au_vec_append(&heading, s + at, len);
        else
            au_vec_append(&diagnostics, s + at, len);
        at += len;
    }
    p->heading = keep(&p->arena, &heading);
    p->diagnostics = keep(&p->arena, &diagnostics);
}

void au_plan_release(au_cc_plan *p) {
    for (size_t i = 0; i < p->job.n; i++)
        au_vec_release(&p->job.at[i].arg);
    au_vec_release(&p->job);
    au_arena_release(&p->arena);
}

size_t au_job_option(const au_job *j, const char *name) {
    for (size_t i = 1; i + 1 < j->arg.n; i++)
        if (!strcmp(j->arg.at[i], name))
            return i + 1;
    return 0;
}

bool au_job_has(const au_job *j, const char *arg) {
    for (size_t i = 1; i < j->arg.n; i++)
        if (!strcmp(j->arg.at[i], arg))
            return true;
    return false;
}

const char *au_job_output(const au_job *j) {
    size_t i = au_job_option(j, "-o");
    return i ? j->arg.at[i] : NULL;
}

void au_line_add(au_arg_list *l, const char *arg) {
    au_vec_push(&l->arg, (char *)arg);
}
