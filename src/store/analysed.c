/* store/analysed.c: which recordings of suites were analysed, in which run, and with how much time. */
#include "store/store_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY = 18 };

static void text_of(uint64_t key, char text[KEY]) {
    snprintf(text, KEY, "%016" PRIx64, key);
}

static au_status get(au_store *s, const char *key, au_store_analysed *a, bool *found,
                     au_error *err) {
    au_status st;
    sqlite3_stmt *q = au_store_ask(s, err,
                                   "SELECT coalesce(run, 0), children, seconds FROM analysed"
                                   " WHERE key = ? AND version = ?",
                                   "ss", key, AU_VERSION);
    *found = au_store_row_next(s, q, &st, err);
    if (*found)
        *a = (au_store_analysed){.run = (uint64_t)sqlite3_column_int64(q, 0),
                                 .children = (unsigned)sqlite3_column_int64(q, 1),
                                 .seconds = sqlite3_column_double(q, 2)};
    sqlite3_finalize(q);
    if (st == AU_OK && *found) /* once a day is enough to say so */
        st = au_store_do(
            s, err, "UPDATE analysed SET used = date('now') WHERE key = ? AND used <> date('now')",
            "s", key);
    return st;
}

static au_status put(au_store *s, const char *key, const au_store_analysed *a, au_error *err) {
    return au_store_do(s, err,
                       "INSERT OR REPLACE INTO analysed(key, version, run, children, seconds, used)"
                       " VALUES(?, ?, nullif(?, 0), ?, ?, date('now'))",
                       "ssiid", key, AU_VERSION, (int64_t)a->run, (int64_t)a->children, a->seconds);
}

au_status au_store_analysed_get(au_store *s, uint64_t key, au_store_analysed *a, bool *found,
                                au_error *err) {
    char text[KEY];
    text_of(key, text);
    return get(s, text, a, found, err);
}

au_status au_store_analysed_put(au_store *s, uint64_t key, const au_store_analysed *a,
                                au_error *err) {
    char text[KEY];
    text_of(key, text);
    return put(s, text, a, err);
}

/* ---- what need not be recorded: in the same table, with another letter ---- */

static void name_of(uint64_t number, char text[KEY]) {
    snprintf(text, KEY, "p%016" PRIx64, number);
}

au_status au_store_known_put(au_store *s, uint64_t number, uint64_t run, au_error *err) {
    char text[KEY];
    name_of(number, text);
    return put(s, text, &(au_store_analysed){.run = run}, err);
}

au_status au_store_known_get(au_store *s, uint64_t number, uint64_t *run, bool *found,
                             au_error *err) {
    char text[KEY];
    au_store_analysed a = {0};
    name_of(number, text);
    au_status st = get(s, text, &a, found, err);
    *found &= a.run != 0;
    *run = a.run;
    return st;
}

au_status au_store_known_all(au_store *s, au_store_numbers *all, au_error *err) {
    au_status st;
    sqlite3_stmt *q = au_store_ask(s, err,
                                   "SELECT key FROM analysed WHERE key BETWEEN 'p' AND 'q'"
                                   " AND version = ? AND run IS NOT NULL ORDER BY key",
                                   "s", AU_VERSION);
    while (au_store_row_next(s, q, &st, err))
        au_vec_push(all, strtoull(au_store_text(q, 0) + 1, NULL, 16));
    sqlite3_finalize(q);
    return st;
}
