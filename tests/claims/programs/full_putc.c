//! right
/* … by a stream that leads into a pipe, letter by letter. */
#include <stdio.h>
static FILE *f;
#define OPEN() (pipe(P), f = fdopen(P[1], "w"))
#define SEND() putc('a', f)
#define TIMES (17 * 4096 + 1)
#define RECEIVE()                                                                                  \
    for (long n = 0, k; n < 17 * 4096; n += k)                                                     \
        if ((k = read(P[0], c, sizeof c)) <= 0)                                                    \
    break
#include "channel_full.c"
