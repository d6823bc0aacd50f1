//! right
/* … by writev. */
#include <sys/uio.h>
#define SEND() writev(P[1], &(struct iovec){buf, sizeof buf}, 1)
#include "channel_full.c"
