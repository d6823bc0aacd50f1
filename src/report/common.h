/* report/common.h: how events, names and findings in numbers are told; for the makers of dossiers and for
 * commands that tell of single events. */
#ifndef AU_REPORT_COMMON_H
#define AU_REPORT_COMMON_H

#include "base/out.h"
#include "trace/finding.h"

const char *au_report_op(au_op op);   /* "write": as in the JSON */
const char *au_report_verb(au_op op); /* "writes": in a sentence */

/* The name of a thread, variable or lock; never NULL. */
const char *au_report_name(const au_names *n, uint8_t space, uint32_t id);

/* The same, made safe for a terminal and cut if it is very long. */
void au_report_put_name(au_out *out, const au_names *n, uint8_t space, uint32_t id);

/* Of an event of a finding: what its text says, or where the event is. */
const char *au_report_place(const au_names *n, const au_event_ref *e, const au_event_text *t,
                            char *buf, size_t size);
/* A location as text into buf (cut to fit), "" if there is none. */
const char *au_report_loc(const au_names *n, uint32_t loc, char *buf, size_t size);
/* Splits "file:line" (also "file:line:column"): length of the file part and the
 * line, or false. */
bool au_report_split_loc(const char *text, size_t *file_length, uint64_t *line);

/* "R1", "V3", …: a letter for the kind; numbers run from 1 in the order of the list. */
void au_finding_id(au_kind kind, size_t number, char *id, size_t size);
/* One line: "race on 'balance': T1 writes at bank.c:12, T2 reads at bank.c:20". */
void au_finding_message(const au_names *n, const au_finding *f, au_out *out);

#endif
