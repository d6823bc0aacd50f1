/* store/findings.c: findings over all runs, and what people said of them. */
#include "store/store_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- listing ---- */

au_status au_store_list(au_store *s, au_store_rows *rows, au_error *err) {
    *rows = (au_store_rows){0};
    au_arena_init(&rows->arena);
    au_status st;
    sqlite3_stmt *q = au_store_ask(
        s, err,
        "SELECT f.fingerprint, f.kind, x.standing, x.replay, f.message, f.program, x.id,"
        " f.first_seen, f.last_seen, f.first_run, f.last_run,"
        " (SELECT count(DISTINCT run) FROM sighting n WHERE n.fingerprint = f.fingerprint),"
        " coalesce((SELECT verdict FROM triage t WHERE t.fingerprint = f.fingerprint),"
        "  (SELECT verdict FROM triage t JOIN earlier e ON e.old = t.fingerprint AND e.own"
        "   WHERE e.fingerprint = f.fingerprint)),"
        " coalesce((SELECT note FROM triage t WHERE t.fingerprint = f.fingerprint),"
        "  (SELECT note FROM triage t JOIN earlier e ON e.old = t.fingerprint AND e.own"
        "   WHERE e.fingerprint = f.fingerprint)),"
        " EXISTS (SELECT 1 FROM baseline b WHERE b.fingerprint = f.fingerprint) OR"
        " EXISTS (SELECT 1 FROM baseline b JOIN earlier e ON e.old = b.fingerprint AND e.own"
        "  WHERE e.fingerprint = f.fingerprint)"
        " FROM finding f"
        " JOIN sighting x ON x.fingerprint = f.fingerprint AND x.run = f.last_run"
        " AND x.place = (SELECT min(place) FROM sighting y WHERE y.run = x.run AND y.fingerprint ="
        " f.fingerprint)"
        /* under its earlier name it is the same finding */
        " WHERE f.fingerprint NOT IN (SELECT old FROM earlier)"
        " ORDER BY f.last_run DESC, x.place",
        "");
    while (au_store_row_next(s, q, &st, err)) {
        au_store_row *r = au_vec_add(&rows->at);
        const char *text[14];
        for (int i = 0; i < 14; i++) {
            const char *column = au_store_text(q, i);
            text[i] = au_arena_strndup(&rows->arena, column, strlen(column));
        }
        *r = (au_store_row){.fingerprint = text[0],
                            .kind = text[1],
                            .standing = text[2],
                            .replay = text[3],
                            .message = text[4],
                            .program = text[5],
                            .id = text[6],
                            .first_seen = text[7],
                            .last_seen = text[8],
                            .first_run = (uint64_t)sqlite3_column_int64(q, 9),
                            .last_run = (uint64_t)sqlite3_column_int64(q, 10),
                            .times = (uint64_t)sqlite3_column_int64(q, 11),
                            .triage = text[12],
                            .note = text[13],
                            .baseline = sqlite3_column_int64(q, 14)};
    }
    sqlite3_finalize(q);
    if (st != AU_OK)
        au_store_rows_release(rows);
    return st;
}

void au_store_rows_release(au_store_rows *rows) {
    au_vec_release(&rows->at);
    au_arena_release(&rows->arena);
    *rows = (au_store_rows){0};
}

au_status au_store_tests(au_store *s, const char *fingerprint, au_dossier *d, au_case *c,
                         au_error *err) {
    au_status st;
    sqlite3_stmt *q =
        au_store_ask(s, err,
                     "SELECT DISTINCT value FROM sighting, json_each(sighting.json, '$.tests')"
                     " WHERE fingerprint = ?1"
                     " UNION SELECT program FROM run WHERE id NOT IN"
                     " (SELECT run FROM analysed WHERE run IS NOT NULL) AND id IN"
                     " (SELECT run FROM sighting WHERE fingerprint = ?1"
                     "  AND json_extract(json, '$.tests') IS NULL) ORDER BY 1",
                     "s", fingerprint);
    au_vec_clear(&c->test);
    while (au_store_row_next(s, q, &st, err))
        au_vec_push(&c->test, au_dossier_text_copy(d, au_store_text(q, 0)));
    sqlite3_finalize(q);
    return st;
}

au_status au_store_history(au_store *s, const char *fingerprint, au_store_sightings *h,
                           au_error *err) {
    au_status st;
    *h = (au_store_sightings){0};
    au_arena_init(&h->arena);
    sqlite3_stmt *q =
        au_store_ask(s, err,
                     "SELECT run.id, run.began, run.program, x.id, x.standing, x.replay"
                     " FROM sighting x JOIN run ON run.id = x.run WHERE x.fingerprint = ?"
                     " ORDER BY run.id DESC",
                     "s", fingerprint);
    while (au_store_row_next(s, q, &st, err)) {
        const char *text[6];
        for (int i = 1; i < 6; i++) {
            const char *column = au_store_text(q, i);
            text[i] = au_arena_strndup(&h->arena, column, strlen(column));
        }
        au_store_sighting x = {
            (uint64_t)sqlite3_column_int64(q, 0), text[1], text[2], text[3], text[4], text[5]};
        au_vec_push(&h->at, x);
    }
    sqlite3_finalize(q);
    if (st != AU_OK)
        au_store_history_release(h);
    return st;
}

void au_store_history_release(au_store_sightings *h) {
    au_vec_release(&h->at);
    au_arena_release(&h->arena);
    *h = (au_store_sightings){0};
}

/* ---- one of them ---- */

/* A capital letter for its kind, and a number (report/common.h). */
static bool is_id(const char *name) {
    if (*name < 'A' || *name > 'Z')
        return false;
    for (name++; isdigit((unsigned char)*name); name++)
        ;
    return !*name;
}

static bool is_prefix(const char *name) {
    size_t n = strspn(name, "0123456789abcdef");
    return n >= 4 && n <= AU_FINGERPRINT && !name[n];
}

au_status au_store_find(au_store *s, const char *name, char fingerprint[AU_FINGERPRINT + 1],
                        au_error *err) {
    au_status st;
    bool id = is_id(name);
    if (!id && !is_prefix(name))
        return au_error_set(err, AU_EUSAGE,
                            "'%s' is neither an id of the last run ('R1') nor the beginning of a "
                            "fingerprint (at least 4 of its digits)",
                            name);
    char *prefix = au_sprintf("%s*", name);
    sqlite3_stmt *q =
        id ? au_store_ask(s, err,
                          "SELECT fingerprint FROM sighting WHERE id = ? AND run = (SELECT max(id) "
                          "FROM run)",
                          "s", name)
           : au_store_ask(s, err,
                          "SELECT fingerprint FROM finding WHERE fingerprint GLOB ?1"
                          " AND fingerprint NOT IN (SELECT old FROM earlier)"
                          " UNION SELECT fingerprint FROM earlier WHERE old GLOB ?1",
                          "s", prefix);
    free(prefix);
    unsigned n = 0;
    for (; au_store_row_next(s, q, &st, err); n++)
        snprintf(fingerprint, AU_FINGERPRINT + 1, "%s", au_store_text(q, 0));
    sqlite3_finalize(q);
    if (st == AU_OK && !n && id)
        st = au_error_set(err, AU_EUSAGE, "the last run in '%s' has no finding '%s'", s->dir, name);
    else if (st == AU_OK && !n)
        st = au_error_set(err, AU_EUSAGE, "no finding in '%s' begins with '%s'", s->dir, name);
    else if (st == AU_OK && n > 1)
        st = au_error_set(err, AU_EUSAGE,
                          "%u findings in '%s' begin with '%s': give more of its digits", n, s->dir,
                          name);
    return st;
}

au_status au_store_case(au_store *s, const char *fingerprint, au_dossier *into, au_error *err) {
    au_status st;
    sqlite3_stmt *q = au_store_ask(
        s, err, "SELECT json FROM sighting WHERE fingerprint = ? ORDER BY run DESC, place LIMIT 1",
        "s", fingerprint);
    if (au_store_row_next(s, q, &st, err)) {
        const char *json = au_store_text(q, 0);
        st = au_case_read(into, json, strlen(json), err);
    } else if (st == AU_OK) {
        st = au_error_set(err, AU_EUSAGE, "no run in '%s' shows '%s'", s->dir, fingerprint);
    }
    sqlite3_finalize(q);
    return st;
}

/* Of the finding that is the last of the dossier its variant is left alone. */
static bool leave_variant(au_dossier *d, size_t k) {
    size_t last = d->at.n - 1;
    if (k >= d->at.at[last].variant.n)
        return false;
    au_dossier_copy(d, &d->at.at[last].variant.at[k]);
    au_case made = d->at.at[last + 1];
    au_case_release(&d->at.at[last]);
    d->at.at[last] = made;
    d->at.n--;
    return true;
}

/* A variant by its own fingerprint. */
static au_status find_variant(au_store *s, const char *prefix, au_dossier *into, bool *found,
                              au_error *err) {
    au_status st;
    char *like = au_sprintf("*\"%s*", prefix);
    sqlite3_stmt *q = au_store_ask(
        s, err, "SELECT json FROM sighting WHERE json GLOB ? ORDER BY run DESC, place", "s", like);
    free(like);
    *found = false;
    while (!*found && au_store_row_next(s, q, &st, err)) {
        const char *json = au_store_text(q, 0);
        if ((st = au_case_read(into, json, strlen(json), err)) != AU_OK)
            break;
        const au_case *c = &au_vec_last(&into->at);
        for (size_t k = 0; k < c->variant.n && !*found; k++)
            if (!strncmp(c->variant.at[k].fingerprint, prefix, strlen(prefix)))
                *found = leave_variant(into, k);
        if (!*found)
            au_dossier_drop_last(into);
    }
    sqlite3_finalize(q);
    return st;
}

au_status au_store_named(au_store *s, const char *name, au_dossier *into, au_error *err) {
    char fingerprint[AU_FINGERPRINT + 1];
    const char *point = strchr(name, '.');
    bool found = false;
    if (!point && is_prefix(name)) {
        au_error none = AU_ERROR_NONE;
        if (au_store_find(s, name, fingerprint, &none) != AU_OK) {
            au_status st = find_variant(s, name, into, &found, err);
            if (st != AU_OK || found)
                return st;
        }
    }
    char *whole = au_strndup(name, point ? (size_t)(point - name) : strlen(name));
    au_status st = au_store_find(s, whole, fingerprint, err);
    if (st == AU_OK)
        st = au_store_case(s, fingerprint, into, err);
    unsigned long k = point ? strtoul(point + 1, NULL, 10) : 0;
    if (st == AU_OK && point && (k == 0 || !leave_variant(into, k - 1)))
        st = au_error_set(err, AU_EUSAGE, "finding '%s' has no variant '%s'", whole, name);
    free(whole);
    return st;
}

/* ---- what people say ---- */

static void now(char text[32]) {
    time_t t = time(NULL);
    struct tm tm;
    gmtime_r(&t, &tm);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

au_status au_store_triage(au_store *s, const char *fingerprint, const char *verdict,
                          const char *note, au_error *err) {
    char said[32];
    now(said);
    if (!*verdict)
        return au_store_do(s, err, "DELETE FROM triage WHERE fingerprint = ?", "s", fingerprint);
    return au_store_do(s, err,
                       "INSERT INTO triage(fingerprint, verdict, note, said) VALUES(?, ?, ?, ?)"
                       " ON CONFLICT(fingerprint) DO UPDATE SET verdict = excluded.verdict,"
                       " note = excluded.note, said = excluded.said",
                       "ssss", fingerprint, verdict, note, said);
}

au_status au_store_set_baseline(au_store *s, size_t *n, au_error *err) {
    int64_t count = 0;
    au_status st = au_store_begin(s, err);
    if (st != AU_OK)
        return st;
    st = au_store_exec(s,
                       "DELETE FROM baseline;"
                       "INSERT INTO baseline SELECT DISTINCT fingerprint FROM sighting WHERE run IN"
                       " (SELECT max(id) FROM run GROUP BY program)",
                       err);
    if (st == AU_OK)
        st = au_store_number(s, "SELECT count(*) FROM baseline", &count, err);
    *n = (size_t)count;
    return au_store_end(s, st, err);
}

/* "wontfix" and "false-positive" settle it; what was "fixed" and is seen again is news. */
static au_status mark(au_store *s, au_dossier *d, au_case *c, bool baseline, au_error *err) {
    au_status st;
    sqlite3_stmt *q = au_store_ask(s, err,
                                   "SELECT verdict, note,"
                                   " (SELECT count(*) FROM baseline WHERE fingerprint IN (?1, ?2))"
                                   " FROM (SELECT 1) LEFT JOIN triage ON fingerprint IN (?1, ?2)"
                                   " ORDER BY fingerprint = ?1 DESC LIMIT 1",
                                   "ss", c->fingerprint, c->earlier);
    if (au_store_row_next(s, q, &st, err)) {
        const char *verdict = au_store_text(q, 0);
        if (*verdict) {
            c->triage = au_dossier_text_copy(d, verdict);
            c->note = au_dossier_text_copy(d, au_store_text(q, 1));
            c->known |= strcmp(verdict, "fixed") != 0;
        }
        if (baseline && sqlite3_column_int64(q, 2)) {
            c->known = true;
            if (!*c->note)
                c->note = "in the stored baseline";
        }
    }
    sqlite3_finalize(q);
    return st;
}

au_status au_store_mark(au_store *s, au_dossier *d, bool baseline, au_error *err) {
    au_status st = AU_OK;
    for (size_t i = 0; i < d->at.n && st == AU_OK; i++)
        st = mark(s, d, &d->at.at[i], baseline, err);
    return st;
}
