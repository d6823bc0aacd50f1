/* store/runs.c: runs, their directories and what they found. */
#include "store/store_priv.h"

#include "base/limits.h"
#include "base/temporary.h"
#include "report/common.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char *run_dir(const au_store *s, uint64_t number) {
    return au_sprintf("%s/runs/%" PRIu64, s->dir, number);
}

/* The number that a directory's name is; 0: it is none. */
static uint64_t number_of(const char *name) {
    char *end;
    uint64_t v = *name >= '1' && *name <= '9' ? strtoull(name, &end, 10) : 0;
    return v && !*end ? v : 0;
}

/* The largest number of a directory that is there. */
static uint64_t largest(const au_store *s) {
    char *path = au_sprintf("%s/runs", s->dir);
    DIR *d = opendir(path);
    uint64_t most = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        if (number_of(e->d_name) > most)
            most = number_of(e->d_name);
    if (d)
        closedir(d);
    free(path);
    return most;
}

/* Numbers are given and directories are cleaned away by one process at a time, so that none is ever
 * seen between being made and being locked. -1: errno. */
static int guard(const au_store *s) {
    char *runs = au_sprintf("%s/runs", s->dir), *path = au_sprintf("%s/.lock", runs);
    if (mkdir(runs, 0700) && errno != EEXIST) {
        int e = errno;
        free(runs);
        free(path);
        errno = e;
        return -1;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666), status = -1;
    while (fd >= 0 && (status = flock(fd, LOCK_EX)) && errno == EINTR)
        ;
    if (fd >= 0 && status) {
        close(fd);
        fd = -1;
    }
    free(runs);
    free(path);
    return fd;
}

/* Is it nobody else's? Then it is ours. */
static bool lock_dir(au_store_run *r) {
    r->lock = open(r->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->lock >= 0 && !flock(r->lock, LOCK_EX | LOCK_NB))
        return true;
    if (r->lock >= 0)
        close(r->lock);
    r->lock = -1;
    return false;
}

au_status au_store_claim(au_store *s, au_store_run *r, au_error *err) {
    int64_t used = 0;
    *r = (au_store_run){.lock = -1};
    int alone = guard(s);
    if (alone < 0)
        return au_error_errno(err, "cannot use the directory '%s/runs'", s->dir);
    au_status st =
        au_store_number(s, "SELECT seq FROM sqlite_sequence WHERE name = 'run'", &used, err);
    if (st == AU_OK) {
        uint64_t there = largest(s);
        r->number = (there > (uint64_t)used ? there : (uint64_t)used) + 1;
        r->dir = run_dir(s, r->number);
        if (mkdir(r->dir, 0700) || !lock_dir(r))
            st = au_error_errno(err, "cannot make the directory '%s'", r->dir);
    }
    close(alone);
    if (st != AU_OK) {
        free(r->dir);
        *r = (au_store_run){.lock = -1};
    }
    return st;
}

void au_store_leave(au_store_run *r, bool kept) {
    if (r->dir && !kept)
        au_remove_all(r->dir);
    if (r->lock >= 0)
        close(r->lock);
    free(r->dir);
    *r = (au_store_run){.lock = -1};
}

/* ---- storing ---- */

static au_status keep_run(au_store *s, uint64_t number, const au_dossier *d, au_error *err) {
    au_dossier head = *d; /* everything but the cases: they have rows of their own */
    head.at.n = 0;
    au_out *out = au_out_memory();
    size_t n;
    au_dossier_json(&head, out);
    au_status st = au_store_do(
        s, err, "INSERT INTO run(id, program, began, seconds, dossier) VALUES(?, ?, ?, ?, ?)",
        "issds", (int64_t)number, d->program, d->when, d->seconds, au_out_memory_data(out, &n));
    au_out_abandon(out);
    return st;
}

/* What the finding was called before, so that a name that somebody wrote down still leads to it. */
static au_status keep_earlier(au_store *s, const au_case *c, const char *old, bool own,
                              au_error *err) {
    if (!*old || !strcmp(old, c->fingerprint))
        return AU_OK;
    return au_store_do(s, err,
                       "INSERT INTO earlier(old, fingerprint, own) VALUES(?, ?, ?)"
                       " ON CONFLICT(old, fingerprint) DO UPDATE SET own = max(own, excluded.own)",
                       "ssi", old, c->fingerprint, (int64_t)own);
}

static au_status keep_all_earlier(au_store *s, const au_case *c, au_error *err) {
    au_status st = keep_earlier(s, c, c->earlier, true, err);
    for (size_t i = 0; i < c->variant.n && st == AU_OK; i++)
        st = keep_earlier(s, c, c->variant.at[i].earlier, false, err);
    if (st == AU_OK && *c->earlier) /* it was there before it got this fingerprint */
        st =
            au_store_do(s, err,
                        "UPDATE finding SET first_run = o.first_run, first_seen = o.first_seen"
                        " FROM (SELECT first_run, first_seen FROM finding WHERE fingerprint = ?2) o"
                        " WHERE fingerprint = ?1 AND o.first_run < finding.first_run",
                        "ss", c->fingerprint, c->earlier);
    return st;
}

static au_status keep_case(au_store *s, uint64_t number, size_t place, const au_dossier *d,
                           const au_case *c, au_error *err) {
    static const char *const replay[] = {"not tried", "confirmed", "not shown", "diverged"};
    au_status st = au_store_do(
        s, err,
        "INSERT INTO finding(fingerprint, kind, message, program, first_run, first_seen, last_run,"
        " last_seen) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?5, ?6)"
        /* Runs that go on at the same time may come in any order. */
        " ON CONFLICT(fingerprint) DO UPDATE SET"
        " first_seen = CASE WHEN ?5 < first_run THEN ?6 ELSE first_seen END,"
        " first_run = min(first_run, ?5),"
        " message = CASE WHEN ?5 > last_run THEN ?3 ELSE message END,"
        " program = CASE WHEN ?5 > last_run THEN ?4 ELSE program END,"
        " last_seen = CASE WHEN ?5 > last_run THEN ?6 ELSE last_seen END,"
        " last_run = max(last_run, ?5)",
        "ssssis", c->fingerprint, au_case_kind_name(c), c->message, d->program, (int64_t)number,
        d->when);
    if (st == AU_OK)
        st = keep_all_earlier(s, c, err);
    if (st != AU_OK)
        return st;
    /* What people say is in a table of its own, and may change. */
    au_case bare = *c;
    if (*c->triage) {
        bare.triage = bare.note = "";
        bare.known = false;
    }
    au_out *out = au_out_memory();
    size_t n;
    au_case_json(&bare, out);
    st = au_store_do(s, err,
                     "INSERT INTO sighting(run, place, fingerprint, id, standing, replay, json)"
                     " VALUES(?, ?, ?, ?, ?, ?, ?)",
                     "iisssss", (int64_t)number, (int64_t)place, c->fingerprint, c->id,
                     au_standing_name(c->standing), replay[c->replay], au_out_memory_data(out, &n));
    au_out_abandon(out);
    return st;
}

au_status au_store_keep(au_store *s, const au_store_run *r, const au_dossier *d, au_error *err) {
    au_status st = au_store_begin(s, err);
    if (st != AU_OK)
        return st;
    st = keep_run(s, r->number, d, err);
    for (size_t i = 0; i < d->at.n && st == AU_OK; i++)
        st = keep_case(s, r->number, i, d, &d->at.at[i], err);
    return au_store_end(s, st, err);
}

/* ---- loading ---- */

au_status au_store_last_run(au_store *s, uint64_t *number, au_error *err) {
    int64_t v = 0;
    au_status st = au_store_number(s, "SELECT max(id) FROM run", &v, err);
    *number = (uint64_t)v;
    return st;
}

static au_status load_cases(au_store *s, uint64_t run, au_dossier *d, au_error *err) {
    au_status st, bad = AU_OK;
    sqlite3_stmt *q = au_store_ask(s, err, "SELECT json FROM sighting WHERE run = ? ORDER BY place",
                                   "i", (int64_t)run);
    while (bad == AU_OK && au_store_row_next(s, q, &st, err)) {
        const char *json = au_store_text(q, 0);
        bad = au_case_read(d, json, strlen(json), err);
    }
    sqlite3_finalize(q);
    return bad != AU_OK ? bad : st;
}

au_status au_store_load(au_store *s, uint64_t run, au_dossier *d, au_error *err) {
    au_status st;
    sqlite3_stmt *q =
        au_store_ask(s, err, "SELECT dossier FROM run WHERE id = ?", "i", (int64_t)run);
    if (au_store_row_next(s, q, &st, err)) {
        const char *json = au_store_text(q, 0);
        st = au_dossier_read(d, json, strlen(json), s->path, err);
    } else if (st == AU_OK) {
        st = au_error_set(err, AU_EUSAGE, "there is no run %" PRIu64 " in '%s'", run, s->dir);
    }
    sqlite3_finalize(q);
    return st == AU_OK ? load_cases(s, run, d, err) : st;
}

au_status au_store_past_runs(au_store *s, au_store_runs *runs, au_error *err) {
    *runs = (au_store_runs){0};
    au_arena_init(&runs->arena);
    au_status st;
    sqlite3_stmt *q =
        au_store_ask(s, err,
                     "SELECT id, program, began, seconds, (SELECT count(*) FROM"
                     " sighting x WHERE x.run = run.id) FROM run ORDER BY run.id DESC",
                     "");
    while (au_store_row_next(s, q, &st, err)) {
        au_store_past *r = au_vec_add(&runs->at);
        const char *program = au_store_text(q, 1), *began = au_store_text(q, 2);
        *r = (au_store_past){.number = (uint64_t)sqlite3_column_int64(q, 0),
                             .program = au_arena_strndup(&runs->arena, program, strlen(program)),
                             .began = au_arena_strndup(&runs->arena, began, strlen(began)),
                             .seconds = sqlite3_column_double(q, 3),
                             .findings = (uint64_t)sqlite3_column_int64(q, 4)};
    }
    sqlite3_finalize(q);
    if (st != AU_OK)
        au_store_past_release(runs);
    return st;
}

void au_store_past_release(au_store_runs *runs) {
    au_vec_release(&runs->at);
    au_arena_release(&runs->arena);
    *runs = (au_store_runs){0};
}

/* ---- cleaning up ---- */

/* Runs of members of a suite are kept by another count. */
#define NO_MEMBER " AND id NOT IN (SELECT run FROM analysed WHERE run IS NOT NULL)"

/* Is this a run whose recordings stay? */
static au_status stays(au_store *s, uint64_t number, uint64_t keep, bool *stored, bool *yes,
                       au_error *err) {
    au_status st;
    sqlite3_stmt *q = au_store_ask(s, err,
                                   "SELECT (SELECT count(*) FROM run WHERE id = ?1),"
                                   " (SELECT count(*) FROM run WHERE id > ?1" NO_MEMBER "),"
                                   " (SELECT count(*) FROM analysed WHERE run = ?1)",
                                   "i", (int64_t)number);
    if (au_store_row_next(s, q, &st, err)) {
        *stored = sqlite3_column_int64(q, 0);
        *yes =
            *stored && ((uint64_t)sqlite3_column_int64(q, 1) < keep || sqlite3_column_int64(q, 2));
    }
    sqlite3_finalize(q);
    return st;
}

static uint64_t size_seen; /* by nftw, which has no context of the caller's */

static int add_size(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)path;
    (void)at;
    if (kind == FTW_F)
        size_seen += (uint64_t)st->st_blocks * 512;
    return 0;
}

/* Bytes on the disk below a directory. */
static uint64_t size_of(const char *dir) {
    size_seen = 0;
    nftw(dir, add_size, 16, FTW_PHYS);
    return size_seen;
}

/* A directory without a stored run is a run that is going on, and then it is locked, or one that
 * was killed. */
static au_status prune_dir(au_store *s, uint64_t number, uint64_t keep, bool newest,
                           uint64_t *bytes, au_error *err) {
    bool stored = false, yes = false;
    au_store_run r = {.number = number, .dir = run_dir(s, number), .lock = -1};
    au_status st = AU_OK;
    if (lock_dir(&r)) {
        st = stays(s, number, keep, &stored, &yes, err);
        yes &= keep || newest;
        if (st == AU_OK && !yes)
            au_remove_all(r.dir);
        close(r.lock);
    }
    *bytes += size_of(r.dir);
    free(r.dir);
    return st;
}

static int newest_first(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? 1 : *x > *y ? -1 : 0;
}

au_status au_store_prune(au_store *s, uint64_t keep, au_error *err) {
    AU_VEC(uint64_t) number = {0};
    int alone = guard(s);
    if (alone < 0)
        return au_error_errno(err, "cannot use the directory '%s/runs'", s->dir);
    char age[32];
    snprintf(age, sizeof age, "-%d days", (int)AU_LIMIT_STORE_DAYS);
    au_status st =
        au_store_do(s, err, "DELETE FROM analysed WHERE used < date('now', ?)", "s", age);
    char *path = au_sprintf("%s/runs", s->dir);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (number_of(e->d_name))
            au_vec_push(&number, number_of(e->d_name));
    if (d)
        closedir(d);
    free(path);
    if (number.n)
        qsort(number.at, number.n, sizeof *number.at, newest_first);
    uint64_t bytes = 0;
    for (size_t i = 0; i < number.n && st == AU_OK; i++)
        st = prune_dir(s, number.at[i], bytes >> 20 < AU_LIMIT_STORE_MIB ? keep : 0, i == 0, &bytes,
                       err);
    au_vec_release(&number);
    close(alone);
    if (st == AU_OK)
        st = au_store_do(
            s, err,
            "DELETE FROM run WHERE id NOT IN (SELECT id FROM run WHERE 1" NO_MEMBER
            " ORDER BY id DESC LIMIT ?)"
            " AND id NOT IN (SELECT max(run) FROM sighting GROUP BY fingerprint)" NO_MEMBER,
            "i", (int64_t)keep);
    return st;
}
