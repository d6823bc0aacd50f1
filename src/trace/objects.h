/* trace/objects.h: which object of the recorded program lies where at this moment of
 * its run: global variables, blocks of the heap, local variables. For names only: how
 * memory falls into variables is cells.h.
 *
 * An object stays after its end (a freed block keeps its name) until another one comes to
 * lie on its bytes. */
#ifndef AU_TRACE_OBJECTS_H
#define AU_TRACE_OBJECTS_H

#include "base/hash.h"
#include "base/vec.h"
#include "trace/tables.h"

enum { AU_OBJECT_GLOBAL = 1, AU_OBJECT_HEAP, AU_OBJECT_LOCAL };

typedef struct {
    uint64_t start, size;    /* size > 0 */
    const au_tables *tables; /* may be NULL */
    uint32_t type;           /* number in tables, 0: unknown */
    uint32_t name;           /* string of tables: GLOBAL, LOCAL */
    uint32_t func;           /* string of tables: LOCAL */
    uint32_t place;          /* HEAP, LOCAL: where it was made, the caller's number */
    uint32_t number;         /* counts those made there, from 1 */
    uint16_t thread;         /* LOCAL */
    uint8_t kind;            /* 0: free slot */
    bool freed;
    uint32_t var; /* the caller's: variable that stands for all of it, + 1 */
} au_object;

typedef struct {
    AU_VEC(au_object) slot;
    AU_VEC(uint32_t) free;
    AU_VEC(uint32_t) large; /* slots of objects of many pages, by address */
    au_map page;            /* page number -> index + 1 of its list */
    AU_VEC(struct au_object_page { AU_VEC(uint32_t) slot; })
    list;
} au_objects;

void au_objects_init(au_objects *o);
void au_objects_release(au_objects *o);

/* Takes a new object in; what lay on its bytes before is gone. The result is valid until the
 * next call. */
au_object *au_objects_add(au_objects *o, const au_object *x);
/* The object with this byte, or NULL. Valid until the next add. */
au_object *au_objects_find(au_objects *o, uint64_t address);

#endif
