/* base/progress.h: one line on stderr that says what is going on. Shown only on
 * a terminal, at most ten times a second, gone when the work is done. */
#ifndef AU_BASE_PROGRESS_H
#define AU_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

void au_progress_enable(bool on); /* --quiet turns it off */
/* 'total' may be 0 (unknown). Cheap enough to call once a block of events. */
void au_progress(const char *stage, uint64_t done, uint64_t total);
/* Wipes the line; call before printing anything else. */
void au_progress_end(void);

#endif
