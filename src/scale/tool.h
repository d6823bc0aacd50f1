/* scale/tool.h: runs another program to its end and keeps what it said. */
#ifndef AU_SCALE_TOOL_H
#define AU_SCALE_TOOL_H

#include "base/error.h"

#include <stdbool.h>

typedef struct {
    int status;      /* of its exit; 128 + signal */
    char *out, *err; /* what it wrote, without blanks at the end */
} au_tool_said;

/* argv[0] is looked for in PATH. It does not hear a terminal's Ctrl-C: whoever runs it sees to
 * that. On failure there is nothing to release. */
au_status au_tool_run(char *const *argv, au_tool_said *said, au_error *err);
void au_tool_said_release(au_tool_said *said);

/* Is there such a program in PATH? */
bool au_tool_exists(const char *name);

#endif
