/* tsg/sems.h: semaphores that are used as locks.
 *
 * A semaphore that begins with 1 is a lock if whoever posts it has it: then one thread has it at a time. What a thread does
 * with it are its roles: TAKE, GIVE.
 *
 * It may also be handed on within a group of readers. A counter c, which begins with 0 and is touched only under a
 * mutex m, says how many there are: who makes it 1 waits for the semaphore first, or then, who makes it 0 posts it, all in one
 * section of m. A thread is a reader from the end of the section in which it counted itself (ENTER) to the beginning of
 * that in which it takes itself out (LEAVE). While m is free:
 *     c is the number of readers;   count + threads that have it alone + (c > 0) = 1
 * as every section keeps both, provided that who leaves is a reader and who gives has it alone. Within a section of m
 * nobody else enters or leaves, and the semaphore is the group's from before its ENTER until after its LEAVE. So readers keep
 * those out that have it alone, as with a read-write lock. sems.c checks the sections; that GIVE and LEAVE are
 * right must hold on every path to them, which is for who follows paths (coreach.c). */
#ifndef AU_TSG_SEMS_H
#define AU_TSG_SEMS_H

#include "tsg/facts.h"

typedef enum { AU_SEM_NONE, AU_SEM_TAKE, AU_SEM_GIVE, AU_SEM_ENTER, AU_SEM_LEAVE } au_sem_role;

typedef struct {
    bool any;
    uint8_t *role;   /* by step */
    uint32_t *obj;   /* by step: the semaphore of its role */
    uint32_t *tried; /* by object: ways of using it that were looked at */
    bool *is;        /* by object: as a lock, if GIVE and LEAVE are right */
} au_sems;

/* Requires: touches, nodes and cell_steps of f. */
void au_sems_init(au_sems *s, const au_facts *f);
void au_sems_release(au_sems *s);

/* At this node its thread has this lock on every path. */
typedef bool au_sems_holds(const void *ctx, uint32_t node, uint32_t obj);

/* The next way in which this semaphore may be a lock: sets roles. False: there is none; it has no roles then. */
bool au_sems_next(au_sems *s, const au_facts *f, uint32_t obj, au_sems_holds *holds,
                  const void *ctx);

#endif
