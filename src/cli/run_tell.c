/* cli/run_tell.c: how a recorded program ended, for a person. */
#include "base/limits.h"
#include "base/out.h"
#include "base/printable.h"
#include "cli/run.h"
#include "report/case_words.h"
#include "retrace/stacks.h"
#include "wire/stream.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* A signal that comes from what the program did. */
static bool was_its_own(int status) {
    if (!WIFSIGNALED(status))
        return false;
    switch (WTERMSIG(status)) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
    case SIGABRT:
        return true;
    default:
        return false;
    }
}

/* The runtime's words; several lines are several remarks. It knows addresses only: those of
 * the program's own variables get their names. */
static void tell_message(const au_opts *o, const char *message, const au_stacks *s) {
    char text[4 * sizeof((struct au_control *)0)->message], line[sizeof text];
    au_out *out = au_out_memory();
    for (const char *c = message; *c;) {
        char name[200], *end;
        uint64_t address = !strncmp(c, "0x", 2) ? strtoull(c, &end, 16) : 0;
        if (address && s && au_stacks_name(s, address, name, sizeof name)) {
            au_out_printf(out, "'%s'", name);
            c = end;
        } else {
            au_out_char(out, *c++);
        }
    }
    size_t n;
    const char *all = au_out_memory_data(out, &n);
    au_printable(text, sizeof text, all, n, NULL);
    au_out_abandon(out);
    for (const char *c = text; *c; c += strspn(c, "\n")) {
        n = strcspn(c, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, c);
        au_cli_note(o, "%s", line);
        c += n;
    }
}

/* Nothing if it ended well (engine/ended.h). */
static void tell_end(const au_opts *o, const char *path, const au_launch_result *l) {
    switch (l->ended ? (int)l->last.ended - 1 : -1) {
    case AU_END_ASSERT:
        au_cli_note(o, "an assertion failed in '%s'", path);
        return;
    case AU_END_DEADLOCK:
        au_cli_note(o, "'%s' deadlocked and was stopped", path);
        return;
    case AU_END_LIMIT:
        if (l->last.stop_after && !(l->last.max_events && l->last.events >= l->last.max_events)) {
            au_cli_note(o, "stopped after %.1f s (--for)", l->seconds);
            return;
        }
        au_cli_note(o, "stopped after %llu events%s", (unsigned long long)l->last.events,
                    l->last.max_events ? " (--max-events)" : ": the runtime cannot go on");
        return;
    case AU_END_EXEC:
        au_cli_note(o, "'%s' started another program: the recording ends there", path);
        break;
    case AU_END_DIVERGED:
        return; /* replay says what this means */
    default:
        break;
    }
    if (WIFSIGNALED(l->status))
        au_cli_note(o, "'%s' was killed by signal %d (%s)", path, WTERMSIG(l->status),
                    strsignal(WTERMSIG(l->status)));
    else if (WEXITSTATUS(l->status))
        au_cli_note(o, "'%s' exited with status %d", path, WEXITSTATUS(l->status));
}

static void tell_writing(const au_opts *o, const au_run_result *r, const char *output) {
    if (r->write_status != AU_OK) {
        au_cli_fail(&r->write_error);
        if (r->file_bytes > sizeof(struct au_wire_head) && strcmp(output, "-"))
            au_cli_note(o, "'%s' holds the events before: read it with '--partial'", output);
    } else if (r->launch.broken) {
        au_cli_note(o,
                    "the program overwrote the memory it shares with augur: '%s' ends before "
                    "that, read it with '--partial'",
                    output);
    }
    if (r->nameless.status)
        au_cli_note(o, "names and lines are missing in '%s': %s", output, r->nameless.text);
    if (r->stdin_cut)
        au_cli_note(o, "%s",
                    au_limit_say(AU_AT_STDIN, r->stdin_bytes, 0, (char[AU_LIMIT_TEXT]){0}));
}

/* Where the threads stood: all of them after a deadlock, else the one that failed. */
static void tell_stacks(const au_opts *o, const au_stacks *s, bool all) {
    for (size_t i = 0; i < s->thread.n; i++) {
        const au_stack *k = &s->thread.at[i];
        if (k->ended || (!all && !k->last))
            continue;
        char line[1024], text[2048];
        size_t n = 0;
        for (size_t f = k->frame.n; f-- > 0 && n < sizeof line;) {
            const au_stack_frame *x = &k->frame.at[f];
            const char *slash = strrchr(x->file, '/');
            if (n && au_case_is_foreign(x->file))
                continue; /* calls within libraries lead nowhere */
            n += (size_t)snprintf(line + n, sizeof line - n, "%s%s", n ? " < " : "", x->function);
            if (x->line && n < sizeof line)
                n += (size_t)snprintf(line + n, sizeof line - n, " (%s:%u)",
                                      slash ? slash + 1 : x->file, x->line);
        }
        if (!n)
            continue;
        au_printable(text, sizeof text, line, strlen(line), NULL);
        au_cli_note(o, "T%u stood in %s%s%s", k->thread, k->calling ? k->calling : "",
                    k->calling ? " < " : "", text);
    }
}

void au_run_tell(const au_opts *o, const au_program *p, const au_run_result *r,
                 const char *output) {
    const au_launch_result *l = &r->launch;
    au_stacks stacks = {0};
    au_error ignored = AU_ERROR_NONE; /* without stacks the rest is as true */
    bool deadlock = l->last.ended == 1 + AU_END_DEADLOCK;
    bool failed = deadlock || l->last.ended == 1 + AU_END_ASSERT || was_its_own(l->status);
    bool file = output && strcmp(output, "-"); /* what went into a pipe is gone */
    bool asked = file && l->attached && failed && !au_opt_flag(o, "quiet");
    bool is_long = l->last.events > AU_LIMIT_STACK_EVENTS;
    if (asked && is_long)
        au_cli_note(o, "%s", au_limit_say(AU_AT_STACK_EVENTS, 0, 0, (char[AU_LIMIT_TEXT]){0}));
    else if (asked)
        au_stacks_retrace(&stacks, output, &ignored);
    if (l->last.ended != 1 + AU_END_DIVERGED) /* replay says what that means */
        tell_message(o, l->last.message, &stacks);
    tell_end(o, p->path, l);
    tell_stacks(o, &stacks, deadlock);
    au_stacks_release(&stacks);
    if (output)
        tell_writing(o, r, output);
    if (l->attached && !l->last.no_randomize)
        au_cli_note(o, "addresses could not be fixed (personality is not allowed here): a replay "
                       "may diverge where the program depends on them; see 'augur doctor'");
}
