//! right
/* … by one write that is larger than a pipe, read in pieces. */
#define SEND() write(P[1], large, sizeof large)
#define TIMES 1
#define RECEIVE()                                                                                  \
    for (long n = 0, k; n < (long)sizeof large; n += k)                                            \
        if ((k = read(P[0], c, 4096)) <= 0)                                                        \
    break
static char large[200000];
#include "channel_full.c"
