/* base/progress.h: what is going on, on stderr. On a terminal one line, at most ten times a second, gone when
 * the work is done: stage, how much of it, findings so far, time left of the budget (base/deadline.h). Plainly:
 * such a line every thirty seconds. */
#ifndef AU_BASE_PROGRESS_H
#define AU_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    AU_PROGRESS_AUTO,  /* on a terminal, else none */
    AU_PROGRESS_PLAIN, /* lines, wherever they go */
    AU_PROGRESS_NONE
} au_progress_kind;

void au_progress_enable(bool on); /* --quiet turns it off, and so do workers */
void au_progress_as(au_progress_kind kind);
/* Is somebody looking: a terminal, or plain lines? */
bool au_progress_is_seen(void);
/* 'total' may be 0 (unknown). Cheap enough to call once a block of events. */
void au_progress(const char *stage, uint64_t done, uint64_t total);
/* So many findings by now. */
void au_progress_found(uint64_t findings);
/* Wipes the line; call before printing anything else. */
void au_progress_end(void);

#endif
