/* store/store.c: opening a store, and asking SQLite. */
#include "store/store_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 20000, STEP_MS = 50 };

au_status au_store_error(const au_store *s, au_error *err) {
    int code = s->db ? sqlite3_extended_errcode(s->db) : SQLITE_NOMEM;
    const char *text = s->db ? sqlite3_errmsg(s->db) : "out of memory";
    switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return au_error_set(err, AU_EFORMAT,
                            "'%s' is damaged (%s): move it away, and the next 'augur run' makes a "
                            "new one",
                            s->path, text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return au_error_set(err, AU_EIO, "'%s' is in use by another process for too long", s->path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_FULL:
        return au_error_set(err, AU_EIO, "cannot use the store '%s': %s", s->path, text);
    case SQLITE_IOERR:
        /* It does not say which: the disk may be full. */
        if (s->db && sqlite3_system_errno(s->db))
            return au_error_set(err, AU_EIO, "cannot use the store '%s': %s: %s", s->path, text,
                                strerror(sqlite3_system_errno(s->db)));
        return au_error_set(err, AU_EIO, "cannot use the store '%s': %s", s->path, text);
    default:
        return au_error_set(err, AU_EINTERNAL, "the store '%s' failed: %s", s->path, text);
    }
}

au_status au_store_exec(au_store *s, const char *sql, au_error *err) {
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? AU_OK : au_store_error(s, err);
}

static sqlite3_stmt *ask(au_store *s, au_error *err, const char *sql, const char *types,
                         va_list ap) {
    sqlite3_stmt *q = NULL;
    bool good = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK;
    for (int i = 0; good && types[i]; i++) {
        if (types[i] == 's')
            good = sqlite3_bind_text(q, i + 1, va_arg(ap, const char *), -1, SQLITE_TRANSIENT) ==
                   SQLITE_OK;
        else if (types[i] == 'i')
            good = sqlite3_bind_int64(q, i + 1, va_arg(ap, int64_t)) == SQLITE_OK;
        else
            good = sqlite3_bind_double(q, i + 1, va_arg(ap, double)) == SQLITE_OK;
    }
    if (good)
        return q;
    au_store_error(s, err);
    sqlite3_finalize(q);
    return NULL;
}

sqlite3_stmt *au_store_ask(au_store *s, au_error *err, const char *sql, const char *types, ...) {
    va_list ap;
    va_start(ap, types);
    sqlite3_stmt *q = ask(s, err, sql, types, ap);
    va_end(ap);
    return q;
}

bool au_store_row_next(au_store *s, sqlite3_stmt *q, au_status *st, au_error *err) {
    if (!q) {
        *st = err->status;
        return false;
    }
    int code = sqlite3_step(q);
    *st = code == SQLITE_ROW || code == SQLITE_DONE ? AU_OK : au_store_error(s, err);
    return code == SQLITE_ROW;
}

au_status au_store_do(au_store *s, au_error *err, const char *sql, const char *types, ...) {
    va_list ap;
    va_start(ap, types);
    sqlite3_stmt *q = ask(s, err, sql, types, ap);
    va_end(ap);
    au_status st;
    while (au_store_row_next(s, q, &st, err))
        ;
    sqlite3_finalize(q);
    return st;
}

const char *au_store_text(sqlite3_stmt *q, int column) {
    const char *text = (const char *)sqlite3_column_text(q, column);
    return text ? text : "";
}

au_status au_store_number(au_store *s, const char *sql, int64_t *v, au_error *err) {
    au_status st;
    sqlite3_stmt *q = au_store_ask(s, err, sql, "");
    *v = au_store_row_next(s, q, &st, err) ? sqlite3_column_int64(q, 0) : 0;
    sqlite3_finalize(q);
    return st;
}

au_status au_store_begin(au_store *s, au_error *err) {
    return au_store_exec(s, "BEGIN IMMEDIATE", err);
}

au_status au_store_end(au_store *s, au_status st, au_error *err) {
    if (st == AU_OK)
        st = au_store_exec(s, "COMMIT", err);
    if (st != AU_OK && !sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

/* Switching to the write-ahead log takes the whole database, and SQLite does not wait for that by
 * itself. */
static au_status use_log(au_store *s, au_error *err) {
    for (int waited = 0;; waited += STEP_MS) {
        int code = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return AU_OK;
        if (((code & 0xff) != SQLITE_BUSY && (code & 0xff) != SQLITE_LOCKED) || waited >= BUSY_MS)
            return au_store_error(s, err);
        usleep(STEP_MS * 1000);
    }
}

/* On a medium or in a directory that we may not write into. A log that somebody left behind can only be read with files beside it,
 * which SQLite then says. */
static au_status open_to_read(au_store *s, au_error *err) {
    char *log = au_sprintf("%s-wal", s->path);
    struct stat st;
    bool whole = stat(log, &st) || !st.st_size;
    char *name = au_sprintf("file:%s%s", s->path, whole ? "?immutable=1" : "");
    int64_t version = 0;
    bool open =
        strpbrk(s->path, "?#%") == NULL &&
        sqlite3_open_v2(name, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
                        NULL) == SQLITE_OK;
    free(name);
    free(log);
    if (!open)
        return au_store_error(s, err);
    sqlite3_extended_result_codes(s->db, 1);
    au_status ok = au_store_number(s, "PRAGMA user_version", &version, err);
    if (ok == AU_OK && version != AU_STORE_VERSION)
        ok = au_error_set(err, AU_EUNSUPPORTED,
                          "'%s' is of another version of augur, and read-only: copy the store to a "
                          "place that can be written",
                          s->path);
    return ok;
}

static au_status open_db(au_store *s, bool create, au_error *err) {
    if (!create && (access(s->path, W_OK) || access(s->dir, W_OK)))
        return open_to_read(s, err);

    int how = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(s->path, &s->db, how, NULL) != SQLITE_OK)
        return au_store_error(s, err);
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    au_status st = use_log(s, err);
    if (st == AU_OK)
        st = au_store_exec(s, "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL", err);
    if (st == AU_OK)
        st = au_store_migrate(s, AU_STORE_VERSION, err);
    return st;
}

/* The store is of this machine: it does not belong into anybody's repository. A file that is there is left alone. */
static void keep_out_of_git(const char *dir) {
    char *path = au_sprintf("%s/.gitignore", dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd >= 0) {
        ssize_t n = write(fd, "*\n", 2);
        close(fd);
        if (n != 2)
            unlink(path);
    }
    free(path);
}

au_store *au_store_open(const char *dir, bool create, au_error *err) {
    au_store *s = au_alloc_array(1, sizeof *s);
    s->dir = au_strdup(dir);
    s->path = au_sprintf("%s/augur.db", dir);
    char *runs = au_sprintf("%s/runs", dir);
    au_status st = AU_OK;
    if (create && mkdir(dir, 0700) && errno != EEXIST)
        st = au_error_errno(err, "cannot make the store '%s'", dir);
    else if (create && mkdir(runs, 0700) && errno != EEXIST)
        st = au_error_errno(err, "cannot make the directory '%s'", runs);
    else if (!create && access(s->path, F_OK))
        st = au_error_set(err, AU_EUSAGE,
                          "there is no store '%s' here: 'augur run PROGRAM' makes one", dir);
    free(runs);
    if (st == AU_OK && create)
        keep_out_of_git(dir);
    if (st == AU_OK)
        st = open_db(s, create, err);
    if (st == AU_OK)
        return s;
    au_store_close(s);
    return NULL;
}

void au_store_close(au_store *s) {
    if (!s)
        return;
    sqlite3_close(s->db);
    free(s->dir);
    free(s->path);
    free(s);
}
