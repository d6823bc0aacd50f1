#include "report/case_kinds.h"

#include "base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const au_kind_words *au_kind_words_of(au_kind k) {
    static const au_kind_words words[AU_KINDS] = {
        [AU_KIND_RACE] =
            {"DataRace", "data race",
             "Two threads access the same variable, at least one of them writes, and nothing "
             "orders "
             "the accesses: both can come next in the same state.",
             "Protect every access of the variable by one lock, make it atomic, or order the "
             "accesses by fork and join, a semaphore or a condition. 'augur replay' executes the "
             "schedule on the program."},
        [AU_KIND_ATOMICITY] =
            {"AtomicityViolation", "atomic block broken",
             "Between two accesses of a variable in one atomic block, another thread accesses it "
             "in "
             "a way that no order of whole blocks could give.",
             "Keep one lock from the first access to the last, and let every other access of the "
             "variable take the same lock."},
        [AU_KIND_DEADLOCK] = {"Deadlock", "deadlock",
                              "Some threads wait for each other and none of them can ever go on.",
                              "Take locks in one order everywhere, or one lock for all of it; let "
                              "every wait be ended by a thread that does not wait for the waiter."},
        [AU_KIND_ASSERTION] =
            {"AssertionFails", "assertion fails",
             "In another order of the same run an assertion of the program does not hold.",
             "The order shown leads to the values that the assertion does not expect: what it "
             "relies on is not protected from other threads."},
        [AU_KIND_NONDET] =
            {"ReadOfAnotherWrite", "a read can see another write",
             "In another order of the same run a read sees a write that it did not see before, so "
             "that what the program does depends on the order of its threads.",
             "If the result must not depend on the order, order the write and the read."},
        [AU_KIND_MISUSE] = {"LockMisuse", "misuse of a lock",
                            "A lock is used against its rules: released by a thread that does not "
                            "hold it, taken twice, or destroyed while it is held.",
                            "Let the thread that takes a lock release it, once, on every path."},
        [AU_KIND_LOST] = {"LostUpdate", "lost update",
                          "A thread writes to a variable what it has computed from an earlier "
                          "value of it; another thread wrote the "
                          "variable in between, and that is overwritten.",
                          "Read, compute and write in one critical section, or write only if the "
                          "value is still the one "
                          "that was read (compare-and-exchange), and begin again if it is not."},
        [AU_KIND_OUTPUT] = {
            "DifferentOutput", "different output",
            "On the same input, in another order of its threads, the program tells the "
            "world something else: lines that it prints, a file that it writes, its "
            "exit status.",
            "If the output must not depend on the order, look at the first read that saw "
            "something else, and order it after the write that it should see. If any "
            "order will do, --compare-output none does not look."}};
    return &words[k];
}

/* Nobody holds what another waits for: each waits on a condition. */
static bool waits_for_signals(const au_case *c) {
    bool all = c->kind == AU_KIND_DEADLOCK && c->event.n;
    for (size_t i = 0; i < c->event.n && all; i++)
        all = !strcmp(c->event.at[i].op, "wait") && *c->event.at[i].object;
    return all;
}

const char *au_case_advice(const au_case *c) {
    switch (c->narrow) {
    case AU_NARROW_USE_AFTER_FREE:
        return "Free the memory only when no other thread can reach it any more: after joining the "
               "threads that use it, by the last of them (a reference count), or under the lock "
               "that every use holds.";
    case AU_NARROW_DOUBLE_FREE:
        return "Let one thread own the memory, or take the pointer out of the shared variable and "
               "clear it in one critical section before freeing it.";
    case AU_NARROW_MEMORY:
        return "The order shown leads to a value that the line does not expect: check it where it "
               "is used, in the "
               "critical section that uses it, or order the write before it.";
    case AU_NARROW_STALE:
        return "Decide and act in one critical section, or look again before acting: what was read "
               "is not true any more.";
    case AU_NARROW_LOST_WAKEUP:
        return "Change a variable under the lock before the signal, and wait in a loop that tests "
               "it: while (!ready) wait. A signal that nobody waits for is lost.";
    default:
        break;
    }
    if (waits_for_signals(c))
        return "Wake every thread that the change is for (broadcast, notify_all), change what they "
               "wait for under the lock before that, and wait in a loop that tests it.";
    if (c->kind == AU_KIND_ASSERTION && c->event.n && !strcmp(c->event.at[0].op, "crash"))
        return "Find what the last line uses, and which line of another thread before it freed, "
               "moved or changed that: the two need one lock, or an order.";
    if (c->kind == AU_KIND_ASSERTION && c->event.n > 1)
        return "Look at the first read that saw another value than in the passing run, and at who "
               "wrote it: what belongs together was changed in two steps.";
    return au_kind_words_of(c->kind)->help;
}

const char *au_case_verb(const au_case_event *e) {
    static const struct {
        const char *op, *verb;
    } verb[] = {{"read", "reads"},
                {"write", "writes"},
                {"atomic-read", "reads"},
                {"atomic-write", "writes"},
                {"atomic-update", "updates"},
                {"acquire", "takes"},
                {"read-acquire", "takes (to read)"},
                {"write-acquire", "takes (to write)"},
                {"release", "releases"},
                {"request", "wants"},
                {"fork", "starts"},
                {"join", "joins"},
                {"wait", "waits for"},
                {"wake", "is woken by"},
                {"signal", "signals"},
                {"broadcast", "wakes all of"},
                {"assert", "asserts"},
                {"exit", "ends"},
                {"down", "takes from"},
                {"up", "gives to"},
                {"arrive", "arrives at"},
                {"leave", "leaves"},
                {"lock-error", "misuses"},
                {"init", "sets up"},
                {"ends-program", "ends the program"}};
    if (e->frees)
        return "frees";
    if (!*e->object && !strcmp(e->op, "wait"))
        return "waits";
    for (size_t i = 0; i < sizeof verb / sizeof *verb; i++)
        if (!strcmp(e->op, verb[i].op))
            return verb[i].verb;
    return e->op;
}

void au_case_put_safe(au_out *out, const char *s, size_t most) {
    char text[1200];
    size_t room = most + 1 < sizeof text ? most + 1 : sizeof text;
    room = room < 8 ? 8 : room;
    size_t n = au_printable(text, room, s, strlen(s), NULL);
    for (size_t i = 0; i < n; i++) /* a name is one line */
        if (text[i] == '\n')
            text[i] = ' ';
    au_out_write(out, text, n);
}

void au_case_thread(const char *thread, const char *called, char *out, size_t room) {
    if (*called && strcmp(called, thread))
        snprintf(out, room, "%.40s (%s)", called, thread);
    else
        snprintf(out, room, "%s", thread);
}

void au_case_put_thread(au_out *out, const au_case_event *e) {
    char text[120];
    au_case_thread(e->thread, e->called, text, sizeof text);
    au_case_put_safe(out, text, 100);
}

void au_case_tell_event(const au_case_event *e, au_out *out) {
    au_case_put_thread(out, e);
    au_out_char(out, ' ');
    au_case_put_safe(out, au_case_verb(e), 40);
    if (*e->object) {
        au_out_str(out, " '");
        au_case_put_safe(out, e->object, 120);
        au_out_char(out, '\'');
    }
    if (e->has_value)
        au_out_printf(out, " = %" PRId64, e->value);
    if (*e->label) {
        au_out_str(out, " at ");
        au_case_put_safe(out, e->label, 60);
    }
    if (*e->function) {
        au_out_str(out, " in ");
        au_case_put_safe(out, e->function, 120);
    }
    for (uint32_t i = 0; i < e->n_held; i++) {
        au_out_str(out, i ? ", '" : ", holding '");
        au_case_put_safe(out, e->held[i], 80);
        au_out_char(out, '\'');
    }
}
