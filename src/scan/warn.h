/* scan/warn.h: the warnings to begin with, and what fork, join and locks rule out. */
#ifndef AU_SCAN_WARN_H
#define AU_SCAN_WARN_H

#include "scan/reach.h"
#include "scan/scan.h"

/* Fills r->warning with everything that conflicts, and asserts. */
void au_warn_find(const au_facts *f, unsigned props, au_scan_result *r);
/* Which of the two first stages rules this place out; AU_SCAN_STAGES: none. */
au_scan_stage au_warn_cheap(const au_facts *f, const au_warning *w, const au_scan_place *p);

#endif
