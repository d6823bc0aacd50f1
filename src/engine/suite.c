/* engine/suite.c: see suite.h. */
#include "engine/suite.h"

#include "base/alloc.h"
#include "base/in.h"
#include "base/out.h"
#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { CASE_BYTES = 4 << 20 };

/* ---- the directory ---- */

static au_status make_link(const au_suite *s, au_error *err) {
    char *self = realpath("/proc/self/exe", NULL);
    char *link = au_sprintf("%s/" AU_SUITE_TOOL, s->dir);
    au_status st = AU_OK;
    if (!self || symlink(self, link))
        st = au_error_errno(err, "cannot create '%s'", link);
    free(link);
    free(self);
    return st;
}

au_status au_suite_open(au_suite *s, const char *store, au_error *err) {
    *s = (au_suite){.lock = -1};
    char *full = realpath(store, NULL);
    if (!full)
        return au_error_errno(err, "cannot use the store '%s'", store);
    char *name = au_sprintf("%s/suite.lock", full);
    s->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    au_status st = AU_OK;
    if (s->lock < 0)
        st = au_error_errno(err, "cannot create '%s'", name);
    else if (flock(s->lock, LOCK_EX | LOCK_NB))
        st = au_error_set(err, AU_EUSAGE,
                          "another 'augur test' uses the store '%s'; name another with --store",
                          store);
    free(name);
    if (st == AU_OK) {
        s->dir = au_sprintf("%s/suite", full);
        au_remove_all(s->dir);
        if (mkdir(s->dir, 0700))
            st = au_error_errno(err, "cannot create '%s'", s->dir);
        else
            st = make_link(s, err);
    }
    free(full);
    return st;
}

void au_suite_end(au_suite *s) {
    char *link = au_sprintf("%s/" AU_SUITE_TOOL, s->dir);
    unlink(link);
    free(link);
}

void au_suite_close(au_suite *s) {
    if (s->dir)
        au_remove_all(s->dir);
    if (s->lock >= 0)
        close(s->lock);
    free(s->dir);
    *s = (au_suite){.lock = -1};
}

/* ---- a process of it ---- */

char *au_suite_claim(const char *dir) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return au_sprintf("%s/%010" PRIu64 "%09ld-%d.trace", dir, (uint64_t)t.tv_sec, t.tv_nsec,
                      (int)getpid());
}

static char *case_file(const char *trace) {
    return au_sprintf("%.*s.case", (int)(strlen(trace) - strlen(".trace")), trace);
}

/* Nothing is said if it cannot be written: then the process is none of the suite's cases. */
void au_suite_put(const char *trace, const au_program *p, int status, double seconds) {
    au_error err = AU_ERROR_NONE;
    char *path = case_file(trace);
    au_out *out = au_out_open(path, &err);
    if (out) {
        const char *slash = strrchr(p->path, '/');
        au_out_printf(out, "%d %.6f\n%s\n%s", status, seconds, p->exe, slash ? slash + 1 : p->path);
        for (char **a = p->argv + 1; *p->argv && *a; a++)
            au_out_printf(out, " %s", *a);
        au_out_commit(out, &err);
    }
    free(path);
}

/* ---- all of them ---- */

static bool hash_of(const char *path, uint64_t *hash) {
    static char block[1 << 16];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    XXH3_state_t *x = XXH3_createState();
    XXH3_64bits_reset(x);
    ssize_t n;
    while ((n = read(fd, block, sizeof block)) > 0)
        XXH3_64bits_update(x, block, (size_t)n);
    *hash = XXH3_64bits_digest(x);
    XXH3_freeState(x);
    close(fd);
    return n == 0;
}

static bool read_case(const char *path, au_suite_case *c) {
    au_error err = AU_ERROR_NONE;
    char *text, *line;
    size_t n;
    if (au_in_whole(path, CASE_BYTES, "a case of a suite", &text, &n, &err) != AU_OK)
        return false;
    bool good = sscanf(text, "%d %lf", &c->status, &c->seconds) == 2 &&
                (line = strchr(text, '\n')) && strchr(line + 1, '\n');
    if (good) {
        char *name = strchr(line + 1, '\n') + 1;
        c->exe = au_strndup(line + 1, (size_t)(name - line - 2));
        c->name = au_strndup(name, strcspn(name, "\n"));
    }
    free(text);
    return good;
}

static int by_trace(const void *a, const void *b) {
    const au_suite_case *x = a, *y = b;
    return strcmp(x->trace, y->trace);
}

void au_suite_list(const au_suite *s, au_suite_cases *into) {
    DIR *d = opendir(s->dir);
    struct dirent *e;
    while (d && (e = readdir(d))) {
        size_t n = strlen(e->d_name);
        if (n <= 5 || strcmp(e->d_name + n - 5, ".case"))
            continue;
        au_suite_case c = {.trace = au_sprintf("%s/%.*s.trace", s->dir, (int)n - 5, e->d_name)};
        char *path = au_sprintf("%s/%s", s->dir, e->d_name);
        if (hash_of(c.trace, &c.hash) && read_case(path, &c))
            au_vec_push(into, c);
        else
            free(c.trace);
        free(path);
    }
    if (d)
        closedir(d);
    if (into->n)
        qsort(into->at, into->n, sizeof *into->at, by_trace);
}

void au_suite_cases_release(au_suite_cases *c) {
    for (size_t i = 0; i < c->n; i++) {
        free(c->at[i].trace);
        free(c->at[i].name);
        free(c->at[i].exe);
    }
    au_vec_release(c);
}
