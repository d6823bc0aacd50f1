/* engine/table_test.c: augur test. */
#include "engine/table_priv.h"

static const au_option test_options[] = {
    BUDGET("300"),
    FLAG("again", 0, "record and analyse what is as before, too"),
    STRING("since", 0, "REVISION", NULL,
           "analyse only recordings that execute a function which was changed since this branch or "
           "commit of git"),
    SWITCH("cases", "yes",
           "programs of GoogleTest, Catch2, Criterion, Check and cmocka that are named: run and "
           "record "
           "each case by itself"),
    SWITCH("children", "yes",
           "record children of fork, too, each in an execution of its own after the suite"),
    SWITCH("retry", "yes",
           "run a command that failed once more without recording it: does it fail then, too?"),
    INT("keep", 0, "N", "10", 1, 1000000,
        "keep the recordings of the last N runs in the store, besides those of this suite"),
    CHOICE("format", "FORMAT", "text", "text|json|sarif|junit|github|html", "format of the report"),
    FILE_("output", 'o', "-",
          "file for the report; '-': standard output. A report other than text on standard output "
          "sends the suite's output to standard error"),
};
static const au_command *const test_takes[] = {&au_run_command, &au_record_command,
                                               &au_check_command, &au_explore_command, NULL};
static const au_example test_examples[] = {
    {"augur test ctest --output-on-failure", "what ctest runs of programs built with 'augur cc'"},
    {"augur test make check", "the same for any other command"},
    {"augur test ./queue_test ./cache_test", "these programs, one after the other"},
    {"augur test --since main make check",
     "a pull request: only tests that execute what it changes"},
    {"augur test --budget 600 --format sarif -o augur.sarif meson test",
     "continuous integration: ten minutes after the suite has ended"},
};
static const au_exit test_exits[] = {
    {AU_EXIT_NOTHING, "no findings that count, and the suite passed"},
    {AU_EXIT_FOUND, "findings, or the suite failed"},
    {AU_EXIT_USAGE, "usage error, or nothing that the suite ran was built with 'augur cc'"},
    {AU_EXIT_INTERNAL, "internal error, or no findings, but undecided questions"},
};
const au_command au_test_command = {
    .name = "test",
    .summary = "run a test suite, find the bugs of its other interleavings",
    .operands = "COMMAND [ARGUMENT...] | PROGRAM...",
    .description =
        "Runs the command, a test runner for instance, and records every process that it\n"
        "starts of a program built with 'augur cc': through shells, scripts and drivers, and\n"
        "several at a time if the runner does so. Other programs run as they are. When the\n"
        "suite has ended, each recording is analysed as 'augur run' does, and all findings\n"
        "are told once, with the tests that show them.\n"
        "\n"
        "If all operands are programs built with 'augur cc', each is run by itself without\n"
        "arguments; those of GoogleTest, Catch2, Criterion, Check and cmocka once for each of\n"
        "their cases.\n"
        "\n"
        "A recording that is the same as one of an earlier suite is not analysed again: what\n"
        "was found then counts. --budget is the time for all analyses together.\n"
        "\n"
        "Children of fork() are recorded afterwards, each in an execution of its own in which\n"
        "the process goes on as that child.",
    .options = test_options,
    .n_options = LEN(test_options),
    .takes = test_takes,
    .without =
        "runs|recorded|suite|measure|native|check|from|partial|lenient|unroll|stream|on|nodes|"
        "retries|work-dir|slurm-options|node-augur|stats|shard|env|cwd|recordings",
    .examples = test_examples,
    .n_examples = LEN(test_examples),
    .exits = test_exits,
    .n_exits = LEN(test_exits),
    .min_operands = 1,
    .max_operands = UINT8_MAX,
    .stop_at_operand = true,
};
