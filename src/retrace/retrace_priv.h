/* retrace/retrace_priv.h: between the files that retrace a run.
 *
 *   retrace.c         records of the recording to their threads; the beginning and the end
 *   retrace/load.c    modules: sites, addresses, constants, initial values
 *   retrace/flow.c    which event of a thread comes where: calls, callbacks, unwinding, signals
 *   retrace/run.c     the interpreter's loop
 *   retrace/slow.c    operations with an operand that is not simply known
 *   retrace/access.c  instructions that are events
 *   retrace/private.c memory that makes none
 *   retrace/foreign.c calls of code without hooks
 *   retrace/spin.c    rounds of loops that left no trace
 *   retrace/live.c    … what the code may still look at
 *   retrace/first.c   which way a branch went, from the event that came next
 *   retrace/wide.c    floating point, vectors, wide integers
 *   retrace/callers.c calls that threads are in at events that somebody asks for
 *
 * A thread is run lazily: when the record of its next event comes, it runs from the instruction
 * after its last event up to the instruction of this one. What lies between touches nothing
 * that other threads see, so the order of the records is the order of the run.
 *
 * Addresses that nobody told (private memory, functions, string literals, thread-local
 * variables) are *made up*: values in a range of their own that no program uses. They
 * can be added to and compared with each other and with null; anything else makes them
 * unknown. */
#ifndef AU_RETRACE_RETRACE_PRIV_H
#define AU_RETRACE_RETRACE_PRIV_H

#include "base/bits.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "ir/code.h"
#include "retrace/live.h"
#include "retrace/retrace.h"
#include "retrace/sym.h"
#include "trace/shadow.h"
#include "trace/stream.h"
#include "trace/watch.h"

/* ---- made-up addresses ---- */
#define AU_MADE_BITS 42
#define AU_MADE_TOP UINT64_C(0x3e96d)
#define AU_MADE_BASE (AU_MADE_TOP << AU_MADE_BITS)
/* Functions and variables from the beginning; the upper half is private memory of threads. */
#define AU_MADE_STACKS (AU_MADE_BASE + (UINT64_C(1) << (AU_MADE_BITS - 1)))
#define AU_MADE_STACK (UINT64_C(1) << 28)
#define AU_MADE_THREADS (UINT64_C(1) << (AU_MADE_BITS - 1 - 28))
static inline bool au_made_up(uint64_t x) {
    return x >> AU_MADE_BITS == AU_MADE_TOP;
}

/* In the pools of modules only: the address of a thread-local variable, 'v' its number. */
#define AU_TINT_TLS UINT32_MAX

enum { AU_SITE_KINDS = 4, AU_FIRST_SITE = 16 }; /* as in rt/stream.h */

typedef struct au_rmodule {
    const au_code *code;   /* NULL: none */
    uint64_t *global;      /* address of each global, made up if need be */
    uint64_t *pool;        /* constants … */
    au_tint *pool_tint;    /* … known, unknown or TLS */
    AU_VEC(uint32_t) open; /* globals that another module may still define */
    au_map first;          /* instruction, site -> 1: may come next, 2: not (retrace/first.c) */
    au_map meet;           /* block -> where the ways from it meet (retrace/decided.c) */
    au_map shaped;         /* function + 1 of which that is known */
    au_live_slots **live;  /* by function (retrace/spin.c); NULL: not asked for yet */
    au_map twin; /* call event of another module -> site of its copy here (retrace/twin.c) */
    uint32_t first_site;
    uint32_t tls; /* number of its first thread-local variable */
} au_rmodule;

typedef enum {
    AU_FRAME_DIRECT,   /* called by the frame below */
    AU_FRAME_CALLBACK, /* by foreign code (or the runtime): nobody waits for its result … */
    AU_FRAME_MATCHED,  /* … but the foreign call of the frame below was a call of it */
    AU_FRAME_SIGNAL,   /* a handler, anywhere */
    AU_FRAME_TRIAL     /* without events, run at once to know its result */
} au_frame_kind;

typedef struct {
    au_rmodule *module;
    uint32_t function;
    uint32_t pc;     /* the instruction to execute next, or the call that it is in */
    uint32_t base;   /* of its slots */
    uint32_t depth;  /* hooked frames of the thread with this one; 0: not entered */
    uint32_t serial; /* another one in every call */
    uint8_t kind;
    bool in_call;         /* in foreign code: XCALL came, XRET did not */
    bool fresh;           /* … and nothing else came since */
    bool pinned;          /* … its arguments have been seen to */
    bool channel;         /* … it talks through a channel, or what may be one (wire/channel.h) */
    bool comes_back;      /* … it puts out into a stream that can be read */
    uint32_t before_call; /* … its thread's last event before, AU_NONE */
    uint64_t sp;          /* private memory as it was before this frame */
} au_rframe;

/* A branch that was taken, until its ways meet again. */
typedef struct {
    size_t frame;
    uint32_t call;     /* its serial */
    uint32_t pc, meet; /* AU_NONE: at the function's end */
    au_term cond;      /* true */
} au_rdecision;

/* That a thread came to a block. */
typedef struct {
    uint32_t frame, call, block; /* the frame's place and serial */
    uint32_t after;              /* the thread's last event, AU_NONE */
    size_t fact;                 /* facts so far */
    uint64_t index;              /* of its next hook */
    uint64_t sp;                 /* private memory from here on was not in use … */
    bool over;                   /* … and other was written since */
    uint64_t doubts;
    size_t state; /* what was live: from here on in 'state' */
} au_rvisit;

typedef struct {
    AU_VEC(au_rvisit) visit; /* since something happened */
    AU_VEC(au_val) state;
    uint32_t looked; /* events before it were looked at */
    uint64_t doubts; /* so often what is not known decided */
} au_rspin;

typedef struct {
    uint16_t number;
    au_rspin spin;
    uint64_t *v; /* slots of all frames … */
    au_tint *m;  /* … and their tints */
    size_t slots, cap;
    AU_VEC(au_rframe) frame;
    AU_VEC(au_rdecision) decided;
    uint64_t sp;    /* private memory: next free byte */
    uint32_t depth; /* of hooked functions */
    uint32_t after; /* its last event in the trace that was passed, AU_NONE */
    uint32_t at; /* with callers: instruction of its last event, AU_NONE: not of the frame on top */
    uint64_t bit;  /* outcomes used */
    uint64_t done; /* of a range that is told in pieces: bytes so far … */
    uint8_t step;  /* … COPY: 0 reading, 1 writing */
    bool signal;   /* a handler was announced */
    uint64_t stack, stack_end;
    bool has_entry; /* argument of its first function is known */
    uint64_t entry;
    au_val entered; /* … which function that is, as its creator had it */
    bool returned;  /* a matched callee came back; its result is in 'result' */
    AU_VEC(au_val) result;
    AU_VEC(au_val) copy; /* scratch: arguments */
    /* Copies of what is passed by value, made when the read was told. */
    AU_VEC(struct au_rbyval {
        uint64_t at;   /* the pointer … */
        uint64_t real; /* … and the address in the run */
        uint64_t n;
        uint8_t *bytes;
    })
    byval;
    AU_VEC(uint32_t) note; /* events of annotations that its instructions have not passed yet */
    au_map tls;            /* number of a thread-local variable -> 1: its memory is made */
} au_rthread;

typedef struct {
    au_rmodule *module; /* NULL: unknown */
    uint32_t site;
    uint8_t kind; /* 0: a hook; else inside of a call */
} au_rsite;

typedef struct au_retracer {
    const au_codes *codes;
    au_retrace_facts *facts;
    au_symbolic *symbolic; /* NULL: values only */
    au_sym *sym;           /* NULL: values only */
    bool rounds;           /* look for rounds that left no trace */
    uint32_t calls;        /* frames so far */
    au_watch watch;
    au_spot spot;
    AU_VEC(au_rmodule *) module;
    AU_VEC(au_rsite) site; /* by id */
    au_map told;           /* module id -> registrations */
    au_map last;           /* module id -> its module loaded last, + 1 */
    au_map names;          /* hash of an exported name -> address, 0: several */
    au_map functions;      /* hash of a name -> (module + 1) << 32 | function; 0: several */
    uint64_t made;         /* next made-up address of a function or variable */
    au_map made_names;     /* hash of a function's name -> made-up address */
    uint32_t n_tls;
    AU_VEC(au_rthread *) thread;
    /* Private memory and constants; tag: 0 unknown, 1 known, 2 sym knows. */
    au_shadow memory, tag;
    AU_VEC(struct au_rinit { /* initialised globals, for initial values of variables */
                             uint64_t at;
                             uint64_t size;
                             au_rmodule *module;
                             uint32_t global;
    })
    init;
    bool init_sorted;
    AU_VEC(uint64_t) seen; /* bit set: variables whose first event came */
    /* the record at hand */
    const au_stream_record *r;
    const au_part *part;
    size_t n_parts;
    uint64_t first;
    bool over; /* stop: facts->mismatch or cut */
    /* callers that are looked for, by thread and index */
    au_callers *callers;
    size_t callers_left; /* not found yet */
    uint64_t most_events;
    AU_VEC(struct au_wanted {
        size_t next;
        size_t end;
    })
    wanted; /* of each thread */
} au_retracer;

/* ---- retrace.c ---- */
/* The self-check failed at the record at hand; format: what was expected and what was told. */
void au_retrace_wrong(au_retracer *x, const au_rthread *t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Following must end here, for a reason that is no error (a static string). */
void au_retrace_cut(au_retracer *x, const char *why);

/* ---- retrace/callers.c ---- */
void au_retrace_callers_begin(au_retracer *x, au_callers *callers, size_t n);
/* The event of the record at hand was followed; ends everything after the last one. */
void au_retrace_callers_note(au_retracer *x, au_rthread *t);
void au_retrace_callers_end(au_retracer *x);

/* ---- retrace/load.c ---- */
void au_retrace_module(au_retracer *x, const au_stream_record *r);
void au_retrace_unload(au_rmodule *m);
/* The made-up address of a thread-local variable, its memory made. */
uint64_t au_retrace_tls(au_retracer *x, au_rthread *t, au_rmodule *m, uint32_t number);
/* Initial values of the variables whose first event this is. */
void au_retrace_first_values(au_retracer *x);
/* What a pointer to this function is, made up. */
uint64_t au_retrace_function_address(au_retracer *x, const au_rmodule *m, uint32_t name);
const au_code_function *au_retrace_function(au_retracer *x, const char *name, au_rmodule **m,
                                            uint32_t *number);

/* ---- retrace/decided.c ---- */
/* The branch at this instruction of the frame on top went so that this term is true. */
void au_retrace_decide(au_rthread *t, uint32_t pc, au_term cond);
/* The frame on top goes on at this instruction. */
void au_retrace_meet(au_rthread *t, uint32_t target);
/* The record at hand writes: to the knowledge of which branches it depends on. */
void au_retrace_acts(au_retracer *x, au_rthread *t);

/* ---- retrace/twin.c ---- */
/* The site that this event has in another module: that of the copy of the function it enters;
 * AU_NONE: none. */
uint32_t au_retrace_own_site(au_rmodule *in, const au_rmodule *of, uint32_t site);
/* Which copy of a function a call enters, given the next event. */
void au_retrace_callee(au_retracer *x, au_rmodule *site_of, uint32_t site, au_rmodule **m,
                       uint32_t *function);

/* ---- retrace/flow.c ---- */
au_rthread *au_retrace_thread(au_retracer *x, uint32_t number);
void au_retrace_thread_free(au_rthread *t);
/* A hook's event. */
void au_retrace_hook(au_retracer *x, au_rthread *t, const au_rsite *s);
/* Slots of the new frame are not written. */
au_rframe *au_retrace_push(au_retracer *x, au_rthread *t, au_rmodule *m, uint32_t function,
                           au_frame_kind kind);
void au_retrace_pop(au_rthread *t);
/* Passes arguments of a call in the frame below to the frame on top. */
void au_retrace_pass(au_retracer *x, au_rthread *t, const struct au_code_call *c);

/* ---- retrace/run.c ---- */
typedef enum {
    AU_RUN_DONE,     /* the event was the one expected, and is done */
    AU_RUN_POPPED,   /* back in foreign code: the event is not of the frame that ran */
    AU_RUN_UNWINDS,  /* an exception goes on: the event is of a frame below */
    AU_RUN_SURPRISE, /* a function begins that is not called here */
    AU_RUN_EVENT,    /* without a record: came to an instruction that is an event */
    AU_RUN_STUCK     /* without a record: cannot go on; with one: au_retrace_wrong was called */
} au_reached;
/* Runs the thread up to the event of the record at hand; site AU_NONE: as far as it
 * goes without one, until the trial frame on top has returned. */
au_reached au_retrace_run(au_retracer *x, au_rthread *t, au_rmodule *m, uint32_t site);
void au_retrace_edge(au_retracer *x, au_rthread *t, au_rframe *f, uint32_t edge);

/* ---- operands ---- */
static inline au_val au_retrace_const(au_retracer *x, au_rthread *t, au_rmodule *m, uint32_t n) {
    if (__builtin_expect(m->pool_tint[n] == AU_TINT_TLS, 0))
        return (au_val){au_retrace_tls(x, t, m, (uint32_t)m->pool[n]), AU_KNOWN};
    return (au_val){m->pool[n], m->pool_tint[n]};
}
static inline au_val au_retrace_get(au_retracer *x, au_rthread *t, const au_rframe *f,
                                    au_operand o) {
    if (o >= 0)
        return (au_val){t->v[f->base + (uint32_t)o], t->m[f->base + (uint32_t)o]};
    return au_retrace_const(x, t, f->module, (uint32_t)~o);
}
/* The k-th slot of a wide operand. */
static inline au_val au_retrace_part(au_retracer *x, au_rthread *t, const au_rframe *f,
                                     au_operand o, uint32_t k) {
    return au_retrace_get(x, t, f, o >= 0 ? o + (au_operand)k : o - (au_operand)k);
}
static inline void au_retrace_set(au_rthread *t, const au_rframe *f, uint32_t slot, au_val v) {
    t->v[f->base + slot] = v.v;
    t->m[f->base + slot] = v.m;
}
/* The spot of the instruction that is executed, for sym.h. */
static inline void au_retrace_stand(au_retracer *x, const au_rthread *t, const au_rframe *f) {
    x->spot.thread = t->number;
    x->spot.after = t->after;
    x->spot.code = f->module->code;
    x->spot.insn = f->pc;
}

/* ---- retrace/slow.c ---- */
/* Integer operations with any operands: the result is stored. */
void au_retrace_slow(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i);
/* The value alone; false: it has none (division by zero). */
bool au_retrace_compute(au_code_op op, unsigned width, uint64_t a, uint64_t b, uint64_t *out);
bool au_retrace_bit(au_retracer *x, au_rthread *t, bool *bit); /* the next told outcome */
/* Which edge a branch takes; AU_NONE: cannot be known. */
uint32_t au_retrace_condbr(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                           uint32_t site);
uint32_t au_retrace_switch(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                           uint32_t site);

/* ---- retrace/access.c ---- */
/* An instruction with a site whose record is at hand: the site is the right one. True: all of
 * it is done. */
bool au_retrace_access(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i,
                       unsigned part);
/* Loads, stores, copies, sets of memory without events. */
void au_retrace_private(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i);
au_val au_retrace_load_private(au_retracer *x, uint64_t at, unsigned n, unsigned width);
void au_retrace_store_private(au_retracer *x, uint64_t at, unsigned n, unsigned width, au_val v);
void au_retrace_store_wide_private(au_retracer *x, au_rthread *t, const au_rframe *f,
                                   const au_code_insn *i, uint64_t at);
/* The length of a range, its term pinned. */
au_val au_retrace_length(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i);
static inline unsigned au_bytes_of(unsigned width) {
    return (width + 7) / 8;
}
static inline uint32_t au_slots_of(uint64_t bytes) {
    return (uint32_t)((bytes + 7) / 8);
}
void au_retrace_alloca(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i);
void au_retrace_put_private(au_retracer *x, uint64_t at, const void *bytes, uint64_t n);
void au_retrace_copy_private(au_retracer *x, uint64_t to, uint64_t from, uint64_t n);
void au_retrace_forget_private(au_retracer *x, uint64_t at, uint64_t n);
/* A range whose length is not known: does the record at hand belong to it? */
bool au_retrace_is_empty(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i,
                         uint32_t site);
/* What happened inside of foreign code. */
void au_retrace_outside(au_retracer *x, au_rthread *t);

/* ---- retrace/foreign.c ---- */
void au_retrace_xcall(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i);
void au_retrace_xret(au_retracer *x, au_rthread *t, au_rframe *f);
/* Something else happens inside of the call: its arguments are used. */
void au_retrace_call_used(au_retracer *x, au_rthread *t, au_rframe *f);
/* Was this call a call of that function? */
bool au_retrace_matches(au_retracer *x, const au_rthread *t, const au_rframe *f,
                        const au_rmodule *m, uint32_t function);
void au_retrace_annotate(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i);
uint32_t au_retrace_after_call(const au_rframe *f); /* where it goes on, an edge or AU_NONE */
/* Is the thread in a call that only puts out what it is given? */
bool au_retrace_puts_out(const au_rthread *t);
/* The call that reports the check which this edge only fails; AU_NONE: not known. */
uint32_t au_retrace_failing_call(const au_rmodule *m, uint32_t edge);
/* What such a call says was checked; NULL: nothing. */
const char *au_retrace_check_text(const au_rmodule *m, uint32_t call);

/* ---- retrace/first.c ---- */
bool au_retrace_may_come(au_rmodule *m, uint32_t insn, uint32_t site);

/* ---- retrace/spin.c ---- */
/* The frame on top has come to a block. Only if x->rounds. */
void au_spin_block(au_retracer *x, au_rthread *t, const au_rframe *f);
/* Private memory is written; at: 0 if nobody knows where. */
void au_spin_wrote(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                   uint64_t at);
void au_spin_forget(au_rthread *t);
void au_spin_release(au_rmodule *m);

/* ---- retrace/wide.c ---- */
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;
/* Of integers of up to 128 bits. */
bool au_retrace_compare(au_code_op op, unsigned bits, u128 a, u128 b);
void au_retrace_wide(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i);
void au_retrace_bytes_get(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i);
void au_retrace_bytes_put(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i);
void au_retrace_overflow(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i);
void au_retrace_unmodelled(au_retracer *x, au_rthread *t, const au_rframe *f,
                           const au_code_insn *i);

#endif
