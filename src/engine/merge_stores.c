/* engine/merge_stores.c: see merge_stores.h. */
#include "engine/merge_stores.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "engine/keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const au_opts *o;
    const char *to, *from; /* directories */
    au_store *into, *of;
    au_map number; /* of a run there: its number here */
} merging;

/* ---- files ---- */

static au_status copy_file(const char *from, const char *to, au_error *err) {
    if (!link(from, to)) /* nobody changes a recording */
        return AU_OK;
    struct stat st;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
    bool good = in >= 0 && !fstat(in, &st) &&
                (out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) >= 0;
    for (off_t left = good ? st.st_size : 0; left > 0 && good;) {
        ssize_t n = sendfile(out, in, NULL, (size_t)(left < 1 << 30 ? left : 1 << 30));
        good = n > 0;
        left -= n;
    }
    int number = errno;
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out))
        good = false;
    errno = number;
    return good ? AU_OK : au_error_errno(err, "cannot copy '%s' to '%s'", from, to);
}

/* What is in the directory 'from' into 'to', which is there. Links are left out. */
static au_status copy_tree(const char *from, const char *to, au_error *err) {
    DIR *d = opendir(from);
    au_status st =
        d || errno == ENOENT ? AU_OK : au_error_errno(err, "cannot read the directory '%s'", from);
    for (struct dirent *e; d && st == AU_OK && (e = readdir(d));) {
        struct stat s;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        char *a = au_sprintf("%s/%s", from, e->d_name), *b = au_sprintf("%s/%s", to, e->d_name);
        if (!lstat(a, &s) && S_ISREG(s.st_mode))
            st = copy_file(a, b, err);
        else if (!lstat(a, &s) && S_ISDIR(s.st_mode))
            st = mkdir(b, 0700) ? au_error_errno(err, "cannot make the directory '%s'", b)
                                : copy_tree(a, b, err);
        free(a);
        free(b);
    }
    if (d)
        closedir(d);
    return st;
}

/* ---- a run ---- */

/* "ANYWHERE/runs/7/1.trace" as it is called here. */
static const char *moved(const merging *m, au_dossier *d, const char *path) {
    const char *runs = NULL;
    for (const char *s = path; (s = strstr(s, "runs/")); s++)
        runs = s;
    char *end;
    uint64_t old = runs ? strtoull(runs + strlen("runs/"), &end, 10) : 0;
    const uint64_t *now = old && *end == '/' ? au_map_find(&m->number, old) : NULL;
    if (!now)
        return path;
    char *text = au_sprintf("%s/runs/%" PRIu64 "%s", m->to, *now, end);
    const char *kept = au_dossier_text_copy(d, text);
    free(text);
    return kept;
}

static void move_case(const merging *m, au_dossier *d, au_case *c) {
    c->recording = moved(m, d, c->recording);
    if (*c->replay_command)
        au_keep_put_replay(m->o, d, c);
    for (size_t i = 0; i < c->variant.n; i++)
        move_case(m, d, &c->variant.at[i]);
}

/* A stored run's own text has fewer digits of its seconds. */
static const double ROUNDED = 0.01;

/* The run here that is that one; 0: none. */
static uint64_t same_run(const au_store_runs *here, const au_store_past *p) {
    for (size_t i = 0; i < here->at.n; i++) {
        const au_store_past *x = &here->at.at[i];
        if (!strcmp(x->program, p->program) && !strcmp(x->began, p->began) &&
            fabs(x->seconds - p->seconds) < ROUNDED && x->findings == p->findings)
            return x->number;
    }
    return 0;
}

static au_status take_run(merging *m, const au_store_past *p, au_error *err) {
    au_dossier d;
    au_store_run r = {.lock = -1};
    au_dossier_init(&d);
    au_status st = au_store_load(m->of, p->number, &d, err);
    if (st == AU_OK)
        st = au_store_claim(m->into, &r, err);
    char *dir = au_sprintf("%s/runs/%" PRIu64, m->from, p->number);
    if (st == AU_OK) {
        *au_map_put(&m->number, p->number, NULL) = r.number;
        st = copy_tree(dir, r.dir, err); /* of an old run there may be none */
    }
    for (size_t i = 0; i < d.input.n && st == AU_OK; i++)
        d.input.at[i] = moved(m, &d, d.input.at[i]);
    for (size_t i = 0; i < d.at.n && st == AU_OK; i++)
        move_case(m, &d, &d.at.at[i]);
    if (st == AU_OK)
        st = au_store_keep(m->into, &r, &d, err);
    au_store_leave(&r, st == AU_OK);
    free(dir);
    au_dossier_release(&d);
    return st;
}

/* ---- a store ---- */

static au_status take_runs(merging *m, au_merged_stores *n, au_error *err) {
    au_store_runs here, there;
    au_status st = au_store_past_runs(m->into, &here, err);
    if (st != AU_OK)
        return st;
    st = au_store_past_runs(m->of, &there, err);
    if (st != AU_OK) {
        au_store_past_release(&here);
        return st;
    }
    for (size_t i = there.at.n; i-- > 0 && st == AU_OK;) { /* the oldest first */
        uint64_t same = same_run(&here, &there.at.at[i]);
        if (same)
            *au_map_put(&m->number, there.at.at[i].number, NULL) = same;
        else
            st = take_run(m, &there.at.at[i], err);
        n->there += same != 0;
        n->runs += !same && st == AU_OK;
    }
    au_store_past_release(&here);
    au_store_past_release(&there);
    return st;
}

static uint64_t here_of(void *ctx, uint64_t run) {
    const merging *m = ctx;
    const uint64_t *now = au_map_find(&m->number, run);
    return now ? *now : 0;
}

static au_status take_store(const au_opts *o, const char *from, au_merged_stores *n,
                            au_error *err) {
    merging m = {.o = o, .to = au_opt_str(o, "store"), .from = from};
    au_map_init(&m.number);
    m.of = au_store_open(from, false, err);
    m.into = m.of ? au_store_open(m.to, true, err) : NULL;
    au_status st = m.into ? take_runs(&m, n, err) : err->status;
    if (st == AU_OK)
        st = au_store_take_rest(m.into, m.of, here_of, &m, err);
    au_store_close(m.into);
    au_store_close(m.of);
    au_map_release(&m.number);
    return st;
}

au_status au_merge_stores(const au_opts *o, au_merged_stores *n, au_error *err) {
    *n = (au_merged_stores){0};
    au_status st = AU_OK;
    struct stat to, from;
    for (size_t i = 0; i < au_operands(o) && st == AU_OK; i++) {
        const char *dir = au_operand(o, i);
        if (!stat(au_opt_str(o, "store"), &to) && !stat(dir, &from) && to.st_dev == from.st_dev &&
            to.st_ino == from.st_ino)
            st = au_error_set(err, AU_EUSAGE, "'%s' is the store that others are merged into", dir);
        else
            st = take_store(o, dir, n, err);
    }
    return st;
}
