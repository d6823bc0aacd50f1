/* SPDX-License-Identifier: MIT
 *
 * wire/libc.h: the table of library functions (wire/libc.def, whose head says what the columns mean) as rows that
 * can be looked up by name. Constant data, no start-up, no allocation, nothing of the C library is called: also
 * usable inside a recorded program. Rows live as long as the process.
 *
 * The value 0 of every column is "not stated". */
#ifndef AU_WIRE_LIBC_H
#define AU_WIRE_LIBC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    AU_RUNTIME_NO, /* '_' in this column */
    AU_RUNTIME_REAL,
    AU_RUNTIME_STANDS,
    AU_RUNTIME_WRAPS,
    AU_RUNTIME_TELLS
} au_libc_runtime;

/* From PURE on, 'args' and 'result' are stated. */
typedef enum {
    AU_DOES_UNSTATED,
    AU_DOES_QUIET,
    AU_DOES_SETJMP,
    AU_DOES_LONGJMP,
    AU_DOES_THROW,
    AU_DOES_PURE,
    AU_DOES_MEMORY,
    AU_DOES_ALLOC,
    AU_DOES_REALLOC,
    AU_DOES_FREE,
    AU_DOES_NORETURN,
    AU_DOES_CALLBACK,
    AU_DOES_SYNC, /* every S */
    AU_DOES_SPECIFIC,
    AU_DOES_NONDET,
    AU_DOES_FAILS,
    AU_DOES_ASSUME
} au_libc_does;

typedef enum {
    AU_SYNC_NONE,    /* of every F */
    AU_SYNC_COMPARE, /* handles: a result that is not known */
    AU_SYNC_CREATE,
    AU_SYNC_START, /* std::thread: what runs is the third virtual function of an object */
    AU_SYNC_JOIN,
    AU_SYNC_EXIT,
    AU_SYNC_LOCK, /* from here to TRYWRLOCK: locks */
    AU_SYNC_TRYLOCK,
    AU_SYNC_UNLOCK,
    AU_SYNC_RDLOCK,
    AU_SYNC_TRYRDLOCK,
    AU_SYNC_WRLOCK,
    AU_SYNC_TRYWRLOCK,
    AU_SYNC_RWUNLOCK,
    AU_SYNC_WAIT,
    AU_SYNC_TIMEDWAIT,
    AU_SYNC_SIGNAL,
    AU_SYNC_BROADCAST,
    AU_SYNC_SEM_WAIT,
    AU_SYNC_SEM_TRYWAIT,
    AU_SYNC_SEM_POST,
    AU_SYNC_SEM_INIT,
    AU_SYNC_BARRIER_INIT,
    AU_SYNC_BARRIER_WAIT,
    AU_SYNC_ONCE,
    AU_SYNC_MUTEX_INIT,
    AU_SYNC_ATTR_SETTYPE,
    AU_SYNC_NOTHING,
    AU_SYNC_SELF,
    AU_SYNC_ATOMIC_BEGIN,
    AU_SYNC_ATOMIC_END
} au_libc_sync;

typedef enum { AU_READS_UNSTATED, AU_READS_EVENTS, AU_READS_SHOWN, AU_READS_GIVEN } au_libc_reads;

/* Bits. */
typedef enum {
    AU_CHANNEL_UNSTATED,
    AU_CHANNEL_SENDS,
    AU_CHANNEL_HEARS,
    AU_CHANNEL_BOTH = AU_CHANNEL_SENDS | AU_CHANNEL_HEARS
} au_libc_channel;

typedef enum {
    AU_CLASS_UNSTATED,
    AU_CLASS_HARMLESS,
    AU_CLASS_DEAF,
    AU_CLASS_FIRST,
    AU_CLASS_PLAIN,
    AU_CLASS_OPAQUE
} au_libc_class;

/* Why a call is a gap by itself. */
typedef enum {
    AU_GAP_UNSTATED,
    AU_GAP_ENDED,                   /* a thread is ended earlier or later */
    AU_GAP_LOOKS,                   /* looks at another thread */
    AU_GAP_SIGNAL,                  /* a signal comes earlier or later */
    AU_GAP_TIME,                    /* may end by its time */
    AU_GAP_MAY_FAIL,                /* by what another thread has done so far */
    AU_GAP_CHANGES,                 /* looks at what others change */
    AU_GAP_ALWAYS,                  /* from here on: also if no other thread runs */
    AU_GAP_PROCESS = AU_GAP_ALWAYS, /* another process, or another program in this one */
    AU_GAP_TIMER,                   /* a signal will come */
    AU_GAP_NOTICE, /* what is done beside comes to its end, and a thread may tell of it */
    AU_GAP_MAPPED, /* memory gets another address */
    AU_GAP_OPENMP  /* what libomp decides is fixed to the recording */
} au_libc_gap;

/* What the kernel or the C library answers by what threads did before, in an order that the model does not have. */
typedef enum {
    AU_REPLY_UNSTATED,
    AU_REPLY_TIME,   /* never goes back */
    AU_REPLY_NUMBER, /* of a descriptor: depends on all the answers before */
    AU_REPLY_LOOKS,  /* depends on what was done to locks, semaphores and threads */
    AU_REPLY_STATE, /* … on what calls of this kind did before: to files, limits, a library's own memory */
    AU_REPLY_MEMORY, /* … and on memory of the program, in places that nobody knows */
    AU_REPLY_PATCHED, /* not of a call: memory was read that another thread's call may have written, unseen */
    AU_REPLIES
} au_libc_reply;

/* A state inside of libc that only calls about it change and look at. */
typedef enum {
    AU_HIDDEN_UNSTATED,
    AU_HIDDEN_CLOCK,   /* the time */
    AU_HIDDEN_SIGNALS, /* handlers of signals */
    AU_HIDDEN_KEYS,    /* keys of threads' own data */
    AU_HIDDEN_NAMED    /* semaphores by name */
} au_libc_hidden;

/* What of a call is left out by who lowers source. */
typedef enum {
    AU_LEFT_UNSTATED,
    AU_LEFT_CANCEL,      /* that a thread is cancelled */
    AU_LEFT_CANCEL_END,  /* functions for the end of a cancelled thread */
    AU_LEFT_DATA_END,    /* … of a thread's own data */
    AU_LEFT_THREAD_END,  /* … of a thread's own objects */
    AU_LEFT_EXIT,        /* … of the program */
    AU_LEFT_OBJECTS_END, /* … of global objects */
    AU_LEFT_HANDLER,     /* a handler of signals */
    AU_LEFT_TIMER,       /* what a timer does */
    AU_LEFT_FORK,        /* the new process */
    AU_LEFT_CLONE,       /* the new thread or process */
    AU_LEFT_ATFORK,      /* functions for a fork */
    AU_LEFT_MAPPED       /* what a file holds, and other mappings of it */
} au_libc_left;

/* What a library keeps for itself and lets a program notice through several of its functions. The runtime tells
 * each as a word of memory at AU_STATE_BASE that calls read or add 1 to (rt/state.h); nothing is mapped there.
 * Words behind these belong to streams and the like. */
typedef enum {
    AU_STATE_NONE,
    AU_STATE_ENVIRONMENT,
    AU_STATE_RANDOM,   /* rand, random */
    AU_STATE_RANDOM48, /* drand48 and its kin */
    AU_STATE_LOCALE,
    AU_STATE_SIGNALS, /* what is done for signals */
    AU_STATE_KEYS,    /* of data of threads' own */
    AU_STATE_STRTOK,
    AU_STATES
} au_libc_state;
enum { AU_STATE_WORDS = 512 };
#define AU_STATE_BASE UINT64_C(0x77f000000000)
static inline bool au_libc_is_state(uint64_t address) {
    return address - AU_STATE_BASE < 8 * (uint64_t)AU_STATE_WORDS;
}

/* A row. */
typedef struct {
    const char *name;    /* of a family: how names begin */
    const char *args;    /* a letter an argument; NULL: not stated */
    const char *touches; /* what memory, for the runtime; NULL: not stated */
    const char
        *most;       /* by argument: which one says how many bytes of it at most; NULL: none does */
    char result;     /* 0: not stated */
    uint8_t runtime; /* au_libc_runtime */
    uint8_t does;    /* au_libc_does */
    uint8_t sync;    /* au_libc_sync; stated if 'does' is SYNC */
    uint8_t reads;   /* au_libc_reads */
    uint8_t channel; /* au_libc_channel */
    uint8_t class;   /* au_libc_class */
    uint8_t gap;     /* au_libc_gap */
    uint8_t left_out; /* au_libc_left */
    uint8_t state;    /* au_libc_state: its result depends on it */
    bool changes;     /* … and it changes that state */
    uint8_t hidden;   /* au_libc_hidden */
    uint8_t reply;    /* au_libc_reply */
    uint8_t makes;    /* 1 + the argument that names a file which it may make; 0: none */
    bool at;          /* … and the one before is the directory that this is in */
    bool shared;      /* … and the name is one of shared memory */
    bool kernel;      /* changes, or depends on, what the kernel keeps; the runtime does not tell */
    bool copies;      /* somebody goes on with all memory as it is now; the runtime does not tell */
    bool holds;       /* sends, and may wait for room, and the runtime does not tell */
    bool deadline;    /* waits no longer than until a time that it is given */
    bool descriptor;  /* DEAF only if its first argument is standard output or error */
    bool result_counts; /* its result shows the order of threads */
    bool fails;         /* the program fails if it comes here */
    bool users;         /* not of this table (au_libc_add) */
} au_libc;

/* The function's own row, or NULL; _own: in this table. */
const au_libc *au_libc_find(const char *name);
const au_libc *au_libc_find_own(const char *name);

/* Rows and families beside the table's, in place of those of an earlier call; the caller keeps them. Not thread-safe. */
void au_libc_add(const au_libc *rows, size_t n, const au_libc *families, size_t n_families);

/* All that is stated of a function: its own row, and where that states nothing its families. All 0 (the name too)
 * if nobody states anything. */
au_libc au_libc_of(const char *name);

/* Does a call order (trace/recording_opaque.c)? 'base': the function lies in the C or C++ library; if it lies
 * elsewhere, families of libc's names say nothing of it. */
bool au_libc_orders(const char *name, bool base);
/* Code without hooks that no event tells of: what does a call of it depend on besides its arguments? AU_REPLY_STATE,
 * AU_REPLY_MEMORY, or AU_REPLY_UNSTATED: nothing else. */
au_libc_reply au_libc_foreign(const char *name, bool base);
/* What a variable of a trace is called if it is the word of a state; NULL if none is at this address. And whether
 * a variable is called so, with a number behind it or not. */
const char *au_libc_state_at(uint64_t address);
bool au_libc_names_state(const char *variable);

/* All rows, in the order of the table; all families. */
const au_libc *au_libc_rows(size_t *n);
const au_libc *au_libc_families(size_t *n);

#endif
