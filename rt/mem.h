/* SPDX-License-Identifier: MIT
 *
 * rt/mem.h: telling accesses to memory that no hook told. One event each (more only for
 * very long ranges), at the thread's current call; no point is passed. */
#ifndef AUGUR_RT_MEM_H
#define AUGUR_RT_MEM_H

#include "rt/sync.h"

/* AU_SOP_RREAD (before or just after the access) or AU_SOP_RWRITE (after it: the bytes are
 * taken from p). Length 0 is an event too. */
void rt_tell(uint8_t op, const void *p, size_t n);
void rt_tell_copy(void *to, const void *from, size_t n); /* RCOPY, before or after */
void rt_tell_set(void *p, int byte, size_t n);
/* Atomics of up to 8 bytes; larger ones are told as ranges. AU_OP_AREAD before,
 * AU_OP_AWRITE and AU_OP_RMW after the access. */
void rt_tell_atomic(uint8_t op, const void *p, size_t n);

/* What memcpy and its kin are in the runtime's own files (pack.sh). */
void *rt_memcpy(void *to, const void *from, size_t n);
void *rt_memmove(void *to, const void *from, size_t n);
void *rt_memset(void *p, int byte, size_t n);
int rt_memcmp(const void *a, const void *b, size_t n);

#endif
