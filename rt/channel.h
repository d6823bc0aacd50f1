/* SPDX-License-Identifier: MIT
 *
 * rt/channel.h: which bytes went where (channel.c): the last words of calls that send and receive. */
#ifndef AUGUR_RT_CHANNEL_H
#define AUGUR_RT_CHANNEL_H

#include "rt/io.h"

#include <sys/stat.h>

/* ends[0] receives what ends[1] is sent; of a pair of sockets also the other way round. */
void rt_channel_pipe(const int *ends);
void rt_channel_pair(const int *ends, int type);
/* Other processes have the descriptors, too: nothing is followed any more. */
void rt_channels_shared(void);

/* Before a call that receives, under the token; and before it leaves the wrapper, if it said so. What it takes out of
 * the kernel makes room for senders, who wait until it has told. */
void rt_channel_receives(struct rt_call *c, int fd);
/* … and another thread is in such a call: what is there now may be gone when this one takes it. */
int rt_channel_is_shared(const struct rt_call *c);
/* … of one that comes back only with all of 'n' bytes, in a replay, too: it may take out some long before it tells. */
void rt_channel_wants_all(int fd, size_t n);
void rt_channel_has_received(struct rt_call *c);
/* As rt_call_end, of a call that was to send 'n' bytes from p, or that received c->result of at most 'n', 'got' of
 * them into p; flags are those of recv. Files are nobody's channel. */
int64_t rt_channel_sent(struct rt_call *c, int fd, const void *p, size_t n);
int64_t rt_channel_received(struct rt_call *c, int fd, void *p, size_t n, size_t got, int flags);
/* Before the events of a call whose bytes are not followed (vectors, messages with addresses, files): of one that
 * received; of one that was to send 'n' bytes, and sent c->result. */
void rt_channel_lost(int fd, int receives);
void rt_channel_lost_sent(const struct rt_call *c, int fd, size_t n);
/* … of one that sends nobody knows how much to nobody knows whom, and may wait there; inside: told somewhere in the
 * call of a library's function, in which the thread is not stopped. */
void rt_channel_held(int inside);
/* The program has set the room of a pipe or a socket itself. */
void rt_channel_resized(void);
/* … of one that took n bytes out, or (stay) looked at them, without showing them: they go elsewhere as they are. */
void rt_channel_passed(int fd, size_t n, int stay);
/* … of one that asked about this file, or that may have changed what others are told of it. Nothing, if it is not
 * opened and nobody here has read or written it. */
void rt_channel_file(const struct stat *s, int asks, int opened);
/* … of one that saw nothing to receive there, or no room to send. */
void rt_channel_looked(int fd, int receives);

#endif
