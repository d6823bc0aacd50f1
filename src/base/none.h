/* base/none.h: "there is none" of what is told by its number: an index, an id, an event, a thread. One
 * name for each width; numbers that are wrapped in a type have a value of their own (AU_NO_TERM). */
#ifndef AU_BASE_NONE_H
#define AU_BASE_NONE_H

#include <stdint.h>

#define AU_NONE16 UINT16_MAX
#define AU_NONE UINT32_MAX
#define AU_NONE64 UINT64_MAX

#endif
