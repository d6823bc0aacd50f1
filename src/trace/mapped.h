/* trace/mapped.h: memory that has another address, or may: files and segments mapped to be shared (AU_NOTE_MAPPED). */
#ifndef AU_TRACE_MAPPED_H
#define AU_TRACE_MAPPED_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct au_mapping {
    uint64_t start, end, file, offset;
    uint64_t age; /* the first has the lowest */
};
typedef AU_VEC(struct au_mapping) au_mappings; /* none overlaps another */

/* A NOTE_MAPPED: its bytes. */
void au_mappings_note(au_mappings *m, const uint8_t *data, size_t n);
/* Does anything of these bytes lie in a mapping? */
bool au_mappings_have(const au_mappings *m, uint64_t at, uint64_t n);
/* Where the oldest mapping of the same memory has these bytes; 'at' itself, if there is no older one, or not of all of
 * them. So that memory is the same whatever address it has. */
uint64_t au_mappings_first(const au_mappings *m, uint64_t at, uint64_t n);

#endif
