/* engine/table_explore.c: augur explore. */
#include "engine/table_priv.h"

static const au_option explore_options[] = {
    NUMBER("budget", "SECONDS", "60", 0, 1e9,
           "stop exploring after so long; 0: only when nothing is left. Checking the runs may take "
           "as long again"),
    INT("max-runs", 0, "N", "0", 0, INT64_MAX, "execute the program at most N times; 0: no limit"),
    INT("jobs", 'j', "N", "0", 0, 4096, "questions asked and runs checked at once; 0: one a core"),
    CHOICE("continue", "HOW", "nonpreemptive", "nonpreemptive|random",
           "how a run goes on after what it was executed for: a thread runs until it waits, or at "
           "random places another one has its turn"),
    INT("seed", 0, "N", "1", 0, INT64_MAX, "for what is random"),
    FLAG("all-spurious", 0,
         "waits that end without a signal are explored like everything else; by default only where "
         "nothing else leads to a side of a branch or makes an assertion fail",
         .old = "spurious"),
    FLAG("sandbox", 0,
         "each run in its own copy of the working directory, so that no run sees the "
         "files that another one wrote"),
    DIRECTORY("recordings", NULL,
              "keep the recordings of all runs there; by default those that findings belong to are "
              "kept in PROGRAM.explored",
              .old = "keep"),
    FLAG("first", 0, "stop at the first finding"),
    SWITCH("check", "yes",
           "check every run that brought something new, as 'augur check' does, and execute what is "
           "found; --no-check: only what goes wrong in executed runs"),
    PROPS(NULL, ALL_PROPS, "checks: what to look for; by default all but nondet"),
    CHOICE("atomic", "WHICH", "auto", "auto|marked|critical|function|none",
           "checks: what is an atomic block, as for 'augur check'"),
    CHECKS,
    INT("split", 0, "N", "4", 0, 64,
        "a pointer that another interleaving may change is followed to at most N other objects; "
        "0: pointers keep their values"),
    NUMBER("timeout", "S", "10", 0.01, 1e6, "seconds for one question"),
    INT("memory", 0, "MIB", "8192", 0, 1 << 30, "memory of one worker in MiB; 0: no limit"),
    POLICY("the first run: who runs next, as for 'augur record'"),
    INT("switch-every", 0, "N", "0", 0, INT64_MAX,
        "the first run: events that a thread may execute before another has its turn, about; 0: "
        "what suits the policy"),
    INT("depth", 0, "N", "3", 1, 1000, "the first run, pct: changes of priority, plus one"),
    INT("max-events", 0, "N", "0", 0, INT64_MAX,
        "stop a run after N events; 0: after ten times those of the first run, and at least 20000"),
    RUN_TIMEOUT("10", 0, "seconds that a run may take; 0: no limit"),
    LIST("env", "NAME=VALUE,...", NULL, NULL,
         "set variables of the program's environment; NAME alone removes one"),
    CWD,
    FLAG("verbose", 0, "a line on standard error about each run as it is executed", .old = "runs"),
    INT("most", 0, "N", "20", 0, INT64_MAX, "text: print at most N findings of a kind; 0 for all"),
    FORMAT("text"),
    FILE_("output", 'o', "-", "where to write; '-' is standard output"),
};
static const au_example explore_examples[] = {
    {"augur explore ./bank 4 100", "what any interleaving of this input can do, within a minute"},
    {"augur explore --budget 600 --sandbox ./server test.conf", "longer, each run in a fresh copy"},
    {"augur explore --first --verbose ./bank", "stop at the first bug, and watch"},
    {"augur explore --recordings runs --format json ./bank",
     "all recordings, findings for a program"},
};
static const au_exit explore_exits[] = {
    {AU_EXIT_NOTHING, "nothing was found; what was covered is said"},
    {AU_EXIT_FOUND, "something was found"},
    {AU_EXIT_USAGE, "wrong usage, or the program cannot be recorded"},
    {AU_EXIT_INTERNAL, "internal error, or nothing was found but not everything could be examined"},
};
const au_command au_explore_command = {
    .name = "explore",
    .summary = "find what other interleavings of an input do, by going there",
    .operands = "PROGRAM [ARGUMENT...]",
    .description =
        "Records one run of a program that was built with 'augur cc', computes which other\n"
        "interleavings would take a branch the other way or see another value, executes the\n"
        "program on those schedules, and goes on from the new runs until every interleaving of\n"
        "this input is covered or the budget is used up.\n"
        "\n"
        "A run that fails (an assertion, a crash, a deadlock, an exit status other than the\n"
        "first run's 0) is a confirmed finding: its recording repeats it. Runs that brought\n"
        "something new are checked as 'augur check' does, and what is found is executed.\n"
        "\n"
        "At the end it is said what was covered. 'Every interleaving of this input' is said only\n"
        "if it is so; otherwise what is left, and where.\n"
        "\n"
        "All runs get the same arguments, environment and standard input. Their output is thrown\n"
        "away. Files that a run writes are there for the next one unless --sandbox is given.",
    .options = explore_options,
    .n_options = LEN(explore_options),
    .examples = explore_examples,
    .n_examples = LEN(explore_examples),
    .exits = explore_exits,
    .n_exits = LEN(explore_exits),
    .min_operands = 1,
    .max_operands = UINT8_MAX,
    .stop_at_operand = true,
};
