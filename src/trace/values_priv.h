/* trace/values_priv.h: the words of the value-carrying text. Only for src/trace. */
#ifndef AU_TRACE_VALUES_PRIV_H
#define AU_TRACE_VALUES_PRIV_H

#include "trace/event.h"

extern const struct au_values_word {
    const char *text; /* NULL ends the table */
    au_op op;
} au_values_words[];

#endif
