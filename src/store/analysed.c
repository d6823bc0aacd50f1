/* store/analysed.c: which recordings of suites were analysed, in which run, and with how much time. */
#include "store/store_priv.h"

#include <inttypes.h>
#include <stdio.h>

static void text_of(uint64_t key, char text[17]) {
    snprintf(text, 17, "%016" PRIx64, key);
}

au_status au_store_analysed_get(au_store *s, uint64_t key, au_store_analysed *a, bool *found,
                                au_error *err) {
    char text[17];
    au_status st;
    text_of(key, text);
    sqlite3_stmt *q = au_store_ask(s, err,
                                   "SELECT coalesce(run, 0), children, seconds FROM analysed"
                                   " WHERE key = ? AND version = ?",
                                   "ss", text, AU_VERSION);
    *found = au_store_row_next(s, q, &st, err);
    if (*found)
        *a = (au_store_analysed){.run = (uint64_t)sqlite3_column_int64(q, 0),
                                 .children = (unsigned)sqlite3_column_int64(q, 1),
                                 .seconds = sqlite3_column_double(q, 2)};
    sqlite3_finalize(q);
    if (st == AU_OK && *found)
        st = au_store_do(s, err, "UPDATE analysed SET used = date('now') WHERE key = ?", "s", text);
    return st;
}

au_status au_store_analysed_put(au_store *s, uint64_t key, const au_store_analysed *a,
                                au_error *err) {
    char text[17];
    text_of(key, text);
    return au_store_do(s, err,
                       "INSERT OR REPLACE INTO analysed(key, version, run, children, seconds, used)"
                       " VALUES(?, ?, nullif(?, 0), ?, ?, date('now'))",
                       "ssiid", text, AU_VERSION, (int64_t)a->run, (int64_t)a->children,
                       a->seconds);
}
