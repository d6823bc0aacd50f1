/* store/migrate.c: the schema, as the steps that made it. A step is never changed once it was
 * released: a new one is added. PRAGMA user_version says how many a database has seen. */
#include "store/store_priv.h"

static const char *const step[] = {
    /* 1: runs, findings, which run showed which */
    "CREATE TABLE run("
    " id INTEGER PRIMARY KEY AUTOINCREMENT," /* numbers of directories: never used again */
    " program TEXT NOT NULL,"
    " began TEXT NOT NULL,"
    " seconds REAL NOT NULL,"
    " dossier TEXT NOT NULL);" /* JSON, without its findings */
    "CREATE TABLE finding("
    " fingerprint TEXT PRIMARY KEY,"
    " kind TEXT NOT NULL,"
    " message TEXT NOT NULL,"
    " program TEXT NOT NULL,"
    " first_run INTEGER NOT NULL,"
    " first_seen TEXT NOT NULL,"
    " last_run INTEGER NOT NULL,"
    " last_seen TEXT NOT NULL);"
    "CREATE TABLE sighting("
    " run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
    " place INTEGER NOT NULL," /* in its dossier */
    " fingerprint TEXT NOT NULL REFERENCES finding(fingerprint) ON DELETE CASCADE,"
    " id TEXT NOT NULL,"
    " standing TEXT NOT NULL,"
    " replay TEXT NOT NULL,"
    " json TEXT NOT NULL,"
    " PRIMARY KEY(run, place));"
    "CREATE INDEX sighting_fingerprint ON sighting(fingerprint, run);",
    /* 2: what people say of findings */
    "CREATE TABLE triage("
    " fingerprint TEXT PRIMARY KEY REFERENCES finding(fingerprint) ON DELETE CASCADE,"
    " verdict TEXT NOT NULL CHECK(verdict IN ('false-positive', 'wontfix', 'fixed')),"
    " note TEXT NOT NULL,"
    " said TEXT NOT NULL);"
    "CREATE TABLE baseline("
    " fingerprint TEXT PRIMARY KEY REFERENCES finding(fingerprint) ON DELETE CASCADE);",
    /* 3: fingerprints that findings had before they were those of causes; own: not of a variant */
    "CREATE TABLE earlier("
    " old TEXT NOT NULL,"
    " fingerprint TEXT NOT NULL REFERENCES finding(fingerprint) ON DELETE CASCADE,"
    " own INTEGER NOT NULL,"
    " PRIMARY KEY(old, fingerprint));"
    "CREATE INDEX earlier_fingerprint ON earlier(fingerprint);",
    /* 4: recordings of suites, by what they are: not analysed again. run NULL: nothing was to be analysed */
    "CREATE TABLE analysed("
    " key TEXT PRIMARY KEY,"
    " version TEXT NOT NULL," /* of augur: another may find more */
    " run INTEGER REFERENCES run(id) ON DELETE CASCADE,"
    " children INTEGER NOT NULL," /* of fork, that were recorded */
    " seconds REAL NOT NULL," /* that an analysis had which did not decide everything; 0: it did */
    " used TEXT NOT NULL);"
    "CREATE INDEX analysed_run ON analysed(run);",
};
_Static_assert(sizeof step / sizeof *step == AU_STORE_VERSION, "one step a version");

/* An empty file, ours, or somebody else's? */
static au_status whose(au_store *s, int64_t *version, au_error *err) {
    int64_t application = 0, tables = 0;
    au_status st = au_store_number(s, "PRAGMA application_id", &application, err);
    if (st == AU_OK)
        st = au_store_number(s, "PRAGMA user_version", version, err);
    if (st == AU_OK)
        st = au_store_number(s, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (st != AU_OK)
        return st;
    if (application != AU_STORE_APPLICATION && (application || tables || *version))
        return au_error_set(err, AU_EFORMAT, "'%s' is a database, but not one of augur", s->path);
    if (*version > AU_STORE_VERSION)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "'%s' was written by a newer augur (its schema is %lld, this one knows "
                            "%d): use that one, or another directory with '--store'",
                            s->path, (long long)*version, AU_STORE_VERSION);
    return AU_OK;
}

au_status au_store_migrate(au_store *s, int version, au_error *err) {
    int64_t have = 0;
    /* One transaction for all of its questions: between two of them another process may make the
     * tables, and the answers would be those of no database that ever was. */
    au_status st = au_store_exec(s, "BEGIN", err);
    if (st == AU_OK)
        st = au_store_end(s, whose(s, &have, err), err);
    if (st != AU_OK || have >= version)
        return st;
    st = au_store_begin(s, err);
    if (st != AU_OK)
        return st;
    st = whose(s, &have, err); /* another process may have been faster */
    for (int v = (int)have; st == AU_OK && v < version; v++)
        st = au_store_exec(s, step[v], err);
    if (st == AU_OK && have < version) {
        char text[120];
        sqlite3_snprintf(sizeof text, text, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                         AU_STORE_APPLICATION, version);
        st = au_store_exec(s, text, err);
    }
    return au_store_end(s, st, err);
}
