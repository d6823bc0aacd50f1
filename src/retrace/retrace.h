/* retrace/retrace.h: a recorded run once more, instruction by instruction, off line.
 *
 * The modules' clean bitcode (code.h) is interpreted, all threads in the recorded order. Every
 * event of the recording must be the next event of its thread, at the address and with
 * the value that the interpreter computes: that is the self-check, and a mismatch is a bug of
 * augur (or bitcode and recording do not belong together), told with the event and both values.
 * On the way everything that depends on symbolic reads becomes a term (sym.h) and
 * goes into an au_symbolic.
 *
 * Values are known, unknown or terms. Unknown is what no event tells and no instruction
 * computes: arguments from code without hooks, results of more than 8 bytes, addresses of
 * functions. Unknown values are constants for the model. What they decide is told by
 * BITS or by the next event (llvm/paths.h). */
#ifndef AU_RETRACE_RETRACE_H
#define AU_RETRACE_RETRACE_H

#include "model/symbolic.h"
#include "trace/reader.h"

/* ---- codes.c: decoded modules of a program, found by the recording's META and module ids ---- */

struct au_code; /* code.h */
typedef struct au_codes au_codes;
/* Opens augur-llvm.so and decodes the modules of the program and its libraries
 * that the recording names. Modules that are not found (program changed, gone, stripped of
 * its section) are left out: au_codes_find gives NULL and *note says so (malloc'ed, NULL: all is
 * well). NULL and *err only if augur-llvm.so cannot be used at all. */
au_codes *au_codes_open(const au_reader *recording, char **note, au_error *err);
/* The same of the recording at a path. */
au_codes *au_codes_of_recording(const char *path, const au_read_options *how, char **note,
                                au_error *err);
/* All modules of programs, objects and libraries, with short loops unrolled: for the static half. */
au_codes *au_codes_of_files(const char *const *path, size_t n, char **note, au_error *err);
/* Is something missing because the system failed (no memory, no descriptor, a bad disk), so that another try could
 * have it? */
bool au_codes_failed(const au_codes *c);
size_t au_codes_count(const au_codes *c);
const struct au_code *au_codes_at(const au_codes *c, size_t i);
const struct au_code *au_codes_find(const au_codes *c, uint64_t module);
void au_codes_free(au_codes *c);

/* ---- retrace.c ---- */

enum { /* implicit checks: become asserts */
       AU_CHECK_NULL = 1,
       AU_CHECK_DIV = 2,
       AU_CHECK_BOUNDS = 4,
       AU_CHECK_UAF = 8
};
/* Through which calls a thread came to one of its events (retrace/callers.c). */
typedef struct {
    uint32_t thread;
    bool own; /* the line of the event itself comes first */
    uint64_t
        index; /* of the event, in hooks of its thread. Behind its last: where it stood at the end;
                  AU_NONE64: the same, and the function that it stood in comes first */
    AU_VEC(struct au_caller {
        const struct au_code *code; /* of the codes that were given */
        uint32_t function;          /* of it; 'inlined' is in its code */
        uint32_t inlined;           /* string: the function that calls, if it was inlined; 0 */
        uint32_t file;              /* of the call; string */
        uint32_t line;
        uint32_t
            depth; /* functions with hooks that the thread is in, up to this one; 0: it has none */
    })
    caller; /* filled in, the innermost first; without the function that the event is in */
} au_callers;

typedef struct {
    const au_reader *from; /* it has the recording open; NULL: nobody has */
    au_read_options read;  /* as the trace was loaded with: event numbers must be the same */
    unsigned checks;       /* AU_CHECK_* */
    bool rounds;           /* look for rounds of loops that left no trace: au_symbolic.round */
    bool values_only;      /* only the self-check: no terms */
    unsigned split;        /* most pointees of a case split; 0: pointers are always pinned */
    au_callers *callers;   /* to be found on the way; by thread and index */
    size_t n_callers;
    uint64_t most_events; /* of hooks, then the rest is not followed; 0: all. Only with callers */
} au_retrace_options;

typedef struct {
    uint64_t instructions, events, followed; /* followed: events that were checked */
    uint64_t unknown_events;                 /* of modules without bitcode */
    uint64_t facts, symbolic_reads, pinned;
    uint64_t weak; /* accesses by atomics that are weaker than seq_cst */
    double seconds;
    bool ended;          /* the recording has an end … */
    uint8_t end;         /* … AU_END_* … */
    uint16_t end_thread; /* … by this thread */
    bool mismatch;       /* the self-check failed: 'what' says where; s is cut off before it */
    char what[600];
} au_retrace_facts;

/* s: initialised for the trace, filled. open: as au_open_variables found. */
au_status au_retrace(const char *path, const au_codes *codes, const au_retrace_options *o,
                     const au_bitset *open, au_symbolic *s, au_retrace_facts *facts, au_error *err);

#endif
