/* engine/table_record.c: the commands that run a program. */
#include "engine/table_priv.h"

/* ---- record ---- */

static const au_option record_options[] = {
    FILE_("output", 'o', NULL, "the recording; by default PROGRAM.trace in this directory"),
    POLICY("who runs next: os switches only where a thread waits or has had its share, random at "
           "random places, pct by random priorities with few changes"),
    INT("seed", 0, "N", "1", 0, INT64_MAX, "the same seed gives the same random schedule"),
    INT("switch-every", 0, "N", "0", 0, INT64_MAX,
        "events that a thread may execute before another has its turn, about; 0: what suits the "
        "policy"),
    INT("depth", 0, "N", "3", 1, 1000, "pct: how many changes of priority, plus one"),
    INT("runs", 0, "N", "1", 1, 1000000,
        "record N runs into FILE.1, FILE.2, ... with seeds N, N+1, ...; with --policy random "
        "unless another one is given"),
    INT("max-events", 0, "N", "0", 0, INT64_MAX, "stop the program after N events; 0: never"),
    LIST("env", "NAME=VALUE,...", NULL, NULL,
         "set variables of the program's environment; NAME alone removes one"),
    CWD,
    FLAG("measure", 0, "run it once more without recording and tell how much slower recording was"),
    FILE_("native", 0, NULL, "measure against this build of the program instead"),
};
static const au_example record_examples[] = {
    {"augur record ./bank 4 100", "into bank.trace"},
    {"augur record -o t --runs 10 ./bank", "ten different runs: t.1 to t.10"},
    {"augur record --policy pct --seed 7 ./bank", "a run with few, random switches"},
};
static const au_exit record_exits[] = {
    {AU_EXIT_NOTHING, "recorded, and the program ended with status 0"},
    {AU_EXIT_FOUND, "recorded, but the program failed: another status, a signal, an assertion, a "
                    "deadlock"},
    {AU_EXIT_USAGE, "the program cannot be recorded, or the recording cannot be written"},
    {AU_EXIT_INTERNAL, "internal error"},
};
const au_command au_record_command = {
    .name = "record",
    .summary = "run a program and record what its threads do",
    .operands = "PROGRAM [ARGUMENT...]",
    .description =
        "Runs a program that was built with 'augur cc' and records every access, lock and\n"
        "call of its threads in the order they happened. One thread runs at a time.\n"
        "\n"
        "The recording holds the arguments, the environment, the working directory and the\n"
        "standard input, so that 'augur replay' can repeat the run. What augur has to say goes\n"
        "to standard error. A program that crashes, is killed, deadlocks or fails leaves a\n"
        "recording like any other. Signals sent to augur are passed on to the program.\n"
        "\n"
        "Names and lines are read from the program and its libraries before it starts; if one\n"
        "of them cannot be read, nothing is run. Those of a module that the program loaded\n"
        "and that is gone when the run is over are missing, and that is said.",
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
          "execute these turns instead of the recorded ones: lines like 'T1 14', or JSON"),
    STRING(
        "finding", 0, "ID", NULL,
        "execute the schedule of this finding of 'augur check'; without TRACE: of a finding in the "
        "store, by its id in the last run or its fingerprint"),
    FILE_("findings", 0, NULL,
          "where the findings are: the JSON of 'augur check'; by default the "
          "recording is checked again"),
    CHECKS,
    RUN_TIMEOUT("0", 0, "kill the program after so long; 0: never"),
    FLAG("gdb", 0,
         "stop before the decisive event, every thread where the schedule put it, and "
         "start gdb there"),
    LIST("gdb-command", "COMMAND,...", NULL, NULL,
         "with --gdb: let gdb execute these and leave, instead of asking"),
    INT("times", 0, "N", "1", 1, 1000000, "execute it N times and see that all are the same"),
    FILE_("output", 'o', NULL, "keep the new recording (with --times: FILE.1, FILE.2, ...)"),
    STORE,
};
static const au_example replay_examples[] = {
    {"augur replay bank.trace", "the recorded run once more: identical, or where it diverged"},
    {"augur replay bank.trace --finding R1", "is this race real?"},
    {"augur replay bank.trace --finding D1 --gdb", "look at the deadlock"},
    {"augur replay --finding R1", "of the last 'augur run'"},
    {"augur replay bank.trace --schedule turns.txt", "an order of one's own"},
};
static const au_exit replay_exits[] = {
    {AU_EXIT_NOTHING, "identical; with --schedule: executed as given"},
    {AU_EXIT_FOUND, "the finding is confirmed"},
    {AU_EXIT_USAGE, "wrong usage, a bad recording, or the program is not the recorded one"},
    {AU_EXIT_INTERNAL, "diverged or not confirmed, or an internal error"},
};
const au_command au_replay_command = {
    .name = "replay",
    .summary = "repeat a recorded run, or execute another order of it",
    .operands = "[TRACE]",
    .description =
        "Runs the recorded program again with the same arguments, environment, directory,\n"
        "standard input, clocks and random numbers, lets its threads take turns in the\n"
        "recorded order and compares what they do with the recording, event by event.\n"
        "\n"
        "With a schedule or a finding the turns are other ones, and the answer is 'confirmed',\n"
        "or where and why the program did something else. A race is confirmed if both threads\n"
        "stood before accesses of the same memory at the same time; a deadlock if the program\n"
        "deadlocked there; a broken atomic block if the three accesses happened in that order.\n"
        "\n"
        "A schedule file has a turn on each line, 'T1 14': thread T1 runs until it has\n"
        "executed 14 of its events. '#' starts a remark; 'spurious' or 'timeout' at the end\n"
        "says how a wait ends. JSON is understood too: pairs like [\"T1\",14], a finding, or\n"
        "what 'augur check --format json' printed.\n"
        "\n"
        "The program writes where it always does. The answer to a plain replay is on standard\n"
        "error, so that standard output is the program's alone.",
    .options = replay_options,
    .n_options = LEN(replay_options),
    .examples = replay_examples,
    .n_examples = LEN(replay_examples),
    .exits = replay_exits,
    .n_exits = LEN(replay_exits),
    .max_operands = 1,
};
