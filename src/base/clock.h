/* base/clock.h: time and memory of this process, for statistics. */
#ifndef AU_BASE_CLOCK_H
#define AU_BASE_CLOCK_H

#include <stdint.h>

double au_now(void);        /* seconds, monotonic */
uint64_t au_peak_kib(void); /* high-water mark of resident memory */

#endif
