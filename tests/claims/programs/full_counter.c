//! right
/* … by an event counter to which no more can be added. */
#include <stdint.h>
#include <sys/eventfd.h>
#define OPEN() (P[0] = P[1] = eventfd(0, 0))
#define SEND() write(P[1], &(uint64_t){UINT64_MAX - 1}, 8)
#define TIMES 2
#define RECEIVE() read(P[0], c, 8)
#include "channel_full.c"
