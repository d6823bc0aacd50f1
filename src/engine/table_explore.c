/* engine/table_explore.c: augur explore. */
#include "engine/table_priv.h"

static const au_option explore_options[] = {
    BUDGET("60"),
    INT("max-runs", 0, "N", "0", 0, INT64_MAX, "execute the program at most N times; 0: no limit"),
    INT("jobs", 'j', "N", "0", 0, 4096,
        "number of workers for queries and checks; 0: one per core"),
    CHOICE("continue", "HOW", "nonpreemptive", "nonpreemptive|random",
           "how a run goes on after its goal; nonpreemptive: a thread runs until it blocks; "
           "random: switch at random events"),
    INT("seed", 0, "N", "1", 0, INT64_MAX, "random seed"),
    FLAG("all-spurious", 0,
         "explore spurious wake-ups like everything else; by default only where nothing else "
         "reaches a branch outcome or makes an assertion fail",
         .old = "spurious"),
    FLAG("sandbox", 0,
         "run in a fresh copy of the working directory each time, so that no run sees files of "
         "another"),
    DIRECTORY("recordings", NULL,
              "keep the recordings of all runs in this directory; by default those of findings, in "
              "PROGRAM.explored",
              .old = "keep"),
    FLAG("first", 0, "stop at the first finding"),
    FLAG("exhaustive", 0,
         "exit with status 3 unless every interleaving of the input was covered and every question "
         "answered"),
    SWITCH("check", "yes",
           "check every run with new behaviour, as 'augur check' does, and execute the findings; "
           "--no-check: report only runs that fail"),
    PROPS(NULL, ALL_PROPS "memory|stale-check",
          "checks: kinds of bugs to look for; by default all except nondet"),
    CHOICE("atomic", "WHICH", "marked", "auto|marked|critical|function|none",
           "checks: which regions are atomic blocks, as for 'augur check'"),
    CHOICE("compare-output", "HOW", "content", "order|content|none",
           "what another interleaving prints and writes is compared with the first run; content: "
           "as lines in "
           "any order; order: byte by byte; none: it is not looked at"),
    CHECKS,
    LIBRARY,
    INT("split", 0, "N", "4", 0, 64,
        "follow a pointer that depends on the interleaving to at most N other objects; 0: pointers "
        "keep the values of the run"),
    NUMBER("timeout", "S", "10", 0.01, 1e6, "seconds per query"),
    INT("memory", 0, "MIB", "8192", 0, 1 << 30, "memory per worker in MiB; 0: no limit"),
    POLICY("first run: which thread runs next, as for 'augur record'"),
    INT("switch-every", 0, "N", "0", 0, INT64_MAX,
        "first run: average number of events between switches; 0: the default of the policy"),
    INT("depth", 0, "N", "3", 1, 1000, "first run, pct: number of priority changes, plus one"),
    INT("max-events", 0, "N", "0", 0, INT64_MAX,
        "stop a run after N events; 0: after ten times those of the first run, at least 20000"),
    RUN_TIMEOUT("10", 0, "seconds per execution; 0: no limit"),
    LIST("env", "NAME=VALUE,...", NULL, NULL,
         "set environment variables of the program; NAME alone unsets one"),
    CWD,
    FLAG("verbose", 0,
         "print a line on standard error for each run; text: every variant of a finding, too",
         .old = "runs"),
    INT("most", 0, "N", "20", 0, INT64_MAX, "text: print at most N findings per kind; 0: all"),
    FORMAT("text"),
    FILE_("output", 'o', "-", "output file; '-': standard output"),
};
static const au_example explore_examples[] = {
    {"augur explore ./bank 4 100", "every interleaving of this input, as far as a minute goes"},
    {"augur explore --budget 600 --sandbox ./server test.conf",
     "ten minutes, each run in a fresh directory"},
    {"augur explore --first --verbose ./bank", "stop at the first bug; a line for each run"},
    {"augur explore --recordings runs --format json ./bank",
     "keep all recordings; findings as JSON"},
};
static const au_exit explore_exits[] = {
    {AU_EXIT_NOTHING, "no findings; the output says what was covered"},
    {AU_EXIT_FOUND, "findings"},
    {AU_EXIT_USAGE, "usage error, or a program that cannot be recorded"},
    {AU_EXIT_INTERNAL,
     "internal error, or no findings that hold, but something could not be examined or "
     "the program contradicted it; --exhaustive: or the last line says 'not exhaustive'"},
};
const au_command au_explore_command = {
    .name = "explore",
    .summary = "cover the interleavings of an input by executing new ones",
    .operands = "PROGRAM [ARGUMENT...]",
    .description =
        "Records one run of a program that was built with 'augur cc', computes which other\n"
        "interleavings take another branch outcome or see another value, executes the program\n"
        "on those schedules, and continues from the new runs until every interleaving of this\n"
        "input is covered or the budget is used up.\n"
        "\n"
        "A run that fails (a failed assertion, a crash, a deadlock, an exit status other than\n"
        "0 if the first run had 0) is a confirmed finding: its recording repeats it. Runs\n"
        "with new behaviour are checked as 'augur check' does, and the findings are executed.\n"
        "\n"
        "The last line says what was covered: 'exhaustive:' if that is every interleaving of\n"
        "this input and every question was answered, else 'not exhaustive:', what is left and\n"
        "where, and what to try.\n"
        "\n"
        "All runs get the same arguments, environment and standard input. Their output is\n"
        "discarded, and so are the files that they make. Other files that a run changes are\n"
        "changed for the next run, unless --sandbox is given.",
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
