/* cli/run_tell.c: how a recorded program ended, for a person. */
#include "base/printable.h"
#include "cli/run.h"
#include "wire/stream.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* The runtime's words; several lines are several remarks. */
static void tell_message(const au_opts *o, const char *message) {
    char text[4 * sizeof((struct au_control *)0)->message];
    au_printable(text, sizeof text, message, strlen(message), NULL);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line)
            au_cli_note(o, "%s", line);
}

static bool tell_signal(const au_opts *o, const char *path, int sig) {
    au_cli_note(o, "'%s' was killed by signal %d (%s)", path, sig, strsignal(sig));
    return false;
}

/* true if it ended well */
static bool tell_end(const au_opts *o, const char *path, const au_launch_result *l) {
    switch (l->ended ? (int)l->last.ended - 1 : -1) {
    case AU_END_ASSERT:
        au_cli_note(o, "an assertion failed in '%s'", path);
        return false;
    case AU_END_DEADLOCK:
        au_cli_note(o, "'%s' deadlocked and was stopped", path);
        return false;
    case AU_END_LIMIT:
        au_cli_note(o, "stopped after %llu events, as asked by --max-events",
                    (unsigned long long)l->last.events);
        return true;
    case AU_END_EXEC:
        au_cli_note(o, "'%s' started another program: the recording ends there", path);
        break;
    case AU_END_DIVERGED:
        return false; /* replay says what this means */
    default:
        break;
    }
    if (WIFSIGNALED(l->status))
        return tell_signal(o, path, WTERMSIG(l->status));
    if (WEXITSTATUS(l->status)) {
        au_cli_note(o, "'%s' exited with status %d", path, WEXITSTATUS(l->status));
        return false;
    }
    return true;
}

static void tell_writing(const au_opts *o, const au_run_result *r, const char *output) {
    if (r->write_status != AU_OK) {
        au_cli_fail(&r->write_error);
        if (r->file_bytes > sizeof(struct au_wire_head))
            au_cli_note(o, "'%s' holds what was written before: read it with '--partial'", output);
    } else if (r->launch.broken) {
        au_cli_note(o,
                    "the program overwrote the memory it shares with augur: '%s' ends before "
                    "that, read it with '--partial'",
                    output);
    }
    if (r->stdin_cut)
        au_cli_note(o,
                    "standard input was longer than the %llu bytes that are kept: a replay will "
                    "need it again",
                    (unsigned long long)r->stdin_bytes);
}

au_program_end au_run_tell(const au_opts *o, const au_program *p, const au_run_result *r,
                           const char *output) {
    const au_launch_result *l = &r->launch;
    if (l->last.ended != 1 + AU_END_DIVERGED) /* replay says what that means */
        tell_message(o, l->last.message);
    bool well = tell_end(o, p->path, l);
    if (output)
        tell_writing(o, r, output);
    if (!l->attached)
        return AU_PROGRAM_NO_HOOKS;
    if (!l->last.no_randomize)
        au_cli_note(o, "addresses could not be fixed (personality is not allowed here): a replay "
                       "may diverge where the program depends on them; see 'augur doctor'");
    return well ? AU_PROGRAM_WELL : AU_PROGRAM_FAILED;
}
