/* store/store.h: the directory `.augur`: what was found in all runs, what people said of it, and the
 * recordings of the last runs.
 *
 *     .augur/augur.db        SQLite, write-ahead log, schema by migrations (migrate.c)
 *     .augur/runs/7/1.trace  the first recording of run 7
 *
 * A finding is the same finding in every run: by its fingerprint (report/case.h). A run is stored in
 * one transaction when it has ended, so that a run that was killed has left nothing but its directory,
 * which the next one removes. Any number of processes may use a store at once: they wait for each
 * other. A store is used by one thread at a time. */
#ifndef AU_STORE_STORE_H
#define AU_STORE_STORE_H

#include "report/case.h"

#define AU_STORE_DIR ".augur"

typedef struct au_store au_store;

/* 'create': makes directory and database if they are not there; else that is AU_EUSAGE. A database of
 * an older augur is brought up to date; one of a newer augur is AU_EUNSUPPORTED, and what is no
 * database of ours, or damaged, AU_EFORMAT. A store that exists and may not be written is opened to be read, unless 'create'.
 * NULL on failure, *err set. */
au_store *au_store_open(const char *dir, bool create, au_error *err);
void au_store_close(au_store *s);

/* ---- runs (runs.c) ---- */

/* A run that is going on: its number and its directory, locked against being cleaned away. */
typedef struct {
    uint64_t number;
    char *dir; /* "DIR/runs/7" */
    int lock;
} au_store_run;

au_status au_store_claim(au_store *s, au_store_run *r, au_error *err);
/* All of it, in one transaction: the dossier, its cases, their findings. */
au_status au_store_keep(au_store *s, const au_store_run *r, const au_dossier *d, au_error *err);
/* Gives the directory up; 'kept': the run was stored, its recordings stay. */
void au_store_leave(au_store_run *r, bool kept);
/* Removes the recordings of all but the newest 'keep' runs and of those that a suite counts on (analysed), the oldest also
 * if all need more than AU_LIMIT_STORE_MIB; what is stored of runs that are none of these, nor the last that
 * showed some finding; and what killed runs have left. */
au_status au_store_prune(au_store *s, uint64_t keep, au_error *err);

/* 0: there is none. */
au_status au_store_last_run(au_store *s, uint64_t *number, au_error *err);
typedef struct {
    uint64_t number, findings;
    const char *program, *began;
    double seconds;
} au_store_past;
typedef struct {
    au_arena arena;
    AU_VEC(au_store_past) at; /* the newest first */
} au_store_runs;
au_status au_store_past_runs(au_store *s, au_store_runs *runs, au_error *err);
void au_store_past_release(au_store_runs *runs);
/* What a run found, as it was stored, into an empty dossier. AU_EUSAGE if there is no such run. */
au_status au_store_load(au_store *s, uint64_t run, au_dossier *d, au_error *err);

/* ---- what suites need not analyse again (analysed.c) ---- */

/* Of a recording, by a key that stands for what it is. */
typedef struct {
    uint64_t run;      /* that analysed it; 0: there was nothing to analyse */
    unsigned children; /* recordings of its children of fork */
    double seconds;    /* that the analysis had, if it did not decide everything; 0: it did */
} au_store_analysed;
/* A row that is found counts as used, and stays for AU_LIMIT_STORE_DAYS. */
au_status au_store_analysed_get(au_store *s, uint64_t key, au_store_analysed *a, bool *found,
                                au_error *err);
au_status au_store_analysed_put(au_store *s, uint64_t key, const au_store_analysed *a,
                                au_error *err);
/* Of a process that need not be recorded again (wire/suite.h), by its number. */
au_status au_store_known_put(au_store *s, uint64_t number, uint64_t run, au_error *err);
au_status au_store_known_get(au_store *s, uint64_t number, uint64_t *run, bool *found,
                             au_error *err);
typedef AU_VEC(uint64_t) au_store_numbers;
au_status au_store_known_all(au_store *s, au_store_numbers *all, au_error *err);

/* ---- another store (merge.c) ---- */

/* The number that a run of another store has in this one; 0: none. */
typedef uint64_t au_store_number_fn(void *ctx, uint64_t run);
/* When its runs are here: verdicts (the later word), what is in its baseline, what need not be analysed again. */
au_status au_store_take_rest(au_store *into, au_store *from, au_store_number_fn *number, void *ctx,
                             au_error *err);

/* ---- findings (findings.c) ---- */

enum { AU_FINGERPRINT = 16 };

/* A finding over all runs; kind, standing and so on as it was when last seen. */
typedef struct {
    const char *fingerprint, *kind, *standing, *replay, *message, *program;
    const char *id;                      /* in its last run */
    const char *first_seen, *last_seen;  /* when */
    uint64_t first_run, last_run, times; /* runs that showed it, of those that are stored */
    const char *triage, *note;           /* "" if nobody said anything */
    bool baseline;                       /* in the stored baseline */
} au_store_row;
typedef struct {
    au_arena arena;
    AU_VEC(au_store_row) at; /* the last seen first, then by kind */
} au_store_rows;

au_status au_store_list(au_store *s, au_store_rows *rows, au_error *err);
void au_store_rows_release(au_store_rows *rows);

/* Names of the tests of suites that showed it, in any run that is stored; programs of runs that were of no suite. Into
 * c->test, text of the dossier. */
au_status au_store_tests(au_store *s, const char *fingerprint, au_dossier *d, au_case *c,
                         au_error *err);
/* A run that showed it. */
typedef struct {
    uint64_t run;
    const char *when, *program, *id, *standing, *replay;
} au_store_sighting;
typedef struct {
    au_arena arena;
    AU_VEC(au_store_sighting) at; /* the last first */
} au_store_sightings;
au_status au_store_history(au_store *s, const char *fingerprint, au_store_sightings *h,
                           au_error *err);
void au_store_history_release(au_store_sightings *h);

/* "R1" (of the last run) or at least four digits that a fingerprint begins with. AU_EUSAGE if there is
 * none or more than one. */
au_status au_store_find(au_store *s, const char *name, char fingerprint[AU_FINGERPRINT + 1],
                        au_error *err);
/* The case as it was when last seen, appended to the dossier. */
au_status au_store_case(au_store *s, const char *fingerprint, au_dossier *into, au_error *err);

/* The finding or variant ("R1.2", or by its own fingerprint) with this name, as it was when last seen. */
au_status au_store_named(au_store *s, const char *name, au_dossier *into, au_error *err);

/* verdict: "false-positive", "wontfix", "fixed" or "" (takes back what was said). */
au_status au_store_triage(au_store *s, const char *fingerprint, const char *verdict,
                          const char *note, au_error *err);

/* The stored baseline becomes what the last run of each program showed; *n: how many findings. */
au_status au_store_set_baseline(au_store *s, size_t *n, au_error *err);

/* Fills in what the store knows of the cases of a dossier: triage, note, and whether that makes
 * them known; 'baseline': what is in the stored baseline is known, too. */
au_status au_store_mark(au_store *s, au_dossier *d, bool baseline, au_error *err);

#endif
