/* store/merge.c: what another store has beside its runs: what people said, the baseline, what suites need not analyse again. */
#include "store/store_priv.h"

/* Every row of the question as the values of the statement. types: of the columns, as in au_store_ask. */
static au_status each(au_store *from, const char *question, au_error *err,
                      au_status (*take)(void *ctx, sqlite3_stmt *row, au_error *err), void *ctx) {
    au_status st, bad = AU_OK;
    sqlite3_stmt *q = au_store_ask(from, err, question, "");
    while (bad == AU_OK && au_store_row_next(from, q, &st, err))
        bad = take(ctx, q, err);
    sqlite3_finalize(q);
    return bad != AU_OK ? bad : st;
}

typedef struct {
    au_store *into;
    au_store_number_fn *number;
    void *ctx;
} taker;

/* The last word counts. */
static au_status take_verdict(void *ctx, sqlite3_stmt *row, au_error *err) {
    const taker *t = ctx;
    return au_store_do(t->into, err,
                       "INSERT INTO triage(fingerprint, verdict, note, said)"
                       " SELECT ?1, ?2, ?3, ?4 FROM finding WHERE fingerprint = ?1"
                       " ON CONFLICT(fingerprint) DO UPDATE SET verdict = ?2, note = ?3, said = ?4"
                       " WHERE excluded.said > triage.said",
                       "ssss", au_store_text(row, 0), au_store_text(row, 1), au_store_text(row, 2),
                       au_store_text(row, 3));
}

static au_status take_known(void *ctx, sqlite3_stmt *row, au_error *err) {
    const taker *t = ctx;
    return au_store_do(t->into, err,
                       "INSERT OR IGNORE INTO baseline(fingerprint)"
                       " SELECT fingerprint FROM finding WHERE fingerprint = ?",
                       "s", au_store_text(row, 0));
}

static au_status take_analysed(void *ctx, sqlite3_stmt *row, au_error *err) {
    const taker *t = ctx;
    uint64_t old = (uint64_t)sqlite3_column_int64(row, 2);
    uint64_t now = old ? t->number(t->ctx, old) : 0;
    if (old && !now)
        return AU_OK; /* the run was cleaned away there */
    return au_store_do(t->into, err,
                       "INSERT OR IGNORE INTO analysed(key, version, run, children, seconds, used)"
                       " VALUES(?, ?, nullif(?, 0), ?, ?, ?)",
                       "ssiids", au_store_text(row, 0), au_store_text(row, 1), (int64_t)now,
                       (int64_t)sqlite3_column_int64(row, 3), sqlite3_column_double(row, 4),
                       au_store_text(row, 5));
}

au_status au_store_take_rest(au_store *into, au_store *from, au_store_number_fn *number, void *ctx,
                             au_error *err) {
    taker t = {into, number, ctx};
    au_status st = au_store_begin(into, err);
    if (st != AU_OK)
        return st;
    st = each(from, "SELECT fingerprint, verdict, note, said FROM triage", err, take_verdict, &t);
    if (st == AU_OK)
        st = each(from, "SELECT fingerprint FROM baseline", err, take_known, &t);
    if (st == AU_OK) /* processes are known by their files, which are of that machine */
        st = each(from,
                  "SELECT key, version, run, children, seconds, used FROM analysed"
                  " WHERE key < 'p' OR key > 'q'",
                  err, take_analysed, &t);
    if (st == AU_OK) /* runs are numbered as they come, but not dated so */
        st = au_store_do(into, err,
                         "UPDATE finding SET first_seen = o.began FROM"
                         " (SELECT x.fingerprint, min(r.began) AS began FROM sighting x JOIN run r"
                         "  ON r.id = x.run GROUP BY x.fingerprint) o"
                         " WHERE o.fingerprint = finding.fingerprint AND o.began < first_seen",
                         "");
    return au_store_end(into, st, err);
}
