/* engine/table.c: every command and every option, one row each. Texts are plain
 * ASCII in lower case without full stops where they are one line; descriptions
 * are sentences. A command that is not built is not in the table. */
#include "engine/table_priv.h"
#include "wire/wire.h"

#define OP_TEXT_(num, name, text, space) text "|"
#define OPS AU_WIRE_OPS(OP_TEXT_)

const au_option au_common_options[] = {
    FLAG("help", 'h', "print this help and stop"),
    FLAG("quiet", 'q', "no progress line, no headings, no notes"),
    CHOICE("progress", "HOW", "auto", "auto|plain|none",
           "what is going on, on standard error; auto: one line, on a terminal only; plain: a line "
           "every 30 seconds"),
    CHOICE("color", "WHEN", "auto", "auto|always|never",
           "colour the output; auto: if it is a terminal and NO_COLOR is not set"),
};
const size_t au_n_common_options = LEN(au_common_options);

/* ---- augur itself ---- */

static const au_option root_options[] = {
    FLAG("version", 'V', "print the version and stop"),
};
static const au_exit root_exits[] = {
    {AU_EXIT_NOTHING, "no findings, or the command did its work"},
    {AU_EXIT_FOUND, "there are findings"},
    {AU_EXIT_USAGE, "usage error, or a file that cannot be read or written"},
    {AU_EXIT_INTERNAL, "internal error, or an inconclusive answer"},
};
const au_command au_command_root = {
    .name = "",
    .summary = "predict concurrency bugs from one run",
    .operands = "COMMAND [ARGUMENT...]",
    .description =
        "augur records one run of a multithreaded program and predicts the bugs of its other\n"
        "interleavings.\n"
        "\n"
        "'augur help COMMAND' or 'augur COMMAND --help' explains a command.",
    .options = root_options,
    .n_options = LEN(root_options),
    .exits = root_exits,
    .n_exits = LEN(root_exits),
    .max_operands = UINT8_MAX,
    .stop_at_operand = true,
};

#define SPLIT                                                                                      \
    INT("split", 0, "N", "4", 0, 64,                                                               \
        "recordings: follow a pointer that depends on the interleaving to at most N other "        \
        "objects; 0: pointers keep the values of the run")

/* ---- show ---- */

static const au_option show_options[] = {
    FLAG("summary", 's', "print counts instead of events: by operation, thread, lock and variable"),
    INT("top", 'n', "N", "10", 0, INT64_MAX,
        "summary: list the N busiest locks, variables and threads; 0: all"),
    LIST("thread", "NAME,...", NULL, NULL, "only events of these threads"),
    STRING("range", 'r', "A..B", NULL,
           "only events A to B of the trace, counted from 1; A.. and ..B work, too"),
    LIST("var", "NAME,...", NULL, NULL, "only accesses to these variables"),
    LIST("lock", "NAME,...", NULL, NULL,
         "only events of these locks and other synchronisation objects"),
    LIST("op", "OP,...", NULL, OPS, "only these operations"),
    FLAG("as-ctp", 0, "recordings: the model of the run as .ctp, with what the program computes",
         .old = "model"),
    STRING("slice", 0, "FILE:LINE", NULL,
           "recordings: only the part of the model that this line depends on"),
    FLAG("pinned", 0,
         "recordings: values that the model fixes to those of the run: where, how often and why"),
    CHECKS,
    LIBRARY,
    SPLIT,
    FLAG("lint", 0, "list every error of the input as 'file:line: text' instead of its events"),
    CHOICE("format", "FORMAT", "text", "text|json",
           "output format; json: one object per event, or one object for a summary"),
    FLAG("tsg", 0,
         "models and recordings: size of the transaction sequence graph, and value ranges on it"),
    FLAG("mat", 0,
         "--tsg: use all mutually atomic transactions, infeasible ones included (GenMAT)"),
    FLAG("ccfg", 0, "--tsg: use no transactions: allow a switch at every shared access"),
    CHOICE("priority", "THREAD", "last", "first|last",
           "--tsg: which of two threads gets the shorter transactions"),
    INT("look-ahead", 0, "N", "0", 0, 8,
        "--tsg: follow N transactions path by path; 0: join the ranges at each node first"),
    FLAG("bare", 0,
         "--tsg: only the switches that the mutually atomic transactions give; add none"),
    STRING("draw", 0, "FILE", NULL, "--tsg: draw the graph to FILE ('.svg' or '.dot')"),
    NUMBER("timeout", "S", "60", 0, 1e6, "--tsg: seconds for graph and ranges; 0: no limit"),
    INT("memory", 0, "MIB", "8192", 0, 1 << 30, "--tsg: memory in MiB; 0: no limit"),
    FROM,
    PARTIAL,
    LENIENT,
    UNROLL,
};
static const au_example show_examples[] = {
    {"augur show run.trace --range 1000..1020", "the events around event 1010"},
    {"augur show run.std --var balance --op w", "every write of 'balance'"},
    {"augur show --summary --top 5 run.trace", "the five busiest locks, variables and threads"},
    {"augur show --lint run.std.gz", "every error of this file"},
    {"augur show --as-ctp run.trace", "the model of this run"},
    {"augur show --slice bank.c:41 run.trace", "what line 41 depends on"},
    {"augur show bank.ctp", "a model, its statements split into single accesses"},
    {"augur show --tsg --draw bank.svg bank.ctp", "its transaction sequence graph, as a picture"},
    {"augur show --tsg --slice bank.c:41 run.trace",
     "the graph and the ranges of what line 41 depends on"},
};
static const au_exit show_exits[] = {
    {AU_EXIT_NOTHING, "printed; --lint: no errors"},
    {AU_EXIT_USAGE, "usage error or invalid input; --lint: errors were listed"},
    {AU_EXIT_INTERNAL, "internal error"},
};
static const au_command show_command = {
    .name = "show",
    .summary = "print or summarise a trace or a model",
    .operands = "TRACE",
    .description =
        "Prints the events of a trace, one per line: event number in the trace, thread, event\n"
        "number within the thread, operation, operand, source location, and the value read or\n"
        "written. Both numbers count from 1.\n"
        "\n"
        "TRACE is a file or '-' for standard input, plain, gzip or zstd, in any format that\n"
        "augur reads. It is streamed: memory does not grow with its length.\n"
        "\n"
        "An event is printed if it passes all filters; --var and --lock together select the\n"
        "events of either. Lists are separated by commas and may be repeated; write a comma\n"
        "inside a name as '\\,'. Filters apply to a summary, too.\n"
        "\n"
        "Of a recording, --as-ctp prints the model that 'augur check' examines: what the\n"
        "program computes from the values its threads read from each other. --slice prints\n"
        "the part that a line depends on, --pinned the values that the model does not follow.\n"
        "\n"
        "Of a model (a .ctp file) it prints the statements, or, with --summary, their counts.\n"
        "Filters are for traces. --tsg prints which steps of a model, or of the model of a trace\n"
        "with values, can run as one, where threads must switch and which ranges the values\n"
        "have (docs/intervals.md).",
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

#define MEMORY_MODEL_HELP(more)                                                                    \
    "what reads may see; sc: interleavings; tso: x86, stores wait in buffers; rc11: C11, by the "  \
    "memory orders of the model" more

static const au_option check_options[] = {
    PROPS(NULL, ALL_PROPS "memory|stale-check",
          "kinds of bugs to look for; by default all that the input supports, except nondet on "
          "traces: most programs have benign order-dependent reads"),
    CHOICE("model", "MODEL", "ctp", "ctp|mcm|cam|locks",
           "what an interleaving must respect; ctp: the model as it is; mcm: each read sees the "
           "value it saw; cam: synchronisation only, values ignored; locks: locks only"),
    CHOICE("memory-model", "MEMORY", NULL, "sc|tso|rc11",
           MEMORY_MODEL_HELP(
               ". By default rc11 for a .ctp model with orders weaker than sc, else sc")),
    SWITCH("prefix", "yes",
           "count interleavings that do not run to the end; --no-prefix: only complete ones"),
    STRING("context-bound", 0, "N", NULL,
           "only schedules with at most N context switches; A..B: A first, then A+1, ..., until "
           "there is an answer"),
    CHOICE("backend", "NAME", "cadical", "cadical|z3|both", "solver; both: they must agree"),
    CHOICE("stages", "LAST", "solver", "must-hb|lockset|graph|interval|solver",
           "last stage to run"),
    CHOICE("widths", "HOW", "ranges", "ranges|full",
           "bits of a value in queries: as many as its range needs, or the full width of its type"),
    CHOICE("order", "OF", "auto", "auto|events|transactions",
           "what a query orders: events, or transactions, each as one event (races, deadlocks, "
           "lock misuse and context bounds always use events); auto: transactions in all but short "
           "models, where the graph of them is made anyway"),
    CHOICE("graph", "WHICH", "tsg-prime", "tsg-prime|tsg|ccfg",
           "the graph that ranges and transactions come from: of feasible mutually atomic "
           "transactions, of all, or with a switch at every shared access; answers are the same"),
    INT("jobs", 'j', "N", "0", 0, 4096, "number of workers; 0: one per core"),
    BUDGET("0"),
    NUMBER("timeout", "S", "60", 0, 1e6, "seconds per query; 0: no limit"),
    INT("memory", 0, "MIB", "8192", 0, 1 << 30, "memory per worker in MiB; 0: no limit"),
    INT("window", 0, "N", "2000", 0, INT64_MAX,
        "examine runs of more than N steps in windows of up to N steps; 0: no windows"),
    LIST("reach", "FILE:LINE,...", NULL, NULL, "can another interleaving reach this statement?"),
    CHECKS,
    LIBRARY,
    SPLIT,
    STRING("shard", 0, "I/N", NULL,
           "answer only part I of N of the queries (with --format json); 'augur merge' merges all "
           "N results"),
    CHOICE(
        "on", "WHERE", NULL, "slurm",
        "run the shards on other machines, as an array of Slurm jobs, and print the merged result"),
    INT("nodes", 0, "N", "1", 1, 100000, "--on: number of shards, one job each"),
    INT("retries", 0, "N", "3", 0, 1000, "--on: resubmit a lost shard up to N times"),
    DIRECTORY("work-dir", ".augur",
              "--on: directory for the results of shards; all machines must see it"),
    STRING("slurm-options", 0, "TEXT", "",
           "--on slurm: further options for sbatch: '--partition=long --time=60'"),
    FILE_("node-augur", 0, NULL,
          "--on: path of augur on those machines; by default the path of this one"),
    DIRECTORY("dump", NULL, "write every query to this directory, as SMT-LIB 2 and DIMACS"),
    DIRECTORY("certify", NULL,
              "write a certificate of what the exact stage refutes, and of models what the stages "
              "before it rule out, to this directory; check it with 'augur verify'"),
    CHOICE("atomic", "WHICH", "auto", "auto|marked|critical|function|none",
           "which regions are atomic blocks: marked ones, outermost critical sections, calls made "
           "by a thread's first function, or none; auto: marked ones if there are any, otherwise "
           "critical sections; 'augur run' takes marked ones only, unless this is given"),
    FLAG("values", 0, "nondet on traces: ignore writes that store the value that was read anyway"),
    CHOICE("pairs", "WHICH", "must", "must|observed",
           "nondet on traces: a wake-up comes after the signal of the run (observed), or only "
           "after what must precede it (must)"),
    INT("effort", 0, "N", "1G", 0, INT64_MAX,
        "nondet on traces: give up after the work of executing N events; 0: never"),
    FLAG("all", 0,
         "list every pair of events or locations, not one per kind, and what was ruled out"),
    FLAG("first", 0, "report one finding only, the most certain one"),
    FLAG("stream", 0,
         "one pass in constant memory: no schedules, nothing proved; always on for standard input, "
         "where findings are printed as they are found"),
    INT("schedules", 0, "N", "20M", 0, INT64_MAX,
        "build and check schedules of at most N events in total"),
    INT("most", 0, "N", "20", 0, INT64_MAX,
        "text: print at most N findings per kind, the most certain first; 0: all"),
    FLAG("verbose", 0, "text: print every variant of a finding, with its schedule"),
    CHOICE(
        "format", "FORMAT", "text", "text|json|html|sarif|junit|github",
        "output format; html: a page, one file; sarif: for code scanning; junit: for dashboards; "
        "github: annotations of a workflow"),
    FILE_("output", 'o', "-", "output file; '-': standard output"),
    SWITCH("stats", "yes",
           "report time and memory; --no-stats: the same check gives the same bytes"),
    FROM,
    PARTIAL,
    LENIENT,
    UNROLL,
};
static const au_example check_examples[] = {
    {"augur check run.trace", "all bugs of other interleavings of this run"},
    {"augur check --prop race --format json run.std", "races, as JSON"},
    {"augur check --prop nondet --values run.trace", "which reads can return another value?"},
    {"tail -f run.std | augur check -", "check a run while it is being written"},
    {"augur check --prop assert bank.ctp", "can an assertion of this model fail?"},
    {"augur check --context-bound 0..4 bank.ctp", "schedules with few context switches first"},
    {"augur check --shard 2/3 --format json -o 2.json run.trace", "a third of the queries"},
    {"augur check --on slurm --nodes 8 run.trace", "on eight nodes of a cluster"},
};
static const au_exit check_exits[] = {
    {AU_EXIT_NOTHING, "no findings"},
    {AU_EXIT_FOUND, "findings"},
    {AU_EXIT_USAGE, "usage error or invalid input"},
    {AU_EXIT_INTERNAL, "internal error, or no findings but undecided queries"},
};
const au_command au_check_command = {
    .name = "check",
    .summary = "predict the bugs of other interleavings of a run or a model",
    .operands = "INPUT...",
    .description =
        "Reads one run and predicts the bugs of its other interleavings: races, atomicity\n"
        "violations, deadlocks, lock misuse. The first stages take time linear in the length\n"
        "of the trace.\n"
        "\n"
        "Of a model (a .ctp file) or a trace with values, the exact stage examines all\n"
        "interleavings with a solver; it also finds failing assertions and reads that can see\n"
        "another write. Several inputs of one program are merged first.\n"
        "\n"
        "'proved' means that an independent checker executed a schedule that shows the bug:\n"
        "on a model with its values, on a trace with every read before the decisive events\n"
        "seeing the write or value it saw. 'possible' means that no exact stage decided it;\n"
        "the reason is given.\n"
        "\n"
        "The funnel shows how many candidates each stage left.",
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
    FLAG("partial", 0, "accept missing shards: the result names them and can be merged again"),
    INT("most", 0, "N", "20", 0, INT64_MAX,
        "text: print at most N findings per kind, the most certain first; 0: all"),
    FLAG("verbose", 0, "text: print every variant of a finding, with its schedule"),
    CHOICE("format", "FORMAT", "json", "text|json|html|sarif|junit|github", "output format"),
    FILE_("output", 'o', "-", "output file; '-': standard output"),
    SWITCH("stats", "yes", "report time and memory, summed over the shards"),
    DIRECTORY("store", ".augur",
              "stores are merged into this one, which is made if it is not there"),
};
static const au_example merge_examples[] = {
    {"augur merge 1.json 2.json 3.json -o all.json", "the result of a single check"},
    {"augur merge --format text *.json", "as text"},
    {"augur merge --partial 1.json 3.json -o most.json", "shard 2 follows later"},
    {"augur merge --store all one/.augur two/.augur", "stores of two machines, into one"},
};
static const au_exit merge_exits[] = {
    {AU_EXIT_NOTHING, "no findings"},
    {AU_EXIT_FOUND, "findings"},
    {AU_EXIT_USAGE, "usage error, missing shards, or results of different checks"},
    {AU_EXIT_INTERNAL, "internal error, or no findings but undecided queries"},
};
static const au_command merge_command = {
    .name = "merge",
    .summary = "merge the results of the shards of a check, or stores",
    .operands = "RESULT... | STORE...",
    .description =
        "Reads what 'augur check --shard I/N --format json' wrote for every I, and writes\n"
        "what the same check without --shard would have written: the same findings, numbers\n"
        "and schedules, in any format. The order of the results and the number of merges make\n"
        "no difference; a shard that is given twice counts once.\n"
        "\n"
        "Shards of another check (another input, other options, another version) are refused.\n"
        "The input of the check must still be in this directory or where a shard ran. Time is\n"
        "the sum over all shards; with --no-stats in both places the result is the same bytes\n"
        "(docs/scale-out.md).\n"
        "\n"
        "Operands that are directories are stores ('augur run', 'augur test'), of other machines\n"
        "for instance. Their runs, recordings, findings, verdicts and baselines are brought into\n"
        "--store; a store that is merged again counts once. Of verdicts about one finding the\n"
        "latest counts.",
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
    FILE_("output", 'o', NULL, "output file; '-': standard output, needs --to"),
    FROM,
    CHOICE("to", "FORMAT", NULL, WRITE_FORMATS "|ctp",
           "output format; by default the suffix of the output's name tells it"),
    SWITCH("pack", "yes", "binary: compress frames with zstd"),
    PARTIAL,
    LENIENT,
    UNROLL,
};
static const au_example convert_examples[] = {
    {"augur convert run.std -o run.trace", "text to binary"},
    {"augur convert run.trace -o run.perfetto.json", "for https://ui.perfetto.dev"},
    {"augur convert run.trace --to jsonl -o - | jq .op", "into a pipe"},
    {"augur convert run.values -o run.ctp", "a model of a trace with values"},
};
static const au_exit convert_exits[] = {
    {AU_EXIT_NOTHING, "written"},
    {AU_EXIT_USAGE, "usage error, invalid input, or an output that cannot be written"},
    {AU_EXIT_INTERNAL, "internal error"},
};
static const au_command convert_command = {
    .name = "convert",
    .summary = "write a trace or a model in another format",
    .operands = "TRACE",
    .description =
        "Formats by name and file suffix: binary (.trace), std (.std), rapidbin (.rapidbin),\n"
        "values (.values), jsonl (.jsonl), perfetto (.perfetto.json, .json) and ctp (.ctp). A\n"
        "further .gz or .zst compresses. augur writes the last three but does not read them\n"
        "as traces.\n"
        "\n"
        "A .ctp model needs a trace in which every access has its value: each read is pinned\n"
        "to the value it saw. A model converts to .ctp only.\n"
        "\n"
        "The output appears under its name when it is complete; after an error an older file\n"
        "of that name is unchanged. So a file can be converted onto itself.",
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
    INT("events", 'n', "N", "1000000", 0, INT64_MAX, "number of events, fork and join included"),
    INT("threads", 't', "N", "4", 1, 65535, "number of threads, the first one included"),
    INT("locks", 0, "N", "8", 0, 1 << 24, "number of locks"),
    INT("vars", 0, "N", "64", 0, 1 << 24, "number of variables, shared and private together"),
    INT("nesting", 0, "N", "2", 0, 64, "maximum nesting depth of locks", .old = "depth"),
    FLAG("with-blocks", 0, "mark atomic blocks", .old = "atomic"),
    INT("seed", 0, "N", "1", 0, INT64_MAX, "random seed; the same seed gives the same trace"),
    NUMBER("shared-fraction", "F", "0.5", 0, 1,
           "fraction of the accesses that go to shared variables; the others go to variables of "
           "one thread"),
    FLAG("with-values", 0, "give every access its value; variables start at 0", .old = "values"),
    CHOICE("shape", "NAME", NULL, "raytracer|tsp|elevator|account|daisy|thrift",
           "generate a trace like that of a published benchmark, in size and kind"),
    FILE_("output", 'o', "-", "output file; '-': standard output"),
    CHOICE("to", "FORMAT", NULL, WRITE_FORMATS,
           "output format; by default the suffix of the output's name tells it; std on standard "
           "output"),
    SWITCH("pack", "yes", "binary: compress frames with zstd"),
};
static const au_example gen_examples[] = {
    {"augur gen --events 10M --threads 8 -o big.trace", "ten million events"},
    {"augur gen --shape raytracer --threads 20 -o ray.std",
     "a trace like that of a published benchmark"},
};
static const au_exit gen_exits[] = {
    {AU_EXIT_NOTHING, "written"},
    {AU_EXIT_USAGE, "usage error, or an output that cannot be written"},
    {AU_EXIT_INTERNAL, "internal error"},
};
static const au_command gen_command = {
    .name = "gen",
    .summary = "generate a synthetic trace",
    .description =
        "Writes a valid trace of the given size, the same one for the same options and seed\n"
        "on every machine. The first thread forks the others at the start and joins them at\n"
        "the end; no thread blocks, every lock is released and every block ends.\n"
        "\n"
        "The number of events is exact. Without variables it must be even, because every\n"
        "acquire has its release; with neither variables nor locks nor blocks there are only\n"
        "forks and joins. Every lock and variable is used if there are enough events.\n"
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
           "what an interleaving must respect; ctp: the model as it is; mcm: each read sees the "
           "value it saw; cam: synchronisation only, values ignored; locks: locks only"),
    CHOICE("memory-model", "MEMORY", "sc", "sc|tso|rc11", MEMORY_MODEL_HELP("")),
    SWITCH("prefix", "yes",
           "count interleavings that do not run to the end; --no-prefix: only complete ones"),
    INT("context-bound", 0, "N", NULL, 0, UINT32_MAX - 1,
        "only interleavings with at most N context switches"),
    FROM,
    PARTIAL,
    LENIENT,
    FLAG("keep-reads", 0, "reads before the decisive events keep the writer they had in the run"),
    UNROLL,
    INT("max-states", 0, "N", "10000000", 1, INT64_MAX, "give up, with status 3, after N states"),
    PROPS("race,atomicity,deadlock,assert,nondet,locks",
          "race|atomicity|deadlock|assert|nondet|locks|lost-update", "kinds of bugs to look for"),
    CHOICE("atomic", "WHICH", "auto", "auto|marked|critical|none",
           "which regions are atomic blocks: marked ones, outermost critical sections, or none; "
           "auto: marked ones if there are any, otherwise critical sections"),
    FORMAT("json"),
    FILE_("output", 'o', "-", "output file; '-': standard output"),
};
static const au_example oracle_examples[] = {
    {"augur oracle fig1.ctp", "all bugs of a small model"},
    {"augur oracle --prop assert --context-bound 1 --format text fig1.ctp",
     "does an assertion fail with one context switch?"},
    {"augur oracle --memory-model rc11 --format text mp.ctp", "all executions that C11 allows"},
};
static const au_exit oracle_exits[] = {
    {AU_EXIT_NOTHING, "no findings"},
    {AU_EXIT_FOUND, "findings"},
    {AU_EXIT_USAGE, "usage error or invalid model"},
    {AU_EXIT_INTERNAL,
     "internal error, more states than --max-states, or the answer is not the whole "
     "one for another reason, which is said"},
};
static const au_command oracle_command = {
    .name = "oracle",
    .summary = "enumerate every interleaving of a small model",
    .operands = "MODEL",
    .description =
        "Enumerates every interleaving of a model by brute force and lists failing\n"
        "assertions, races, atomicity violations, deadlocks, reads that can see another\n"
        "write, and the ranges of the variables; each with a schedule. A reference for tests\n"
        "of the other analyses.\n"
        "\n"
        "With '--memory-model' tso or rc11 it enumerates every consistent execution instead: each\n"
        "choice of the write that a read sees and of the order of a variable's writes.\n"
        "\n"
        "MODEL is a .ctp file, or a short trace in which every access has its value.",
    .options = oracle_options,
    .n_options = LEN(oracle_options),
    .examples = oracle_examples,
    .n_examples = LEN(oracle_examples),
    .exits = oracle_exits,
    .n_exits = LEN(oracle_exits),
    .min_operands = 1,
    .max_operands = 1,
};

/* ---- verify ---- */

static const au_option verify_options[] = {
    INT("jobs", 'j', "N", NULL, 1, 4096,
        "check N proofs at a time; by default as many as there are cores"),
};
static const au_example verify_examples[] = {
    {"augur check --certify proofs bank.ctp && augur verify proofs",
     "check a model, and then what it refuted"},
};
static const au_exit verify_exits[] = {
    {AU_EXIT_NOTHING, "every refutation is certified, and every certificate is right"},
    {AU_EXIT_FOUND, "a certificate is wrong"},
    {AU_EXIT_USAGE, "usage error, or no certificates"},
    {AU_EXIT_INTERNAL, "every certificate is right, and some refutations have none"},
};
static const au_command verify_command = {
    .name = "verify",
    .summary = "check the certificates of what was refuted",
    .operands = "DIRECTORY",
    .description =
        "Checks what 'augur check --certify' wrote, by a second program that shares no code\n"
        "with the solver: it makes the clauses from the model and the questions, compares them,\n"
        "checks lemmas by their rules and proofs by unit propagation, and counts what is\n"
        "certified of all that was refuted, stage by stage.",
    .options = verify_options,
    .n_options = LEN(verify_options),
    .examples = verify_examples,
    .n_examples = LEN(verify_examples),
    .exits = verify_exits,
    .n_exits = LEN(verify_exits),
    .min_operands = 1,
    .max_operands = 1,
};

/* ---- doctor ---- */

static const au_option doctor_options[] = {
    FORMAT("text"),
};
static const au_example doctor_examples[] = {
    {"augur doctor", "one line per requirement: ok, warn or missing, and what to do"},
};
static const au_exit doctor_exits[] = {
    {AU_EXIT_NOTHING, "everything required is there"},
    {AU_EXIT_INTERNAL, "something required is missing"},
};
static const au_command doctor_command = {
    .name = "doctor",
    .summary = "check what works on this machine",
    .description =
        "Checks what augur needs from the machine, prints for each requirement whether it\n"
        "works, and what to do where it does not. 'warn', and 'missing' of something\n"
        "optional, do not change the exit status.",
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
    FLAG("completion-zsh", 0, "print the completion script for zsh"),
    FLAG("completion-fish", 0, "print the completion script for fish"),
    HIDDEN("man", "print the manual page in roff"),
    HIDDEN("markdown", "print docs/commands.md"),
    HIDDEN("names", "print the names of the commands"),
};
static const au_example help_examples[] = {
    {"augur help show", "the same as 'augur show --help'"},
    {"source <(augur help --completion)", "complete commands and options in this shell"},
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
    &au_cc_command,      &au_cxx_command,    &au_run_command,    &au_test_command,
    &au_list_command,    &au_triage_command, &au_report_command, &au_serve_command,
    &au_explore_command, &au_record_command, &au_replay_command, &au_check_command,
    &au_scan_command,    &show_command,      &merge_command,     &convert_command,
    &gen_command,        &oracle_command,    &verify_command,    &doctor_command,
    &help_command,
};
const size_t au_n_commands = LEN(au_commands);
