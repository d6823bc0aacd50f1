/* cli/replay_tell.c: what a replay did otherwise, for a person. */
#include "base/printable.h"
#include "cli/replay.h"
#include "report/case_kinds.h"
#include "report/common.h"
#include "trace/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *op_text(uint8_t op) {
    switch (op) {
    case AU_SOP_RREAD:
        return "reads a range";
    case AU_SOP_RWRITE:
    case AU_SOP_RSET:
    case AU_SOP_RCOPY:
        return "writes a range";
    case AU_SOP_FRAME:
        return "enters a frame";
    case AU_SOP_LAND:
        return "lands";
    case AU_SOP_FAIL:
        return "fails an assertion";
    case AU_OP_READ:
        return "reads";
    case AU_OP_WRITE:
        return "writes";
    case AU_OP_CALL:
        return "enters a function";
    case AU_OP_RET:
        return "returns";
    case AU_OP_XCALL:
        return "calls code without hooks";
    case AU_OP_XRET:
        return "returns from a call";
    default:
        return op < AU_OPS ? au_report_verb(op) : "executes an unknown operation";
    }
}

/* The event as 'augur show' names it: through the reader, up to the hook that is meant. Only
 * names and the place are taken from there; false if it is not found. */
static bool find_name(const char *path, const au_stream_record *r, char *name, size_t name_size,
                      char *loc, size_t loc_size, char *called, size_t called_size) {
    au_read_options how = {.partial = true};
    au_error ignored = AU_ERROR_NONE;
    au_reader *in = au_reader_open(path, &how, &ignored);
    uint64_t seen = 0;
    bool found = false;
    au_block b = {.n = 1};
    while (in && !found && b.n && au_reader_next(in, &b, &ignored) == AU_OK)
        for (size_t i = 0; i < b.n && !found; i++) {
            const au_names *names = au_reader_names(in);
            const au_hooks *hooks = au_reader_hooks(in);
            if (b.thread[i] != r->thread || ++seen < r->index ||
                (hooks && au_hooks_of(hooks, r->thread, seen) != r->index))
                continue;
            found = true;
            const char *own = au_names_called(names, r->thread);
            au_printable(called, called_size, own, strlen(own), NULL);
            au_report_loc(names, b.loc[i], loc, loc_size);
            const char *s =
                b.obj[i] == AU_NONE ? "" : au_report_name(names, au_op_space(b.op[i]), b.obj[i]);
            au_printable(name, name_size, s, strlen(s), NULL);
        }
    au_reader_free(in);
    return found;
}

void au_tell_event(const char *path, const au_stream_record *r, au_told_event *told) {
    char name[160] = "", loc[300] = "", called[64] = "", number[16];
    char *text = told->did;
    const size_t size = sizeof told->did;
    if (!find_name(path, r, name, sizeof name, loc, sizeof loc, called, sizeof called) || !*name)
        snprintf(text, size, "%s%s%s", op_text(r->op), *loc ? " at " : "", loc);
    else
        snprintf(text, size, "%s '%s'%s%s", op_text(r->op), name, *loc ? " at " : "", loc);
    snprintf(number, sizeof number, "T%u", r->thread);
    au_case_thread(number, called, told->who, sizeof told->who);
}

static void tell_end(const au_stream_record *r, char *text, size_t size) {
    static const char *const name[] = {[AU_END_EXIT] = "exited with status",
                                       [AU_END_SIGNAL] = "was ended by signal",
                                       [AU_END_ASSERT] = "failed an assertion, signal",
                                       [AU_END_DEADLOCK] = "deadlocked,",
                                       [AU_END_LIMIT] = "was stopped at its limit,",
                                       [AU_END_EXEC] = "started another program,",
                                       [AU_END_DIVERGED] = "left the schedule,"};
    if (r->tag != AU_TAG_END || r->kind >= sizeof name / sizeof *name)
        snprintf(text, size, "was cut off");
    else
        snprintf(text, size, "%s %" PRId64, name[r->kind], (int64_t)r->value);
}

void au_tell_comparison(const char *recorded, const char *replayed, const au_comparison *c,
                        char *text, size_t size) {
    au_told_event old = {0}, new = {0};
    const char *was = old.did, *is = new.did;
    if (c->was.tag == AU_TAG_EV)
        au_tell_event(recorded, &c->was, &old);
    else
        tell_end(&c->was, old.did, sizeof old.did);
    if (c->is.tag == AU_TAG_EV)
        au_tell_event(replayed, &c->is, &new);
    else
        tell_end(&c->is, new.did, sizeof new.did);
    const au_stream_record *a = &c->was, *b = &c->is;
    switch (c->what) {
    case AU_SAME:
        snprintf(text, size, "identical");
        break;
    case AU_OTHER_THREAD:
        snprintf(text, size,
                 "%s ran instead of %s: T%u event %" PRIu64 " %s, T%u event %" PRIu64 " %s was due",
                 new.who, old.who, b->thread, b->index, is, a->thread, a->index, was);
        break;
    case AU_OTHER_PLACE:
        snprintf(text, size, "%s event %" PRIu64 " %s; recorded: %s", new.who, b->index, is, was);
        break;
    case AU_OTHER_ADDRESS:
        snprintf(text, size,
                 "%s event %" PRIu64 " %s at address 0x%" PRIx64 "; recorded: 0x%" PRIx64
                 " (address-dependent)",
                 new.who, b->index, is, b->address, a->address);
        break;
    case AU_OTHER_VALUE:
        snprintf(text, size, "%s event %" PRIu64 " %s with value %" PRIu64 "; recorded: %" PRIu64,
                 new.who, b->index, is, b->value, a->value);
        break;
    case AU_SHORTER:
        snprintf(text, size, "the program %s, where %s event %" PRIu64 " was due: %s", is, old.who,
                 a->index, was);
        break;
    case AU_LONGER:
        snprintf(text, size, "%s event %" PRIu64 " %s; the recorded run %s", new.who, b->index, is,
                 was);
        break;
    case AU_OTHER_END:
        snprintf(text, size, "the program %s; the recorded one %s", is, was);
        break;
    }
}
