/* lower/source_priv.h: from code to a model, inside.
 *
 *   lower/index.c    functions by name; what each function's graph and slots look like
 *   lower/points.c   what a pointer may point to: the solver (inclusion constraints)
 *   lower/begin.c    where it begins, and what is not followed
 *   lower/frame.c    frames (copies of functions) and threads, made as calls are found
 *   lower/flow.c     constraints of instructions
 *   lower/library.c  functions without code: what the table says of them
 *   lower/cell.c     accesses, and the cells they cut memory into
 *   lower/step.c     steps
 *   lower/build.c    blocks, branches and calls as steps
 *   lower/thread.c   whole threads, returns of shared functions
 *   lower/value.c    instructions as terms
 *   lower/access.c   loads and stores as steps
 *   lower/sync.c     threads, locks and their kin as steps
 *   lower/expr.c     values by where they come from
 *   lower/path.c     locks that are known by the way that leads to them
 *   lower/own.c      elements of arrays that are one thread's own
 *   lower/roots.c    accesses of what the thread made itself
 *   lower/private.c  objects that no other thread gets a pointer to
 *   lower/typed.c    types that tell accesses apart where nothing else does
 *   lower/joins.c    loops that join all threads of another loop
 *   lower/guard.c    which accesses under such locks exclude each other
 *   lower/fold.c     constants, dead branches, steps that do nothing
 *   lower/open.c     files to decoded modules
 *   source.c          all of it in order
 *
 * The points-to analysis runs over frames, not functions: every inlined call has its own copy of its
 * function's slots, and so has every thread. So it is as sensitive to contexts as the model itself, and memory
 * of one thread is told from that of another that runs the same code. */
#ifndef AU_LOWER_SOURCE_PRIV_H
#define AU_LOWER_SOURCE_PRIV_H

#include "base/bitset.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/limits.h"
#include "ir/code.h"
#include "lower/source.h"
#include "wire/libc.h"

/* A function with code. */
typedef struct {
    const au_code *code;
    const au_code_function *f;
    uint32_t module;
    bool known;      /* the rest is filled in */
    bool jumps;      /* it calls setjmp: control comes again where no edge leads */
    uint8_t *cyclic; /* by instruction of the function: may be executed again in one call */
    uint8_t *live;   /* by instruction: reachable from the entry */
    uint8_t
        *cross; /* by slot: used in another block than the one that sets it, or set by an edge */
    uint8_t *width; /* by slot: bits; 0 never set */
    uint8_t *vague; /* by slot: set by something that is not modelled */
    uint32_t *
        room; /* by slot: bytes from where it points on to the end of the array that is a member; 0: not known */
    uint32_t *last; /* by slot: the last instruction that uses it, of a slot that is not 'cross' */
} au_src_fn;

typedef enum { OBJ_GLOBAL, OBJ_STACK, OBJ_HEAP, OBJ_FUNCTION, OBJ_OUTSIDE } au_src_obj_kind;

/* Offsets in an object: off + k * stride for 0 <= k < count; stride 0: only off; count 0: any k,
 * also negative ones. */
typedef struct {
    uint32_t obj;
    uint32_t count;
    int64_t off;
    uint64_t stride;
} au_src_loc;

/* The pointers in a part of an object: what stores put there, what loads find there. */
typedef struct {
    uint32_t loc, stored, loaded; /* loc; nodes */
} au_src_part;

typedef struct {
    uint32_t from, to; /* objects */
    int64_t shift;     /* an offset in 'from' + shift is one in 'to' */
    int64_t low, high; /* offsets in 'from' */
} au_src_bulk;

typedef struct {
    au_src_obj_kind kind;
    bool many;     /* may stand for several objects */
    bool constant; /* nobody writes it */
    bool zeroed;   /* HEAP: its first contents are zero; GLOBAL: has 'global' */
    bool escaped;  /* the outside knows it */
    bool collapsed;
    bool vague;    /* its contents are never known */
    bool absorbed; /* taken to be memory of the outside */
    bool compared; /* 'many': two pointers to it may be compared with each other (lower/flow.c) */
    uint32_t module, place; /* GLOBAL: of its definition; FUNCTION: place is the function */
    uint32_t frame, insn;   /* STACK, HEAP: where it is made */
    uint32_t thread;        /* of a thread-local global; AU_NONE */
    uint64_t size;          /* 0: not known */
    uint64_t address;       /* what stands for its address in the model */
    const char *name;
    uint32_t n_exact; /* locs with stride 0 */
    AU_VEC(au_src_part) part;
    AU_VEC(uint32_t) bulk; /* copies out of it */
} au_src_obj;

typedef enum {
    USE_COPY,
    USE_ADD,   /* to: the same + number */
    USE_SCALE, /* to: + k * number, count */
    USE_ANY,   /* to: somewhere in the object */
    USE_LOAD,  /* to: what lies at + number */
    USE_STORE, /* what 'to' has is put at + number */
    USE_PUT,   /* loc 'to' is put at + number */
    USE_CALL,  /* functions: frame, insn */
    USE_CREATE,
    USE_ONCE,
    USE_BULK_TO, /* memcpy: to: index in bulk_call */
    USE_BULK_FROM,
    USE_OUTSIDE, /* objects: become known to the outside */
    USE_INSIDE   /* functions the outside knows: called from frame, insn */
} au_src_use_kind;

typedef struct {
    uint8_t kind;
    uint32_t to, frame, count;
    int64_t number;
} au_src_use;

typedef struct {
    AU_VEC(uint32_t) loc; /* grows only; the first 'done' have gone through all uses */
    size_t done;
    AU_VEC(au_src_use) use;
    au_map *set; /* if there are many */
    bool queued, overfull;
} au_src_node;

typedef struct {
    uint32_t to, from; /* nodes of the pointers */
    int64_t bytes;     /* -1: not known */
} au_src_bulk_call;

typedef struct {
    uint32_t insn, fn, frame, next; /* next: of the same call; AU_NONE */
} au_src_call;

typedef struct {
    uint32_t fn, thread, parent, insn; /* insn: the call, in the parent */
    uint32_t node;                     /* of slot 0; slots follow */
    uint32_t result;                   /* nodes of the result's slots */
    bool shared;                       /* one copy for several calls */
    bool again;                        /* may be entered more than once by its thread */
    bool recursive;
    bool queued;
    uint32_t depth;
    AU_VEC(uint32_t) varargs; /* nodes */
    AU_VEC(uint32_t) callee;  /* frames, once each */
    /* the model's */
    uint32_t entry, back, unwind; /* nodes */
    uint32_t return_to;           /* variable, AU_NONE */
    uint32_t landing;             /* recursive: node where its calls come back; AU_NONE */
    AU_VEC(uint32_t) lands;       /* … and where they go on */
    AU_VEC(uint32_t) slot_var;    /* by slot; AU_NONE */
    AU_VEC(uint32_t) result_var;
    struct au_src_return *returns; /* of a shared one */
    size_t n_returns, cap_returns;
    bool built;
} au_src_frame;

typedef struct {
    uint32_t fn, frame;         /* entry and its frame */
    uint32_t by_frame, by_insn; /* who creates it; AU_NONE */
    uint32_t instance;
    uint32_t like; /* made by the same call as that one, but executed elsewhere; AU_NONE */
    bool several;
    bool any_argument;       /* what it gets is not known as a value */
    bool looping;            /* an entry that runs again and again */
    AU_VEC(uint32_t) before; /* frames that run first: constructors */
    uint32_t model;
    uint64_t handle;
    uint32_t argument; /* SYNC variable */
    uint32_t instructions;
} au_src_thread;

typedef struct {
    uint32_t thread, next;
} au_src_created;

/* A piece of memory as some instruction takes it: a record. Records that may overlap are one cell,
 * which is the record that 'parent' leads to. */
typedef struct {
    uint32_t parent;
    uint32_t loc, bytes;
    bool bulk; /* many bytes at once: does not cut */
    /* of the cell */
    bool exact;
    bool written;
    uint32_t thread; /* the only one that touches it; AU_NONE nobody, MANY several */
    uint32_t var;    /* AU_NONE: none is needed */
    bool constant;   /* 'value' */
    uint64_t value;
} au_src_cell;
#define MANY (UINT32_MAX - 1)

typedef struct {
    const au_code *const *code;
    size_t n_codes;
    au_source_options o;
    au_source *out;
    AU_VEC(au_src_fn) fn;
    uint32_t *fn_base;           /* by module */
    au_intern fn_name;           /* of functions others can call … */
    AU_VEC(uint32_t) fn_by_name; /* … by string */
    au_intern var_name;
    AU_VEC(uint32_t) obj_by_name;
    uint32_t *
        *global; /* by module, global: object or AU_NONE; thread-local ones by thread in 'tls' */
    au_map tls;  /* object << 32 | thread -> object + 1 */
    AU_VEC(au_src_obj) obj;
    AU_VEC(au_src_loc) loc;
    au_idtable loc_index;
    AU_VEC(au_src_node) node;
    AU_VEC(uint32_t) queue;
    AU_VEC(uint32_t) overfull; /* nodes that have become too large */
    bool absorb;               /* all that escapes is taken to be of the outside */
    size_t queue_at;
    AU_VEC(au_src_bulk) bulk;
    AU_VEC(au_src_bulk_call) bulk_call;
    au_map bulk_seen;
    AU_VEC(au_src_frame) frame;
    AU_VEC(uint32_t) new_frame; /* not yet looked at */
    au_map call_at;             /* frame << 32 | insn -> first in 'call' + 1 */
    AU_VEC(au_src_call) call;
    au_map shared_frame; /* thread << 32 | fn -> frame + 1 */
    AU_VEC(au_src_thread) thread;
    au_map created_at; /* frame << 32 | insn -> first in 'created' + 1 */
    AU_VEC(au_src_created) created;
    au_map outside_call; /* frame << 32 | insn: an indirect call that may be of the outside */
    au_map start_at;     /* frame << 32 | insn of an AU_SYNC_START -> node of the object + 1 */
    au_map heap_at;      /* frame << 32 | insn -> object + 1 */
    au_map fn_obj;       /* fn -> object + 1 */
    uint32_t outside;    /* object */
    uint32_t out_node; /* what the outside can get at: decides what escapes and what it may call */
    uint32_t handed;   /* what it was given directly, or its own: what it gives back */
    uint32_t joined;   /* what threads return */
    AU_VEC(uint32_t) specific; /* by thread: node of what pthread_setspecific got */
    uint32_t null_obj;
    AU_VEC(au_src_cell) cell;
    au_map cell_at; /* loc << 32 | bytes << 1 | bulk -> record + 1 */
    struct au_src_ids {
        uint32_t *at;
        size_t n, cap;
    } * records_of; /* by object */
    size_t n_records_of;
    au_map over_at;
    au_map
        guard_at; /* frame << 32 | insn: guard of its reads << 32 | of its writes (lower/path.c) */
    au_map
        forward; /* fn << 32 | insn of a load: the operand that was stored, 32 bits, + 1 (lower/forward.c) */
    au_intern texts;
    AU_VEC(const char *) text_at;
    uint64_t work, most_work;
    uint64_t asked;        /* au_src_late, so often */
    uint64_t instructions; /* of all frames */
    au_error *err;
    bool cancels; /* pthread_cancel is called somewhere */
    bool failed;
} src;

/* ---- lower/source.c ---- */
/* Is the time of the command over (base/deadline.h)? Then it has failed. Looks at the clock now and then only. */
bool au_src_late(src *s);

/* ---- lower/index.c ---- */
void au_src_index(src *s);
void au_src_index_free(src *s);
uint32_t au_src_fn_by_name(const src *s, uint32_t module, const char *name); /* AU_NONE */
au_src_fn *au_src_fn_get(src *s, uint32_t fn);                               /* filled in */
static inline const au_code_insn *au_src_insn(const src *s, uint32_t fn, uint32_t insn) {
    return &s->fn.at[fn].code->insn[insn];
}
/* Calls visit(ctx, edge) for every edge out of the instruction (which ends a block, or is an invoke). */
void au_src_each_edge(const au_code *c, const au_code_insn *i, void (*visit)(void *, uint32_t),
                      void *ctx);
/* The function that a call enters if that does not depend on pointers, or AU_NONE. */
uint32_t au_src_direct(const src *s, uint32_t fn, const struct au_code_call *c);
const char *au_src_call_name(const src *s, uint32_t fn, const struct au_code_call *c);

/* Slots that the instruction sets from dst on. */
uint32_t au_src_dst_slots(const au_code *c, const au_code_insn *i);

/* ---- lower/forward.c ---- */
void au_src_forward_find(src *s);
/* What this load gives is what this operand was when it was stored. */
bool au_src_forwarded(const src *s, uint32_t fn, uint32_t insn, au_operand *stored);

/* ---- lower/points.c ---- */
uint32_t au_src_node_add(src *s, uint32_t n); /* the first of n new ones */
uint32_t au_src_loc_of(src *s, au_src_loc l); /* interned, normalised */
bool au_src_points_add(src *s, uint32_t node, uint32_t loc);
void au_src_use_add(src *s, uint32_t node, au_src_use u);
void au_src_edge(src *s, uint32_t from, uint32_t to);
void au_src_solve(src *s);
bool au_src_loc_meets(const au_src_loc *a, uint64_t a_bytes, const au_src_loc *b, uint64_t b_bytes);
au_src_part au_src_part_of(src *s, uint32_t loc);
void au_src_escape(src *s, uint32_t obj);
void au_src_bulk_link(src *s, uint32_t to, uint32_t from, int64_t bytes); /* locs */

/* ---- lower/begin.c ---- */
au_status au_src_begin(src *s);
/* If what this function is for is not followed: says so. */
void au_src_name_unfollowed(src *s, uint32_t frame, uint32_t insn, const char *name,
                            const struct au_code_call *k);

/* ---- lower/frame.c ---- */
uint32_t au_src_obj_add(src *s, au_src_obj o);
uint32_t au_src_obj_of_global(src *s, uint32_t module, uint32_t global, uint32_t thread);
uint32_t au_src_obj_of_function(src *s, uint32_t fn);
uint32_t au_src_obj_of_heap(src *s, uint32_t frame, uint32_t insn, bool zeroed, uint64_t size,
                            bool stack);
uint32_t au_src_heap_find(const src *s, uint32_t frame, uint32_t insn); /* AU_NONE */
/* Of the thread's own, given by a function of a library: errno. */
uint32_t au_src_obj_of_thread(src *s, uint32_t thread, const char *function);
void au_src_call_found(src *s, uint32_t frame, uint32_t insn, uint32_t fn, bool outside);
void au_src_create_found(src *s, uint32_t frame, uint32_t insn, uint32_t fn);
uint32_t au_src_thread_add(src *s, uint32_t fn, uint32_t by_frame, uint32_t by_insn,
                           uint32_t instance, bool several);
/* A copy of the function that the thread runs before its entry. */
uint32_t au_src_frame_before(src *s, uint32_t thread, uint32_t fn);
void au_src_frames_finish(src *s); /* again, recursive, many */
static inline const au_src_call *au_src_calls(const src *s, uint32_t frame, uint32_t insn) {
    const uint64_t *at = au_map_find(&s->call_at, au_key2(frame, insn));
    return at && *at ? &s->call.at[*at - 1] : NULL;
}

/* ---- lower/flow.c ---- */
void au_src_flow_frame(src *s, uint32_t frame);
/* This call may be of a function outside. */
void au_src_flow_unknown(src *s, uint32_t frame, uint32_t insn);
/* Of objects that stand for several: whether it is ever seen which of them a pointer leads to. */
void au_src_find_compared(src *s);
/* The loc of a constant operand's slot, or AU_NONE. */
uint32_t au_src_const_loc(src *s, uint32_t frame, au_operand o);
/* What the operand may point to. Valid until points-to sets grow. */
typedef struct {
    const uint32_t *at;
    size_t n;
    uint32_t one;
} au_src_set;
au_src_set au_src_points(src *s, uint32_t frame, au_operand o);

/* ---- lower/library.c ---- */
/* What a function without code does, if that is stated (wire/libc.def); NULL otherwise. */
const au_libc *au_src_library_find(const char *name);
bool au_src_library_quiet(const char *name); /* not stated, but it calls nobody */
/* Bytes that a synchronising function writes through this argument: a handle, a result (an int for C11's). */
uint64_t au_src_bytes_of(const au_libc *l, uint32_t arg);

/* ---- lower/cell.c ---- */
/* Which memory an instruction touches. bytes 0: a length that is not known. */
typedef struct {
    uint32_t loc, bytes;
    bool write, bulk;
} au_src_touch;
typedef AU_VEC(au_src_touch) au_src_touches;
/* What the access of a call's argument or of a memory instruction may touch. */
void au_src_touch_operand(src *s, uint32_t frame, au_operand o, uint64_t bytes, bool known,
                          bool write, au_src_touches *out);
void au_src_cells(src *s);
typedef AU_VEC(uint32_t) au_src_u32s;
/* Cells of one touch, in the order of their offsets; each once. Constant objects have none. */
void au_src_cells_of(src *s, const au_src_touch *t, au_src_u32s *out);
uint32_t au_src_cell_root(src *s, uint32_t record);
/* Each instruction's touches in one order: lower/cell.c goes over them first, lower/build.c later. */
void au_src_touches_of(src *s, uint32_t frame, uint32_t insn, au_src_touches *out);
/* What an unknown function can reach from its arguments. */
void au_src_reach(src *s, uint32_t frame, const struct au_code_call *c, au_src_touches *out);

/* ---- source.c ---- */
const char *au_src_text(src *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* … that a limit was reached, at no place in particular. */
void au_src_over_limit(src *s, au_limit l);
void au_src_over(src *s, uint32_t frame, uint32_t insn, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of what is left out: the program may do what the model cannot. */
void au_src_lost(src *s, uint32_t frame, uint32_t insn, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- lower/thread.c ---- */
void au_src_build(src *s);

/* ---- lower/fold.c ---- */
void au_src_fold(src *s);

#endif
