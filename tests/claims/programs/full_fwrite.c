//! right
/* … by a stream that leads into a pipe. */
#include <stdio.h>
static FILE *f;
#define OPEN() (pipe(P), f = fdopen(P[1], "w"))
#define SEND() (fwrite(buf, 1, sizeof buf, f), fflush(f))
#include "channel_full.c"
