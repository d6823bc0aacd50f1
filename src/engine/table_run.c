/* engine/table_run.c: augur run, and the commands that work on the store. */
#include "engine/table_priv.h"

#define BASELINE                                                                                   \
    FILE_("baseline", 0, NULL,                                                                     \
          "known findings, which do not count: a file of 'augur report --format baseline', any "   \
          "JSON of augur, or 'stored': the baseline in the store ('augur triage "                  \
          "--set-baseline')")
#define SUPPRESSIONS                                                                               \
    LIST("suppressions", "FILE,...", NULL, NULL,                                                   \
         "findings that match a line 'race:PATTERN', 'deadlock:PATTERN', ... of these files are "  \
         "known and do not count; ThreadSanitizer's files work")

/* ---- run ---- */

static const au_option run_options[] = {
    INT("runs", 0, "N", "1", 1, 1000000,
        "record N runs: the first with --policy, the others with random schedules unless --policy "
        "is given; their seeds are S, S+1, ..., where S is --seed"),
    BUDGET("60"),
    RUN_TIMEOUT("0", 0, "seconds per execution; 0: 10 s plus four times the time of the recording"),
    CHOICE("fail-on", "STATUS", "possible", "confirmed|proved|possible",
           "exit with status 1 only for findings that are at least this certain"),
    FLAG("exhaustive", 0,
         "exit with status 3 unless every interleaving of the input was covered and every question "
         "answered"),
    BASELINE,
    SUPPRESSIONS,
    SWITCH("replay", "yes", "execute the findings on the program"),
    SWITCH("explore", "yes",
           "explore branch outcomes that the run did not take, as 'augur explore' does"),
    FLAG("sandbox", 0,
         "run in a fresh copy of the working directory each time, for recordings, too"),
    STORE,
    INT("keep", 0, "N", "10", 1, 1000000, "keep the recordings of the last N runs in the store"),
    DIRECTORY("recordings", NULL,
              "keep the recordings of all runs of the exploration in this directory; by default "
              "those of findings, in the store"),
    CHOICE("format", "FORMAT", "text", "text|json|sarif|junit|github|html", "format of the report"),
    FILE_("output", 'o', "-",
          "file for the report; '-': standard output. A report other than text on standard output "
          "sends the program's output to standard error"),
    FILE_("html", 0, NULL, "write an HTML report to this file, too"),
    FILE_("recorded", 0, NULL, "this recording of PROGRAM stands for the first run",
          .hidden = true),
};
static const au_command *const run_takes[] = {&au_record_command, &au_check_command,
                                              &au_explore_command, NULL};
static const au_example run_examples[] = {
    {"augur run ./bank 4 100", "record one run and find the bugs of the others"},
    {"augur run --html report.html ./bank", "with an HTML report"},
    {"augur run --runs 5 --fail-on confirmed ./bank", "five runs; only confirmed findings fail"},
    {"augur run --baseline known.json --format sarif -o augur.sarif ./bank",
     "continuous integration: only new findings fail"},
};
static const au_exit run_exits[] = {
    {AU_EXIT_NOTHING, "no findings that count, and the program exited with status 0"},
    {AU_EXIT_FOUND, "findings, or the program failed by itself"},
    {AU_EXIT_USAGE,
     "usage error, a program that cannot be recorded, or a file that cannot be written"},
    {AU_EXIT_INTERNAL,
     "internal error, or no findings that hold, but undecided queries or findings that "
     "the program contradicted; --exhaustive: or the last line says 'not exhaustive'"},
};
const au_command au_run_command = {
    .name = "run",
    .summary = "record a program, predict its bugs, confirm and report them",
    .operands = "PROGRAM [ARGUMENT...]",
    .description =
        "The command you will use most. Runs a program that was built with 'augur cc',\n"
        "predicts the bugs of its other interleavings as 'augur check' does, executes the\n"
        "findings on the program as 'augur replay' does, keeps everything in the store and\n"
        "prints a summary.\n"
        "\n"
        "A finding is 'confirmed' if the program was executed on its schedule and showed the\n"
        "bug, 'proved' if an independent checker executed the schedule on the recorded run,\n"
        "and 'possible' if no exact analysis decided it. A failed assertion, a crash or a\n"
        "deadlock of the recorded run itself is a finding, too.\n"
        "\n"
        "The last line says whether anything is left: 'exhaustive:' if every interleaving of\n"
        "this input was covered and every question answered, else 'not exhaustive:', why, and\n"
        "what to try.\n"
        "\n"
        "You see the program's output once: that of the first run. The output of later\n"
        "executions is discarded, and so are the files that they make. Other files they do\n"
        "change: for a program that changes files use --sandbox or --no-replay.\n"
        "\n"
        "Ctrl-C while the program is recorded ends the recording, and what was recorded is\n"
        "checked: so a server can be recorded. The next Ctrl-C, and SIGTERM at any time,\n"
        "report what is known by then; one more ends augur at once.\n"
        "\n"
        "Findings that are in the baseline, match a suppression or are settled by 'augur\n"
        "triage' are shown as known and do not make the command fail.",
    .options = run_options,
    .n_options = LEN(run_options),
    .takes = run_takes,
    .without = "measure|native|check|from|partial|lenient|unroll|stream|on|nodes|retries|work-dir|"
               "slurm-options|node-augur|stats|suite",
    .examples = run_examples,
    .n_examples = LEN(run_examples),
    .exits = run_exits,
    .n_exits = LEN(run_exits),
    .min_operands = 1,
    .max_operands = UINT8_MAX,
    .stop_at_operand = true,
};

/* ---- list ---- */

static const au_option list_options[] = {
    LIST("kind", "KIND,...", NULL, AU_KIND_TABLE(KIND_NAME_), "only findings of these kinds",
         .kinds = true),
    LIST("status", "STATUS,...", NULL, "confirmed|proved|possible|refuted",
         "only findings that had this status when last seen"),
    LIST("triage", "VERDICT,...", NULL, "open|false-positive|wontfix|fixed",
         "only findings with this verdict; open: none yet"),
    FLAG("last", 0, "only findings of the last run"),
    FLAG("new", 0, "only findings first seen in the last run"),
    FLAG("stored-runs", 0, "list the stored runs instead of findings", .old = "runs"),
    FORMAT("text"),
    STORE,
};
static const au_example list_examples[] = {
    {"augur list", "all findings of all runs, the latest first"},
    {"augur list --triage open --status confirmed,proved", "findings without a verdict"},
    {"augur list --new", "new findings of the last run"},
};
static const au_exit list_exits[] = {
    {AU_EXIT_NOTHING, "printed"},
    {AU_EXIT_USAGE, "usage error, or no store"},
    {AU_EXIT_INTERNAL, "internal error"},
};
const au_command au_list_command = {
    .name = "list",
    .summary = "list the findings of all stored runs",
    .description =
        "A finding is the same one in every run that shows it: its fingerprint is made from\n"
        "its kind, its variable, the functions and the text of the source lines. Use the\n"
        "fingerprint, or its first digits, as its name for 'augur triage', 'augur report' and\n"
        "'augur replay'.",
    .options = list_options,
    .n_options = LEN(list_options),
    .examples = list_examples,
    .n_examples = LEN(list_examples),
    .exits = list_exits,
    .n_exits = LEN(list_exits),
};

/* ---- triage ---- */

static const au_option triage_options[] = {
    CHOICE("as", "VERDICT", NULL, "false-positive|wontfix|fixed|open",
           "the verdict; open: no verdict"),
    STRING("note", 0, "TEXT", "", "the reason"),
    FLAG("set-baseline", 0, "make the findings of the last run of each program the stored baseline",
         .old = "baseline"),
    STORE,
};
static const au_example triage_examples[] = {
    {"augur triage R1 --as wontfix --note 'statistics only'", "R1 of the last run"},
    {"augur triage 3fa94c12 --as fixed", "by its fingerprint; it counts again if it comes back"},
    {"augur triage --set-baseline",
     "from now on only new findings count ('augur run --baseline stored')"},
};
static const au_exit triage_exits[] = {
    {AU_EXIT_NOTHING, "stored"},
    {AU_EXIT_USAGE, "usage error, or no such finding"},
    {AU_EXIT_INTERNAL, "internal error"},
};
const au_command au_triage_command = {
    .name = "triage",
    .summary = "give stored findings a verdict",
    .operands = "[ID...]",
    .description =
        "Later runs show findings with the verdict false-positive or wontfix as known; such\n"
        "findings do not make a run fail. A finding with the verdict fixed that is seen again\n"
        "does, and the report says so.\n"
        "\n"
        "ID is an id of the last run ('R1') or the beginning of a fingerprint, as 'augur\n"
        "list' prints it.",
    .options = triage_options,
    .n_options = LEN(triage_options),
    .examples = triage_examples,
    .n_examples = LEN(triage_examples),
    .exits = triage_exits,
    .n_exits = LEN(triage_exits),
    .max_operands = UINT8_MAX,
};

/* ---- report ---- */

static const au_option report_options[] = {
    CHOICE("format", "FORMAT", "text",
           "text|json|sarif|junit|github|markdown|html|perfetto|baseline",
           "output format; markdown: a comment for a pull request; perfetto: the witness of one "
           "finding for ui.perfetto.dev; baseline: "
           "input of 'augur run --baseline'"),
    FILE_("output", 'o', "-", "output file; '-': standard output"),
    INT("run", 0, "N", NULL, 1, INT64_MAX, "number of the run; by default the last one"),
    FLAG(
        "whole", 0,
        "all runs of the store: each finding once, as it was last seen, with the tests that showed "
        "it, and whether it is new, open or fixed since the baseline"),
    LIST("finding", "ID,...", NULL, NULL, "only these findings, by id or fingerprint"),
    INT("most", 0, "N", "20", 0, INT64_MAX,
        "text: print at most N findings per kind, the most certain first; 0: all"),
    FLAG("verbose", 0, "text: print every variant of a finding, with its schedule"),
    STORE,
};
static const au_example report_examples[] = {
    {"augur report --format html -o report.html", "the last run as a page"},
    {"augur report --whole --format html -o store.html", "everything that the store knows"},
    {"augur report --finding R1 --format perfetto -o r1.json", "the witness of R1 on a time line"},
    {"augur report --format baseline -o known.json", "the known findings, for the repository"},
};
static const au_exit report_exits[] = {
    {AU_EXIT_NOTHING, "written"},
    {AU_EXIT_USAGE, "usage error, or no such run or finding"},
    {AU_EXIT_INTERNAL, "internal error"},
};
const au_command au_report_command = {
    .name = "report",
    .summary = "write a report of a stored run",
    .description =
        "Reports the findings of a stored 'augur run', with the current verdicts of 'augur\n"
        "triage'. Nothing is executed again.",
    .options = report_options,
    .n_options = LEN(report_options),
    .examples = report_examples,
    .n_examples = LEN(report_examples),
    .exits = report_exits,
    .n_exits = LEN(report_exits),
};

/* ---- serve ---- */

static const au_option serve_options[] = {
    INT("port", 0, "N", "0", 0, 65535, "port of 127.0.0.1; 0: a free one"),
    STORE,
};
static const au_example serve_examples[] = {
    {"augur serve", "prints an address for the browser of this machine"},
};
static const au_exit serve_exits[] = {
    {AU_EXIT_NOTHING, "ended by Ctrl-C"},
    {AU_EXIT_USAGE, "usage error, no store, or libmicrohttpd is not installed"},
    {AU_EXIT_INTERNAL, "internal error"},
};
const au_command au_serve_command = {
    .name = "serve",
    .summary = "show the store in a browser of this machine",
    .description =
        "Prints an address, and serves the store there until it is ended: findings with\n"
        "filters, their history and reports, verdicts with notes, and a button that replays.\n"
        "\n"
        "Nothing leaves the machine: it listens on 127.0.0.1 only, and answers who knows the\n"
        "whole address, which has a token that is new each time. Who has the address can\n"
        "execute the recorded programs (replay) as you.",
    .options = serve_options,
    .n_options = LEN(serve_options),
    .examples = serve_examples,
    .n_examples = LEN(serve_examples),
    .exits = serve_exits,
    .n_exits = LEN(serve_exits),
};
