//! right
/* … by a pipe that was made small. */
#define _GNU_SOURCE
#include <fcntl.h>
#define OPEN() (pipe(P), fcntl(P[1], F_SETPIPE_SZ, 4096))
#define TIMES 2
#include "channel_full.c"
