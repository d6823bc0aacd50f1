/* report/case_kinds.h: kinds of findings and single events in sentences, for every form that people
 * read. */
#ifndef AU_REPORT_CASE_KINDS_H
#define AU_REPORT_CASE_KINDS_H

#include "report/case.h"

typedef struct {
    const char *name;    /* "DataRace": for tools that want a word */
    const char *title;   /* "data race": a few words */
    const char *meaning; /* a sentence or two */
    const char *help;    /* what to do about it */
} au_kind_words;
const au_kind_words *au_kind_words_of(au_kind k);

/* What to do about a finding, in a sentence or two. */
const char *au_case_advice(const au_case *c);

/* "T1 writes 'balance' = 20 in deposit, holding 'lock'". Names are made safe for a terminal. */
void au_case_tell_event(const au_case_event *e, au_out *out);
/* "worker (T1)", "T1": a thread with what the program calls it. Several may be called the same, so the number stays. */
void au_case_thread(const char *thread, const char *called, char *out, size_t room);
void au_case_put_thread(au_out *out, const au_case_event *e);
/* "writes": what an operation of an event is in a sentence; one that is not known stays what it
 * is, safe or not. */
const char *au_case_verb(const au_case_event *e);
/* Text from outside, made safe and cut to about 'most' bytes. */
void au_case_put_safe(au_out *out, const char *s, size_t most);

#endif
