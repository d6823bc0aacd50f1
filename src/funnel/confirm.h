/* funnel/confirm.h: findings of a recording executed on the program; for `augur replay`, `run` and
 * `explore`. */
#ifndef AU_FUNNEL_CONFIRM_H
#define AU_FUNNEL_CONFIRM_H

#include "front/record.h"
#include "front/replay.h"
#include "front/wanted.h"
#include "funnel/check.h"

/* A recording's program, ready to be run again and again. */
typedef struct au_stage_set au_stage_set;
typedef struct {
    bool discard_output; /* the program's own output is thrown away */
    bool sandbox;        /* each run in its own copy of the working directory (front/sandbox.h) */
    double seconds;      /* the program may take; 0: no limit */
} au_confirm_options;

au_stage_set *au_confirm_open(const char *recording, const au_confirm_options *o, au_error *err);
void au_confirm_free(au_stage_set *s);

/* What is to be seen, from a finding of that recording, without the way through JSON. AU_EUNSUPPORTED
 * if it has no schedule. The caller releases *w. */
au_status au_wanted_of(au_wanted *w, const au_names *names, const au_finding *f, const char *id,
                       au_error *err);

/* Executes w->turns into the recording 'output' (NULL: into one that nobody keeps) and judges.
 * AU_OK whatever the judgement. A program that does not end in time is DIVERGED, with that reason. */
au_status au_confirm(au_stage_set *s, const au_wanted *w, const char *output, au_judgement *j,
                     au_error *err);

#endif
