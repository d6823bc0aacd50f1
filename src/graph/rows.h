/* graph/rows.h: what a read can see while its thread stands still; between the files of this
 * layer only. */
#ifndef AU_GRAPH_ROWS_H
#define AU_GRAPH_ROWS_H

#include "graph/cause_priv.h"

typedef struct au_rows au_rows;

/* Forms shown of a write: bits 1 << au_form. The order leads up to the read, which is not in it. */
typedef void au_row_seen(void *ctx, uint32_t read, uint32_t c, unsigned form,
                         const au_cause_ids *order);

au_rows *au_rows_new(const au_cause *g, const au_cause_exec *exec, au_row_seen *seen, void *ctx);
void au_rows_free(au_rows *w);
/* From now on reads of this thread, in its order. */
void au_rows_start(au_rows *w, uint32_t thread);
void au_rows_read(au_rows *w, uint32_t read);
uint64_t au_rows_walked(const au_rows *w); /* events executed */
uint64_t au_rows_work(const au_rows *w);   /* … and those that could not be */
/* Walks end when so much work was done, in all. */
void au_rows_limit(au_rows *w, uint64_t most);

#endif
