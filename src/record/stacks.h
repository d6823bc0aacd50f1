/* record/stacks.h: where the threads of a recording stood when it ended, as far as the recording alone
 * tells: which functions with hooks a thread is in, and its last event in each. The lines of calls are
 * in the program's code: retrace/stacks.h. */
#ifndef AU_RECORD_STACKS_H
#define AU_RECORD_STACKS_H

#include "base/error.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *function;
    char *file; /* "" if not known */
    uint32_t
        line; /* of the last event in this function, or of its call (retrace); 0 if not known */
} au_stack_frame;

typedef struct {
    uint32_t thread;
    bool ended;
    bool last;                    /* the last event of the recording is its */
    char *calling;                /* code without hooks that it is inside of; NULL: none */
    AU_VEC(au_stack_frame) frame; /* innermost last */
} au_stack;
typedef struct {
    AU_VEC(au_stack) thread; /* one for every thread */
    AU_VEC(struct au_stack_global {
        uint64_t address;
        uint64_t size;
        char *name;
    })
    global; /* the program's variables */
} au_stacks;

au_status au_stacks_read(au_stacks *s, const char *recording, au_error *err);
void au_stacks_release(au_stacks *s);
void au_stack_release_frames(au_stack *s);
/* The variable at this address, "b" or "table+16"; false if it is no global one. */
bool au_stacks_name(const au_stacks *s, uint64_t address, char *text, size_t size);

#endif
