/* engine/table.c: every command and every option, one row each. Texts are plain
 * ASCII in lower case without full stops where they are one line; descriptions
 * are sentences. A command that is not built is not in the table. */
#include "engine/table_priv.h"
#include "wire/wire.h"

#define OP_TEXT_(num, name, text, space) text "|"
#define OPS AU_WIRE_OPS(OP_TEXT_)

const au_option au_common_options[] = {
    FLAG("help", 'h', "explain the command and stop"),
    FLAG("quiet", 'q', "no progress line, no headings, no remarks"),
    CHOICE("color", "WHEN", "auto", "auto|always|never",
           "colour the output; auto: on a terminal, unless NO_COLOR is set"),
};
const size_t au_n_common_options = LEN(au_common_options);

/* ---- augur itself ---- */

static const au_option root_options[] = {
    FLAG("version", 'V', "print the version and stop"),
};
static const au_exit root_exits[] = {
    {AU_EXIT_NOTHING, "nothing was found, or the command did what it was asked"},
    {AU_EXIT_FOUND, "there are findings"},
    {AU_EXIT_USAGE, "the command line is wrong, or an input or output file is"},
    {AU_EXIT_INTERNAL, "internal error, or the answer is inconclusive"},
};
const au_command au_command_root = {
    .name = "",
    .summary = "predict concurrency bugs from one run",
    .operands = "COMMAND [ARGUMENT...]",
    .description =
        "augur takes one recorded run of a multithreaded program and examines the other\n"
        "interleavings of it.\n"
        "\n"
        "'augur help COMMAND' and 'augur COMMAND --help' explain a command.",
    .options = root_options,
    .n_options = LEN(root_options),
    .exits = root_exits,
    .n_exits = LEN(root_exits),
    .max_operands = UINT8_MAX,
    .stop_at_operand = true,
};

#define SPLIT                                                                                      \
    INT("split", 0, "N", "4", 0, 64,                                                               \
        "recordings: a pointer that another interleaving may change is followed to at most N "     \
        "other objects; 0: pointers keep their values")

/* ---- show ---- */

static const au_option show_options[] = {
    FLAG("summary", 's', "count instead of listing: by operation, thread, lock and variable"),
    INT("top", 'n', "N", "10", 0, INT64_MAX,
        "summary: the N busiest locks, variables and threads; 0 for all"),
    LIST("thread", "NAME,...", NULL, NULL, "only events of these threads"),
    STRING("range", 'r', "A..B", NULL,
           "only events number A to B of the trace, counted from 1; A.. and ..B work too"),
    LIST("var", "NAME,...", NULL, NULL, "only accesses of these variables"),
    LIST("lock", "NAME,...", NULL, NULL,
         "only events of these locks and other synchronisation objects"),
    LIST("op", "OP,...", NULL, OPS, "only these operations"),
    FLAG("as-ctp", 0, "recordings: the model of the run, with what its program computes, as .ctp",
         .old = "model"),
    STRING("slice", 0, "FILE:LINE", NULL,
           "recordings: of the model only what this line depends on"),
    FLAG("pinned", 0,
         "recordings: where, how often and why values had to be taken as they were in the run"),
    CHECKS,
    SPLIT,
    FLAG("lint", 0, "list every problem of the input as 'file:line: text' instead of its events"),
    CHOICE("format", "FORMAT", "text", "text|json",
           "how to print; json gives one object a line for events and one object for a summary"),
    FLAG("tsg", 0, "of a model: its transaction sequence graph, counted, and ranges on it"),
    FLAG("mat", 0, "--tsg: from all mutually atomic transactions, also infeasible ones (GenMAT)"),
    FLAG("ccfg", 0, "--tsg: without them: every two shared accesses can be parted"),
    CHOICE("priority", "THREAD", "last", "first|last",
           "--tsg: whose transactions are kept short, of two threads"),
    INT("look-ahead", 0, "N", "0", 0, 8,
        "--tsg: so many transactions are followed path by path; 0 joins what switches bring first"),
    FLAG("bare", 0, "--tsg: add nothing to what the mutually atomic transactions give"),
    STRING("draw", 0, "FILE", NULL, "--tsg: draw the graph to FILE, '.svg' or '.dot'"),
    FROM,
    PARTIAL,
    UNROLL,
};
static const au_example show_examples[] = {
    {"augur show run.trace --range 1000..1020", "the neighbourhood of event 1010"},
    {"augur show run.std --var balance --op w", "every write of 'balance'"},
    {"augur show --summary --top 5 run.trace", "the five busiest locks, variables and threads"},
    {"augur show --lint run.std.gz", "what is wrong with this file"},
    {"augur show --model run.trace", "what other interleavings of this run are about, as .ctp"},
    {"augur show --slice bank.c:41 run.trace", "what line 41 depends on"},
    {"augur show bank.ctp", "a model, its statements split into single accesses"},
    {"augur show --tsg --draw bank.svg bank.ctp", "its transactions, and a picture of them"},
};
static const au_exit show_exits[] = {
    {AU_EXIT_NOTHING, "printed; with --lint: no problems"},
    {AU_EXIT_USAGE, "wrong usage or a bad input; with --lint: problems were listed"},
    {AU_EXIT_INTERNAL, "internal error"},
};
static const au_command show_command = {
    .name = "show",
    .summary = "print or summarise a trace or a model",
    .operands = "TRACE",
    .description =
        "Prints the events of a trace, one a line: the number of the event in the trace, its\n"
        "thread, its index within the thread, the operation, what it works on, the source\n"
        "location and the value that was read or written. Both numbers count from 1.\n"
        "\n"
        "The trace is a file or '-' for standard input, plain, gzip or zstd, in any format\n"
        "that augur reads. It is streamed: memory does not grow with its length.\n"
        "\n"
        "Filters of different kinds must all hold, except that --var and --lock together\n"
        "select the events of either. Lists are separated by commas and may be repeated; a\n"
        "comma inside a name is written '\\,'. Filters apply to a summary as well.\n"
        "\n"
        "Of a recording, --as-ctp prints what the program computes from what its threads read\n"
        "of each other: the model that 'augur check' asks its questions about. --slice prints\n"
        "the part that a line depends on, --pinned what the model does not follow.\n"
        "\n"
        "Of a model (a .ctp file) the statements are printed as augur understands them, or,\n"
        "with --summary, what it consists of. The filters are for traces. --tsg shows which\n"
        "steps can run as one, where threads have to change and what ranges values have\n"
        "then (docs/intervals.md).",
    .options = show_options,
    .n_options = LEN(show_options),
    .examples = show_examples,
    .n_examples = LEN(show_examples),
    .exits = show_exits,
    .n_exits = LEN(show_exits),
    .min_operands = 1,
    .max_operands = 1,
};

/* ---- check ---- */

static const au_option check_options[] = {
    PROPS(NULL, ALL_PROPS,
          "what to look for; by default all that the input supports, but for nondet on traces: "
          "most programs read what others wrote, in whatever order"),
    CHOICE("model", "MODEL", "ctp", "ctp|mcm|cam|locks",
           "exact stage: ctp: the model as it stands; mcm: reads see the values they saw; cam: "
           "values ignored; locks: everything but locks ignored"),
    SWITCH("prefix", "yes",
           "exact stage: count what happens before all threads are at their end; --no-prefix: only "
           "whole interleavings"),
    STRING("context-bound", 0, "N", NULL,
           "exact stage: only schedules in which the running thread changes at most N times; A..B: "
           "with A, then A+1, ..., until there is an answer"),
    CHOICE("backend", "NAME", "cadical", "cadical|z3|both",
           "exact stage: who decides; both: they must agree"),
    CHOICE("stages", "LAST", "solver", "must-hb|lockset|graph|interval|solver",
           "stop after this stage"),
    CHOICE("widths", "HOW", "ranges", "ranges|full",
           "exact stage: bits of a value: those that its range needs, or all of its variable"),
    CHOICE(
        "order", "OF", "events", "events|transactions",
        "exact stage: what is ordered freely; transactions: as one event each what nobody can see "
        "the middle of (races, deadlocks, misused locks and bounds: events)"),
    INT("jobs", 'j', "N", "0", 0, 4096, "exact stage: workers at once; 0: one a core"),
    NUMBER("timeout", "S", "60", 0, 1e6, "exact stage: seconds for one question; 0: no limit"),
    INT("memory", 0, "MIB", "8192", 0, 1 << 30,
        "exact stage: memory of one worker in MiB; 0: no limit"),
    INT("window", 0, "N", "2000", 0, INT64_MAX,
        "exact stage: look at runs of more than N steps in windows of N steps around each "
        "candidate; 0: never"),
    LIST("reach", "FILE:LINE,...", NULL, NULL, "exact stage: can this statement be reached?"),
    CHECKS,
    SPLIT,
    STRING("shard", 0, "I/N", NULL,
           "be number I of N: the exact stage asks its part of the questions; 'augur merge' makes "
           "one result of all N (with --format json)"),
    CHOICE(
        "on", "WHERE", NULL, "slurm",
        "do it in shards on other machines, as an array of Slurm jobs, and tell the result here"),
    INT("nodes", 0, "N", "1", 1, 100000, "--on: so many shards, each a job of its own"),
    INT("retries", 0, "N", "3", 0, 1000, "--on: submit a shard that was lost again, up to N times"),
    DIRECTORY("work-dir", ".augur",
              "--on: where the shards' results are kept meanwhile; all machines must see it"),
    STRING("slurm-options", 0, "TEXT", "",
           "--on slurm: more options for sbatch: '--partition=long --time=60'"),
    FILE_("node-augur", 0, NULL,
          "--on: the augur on those machines; by default the path of this one"),
    FILE_("dump", 0, NULL,
          "exact stage: write every query into this directory, as SMT-LIB 2 and as DIMACS"),
    CHOICE("atomic", "WHICH", "auto", "auto|marked|critical|function|none",
           "what is an atomic block: what is marked, outermost critical sections, calls from a "
           "thread's first function, nothing; auto: what is marked, or else critical sections"),
    FLAG("values", 0, "nondet, traces: leave out writes that store the value that was read anyway"),
    CHOICE("pairs", "WHICH", "must", "must|observed",
           "nondet, traces: a wake comes after nothing but what must be, or after the signal that "
           "woke it in the run"),
    INT("effort", 0, "N", "1G", 0, INT64_MAX,
        "nondet, traces: give up after the work of executing N events; 0: never"),
    FLAG("all", 0, "every pair of events or locations, not one representative of each kind"),
    FLAG("first", 0, "report only one finding, the most certain one"),
    FLAG(
        "stream", 0,
        "one pass in memory that does not grow with the trace: no schedules, so nothing is proved; "
        "always so for standard input, where findings are told as they are made"),
    INT("schedules", 0, "N", "20M", 0, INT64_MAX,
        "make schedules, and have the checker execute them, until they have run through N events"),
    INT("most", 0, "N", "20", 0, INT64_MAX,
        "text: print at most N findings of a kind, the most certain ones; 0 for all"),
    CHOICE(
        "format", "FORMAT", "text", "text|json|html|sarif|junit",
        "how to print the answer; html: a report to look at, one file; sarif: for code scanning; "
        "junit: for dashboards"),
    FILE_("output", 'o', "-", "where to write; '-' is standard output"),
    SWITCH("stats", "yes", "tell seconds and memory; --no-stats: the same check, the same bytes"),
    FROM,
    PARTIAL,
    UNROLL,
};
static const au_example check_examples[] = {
    {"augur check run.trace", "everything that other interleavings of this run can do wrong"},
    {"augur check --prop race --format json run.std", "races, for a program to read"},
    {"augur check --prop nondet --values run.trace", "which reads can see another value?"},
    {"tail -f run.std | augur check -", "watch a run as it is written"},
    {"augur check --prop assert bank.ctp", "can an assertion of this model fail?"},
    {"augur check --context-bound 0..4 bank.ctp", "with few changes of thread first"},
    {"augur check --shard 2/3 --format json -o 2.json run.trace", "a third of the questions"},
    {"augur check --on slurm --nodes 8 run.trace", "on eight nodes of a cluster"},
};
static const au_exit check_exits[] = {
    {AU_EXIT_NOTHING, "nothing was found"},
    {AU_EXIT_FOUND, "something was found"},
    {AU_EXIT_USAGE, "wrong usage or a bad input"},
    {AU_EXIT_INTERNAL, "internal error, or nothing was found but not everything could be decided"},
};
const au_command au_check_command = {
    .name = "check",
    .summary = "predict what other interleavings of a run or a model do wrong",
    .operands = "INPUT...",
    .description =
        "Looks at one run and says what its other interleavings can contain: races, broken\n"
        "atomic blocks, deadlocks, misused locks. The first stages take time linear in the\n"
        "length of the trace.\n"
        "\n"
        "Of a model (a .ctp file) and of a trace with values all interleavings are examined by\n"
        "the exact stage, a solver, which also finds failing assertions and reads that can see\n"
        "another write. Several inputs of one program are merged first.\n"
        "\n"
        "'proved' means that an independent checker has executed a schedule that shows it: on\n"
        "a model with its values, on a trace with every read before the decisive events on the\n"
        "write or the value it saw. 'possible' means that nothing exact has decided it; the\n"
        "reason is given.\n"
        "\n"
        "The funnel shows how many candidates were left after each stage.",
    .options = check_options,
    .n_options = LEN(check_options),
    .examples = check_examples,
    .n_examples = LEN(check_examples),
    .exits = check_exits,
    .n_exits = LEN(check_exits),
    .min_operands = 1,
    .max_operands = UINT8_MAX,
};

/* ---- merge ---- */

static const au_option merge_options[] = {
    FLAG("partial", 0,
         "do without shards that are missing: the result says which, and can be merged again"),
    INT("most", 0, "N", "20", 0, INT64_MAX,
        "text: print at most N findings of a kind, the most certain ones; 0 for all"),
    CHOICE("format", "FORMAT", "json", "text|json|html|sarif|junit", "how to print the answer"),
    FILE_("output", 'o', "-", "where to write; '-' is standard output"),
    SWITCH("stats", "yes", "tell seconds and memory, of all shards together; --no-stats: do not"),
};
static const au_example merge_examples[] = {
    {"augur merge 1.json 2.json 3.json -o all.json", "what one check would have written"},
    {"augur merge --format text *.json", "to read"},
    {"augur merge --partial 1.json 3.json -o most.json", "shard 2 comes later"},
};
static const au_exit merge_exits[] = {
    {AU_EXIT_NOTHING, "nothing was found"},
    {AU_EXIT_FOUND, "something was found"},
    {AU_EXIT_USAGE, "wrong usage, shards are missing, or results that do not go together"},
    {AU_EXIT_INTERNAL, "internal error, or nothing was found but not everything could be decided"},
};
static const au_command merge_command = {
    .name = "merge",
    .summary = "make one result of the shards of a check",
    .operands = "RESULT...",
    .description =
        "Takes what 'augur check --shard I/N --format json' wrote for every I and writes what\n"
        "the same check without --shard would have written: the same findings with the same\n"
        "numbers and schedules, in any format. Neither the order of the results nor how they are\n"
        "grouped into several merges makes a difference, and a shard that is there twice counts\n"
        "once.\n"
        "\n"
        "Shards of another check (another input, other options, another version) are refused.\n"
        "The input of the check must still be there: in this directory, or where a shard was run.\n"
        "Seconds are those of all shards together; with --no-stats in both places the result is\n"
        "the same bytes (docs/scale-out.md).",
    .options = merge_options,
    .n_options = LEN(merge_options),
    .examples = merge_examples,
    .n_examples = LEN(merge_examples),
    .exits = merge_exits,
    .n_exits = LEN(merge_exits),
    .min_operands = 1,
    .max_operands = UINT8_MAX,
};

/* ---- convert ---- */

static const au_option convert_options[] = {
    FILE_("output", 'o', NULL, "where to write; '-' is standard output and needs --to"),
    FROM,
    CHOICE("to", "FORMAT", NULL, WRITE_FORMATS "|ctp",
           "what to write; by default the ending of the output's name tells"),
    SWITCH("pack", "yes", "binary: compress the frames with zstd"),
    PARTIAL,
    UNROLL,
};
static const au_example convert_examples[] = {
    {"augur convert run.std -o run.trace", "text to the compact binary format"},
    {"augur convert run.trace -o run.perfetto.json", "for https://ui.perfetto.dev"},
    {"augur convert run.trace --to jsonl -o - | jq .op", "into a pipe"},
    {"augur convert run.values -o run.ctp", "a model of a trace with values"},
};
static const au_exit convert_exits[] = {
    {AU_EXIT_NOTHING, "written"},
    {AU_EXIT_USAGE, "wrong usage, a bad input, or the output cannot be written"},
    {AU_EXIT_INTERNAL, "internal error"},
};
static const au_command convert_command = {
    .name = "convert",
    .summary = "write a trace or a model in another format",
    .operands = "TRACE",
    .description =
        "Formats by name and by the ending of the file: binary (.trace), std (.std), rapidbin\n"
        "(.rapidbin), values (.values), jsonl (.jsonl), perfetto (.perfetto.json, .json) and\n"
        "ctp (.ctp). A further .gz or .zst compresses. The last three of these are written\n"
        "but not read as traces.\n"
        "\n"
        "A .ctp model is made from a trace in which every access has its value: each read is\n"
        "pinned to the value it saw. A model can be converted to .ctp only.\n"
        "\n"
        "The output gets its name when it is complete; after any error an older file of that\n"
        "name is still there as it was. So a file may be converted onto itself.",
    .options = convert_options,
    .n_options = LEN(convert_options),
    .examples = convert_examples,
    .n_examples = LEN(convert_examples),
    .exits = convert_exits,
    .n_exits = LEN(convert_exits),
    .min_operands = 1,
    .max_operands = 1,
};

/* ---- gen ---- */

static const au_option gen_options[] = {
    INT("events", 'n', "N", "1000000", 0, INT64_MAX, "how many events, fork and join included"),
    INT("threads", 't', "N", "4", 1, 65535, "how many threads, the first one included"),
    INT("locks", 0, "N", "8", 0, 1 << 24, "how many locks"),
    INT("vars", 0, "N", "64", 0, 1 << 24, "how many variables, shared and private together"),
    INT("nesting", 0, "N", "2", 0, 64, "how deep locks are nested at most", .old = "depth"),
    FLAG("with-blocks", 0, "mark atomic blocks", .old = "atomic"),
    INT("seed", 0, "N", "1", 0, INT64_MAX, "the same seed gives the same trace"),
    NUMBER("shared-fraction", "F", "0.5", 0, 1,
           "which part of the accesses is of shared variables; the others are of variables that "
           "only one thread uses"),
    FLAG("with-values", 0, "give every access the value it reads or writes; variables start at 0",
         .old = "values"),
    CHOICE("shape", "NAME", NULL, "raytracer|tsp|elevator|account|daisy|thrift",
           "a trace of the size and kind of a published benchmark instead"),
    FILE_("output", 'o', "-", "where to write; '-' is standard output"),
    CHOICE("to", "FORMAT", NULL, WRITE_FORMATS,
           "what to write; by default the ending of the output's name tells; std on standard "
           "output"),
    SWITCH("pack", "yes", "compress the frames of a binary trace"),
};
static const au_example gen_examples[] = {
    {"augur gen --events 10M --threads 8 -o big.trace", "ten million events"},
    {"augur gen --shape raytracer --threads 20 -o ray.std", "a shape of known size"},
};
static const au_exit gen_exits[] = {
    {AU_EXIT_NOTHING, "written"},
    {AU_EXIT_USAGE, "wrong usage, or the output cannot be written"},
    {AU_EXIT_INTERNAL, "internal error"},
};
static const au_command gen_command = {
    .name = "gen",
    .summary = "generate a synthetic trace",
    .description =
        "Writes a valid trace of the given size, the same one for the same options and seed on\n"
        "every machine. The first thread forks the others at the start and joins them at the\n"
        "end; no thread blocks, every lock is released and every block ended.\n"
        "\n"
        "The number of events is exact. Without variables it has to be even, as what is\n"
        "opened is closed; with neither variables nor locks nor blocks there is only fork and\n"
        "join. Every lock and variable is used if there are enough events.\n"
        "\n"
        "A shape fixes the other numbers: 'raytracer' takes '--threads', 'tsp' and 'elevator'\n"
        "take '--events', all take '--seed' and '--with-values'.",
    .options = gen_options,
    .n_options = LEN(gen_options),
    .examples = gen_examples,
    .n_examples = LEN(gen_examples),
    .exits = gen_exits,
    .n_exits = LEN(gen_exits),
};

/* ---- oracle ---- */

static const au_option oracle_options[] = {
    CHOICE("model", "MODEL", "ctp", "ctp|mcm|cam|locks",
           "what an interleaving has to respect: ctp the data, mcm the observed values, cam only "
           "the synchronisation, locks only the nested locks"),
    SWITCH("prefix", "yes", "look at every prefix of an interleaving, not only at whole ones"),
    INT("context-bound", 0, "N", NULL, 0, UINT32_MAX - 1,
        "only interleavings in which the running thread changes at most N times"),
    FROM,
    PARTIAL,
    FLAG("keep-reads", 0, "reads before the decisive events keep the writer they had in the run"),
    UNROLL,
    INT("max-states", 0, "N", "10000000", 1, INT64_MAX,
        "give up, with status 3, beyond this many states"),
    PROPS("race,atomicity,deadlock,assert,nondet,locks", ALL_PROPS, "what to look for"),
    CHOICE("atomic", "WHICH", "auto", "auto|marked|critical|none",
           "what is an atomic block: what is marked, outermost critical sections, nothing; auto: "
           "what is "
           "marked, or else critical sections"),
    FORMAT("json"),
    FILE_("output", 'o', "-", "where to write; '-' is standard output"),
};
static const au_example oracle_examples[] = {
    {"augur oracle fig1.ctp", "everything there is to know about a small model"},
    {"augur oracle --prop assert --context-bound 1 --format text fig1.ctp",
     "does an assertion fail with one context switch?"},
};
static const au_exit oracle_exits[] = {
    {AU_EXIT_NOTHING, "nothing of what was looked for can happen"},
    {AU_EXIT_FOUND, "something was found"},
    {AU_EXIT_USAGE, "wrong usage or a bad model"},
    {AU_EXIT_INTERNAL, "internal error, or too many states to look at all of them"},
};
static const au_command oracle_command = {
    .name = "oracle",
    .summary = "try every interleaving of a small model",
    .operands = "MODEL",
    .description =
        "Enumerates every interleaving of a model by brute force and says which assertions\n"
        "fail, which accesses race, which atomic blocks are broken, which states deadlock,\n"
        "which reads can see another write, and between which bounds the variables stay; each\n"
        "with a schedule. For tests of the clever stages, and for doubters.\n"
        "\n"
        "The model is a .ctp file, or a short trace in which every access has its value.",
    .options = oracle_options,
    .n_options = LEN(oracle_options),
    .examples = oracle_examples,
    .n_examples = LEN(oracle_examples),
    .exits = oracle_exits,
    .n_exits = LEN(oracle_exits),
    .min_operands = 1,
    .max_operands = 1,
};

/* ---- doctor ---- */

static const au_option doctor_options[] = {
    FORMAT("text"),
};
static const au_example doctor_examples[] = {
    {"augur doctor", "one line a thing: ok, warn or missing, and what to do"},
};
static const au_exit doctor_exits[] = {
    {AU_EXIT_NOTHING, "everything that the commands of this version need is there"},
    {AU_EXIT_INTERNAL, "something required is missing"},
};
static const au_command doctor_command = {
    .name = "doctor",
    .summary = "say what works on this machine",
    .description =
        "Tries what augur needs from the machine and says for each thing whether it works\n"
        "and, where it does not, what to do about it. 'warn' and 'missing' of a thing that is\n"
        "not required do not change the exit status.",
    .options = doctor_options,
    .n_options = LEN(doctor_options),
    .examples = doctor_examples,
    .n_examples = LEN(doctor_examples),
    .exits = doctor_exits,
    .n_exits = LEN(doctor_exits),
};

/* ---- help ---- */

#define HIDDEN(n, h)                                                                               \
    { .name = n, .type = AU_OPT_FLAG, .help = h, .hidden = true }

static const au_option help_options[] = {
    FLAG("completion", 0, "print the completion script for bash"),
    HIDDEN("man", "print the manual page in roff"),
    HIDDEN("markdown", "print docs/commands.md"),
    HIDDEN("names", "print the names of the commands"),
};
static const au_example help_examples[] = {
    {"augur help show", "the same as 'augur show --help'"},
    {"source <(augur help --completion)", "completion of commands and options in this shell"},
};
static const au_exit help_exits[] = {
    {AU_EXIT_NOTHING, "printed"},
    {AU_EXIT_USAGE, "there is no such command"},
};
static const au_command help_command = {
    .name = "help",
    .summary = "explain augur or one of its commands",
    .operands = "[COMMAND]",
    .description = "Without a command: the list of commands.",
    .options = help_options,
    .n_options = LEN(help_options),
    .examples = help_examples,
    .n_examples = LEN(help_examples),
    .exits = help_exits,
    .n_exits = LEN(help_exits),
    .max_operands = 1,
};

/* In the order of the list in 'augur --help'. */
const au_command *const au_commands[] = {
    &au_cc_command,     &au_cxx_command,    &au_run_command,     &au_list_command,
    &au_triage_command, &au_report_command, &au_explore_command, &au_record_command,
    &au_replay_command, &au_check_command,  &au_scan_command,    &show_command,
    &merge_command,     &convert_command,   &gen_command,        &oracle_command,
    &doctor_command,    &help_command,
};
const size_t au_n_commands = LEN(au_commands);
