/* trace/place.h: places in source files as people write them. */
#ifndef AU_TRACE_PLACE_H
#define AU_TRACE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FILE:LINE, as in --reach and --slice. */
bool au_is_place(const char *text);
/* Is this file and line the place? Its file may be the end of a path. */
bool au_at_place(const char *file, size_t length, uint64_t line, const char *place);

#endif
