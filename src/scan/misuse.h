/* scan/misuse.h: locks used in a way after which the model does not go on and the program does: who
 * gives back a lock that it does not hold stops in the model; glibc frees the lock. */
#ifndef AU_SCAN_MISUSE_H
#define AU_SCAN_MISUSE_H

#include "model/model.h"

/* What it is, or NULL. Without values: a lock that is given back counts only if no way there takes it; a read-write
 * lock that is taken twice counts if some way does. */
const char *au_scan_misuse(const au_model *m);

#endif
