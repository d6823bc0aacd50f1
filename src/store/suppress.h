/* store/suppress.h: files of findings that somebody does not want to hear of, and baselines.
 *
 * A suppression is a line 'TYPE:PATTERN', as ThreadSanitizer has it; '#' begins a remark. TYPE is a
 * kind of finding by either of its names (trace/finding.h), 'any', 'fingerprint', or
 * one of ThreadSanitizer's: race_top (the same as race: augur matches the functions of the accesses
 * themselves), mutex (lock-misuse). Its thread, signal and called_from_lib speak of what augur does not
 * look for: such lines are passed over, and told. PATTERN is looked for in the functions, files and objects of
 * the decisive events, and in the variable or lock: anywhere in them, '*' standing for anything, '^' for
 * the beginning and '$' for the end. Of a fingerprint it must be the beginning. */
#ifndef AU_STORE_SUPPRESS_H
#define AU_STORE_SUPPRESS_H

#include "report/case.h"

typedef struct {
    unsigned kinds; /* bit by au_kind; 0: a fingerprint */
    char *pattern;
    char *reason;        /* the remark above it, in one line; "": there is none */
    bool top;            /* looks at the events alone, not at the calls that they are in */
    unsigned file, line; /* where it stands */
    uint64_t used;       /* cases that it silenced */
} au_suppression;

typedef struct {
    AU_VEC(char *) file;
    AU_VEC(au_suppression) at;
    AU_VEC(char *) remark; /* "tsan.supp:3: …": lines that mean nothing to augur */
} au_suppressions;

/* Adds the lines of a file. AU_EFORMAT with file and line if one is no suppression. */
au_status au_suppressions_read(au_suppressions *s, const char *path, au_error *err);
/* … and those of the file that belongs to augur, of the C++ library's own races (base/parts.h). */
au_status au_suppressions_read_shipped(au_suppressions *s, au_error *err);
/* The same from memory; for tests and fuzzers. */
au_status au_suppressions_parse(au_suppressions *s, const char *name, const char *text, size_t n,
                                au_error *err);
void au_suppressions_release(au_suppressions *s);

/* Makes what is suppressed 'known', with a note that says by which line. */
void au_suppressions_mark(au_suppressions *s, au_dossier *d);
/* ThreadSanitizer's way to match. */
bool au_suppression_matches(const char *pattern, const char *text);

/* ---- baselines (baseline.c): what was there before ---- */

/* Any JSON of augur with "findings" that have a "fingerprint" is a baseline: what it holds becomes
 * 'known'. *n: how many of d. */
au_status au_baseline_mark(const char *path, au_dossier *d, size_t *n, au_error *err);
/* The smallest such file: kind, fingerprint and message of every case, for a repository. */
void au_baseline_write(const au_dossier *d, au_out *out);

#endif
