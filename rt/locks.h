/* SPDX-License-Identifier: MIT
 *
 * rt/locks.h: locks that the kernel keeps (locks.c), for who closes what they hang on. */
#ifndef AUGUR_RT_LOCKS_H
#define AUGUR_RT_LOCKS_H

struct flock;
/* fcntl with F_OFD_SETLK or F_OFD_SETLKW. */
int rt_locks_range(int fd, int op, struct flock *f);

/* Is a lock held through this descriptor? Then it is closed between rt_enter and rt_locks_closed. */
int rt_locks_held(int fd);
/* After it was closed: its locks are given up. With the events; leaves. */
int rt_locks_closed(int fd, int result);
/* Other processes have the descriptors, too: who holds what is not known any more. */
void rt_locks_shared(void);

#endif
