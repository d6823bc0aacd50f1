/* SPDX-License-Identifier: MIT
 *
 * rt/cause.h: what may have caused the input from outside. Somebody at the other end of a socket, or a
 * child, answers what was sent there. A digest of all that was sent to a peer stands in the INPUT
 * record of what is heard from it (where errno would be, were it an error). In another schedule input is
 * as good as there only if the peer had been told the same by some time before; else the run
 * rests on it (AU_RESTS_OUTSIDE). Standard input, and files and devices, do not listen. A child of fork was told all
 * that there was when it was made: of that stands the order of turns up to there. */
#ifndef AUGUR_RT_CAUSE_H
#define AUGUR_RT_CAUSE_H

#include "rt/io.h"

#include <sys/uio.h>

#pragma GCC visibility push(hidden)

/* Whom this descriptor leads to; 0: nobody who listens. RT_OTHERS: children, and who has the other
 * ends of pipes that are not this process's alone. */
#define RT_OTHERS 1u
#define RT_KERNEL                                                                                  \
    3u /* files in which the kernel tells of this process: all that it did causes them */
uint64_t rt_peer(int fd);
/* Bytes were sent there. */
void rt_cause_sent(uint64_t peer, const void *bytes, size_t n);
/* A child was made of all that there is: it is told how far everybody has come. */
void rt_cause_forked(void);
void rt_cause_pieces(uint64_t peer, const struct iovec *v, size_t n, int64_t sent);
/* What was sent so far; for the INPUT record. */
uint32_t rt_cause(uint64_t peer);
/* Another schedule: this was fed that had been heard then. */
void rt_cause_fed(uint64_t peer, uint32_t then);
/* Another schedule: a living child answered this. It rests on what the child took from outside if others of the family
 * had been told just the same then, and it was another answer. */
void rt_cause_answered(const struct rt_call *c, uint8_t kind, const void *bytes, size_t n);

#pragma GCC visibility pop
#endif
