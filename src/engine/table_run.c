/* engine/table_run.c: the commands of every day: run, and what works on the store. */
#include "engine/table_priv.h"

#define BASELINE                                                                                   \
    FILE_("baseline", 0, NULL,                                                                     \
          "findings in it are known and do not count: a file that 'augur report --format "         \
          "baseline' wrote, any JSON of augur, or the word 'stored' for the store's own "          \
          "('augur triage --set-baseline')")
#define SUPPRESSIONS                                                                               \
    LIST(                                                                                          \
        "suppressions", "FILE,...", NULL, NULL,                                                    \
        "findings that lines 'race:PATTERN', 'deadlock:PATTERN', ... of these files speak of are " \
        "known and do not count; ThreadSanitizer's files will do")

/* ---- run ---- */

static const au_option run_options[] = {
    INT("runs", 0, "N", "1", 1, 1000000,
        "record N runs: the first as --policy says, the others at random, with seeds N, N+1, "
        "..., "
        "unless a policy is given"),
    NUMBER("budget", "SECONDS", "20", 0, 1e9,
           "for executing what was found, the most promising first, and then for exploring; 0: no "
           "limit"),
    RUN_TIMEOUT("0", 0, "for one execution; 0: four times as long as the recording took, and 10 s"),
    CHOICE("fail-on", "STATUS", "possible", "confirmed|proved|possible",
           "exit with status 1 only for findings that are at least that certain"),
    BASELINE,
    SUPPRESSIONS,
    SWITCH("replay", "yes", "execute what was found on the program"),
    SWITCH("explore", "yes",
           "look behind branches that the run did not take, as 'augur explore' does"),
    FLAG("sandbox", 0,
         "every execution, the recorded ones too, in a copy of the working directory"),
    STORE,
    INT("keep", 0, "N", "10", 1, 1000000, "recordings of so many runs stay in the store"),
    CHOICE("format", "FORMAT", "text", "text|json|sarif|junit|html",
           "what the report is written as"),
    FILE_("output", 'o', "-",
          "where the report goes; '-' is standard output: as text after what the program writes, "
          "otherwise the program's standard output goes to standard error"),
    FILE_("html", 0, NULL, "write an HTML report there, too"),
};
static const au_command *const run_takes[] = {&au_record_command, &au_check_command, NULL};
static const au_example run_examples[] = {
    {"augur run ./bank 4 100", "record it once, and see what else could have happened"},
    {"augur run --html report.html ./bank", "and a page to look at"},
    {"augur run --runs 5 --fail-on confirmed ./bank", "five runs; only what was shown fails"},
    {"augur run --baseline known.json --format sarif -o augur.sarif ./bank",
     "in continuous integration: only new findings fail"},
};
static const au_exit run_exits[] = {
    {AU_EXIT_NOTHING, "nothing was found that counts, and the program ended with status 0"},
    {AU_EXIT_FOUND, "something was found, or the program failed by itself"},
    {AU_EXIT_USAGE, "wrong usage, the program cannot be recorded, or a file cannot be written"},
    {AU_EXIT_INTERNAL, "internal error, or nothing was found but not everything could be decided"},
};
const au_command au_run_command = {
    .name = "run",
    .summary = "record a program, predict what else could happen, and show it",
    .operands = "PROGRAM [ARGUMENT...]",
    .description =
        "The one command of every day. Runs a program that was built with 'augur cc', looks at\n"
        "the other interleavings of that run as 'augur check' does, executes what it found on the\n"
        "program as 'augur replay' does, keeps everything in the store and prints a summary.\n"
        "\n"
        "A finding is 'confirmed' if the program was executed on its schedule and did it, "
        "'proved'\n"
        "if an independent checker executed the schedule on the recorded run, and 'possible' if\n"
        "nothing exact has decided it. An assertion that fails, a crash or a deadlock of the\n"
        "recorded run itself is a finding, too.\n"
        "\n"
        "The program's output is seen once: in the first run. Later executions write nothing; "
        "they\n"
        "do change files, so that a program that does wants --sandbox, or --no-replay. Signals "
        "are\n"
        "passed on to the program: Ctrl-C ends a server, and what was recorded is checked.\n"
        "\n"
        "What is in the baseline, what a suppression speaks of and what 'augur triage' has "
        "settled\n"
        "is shown as known and does not make the command fail.",
    .options = run_options,
    .n_options = LEN(run_options),
    .takes = run_takes,
    .without = "measure|native|from|partial|unroll|stream|on|nodes|retries|work-dir|"
               "slurm-options|node-augur|stats",
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
    LIST("kind", "KIND,...", NULL, AU_KIND_TABLE(KIND_NAME_), "only these", .kinds = true),
    LIST("status", "STATUS,...", NULL, "confirmed|proved|possible|refuted",
         "only what was this when last seen"),
    LIST("triage", "VERDICT,...", NULL, "open|false-positive|wontfix|fixed",
         "only what was called this; open: nothing was said yet"),
    FLAG("last", 0, "only findings of the last run"),
    FLAG("new", 0, "only findings that were first seen in the last run"),
    FLAG("stored-runs", 0, "the stored runs instead of findings", .old = "runs"),
    FORMAT("text"),
    STORE,
};
static const au_example list_examples[] = {
    {"augur list", "every finding of every run, the latest first"},
    {"augur list --triage open --status confirmed,proved", "what is to be looked at"},
    {"augur list --new", "what the last run brought"},
};
static const au_exit list_exits[] = {
    {AU_EXIT_NOTHING, "printed"},
    {AU_EXIT_USAGE, "wrong usage, or there is no store"},
    {AU_EXIT_INTERNAL, "internal error"},
};
const au_command au_list_command = {
    .name = "list",
    .summary = "print the findings of all stored runs",
    .description =
        "A finding is the same one in every run that shows it: it has a fingerprint of its kind,\n"
        "its variable, the functions and the text of the source lines. That fingerprint, or its "
        "first\n"
        "digits, is its name for 'augur triage', 'augur report' and 'augur replay'.",
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
           "what it is; open takes back what was said"),
    STRING("note", 0, "TEXT", "", "why"),
    FLAG("set-baseline", 0,
         "no finding, but all: what the last run of each program showed becomes the stored "
         "baseline",
         .old = "baseline"),
    STORE,
};
static const au_example triage_examples[] = {
    {"augur triage R1 --as wontfix --note 'statistics only'", "R1 of the last run"},
    {"augur triage 3fa94c12 --as fixed", "by its fingerprint; it is news if it comes back"},
    {"augur triage --set-baseline", "from now on only what is new counts ('--baseline stored')"},
};
static const au_exit triage_exits[] = {
    {AU_EXIT_NOTHING, "noted"},
    {AU_EXIT_USAGE, "wrong usage, or there is no such finding"},
    {AU_EXIT_INTERNAL, "internal error"},
};
const au_command au_triage_command = {
    .name = "triage",
    .summary = "say what a stored finding is",
    .operands = "[ID...]",
    .description =
        "Findings that are called false-positive or wontfix are shown as known by later runs, and\n"
        "do not make them fail. One that is called fixed and is seen again does, and says so.\n"
        "\n"
        "ID is an id of the last run ('R1') or the beginning of a fingerprint, as 'augur list'\n"
        "prints it.",
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
    CHOICE(
        "format", "FORMAT", "text", "text|json|sarif|junit|html|perfetto|baseline",
        "what to write; perfetto: the witness of one finding for ui.perfetto.dev; baseline: what "
        "'augur run --baseline' reads"),
    FILE_("output", 'o', "-", "where to write; '-' is standard output"),
    INT("run", 0, "N", NULL, 1, INT64_MAX, "this run; by default the last one"),
    LIST("finding", "ID,...", NULL, NULL, "only these findings, by id or fingerprint"),
    INT("most", 0, "N", "20", 0, INT64_MAX,
        "text: print at most N findings of a kind, the most certain ones; 0 for all"),
    STORE,
};
static const au_example report_examples[] = {
    {"augur report --format html -o report.html", "the last run as a page"},
    {"augur report --finding R1 --format perfetto -o r1.json", "its witness on a time line"},
    {"augur report --format baseline -o known.json", "what is known, for a repository"},
};
static const au_exit report_exits[] = {
    {AU_EXIT_NOTHING, "written"},
    {AU_EXIT_USAGE, "wrong usage, or there is no such run or finding"},
    {AU_EXIT_INTERNAL, "internal error"},
};
const au_command au_report_command = {
    .name = "report",
    .summary = "write a report of a stored run",
    .description =
        "What 'augur run' found, from the store, with what 'augur triage' has said since.\n"
        "Nothing is executed again.",
    .options = report_options,
    .n_options = LEN(report_options),
    .examples = report_examples,
    .n_examples = LEN(report_examples),
    .exits = report_exits,
    .n_exits = LEN(report_exits),
};
