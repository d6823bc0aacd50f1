/* lower/source.h: a program's code, all of it, as one model with loops: what the static half
 * (src/scan) analyses. Input is decoded bitcode (code.h): of sources that are compiled here, or of a
 * program or object that `augur cc` made.
 *
 * Threads. 'main' and what it creates (pthread_create, thrd_create), or, with entries, two looping
 * threads for every entry. A call site of pthread_create that may be executed more than once stands
 * for two threads ('instances'): which of its executions they are is left open (any two).
 *
 * How the model over-approximates. For every run of the program (of at most 'instances'
 * threads of each creating call site, memory sequentially consistent, without undefined behaviour other
 * than races) there is a run of the model that makes the same shared accesses, of the same variables, by the
 * same threads in the same order, at the same lines, takes the same branches and passes the same
 * synchronisation. So what cannot be reached in the model cannot be reached in the program. In detail:
 *   - memory is cut into cells: pieces of objects that every access takes whole. A cell of an object
 *     that exists once is a variable with a value. A cell that stands for several pieces of memory (an
 *     element of an array with an index that is not constant, objects of an allocation
 *     that may be executed several times, pieces that accesses cut differently) is a summary: reading it is an
 *     access and any value (HAVOC of the local with a read access), writing it is an access and any
 *     value (HAVOC of the variable with a write access);
 *   - an access through a pointer that may point to several cells is a branch over them; if their addresses are
 *     not constants of the model, the branch is on a local that was havocked;
 *   - memory that only one thread can reach is a local of it, or nothing if it is a summary;
 *   - what malloc returns is null or an address: of an object that stands for several the same one each time, unless two
 *     pointers to it may be compared with each other (then it is any value). free writes what lies there;
 *   - calls are inlined up to a budget; beyond it, and in recursion, a function has one copy a
 *     thread, with a local that says where to return to (and model->call says which calls there are). In recursion that and the function's other
 *     locals are havocked where a call comes back;
 *   - functions whose code is not there have the effects of a table (wire/libc.def); those
 *     that are not in it may read and write what their arguments lead to, and are told in 'over';
 *   - locks, semaphores and so on are objects of the model by the cell they lie in. One that is a summary
 *     (or a pointer to several) is not an object of the model: taking it is nothing, its release is nothing, waiting
 *     for it may end any time. What it protects beside it in its structure is known by 'guard';
 *   - floating-point values, values wider than 64 bits, results of inline assembler are any value.
 * Assumed: creating threads and locks succeeds; what the outside gives (results of unknown functions,
 * arguments of functions that it calls, of entries) points to memory of its own or to what it was given
 * directly as an argument; pointers are not taken apart into bytes and put together again; objects are accessed by their effective types, where that
 * is all that is known (lower/typed.c); a pointer into
 * an array of fixed length, indexed, stays in it, and a string in a member of fixed length (that is not the last) ends there. Handlers of signals, functions for the end of the
 * program or of a thread and what fork makes are not followed (lower/begin.c), nor what unknown functions do beyond
 * their arguments: 'over' tells it as 'lost'. Constructors run before main; with entries they do not, which is told.
 * Calls of locks and threads return 0 where they cannot fail, else an error or any value (lower/errors.c). */
#ifndef AU_LOWER_SOURCE_H
#define AU_LOWER_SOURCE_H

#include "base/error.h"
#include "lower/guard.h"
#include "model/model.h"

typedef struct {
    const char *const *entry; /* names of functions; none: 'main' */
    size_t n_entries;
    bool entries_once;      /* entries run one time each, not again and again */
    uint32_t inline_budget; /* instructions a thread may grow to by inlining, all threads to four
                               times that; 0: the default, 20000 */
    uint32_t instances;     /* of an entry, or of a call site that runs several times; 0: 2 */
    uint32_t most_targets;  /* cells of one access; with more they become one summary; 0: 12 */
    bool svcomp; /* as SV-COMP has it: abort() ends the run and is no failure, malloc succeeds */
    size_t most_steps; /* AU_EUNSUPPORTED beyond; 0: 4 million */
} au_source_options;

/* How far a step is to be believed. A run of the model is a run of the program if all its steps are
 * EXACT; with INPUT on it, it is one if the world outside plays along. */
typedef enum {
    AU_EXACT,
    AU_INPUT, /* a value from outside, and any may come: __VERIFIER_nondet_*, argc, an argument of an entry, whether a
                  time is up, memory that malloc could not give */
    AU_RESULT, /* what a library function returns, modelled as any value: the function gives only some (atoi of one
                  digit, rand), so that a run through it is none of the program until the program did it */
    AU_OVER /* may do what the program cannot: a summary, an open pointer, an unknown function … Of an access: it may not
               be one of this variable */
} au_exactness;

typedef struct {
    const char *
        object; /* what it is a piece of: "global 'log'", "memory allocated at queue.c:12", "local 'x' of f" */
    uint64_t offset; /* of the cell in the object; summary: of one piece */
    uint32_t bytes;
    bool summary;     /* stands for several pieces of memory */
    bool array;       /* … because it is an element of an array */
    bool outside;     /* … because it is memory that is not told from that of the outside */
    const char *file; /* where the object is made, or "" */
    uint32_t line;
} au_source_var;

typedef struct {
    const char *entry; /* function */
    uint32_t instance; /* 0, 1 … */
    bool several;      /* the program may have more threads like this one */
    bool created;      /* by a call of the program; false: main and entries */
    const char *file;  /* of the call that creates it; "" for main and entries */
    uint32_t line;
} au_source_thread;

/* What was over-approximated, for the user: each construct and place once. */
typedef struct {
    const char *what; /* "call of unknown function 'f'", "inline assembler", … */
    const char *file; /* "" if no place is known */
    uint32_t line;
    uint32_t count;
    bool
        lost; /* … and leaves out what the program may do: that something is not found proves nothing */
} au_source_over;

typedef struct {
    au_model *model;               /* checked (au_model_check); has_loops as it is */
    AU_VEC(uint8_t) exact;         /* by step: au_exactness */
    AU_VEC(const char *) function; /* by step: the source's function it stands in */
    AU_VEC(au_source_var) var;     /* by variable of the model; SYNC and LOCAL: object is "" */
    AU_VEC(au_source_thread) thread;
    AU_VEC(au_source_over) over;
    AU_VEC(uint64_t)
    at; /* by step: module index << 32 | instruction in it (code.h); UINT64_MAX none */
    AU_VEC(uint32_t)
    number; /* by step: of that instruction in the clean module, as recordings have it; 0: none */
    uint32_t
        sections; /* the object of the model that is __VERIFIER_atomic_begin's; AU_NONE: there is none */
    const char *
        weak; /* where there is a shared atomic access that is not sequentially consistent; NULL: nowhere */
    bool
        any_two; /* of threads that are created repeatedly, the two of the model stand for any two: no thread is made by
                     one of its own kind, whose makers the model may not have */
    bool waits;  /* threads may wait for locks and the like that are not objects of the model */
    AU_VEC(uint32_t)
    unknown; /* by step: 1 + the unknown function (in 'stranger') that may make this access; 0: none */
    AU_VEC(const char *) stranger; /* its name; "": one that is called through a pointer */
    AU_VEC(uint32_t) guard;        /* by step: of its access (lower/guard.h), 0: none */
    au_guards guards;
    AU_VEC(uint64_t) module;         /* ids, by module index */
    uint32_t functions, unreached;   /* of the program; that no thread calls */
    uint32_t inlined, shared_copies; /* frames: of one call; of several */
    au_arena arena;                  /* strings above */
} au_source;

/* Sources (.c, .cc, .cpp, …) are compiled with `option`s of clang; directories and lists of compile commands stand for
 * sources (lower/units.h); anything else is a program, object or library whose modules are taken from it. All together are
 * one program. A file that cannot be read or compiled is told in 'over', unless it is the only one. */
au_source *au_source_read(const char *const *file, size_t n, char *const *option, size_t n_options,
                          const au_source_options *o, au_error *err);
void au_source_free(au_source *s); /* with its model */

/* The program that these sources, objects and libraries are, with hooks, compiled and linked as
 * au_source_read compiles them: its modules are the model's. What clang has to say goes to standard error. */
au_status au_source_link(const char *const *file, size_t n, char *const *option, size_t n_options,
                         const char *program, au_error *err);

/* The same for modules that are decoded already (borrowed, used only during the call). */
struct au_code;
au_source *au_source_of_codes(const struct au_code *const *code, size_t n,
                              const au_source_options *o, au_error *err);

#endif
