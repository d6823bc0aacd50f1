/* engine/ended.c: see ended.h. */
#include "engine/ended.h"

#include "wire/stream.h"

#include <sys/wait.h>

static bool ended_well(const au_launch_result *l) {
    switch (l->ended ? (int)l->last.ended - 1 : -1) {
    case AU_END_ASSERT:
    case AU_END_DEADLOCK:
    case AU_END_DIVERGED:
        return false;
    case AU_END_LIMIT:
        return l->last.max_events || l->last.stop_after;
    default:
        return !WIFSIGNALED(l->status) && !WEXITSTATUS(l->status);
    }
}

au_program_end au_program_ended(const au_launch_result *l) {
    if (!l->attached)
        return AU_PROGRAM_NO_HOOKS;
    if (ended_well(l))
        return AU_PROGRAM_WELL;
    return l->last.ended == 1 + AU_END_LIMIT ? AU_PROGRAM_STOPPED : AU_PROGRAM_FAILED;
}
