/* engine/gone.h: earlier findings of a program that a later run does not show. */
#ifndef AU_ENGINE_GONE_H
#define AU_ENGINE_GONE_H

#include "store/store.h"

typedef enum {
    AU_STILL_THERE, /* the run shows it, or is of another program */
    AU_NOT_SEEN, /* nothing more is known: another input, or some interleavings were not looked at */
    AU_GONE      /* same program, same arguments, and every interleaving of the run was covered */
} au_gone;

/* Of a finding that was last shown by the run 'then', in view of the later run 'now'. */
au_gone au_gone_of(const au_store_row *r, const au_dossier *then, const au_dossier *now);

/* Says so in the run's notes: "2 earlier findings no longer happen: R1, D1 …", "not seen this time: R2". What people settled is
 * passed over. The run is not stored yet. */
au_status au_gone_note(au_store *s, au_dossier *now, au_error *err);

/* "open", "fixed" (some later run of the program shows that it no longer happens) or "known"; of an open one also whether
 * later runs did not show it. */
typedef struct {
    const char *word;
    bool unseen;
} au_finding_state;
au_finding_state au_finding_state_of(au_store *s, const au_store_runs *past, const au_store_row *r);

#endif
