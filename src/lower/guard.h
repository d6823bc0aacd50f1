/* lower/guard.h: accesses under locks that are known by where they lie, seen from the access.
 *
 * A guard says of an access of 'bytes' bytes at address x: x is at one of these places of these objects; the thread
 * holds a lock at x + offset for each of its locks; and if x is in object obj, one at this offset of it (of that very one, if
 * it stands for several) for each of 'inside'. Guards are numbered from 1. */
#ifndef AU_LOWER_GUARD_H
#define AU_LOWER_GUARD_H

#include "base/hash.h"
#include "base/vec.h"

typedef struct {
    int64_t offset;
    bool alone; /* no other reader has it */
} au_guard_lock;

typedef struct {
    uint32_t obj;
    int64_t off; /* off + k * stride for some k, negative ones too; stride 0: off */
    uint64_t stride;
} au_guard_place;

typedef struct {
    uint32_t obj;
    int64_t off;
    bool alone;
} au_guard_inside;

typedef struct {
    uint64_t bytes;
    AU_VEC(au_guard_lock) lock;
    AU_VEC(au_guard_inside) inside;
    AU_VEC(au_guard_place) place;
    /* The access is of one element, of so many bytes, of an array that begins an object, or of what an object
     * is an array of: the thread's own (lower/own.c). 0: nothing is said. */
    uint32_t site;
    bool creator; /* by who creates the threads: of one that no thread has yet */
    uint64_t element;
    uint64_t number; /* site AU_GUARD_NUMBERED: 1 + the element's number */
    /* The access is of an object that no other thread has a pointer to (AU_GUARD_PRIVATE; lower/private.c), of one that the
     * thread made itself (AU_GUARD_OWN), or of one other object, each with its number (lower/roots.c). 0: nothing is said. */
    uint32_t root;
    /* By which type the access reaches memory that is not told from other memory: 1 + place in 'way' (lower/typed.c). 0: nothing is
     * said. */
    uint32_t way;
} au_src_guard;
enum { AU_GUARD_PRIVATE = 1, AU_GUARD_OWN = 2 };
#define AU_GUARD_NUMBERED                                                                          \
    UINT32_MAX /* a site: of all threads that were given a number that is a constant */

/* See struct au_code_alias. */
typedef struct {
    uint64_t root;
    uint32_t first, n; /* in 'link' */
} au_guard_way;
typedef struct {
    uint64_t type, offset;
} au_guard_link;

typedef struct {
    AU_VEC(au_src_guard) at;
    au_idtable index;
    AU_VEC(au_guard_way) way;
    AU_VEC(au_guard_link) link;
    au_idtable way_index;
} au_guards;

void au_guards_init(au_guards *g);
void au_guards_release(au_guards *g);
/* Its number; 0: it says nothing, or too much. Copies it. */
uint32_t au_guard_add(au_guards *g, const au_src_guard *guard);
/* Its number, from 1 on: the same for equal ones. Copies it. */
uint32_t au_guard_add_way(au_guards *g, uint64_t root, const au_guard_link *link, uint32_t n);
/* Two threads cannot both stand before accesses with these guards whose bytes overlap. 0: no guard. */
bool au_guards_exclude(const au_guards *g, uint32_t a, uint32_t b);

#endif
