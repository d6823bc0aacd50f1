//! right
/* … by a pair of sockets that were made small. */
#include <sys/socket.h>
static int few = 1;
#define OPEN()                                                                                     \
    (socketpair(AF_UNIX, SOCK_STREAM, 0, P),                                                       \
     setsockopt(P[1], SOL_SOCKET, SO_SNDBUF, &few, sizeof few))
#define TIMES 4
#define RECEIVE()                                                                                  \
    for (int i = 0; i < 4; i++)                                                                    \
    recv(P[0], c, sizeof buf, MSG_WAITALL)
#include "channel_full.c"
