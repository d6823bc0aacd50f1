/* funnel/knowledge.h: what the program's own code tells of a recording: how the values in it came
 * about (model/symbolic.h), got by retracing the run (retrace/retrace.h). For 'check' and 'show'. */
#ifndef AU_FUNNEL_KNOWLEDGE_H
#define AU_FUNNEL_KNOWLEDGE_H

#include "retrace/retrace.h"
#include "trace/reader.h"

/* Where it comes from. All borrowed. */
typedef struct au_knowledge_source {
    const char *path;        /* of the recording */
    const au_reader *reader; /* that has read it to its end */
    au_read_options read;    /* … with these */
    unsigned checks;         /* AU_CHECK_* */
    unsigned split;          /* as au_retrace_options has it */
} au_knowledge_source;

typedef struct {
    bool there; /* s has something to say */
    au_symbolic s;
    au_retrace_facts facts;
    char *note;  /* what is not known, and why; NULL: all is well */
    bool failed; /* … because the system failed: what is said without it is inconclusive */
    au_symbolic_plan *plan; /* of s, made when it is first needed */
    char *bug;              /* the self-check failed, and where; NULL: it did not */
} au_knowledge;

/* Never fails: what cannot be had is told by note and bug. Borrows t. */
void au_knowledge_make(au_knowledge *k, const au_knowledge_source *from, const au_trace *t);
void au_knowledge_release(au_knowledge *k);

/* The model with all that is known, its own run checked against the recording; NULL if there is
 * none or it does not give what was recorded (then k->bug says so, or *err). The map (which may
 * be NULL) is the caller's to release. */
au_model *au_knowledge_model(au_knowledge *k, au_symbolic_map *map, au_error *err);
/* The same, but only what the program's assertions depend on; NULL, too, if that is more than 'most'
 * events. */
au_model *au_knowledge_assertions(au_knowledge *k, size_t most, au_symbolic_map *map,
                                  au_error *err);
/* Borrowed. NULL and *err if there is none. */
au_symbolic_plan *au_knowledge_plan(au_knowledge *k, au_error *err);

#endif
