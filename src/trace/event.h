/* trace/event.h: what an event is, and the names of the things it touches. */
#ifndef AU_TRACE_EVENT_H
#define AU_TRACE_EVENT_H

#include "base/intern.h"
#include "base/none.h"
#include "base/vec.h"
#include "wire/wire.h"

typedef uint8_t au_op;

#define AU_LOC_NAMED UINT32_C(0x80000000)  /* loc >= this: AU_LOC_NAMED + id in names->loc */
#define AU_MAX_THREADS AU_WIRE_MAX_THREADS /* in base/limits.def as THREADS */

/* "r", "acq", …; the name space of the operand (AU_WIRE_SPACE_*). */
const char *au_op_name(au_op op);
uint8_t au_op_space(au_op op);
/* AU_OPS if there is no such name. */
au_op au_op_by_name(const char *s, size_t n);

static inline bool au_op_is_access(au_op op) {
    return op == AU_OP_READ || op == AU_OP_WRITE || (op >= AU_OP_AREAD && op <= AU_OP_RMW);
}

/* Functions are entered and left: only who asks for functions looks at these. */
static inline bool au_op_is_call(au_op op) {
    return op >= AU_OP_CALL && op <= AU_OP_XRET;
}

/* Dense ids with names, one table a space. Grows while a trace is read. */
typedef struct {
    au_intern thread, var, lock, block, loc;
    /* One entry a lock: what kind of object (AU_WIRE_OBJ_*) and its initial
     * count. May be shorter than lock.n: the rest is unknown, 0. */
    AU_VEC(struct au_sync_info {
        uint8_t kind;
        int32_t init;
    })
    sync;
    /* Of variables of a recording: bytes [at, at + n) of the program's memory. May be shorter than
     * var.n; n == 0: not known. */
    AU_VEC(struct au_extent {
        uint64_t at;
        uint64_t n;
    })
    extent;
    AU_VEC(char *) called; /* by thread: what the program calls it; may be shorter, NULL: nothing */
} au_names;

void au_names_init(au_names *n);
void au_names_release(au_names *n);
au_intern *au_names_space(au_names *n, uint8_t space); /* NULL for NONE */
const au_intern *au_names_space_const(const au_names *n, uint8_t space);
void au_names_set_extent(au_names *n, uint32_t var, uint64_t at, uint64_t bytes);
void au_names_set_sync(au_names *n, uint32_t lock, uint8_t kind, int32_t init);
/* The program calls the thread so from now on (n bytes; 0: no more). */
void au_names_call(au_names *names, uint32_t thread, const char *text, size_t n);
/* … "": it has no name but its own. Two threads may be called the same. */
const char *au_names_called(const au_names *names, uint32_t thread);
/* What is known of a synchronisation object; kind UNKNOWN past the table. */
struct au_sync_info au_names_sync(const au_names *n, uint32_t lock);
/* A mutex that another thread gets if its holder ends. */
static inline bool au_sync_is_robust(struct au_sync_info s) {
    return (s.kind == AU_WIRE_OBJ_LOCK || s.kind == AU_WIRE_OBJ_RLOCK) && s.init;
}

/* A run of events as columns. Pointers are borrowed from whoever made it. */
typedef struct {
    size_t n;
    uint64_t first; /* number of the first event in the trace, from 0 */
    const au_op *op;
    const uint16_t *thread;
    const uint32_t *obj;
    const uint32_t *loc;
    const int64_t *value;     /* NULL: no event of this block has a value */
    const uint8_t *has_value; /* NULL with value set: every event has one */
} au_block;

static inline bool au_block_has_value(const au_block *b, size_t i) {
    return b->value && (!b->has_value || b->has_value[i]);
}

/* An acquisition (acq, rdacq, wracq, down) that was only tried, or had a time: where it cannot be had, its
 * thread does not wait for good but goes on without. value: of the event, NULL if it has none. */
static inline bool au_op_tried(au_op op, const int64_t *value) {
    return value && *value == 1 &&
           (op == AU_OP_ACQ || op == AU_OP_RDACQ || op == AU_OP_WRACQ || op == AU_OP_DOWN);
}
static inline bool au_block_tried(const au_block *b, size_t i) {
    return au_op_tried(b->op[i], au_block_has_value(b, i) ? &b->value[i] : NULL);
}

/* Space for building a block event by event. Once any_value is set, value and
 * has_value are filled for all n events; before, they are not written. */
typedef struct {
    size_t n, cap;
    bool any_value, all_value;
    au_op *op;
    uint16_t *thread;
    uint32_t *obj, *loc;
    int64_t *value;
    uint8_t *has_value;
} au_columns;

static inline bool au_columns_tried(const au_columns *c, size_t i) {
    bool has = c->any_value && (c->all_value || c->has_value[i]);
    return au_op_tried(c->op[i], has ? &c->value[i] : NULL);
}

/* A write without a value where others have one: it frees the memory, or foreign code does it. */
static inline bool au_columns_blank(const au_columns *c, size_t i) {
    return c->op[i] == AU_OP_WRITE && c->any_value && !c->all_value && !c->has_value[i];
}

void au_columns_init(au_columns *c);
void au_columns_release(au_columns *c);
void au_columns_clear(au_columns *c);
void au_columns_reserve(au_columns *c, size_t n);
/* value may be NULL */
void au_columns_push(au_columns *c, au_op op, uint16_t thread, uint32_t obj, uint32_t loc,
                     const int64_t *value);
void au_columns_append(au_columns *c, const au_block *b);
/* A view of events from … to-1. */
au_block au_columns_block(const au_columns *c, size_t from, size_t to);

#endif
