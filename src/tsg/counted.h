/* tsg/counted.h: locks that a program makes itself, of a mutex and variables under it.
 *
 *     lock(m); while (writers || readers) wait(c, m); writers = 1; unlock(m); … lock(m); writers = 0; signal(c); unlock(m);
 *     lock(m); while (writers) wait(c, m); readers++; unlock(m); …              lock(m); readers--; signal(c); unlock(m);
 *
 * A lock is a mutex m and a variable w that begins with 0, perhaps with another one, r, and is written under m only. A thread
 * has it alone from the end of the section of m in which it found w and r to be 0 and made w 1 (WRITE) to the
 * beginning of that in which it makes w 0 (WRITTEN); with others from the end of that in which it found w to be 0 and made r one more
 * (READ) to the beginning of that in which it makes r one less (DONE). While m is free
 *     r is at least the number of those who have it with others;   w is 0, or 1, and 1 if somebody has it alone
 * for every section keeps both, provided that who makes w 0, or r less, had the lock (alone, with others). So nobody has it alone while another has
 * it. Neither is ever negative; r does not come round to 0 again, for it is of 32 bits at least.
 *
 * Before other threads are started main may also set both to 0 without m (RESET): then nobody has it.
 * counted.c checks the sections; that who gives the lock has it must hold on every path, which is for who
 * follows paths (coreach.c). */
#ifndef AU_TSG_COUNTED_H
#define AU_TSG_COUNTED_H

#include "tsg/sems.h"

typedef enum {
    AU_COUNTED_NONE,
    AU_COUNTED_READ,
    AU_COUNTED_WRITE,
    AU_COUNTED_DONE,
    AU_COUNTED_WRITTEN,
    AU_COUNTED_RESET
} au_counted_role;

typedef struct {
    uint32_t mutex, tried; /* tried: ways that were looked at */
    bool is;
} au_counted_lock;

typedef struct {
    AU_VEC(au_counted_lock) lock; /* one for each mutex under which there may be one */
    uint8_t *role;                /* by step: one is enough, for a section has one end */
    uint32_t *of;                 /* by step: the lock of its role */
} au_counted;

/* Requires: touches, nodes and cell_steps of f. */
void au_counted_init(au_counted *c, const au_facts *f);
void au_counted_release(au_counted *c);

/* At this node no other thread has been started. */
typedef bool au_counted_first(const void *ctx, uint32_t node);

/* The next variables that may be this lock, with its mutex: sets roles. False: there are none; it has no roles then. */
bool au_counted_next(au_counted *c, const au_facts *f, uint32_t lock, au_sems_holds *holds,
                     au_counted_first *first, const void *ctx);

#endif
