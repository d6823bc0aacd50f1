/* report/case_lines.h: the order of a finding as a few lines of source. */
#ifndef AU_REPORT_CASE_LINES_H
#define AU_REPORT_CASE_LINES_H

#include "report/case.h"

/* What a thread did in one line of source, without another thread between. */
typedef struct {
    const char *thread, *place, *source; /* place: "bank.c:12", without directories */
    const char *did;                     /* "reads 0, writes 1" */
    bool decisive;
    bool skipped; /* something before it is left out */
} au_case_line;

typedef struct {
    au_arena arena;
    au_case_line *at;
    size_t n;
} au_case_lines;

/* At most about 'most' lines: those with decisive events, what else touches the object, the taking of
 * locks that are held there, and what comes right before. Names are safe to print. */
void au_case_lines_make(au_case_lines *l, const au_dossier *d, const au_case *c, size_t most);
void au_case_lines_release(au_case_lines *l);

/* The text of a line of source, NULL if the dossier has it not. */
const char *au_case_source_line(const au_dossier *d, const char *file, uint32_t line);

/* One line of text from outside, at most cap - 1 bytes, safe to print; returns its width. */
size_t au_case_safe_line(char *to, size_t cap, const char *s);
/* Safe, and blanks up to this width. */
void au_case_put_padded(au_out *out, const char *s, size_t width);

#endif
