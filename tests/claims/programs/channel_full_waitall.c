//! right
/* … by a pair of sockets whose receiver wants more at once than they hold. */
#include <sys/socket.h>
#define OPEN() socketpair(AF_UNIX, SOCK_STREAM, 0, P)
#define TIMES 200
#define RECEIVE() recv(P[0], c, TIMES * sizeof buf, MSG_WAITALL)
#include "channel_full.c"
