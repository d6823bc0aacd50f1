//! right
/* … by dprintf. */
#include <stdio.h>
#define SEND() dprintf(P[1], "%4096d", 1)
#include "channel_full.c"
