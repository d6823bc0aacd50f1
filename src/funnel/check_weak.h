/* funnel/check_weak.h: memory models by name. */
#ifndef AU_FUNNEL_CHECK_WEAK_H
#define AU_FUNNEL_CHECK_WEAK_H

#include "model/semantics.h"

const char *au_memory_name(au_memory memory); /* "sc", "tso", "rc11" */

#endif
