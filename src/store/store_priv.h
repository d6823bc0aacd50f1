/* store/store_priv.h: between the files of src/store. */
#ifndef AU_STORE_PRIV_H
#define AU_STORE_PRIV_H

#include "store/store.h"

#include <sqlite3.h>

struct au_store {
    char *dir, *path; /* the directory, the database */
    sqlite3 *db;
};

/* What SQLite says, as an error for a person; never AU_OK. */
au_status au_store_error(const au_store *s, au_error *err);
au_status au_store_exec(au_store *s, const char *sql, au_error *err);

/* A statement with its values: 's' text, 'i' int64_t, 'd' double, in their order. NULL on failure. */
sqlite3_stmt *au_store_ask(au_store *s, au_error *err, const char *sql, const char *types, ...);
/* The next row: true; the end or a failure: false, and *st says which. */
bool au_store_row_next(au_store *s, sqlite3_stmt *q, au_status *st, au_error *err);
/* For statements without rows. */
au_status au_store_do(au_store *s, au_error *err, const char *sql, const char *types, ...);
/* A column, never NULL; borrowed until the next row. */
const char *au_store_text(sqlite3_stmt *q, int column);
/* One number; 0 if there is no row. */
au_status au_store_number(au_store *s, const char *sql, int64_t *v, au_error *err);

/* BEGIN IMMEDIATE; end: COMMIT if st is AU_OK, else ROLLBACK. */
au_status au_store_begin(au_store *s, au_error *err);
au_status au_store_end(au_store *s, au_status st, au_error *err);

/* ---- migrate.c ---- */
enum { AU_STORE_APPLICATION = 0x41756772, AU_STORE_VERSION = 4 }; /* "Augr" */
/* Brings the database to 'version'; for tests, also to an older one than the newest. */
au_status au_store_migrate(au_store *s, int version, au_error *err);

#endif
