//! right
/* … by sendmsg: a pair of sockets. */
#include <sys/socket.h>
#include <sys/uio.h>
#define OPEN() socketpair(AF_UNIX, SOCK_DGRAM, 0, P)
#define SEND()                                                                                     \
    sendmsg(P[1], &(struct msghdr){.msg_iov = &(struct iovec){buf, 100}, .msg_iovlen = 1}, 0)
#define TIMES 300
#define RECEIVE()                                                                                  \
    for (int i = 0; i < 300; i++)                                                                  \
    recv(P[0], c, 100, 0)
#include "channel_full.c"
