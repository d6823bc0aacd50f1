/* report/case_lines.h: the order of a finding as a few lines of source. */
#ifndef AU_REPORT_CASE_LINES_H
#define AU_REPORT_CASE_LINES_H

#include "report/case.h"

/* What a thread did in one line of source, without another thread between. */
typedef struct {
    const char *thread, *place, *source; /* place: "bank.c:12", without directories */
    const char *file;                    /* as in the events, "" */
    uint32_t line;                       /* 0: not known */
    const char *did;                     /* "reads 0, writes 1" */
    bool decisive;
    size_t step; /* of the witness: its first event */
} au_case_line;

typedef struct {
    au_arena arena;
    au_case_line *at;
    size_t n;
} au_case_lines;

/* At most about 'most' lines of the user's: those with decisive events, and what they rest on (case_slice.h); where there is
 * room the calls that lead there. Names are safe to print. */
void au_case_lines_make(au_case_lines *l, const au_dossier *d, const au_case *c, size_t most);
void au_case_lines_release(au_case_lines *l);

/* The line of the user's that an event counts for: its own, or of code of a library or of the compiler the call that led
 * there. */
void au_case_place(const au_dossier *d, const au_case_event *e, const char **file, uint32_t *line);

/* The text of a line of source, NULL if the dossier has it not. */
const char *au_case_source_line(const au_dossier *d, const char *file, uint32_t line);

/* A pointer, most likely: its number says nothing. */
bool au_case_is_address(int64_t value);

/* One line of text from outside, at most cap - 1 bytes, safe to print; returns its width. */
size_t au_case_safe_line(char *to, size_t cap, const char *s);
/* Safe, and blanks up to this width. */
void au_case_put_padded(au_out *out, const char *s, size_t width);

#endif
