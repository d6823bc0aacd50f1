/* engine/table_record.c: the commands that run a program. */
#include "engine/table_priv.h"

/* ---- record ---- */

static const au_option record_options[] = {
    FILE_("output", 'o', NULL,
          "the recording; by default PROGRAM.trace in the current directory; -: standard output, "
          "as it "
          "comes, and what the program prints goes to standard error"),
    POLICY("which thread runs next; os: switch where a thread blocks or has used its time slice; "
           "random: switch at random events; pct: random priorities with few changes"),
    INT("seed", 0, "N", "1", 0, INT64_MAX, "random seed; the same seed gives the same schedule"),
    INT("switch-every", 0, "N", "0", 0, INT64_MAX,
        "average number of events between switches; 0: the default of the policy"),
    INT("depth", 0, "N", "3", 1, 1000, "pct: number of priority changes, plus one"),
    INT("runs", 0, "N", "1", 1, 1000000,
        "record N runs into FILE.1, FILE.2, ..., with seeds S, S+1, ..., where S is --seed; by "
        "default with --policy random"),
    INT("max-events", 0, "N", "0", 0, INT64_MAX, "stop the program after N events; 0: never"),
    NUMBER("for", "S", "0", 0, 1e9,
           "stop the program after S seconds, and go on as if it had ended; 0: never"),
    LIST("env", "NAME=VALUE,...", NULL, NULL,
         "set environment variables of the program; NAME alone unsets one"),
    CWD,
    FLAG("measure", 0, "run the program again without recording, and report the slowdown"),
    FILE_("native", 0, NULL, "report the slowdown against this build of the program"),
    DIRECTORY("suite", NULL, "a process of the suite of 'augur test' whose recordings go here",
              .hidden = true),
    STRING("suite-number", 0, "N", NULL, "what the process is, for the next suite", .hidden = true),
};
static const au_example record_examples[] = {
    {"augur record ./bank 4 100", "into bank.trace"},
    {"augur record -o t --runs 10 ./bank", "ten runs: t.1 to t.10"},
    {"augur record --policy pct --seed 7 ./bank", "a run with few, random switches"},
    {"augur record -o - ./server | augur check --stream -", "findings while it runs"},
};
static const au_exit record_exits[] = {
    {AU_EXIT_NOTHING, "recorded, and the program ended with status 0"},
    {AU_EXIT_FOUND, "recorded, and the program failed: another exit status, a signal, a failed "
                    "assertion, a deadlock"},
    {AU_EXIT_USAGE, "the program cannot be recorded, or the recording cannot be written"},
    {AU_EXIT_INTERNAL, "internal error"},
};
const au_command au_record_command = {
    .name = "record",
    .summary = "run a program and record what its threads do",
    .operands = "PROGRAM [ARGUMENT...]",
    .description =
        "Runs a program that was built with 'augur cc' and records every access, lock\n"
        "operation and call of its threads, in order. One thread runs at a time.\n"
        "\n"
        "The recording holds the arguments, the environment, the working directory and the\n"
        "standard input, so that 'augur replay' can repeat the run. Messages of augur go to\n"
        "standard error. A program that crashes, is killed, deadlocks or fails leaves a\n"
        "recording like any other. augur passes signals on to the program.\n"
        "\n"
        "augur reads names and lines from the program and its libraries before it starts the\n"
        "program; if one of them cannot be read, it does not run the program. Names of a\n"
        "module that was loaded during the run and deleted before its end are missing; a\n"
        "message says so.",
    .options = record_options,
    .n_options = LEN(record_options),
    .examples = record_examples,
    .n_examples = LEN(record_examples),
    .exits = record_exits,
    .n_exits = LEN(record_exits),
    .min_operands = 1,
    .max_operands = UINT8_MAX,
    .stop_at_operand = true,
};

/* ---- replay ---- */

static const au_option replay_options[] = {
    FILE_("schedule", 0, NULL,
          "execute this schedule instead of the recorded one: lines like 'T1 14', or JSON"),
    STRING("finding", 0, "ID", NULL,
           "execute the schedule of this finding of 'augur check'; without TRACE: of a stored "
           "finding, by its id in the last run or its fingerprint"),
    FILE_("findings", 0, NULL,
          "findings to choose from: JSON of 'augur check'; by default the recording is checked "
          "again"),
    CHECKS,
    LIBRARY,
    RUN_TIMEOUT("0", 0, "kill the program after S seconds; 0: never"),
    FLAG("gdb", 0,
         "stop before the decisive event, with every thread where the schedule put it, and start "
         "gdb"),
    LIST("gdb-command", "COMMAND,...", NULL, NULL,
         "--gdb: commands for gdb to execute, instead of a prompt"),
    INT("times", 0, "N", "1", 1, 1000000,
        "execute N times and check that all executions are the same"),
    FILE_("output", 'o', NULL, "keep the new recording (with --times: FILE.1, FILE.2, ...)"),
    STORE,
};
static const au_example replay_examples[] = {
    {"augur replay bank.trace", "repeat the run: identical, or where it diverged"},
    {"augur replay bank.trace --finding R1", "does this race happen?"},
    {"augur replay bank.trace --finding D1 --gdb", "stop at the deadlock, in gdb"},
    {"augur replay --finding R1", "a finding of the last 'augur run'"},
    {"augur replay bank.trace --schedule turns.txt", "a schedule of your own"},
};
static const au_exit replay_exits[] = {
    {AU_EXIT_NOTHING, "identical; --schedule: executed as given"},
    {AU_EXIT_FOUND, "the finding is confirmed"},
    {AU_EXIT_USAGE, "usage error, invalid recording, or the program has changed"},
    {AU_EXIT_INTERNAL, "diverged or not confirmed, or an internal error"},
};
const au_command au_replay_command = {
    .name = "replay",
    .summary = "repeat a recorded run, or execute another schedule of it",
    .operands = "[TRACE]",
    .description =
        "Runs the recorded program again with the same arguments, environment, directory,\n"
        "standard input, clocks and random numbers, lets its threads take turns in the\n"
        "recorded order, and compares what they do with the recording, event by event.\n"
        "\n"
        "With a schedule or a finding the turns are those of the schedule, and the answer is\n"
        "'confirmed', or where and why the program diverged. A race is confirmed if both\n"
        "threads were about to access the same memory at the same time; a deadlock if the\n"
        "program deadlocked there; an atomicity violation if the three accesses happened in\n"
        "that order.\n"
        "\n"
        "A schedule file has one turn per line: 'T1 14' lets thread T1 run until it has\n"
        "executed 14 of its events. '#' starts a comment; 'spurious' or 'timeout' at the end\n"
        "says how a wait ends. JSON works, too: pairs like [\"T1\",14], a finding, or the\n"
        "output of 'augur check --format json'.\n"
        "\n"
        "The program writes where it always does. The answer to a plain replay goes to\n"
        "standard error, so that standard output is the program's alone.",
    .options = replay_options,
    .n_options = LEN(replay_options),
    .examples = replay_examples,
    .n_examples = LEN(replay_examples),
    .exits = replay_exits,
    .n_exits = LEN(replay_exits),
    .max_operands = 1,
};
