/* engine/table_scan.c: augur scan. */
#include "engine/table_priv.h"

static const au_option scan_options[] = {
    PROPS("race,assert", "race|assert|deadlock", "kinds of bugs to look for"),
    LIST("entry", "FUNCTION,...", NULL, NULL,
         "no main: each of these functions may be called at any time, concurrently with the others "
         "and with itself"),
    LIBRARY,
    FLAG("once", 0, "--entry: each thread calls its function once, not in a loop"),
    INT("inline", 0, "N", "0", 0, 100000000,
        "limit of instructions per thread after inlining; 0: 20000"),
    CHOICE("stages", "STAGE", "solver", "must-hb|lockset|graph|box|octagon|polyhedron|solver",
           "last stage to run"),
    CHOICE("domain", "DOMAIN", "polyhedron", "box|octagon|polyhedron",
           "most precise abstract domain for invariants: intervals (box), sums and differences of "
           "two variables (octagon), linear inequalities (polyhedron)"),
    INT("unroll", 0, "N", "16", 1, 4096,
        "solver: unroll loops up to N times (1, 2, 4, ... until decided)"),
    NUMBER("timeout", "S", "10", 0.01, 1e6, "solver: seconds per warning"),
    NUMBER("graph-timeout", "S", "20", 0.01, 1e6, "invariants: seconds per graph"),
    BUDGET("0"),
    INT("max-nodes", 0, "N", "20000", 1, 100000000,
        "take threads two at a time if the graph of all threads has more than N nodes"),
    INT("rounds", 0, "N", "4", 1, 1000, "refine the graph at most N times per domain"),
    SWITCH("reduce", "yes", "partial-order reduction"),
    SWITCH("spurious", "yes", "spurious wake-ups: a wait may end without a signal, as in POSIX"),
    FLAG("pairwise", 0, "take threads two at a time, whatever the size", .old = "pairs"),
    CHOICE("show", "WHAT", "report", "report|graph|invariants",
           "instead of the report: the transaction graphs, by stage, and which warnings each stage "
           "ruled out; invariants: with what holds at each node. Nothing is executed"),
    STRING("draw", 0, "FILE", NULL,
           "--show: draw the last of these graphs to FILE ('.svg' or '.dot')"),
    FLAG("all", 'a', "list what was ruled out, too, and by which stage"),
    INT("brief", 0, "N", "100", 0, INT64_MAX,
        "text: with more than N undecided races print one line per variable; 0: never"),
    INT("top", 0, "N", "40", 0, INT64_MAX,
        "text: print the first N of these lines, the most promising first; 0: all"),
    INT("most", 0, "N", "0", 0, INT64_MAX, "text: print at most N findings per kind; 0: all"),
    INT("jobs", 'j', "N", "0", 0, 4096, "number of workers; 0: one per core"),
    INT("memory", 0, "MIB", "4096", 0, 1 << 30, "memory per worker in MiB; 0: no limit"),
    SWITCH("replay", "yes", "execute schedules on the compiled program, if it has a main"),
    SWITCH(
        "explore", "no",
        "--replay: explore the program for the races that are left, too; with --svcomp that is the "
        "default"),
    STRING("args", 0, "TEXT", "", "--replay: arguments of the program, separated by spaces"),
    RUN_TIMEOUT("5", 0.1, "--replay: seconds per execution"),
    FLAG("sandbox", 0, "--replay: run in a fresh copy of the working directory each time"),
    STORE,
    INT("keep", 0, "N", "10", 1, 1000000, "keep the recordings of the last N runs in the store"),
    FLAG("svcomp", 0, "print only TRUE, FALSE or UNKNOWN for --prop"),
    FILE_("witness", 0, NULL, "--svcomp: write the schedule of a FALSE to FILE, as GraphML"),
    CHOICE("format", "FORMAT", "text", "text|json|html|sarif|junit|github", "output format"),
    FILE_("output", 'o', "-", "output file; '-': standard output"),
};
static const au_example scan_examples[] = {
    {"augur scan server.c queue.c -- -I include", "sources, and options of the compiler"},
    {"augur scan build/compile_commands.json",
     "what CMake, Meson or Bear say is compiled, and how"},
    {"augur scan src -- -I include", "all sources below a directory"},
    {"augur scan --args \"4 100\" ./bank",
     "a program; schedules are executed with these arguments"},
    {"augur scan --entry open,close,irq driver.c", "functions that may be called at any time"},
    {"augur scan pages.ctp", "races and failing assertions of a model with loops"},
    {"augur scan --prop deadlock pages.ctp", "can it deadlock?"},
    {"augur scan --stages polyhedron --all pages.ctp", "what the invariants rule out"},
    {"augur scan --show invariants --draw pages.svg pages.ctp", "... and where, as a picture"},
};
static const au_exit scan_exits[] = {
    {AU_EXIT_NOTHING,
     "no warnings, nothing left out: none of these bugs can happen (--svcomp: TRUE)"},
    {AU_EXIT_FOUND, "warnings, with a schedule or undecided (--svcomp: FALSE)"},
    {AU_EXIT_USAGE, "usage error, or an input that cannot be read"},
    {AU_EXIT_INTERNAL,
     "internal error, or no warnings but something is left out (--svcomp: UNKNOWN)"},
};
const au_command au_scan_command = {
    .name = "scan",
    .summary = "find races and failing assertions in the code, without a run",
    .operands = "FILE... [-- OPTION...]",
    .description =
        "Static analysis. Takes C or C++ sources (compiled with the options after --), a\n"
        "directory of them, a compile_commands.json, a program built with 'augur cc', or a\n"
        ".ctp model with loops. A file that cannot be read or compiled is named, and the\n"
        "others are scanned. Lists the pairs of\n"
        "accesses that could race and the assertions, and rules out what cannot happen: by\n"
        "fork and join, by locksets, by synchronisation, by invariants of increasing\n"
        "precision. The rest is unrolled for the solver, which finds a schedule, shows that\n"
        "there is none, or leaves it undecided up to a bound. Schedules of a program with a\n"
        "main are then executed, as 'augur replay' does, and kept in the store: such a\n"
        "finding is 'confirmed'. See docs/scan.md.",
    .options = scan_options,
    .n_options = LEN(scan_options),
    .examples = scan_examples,
    .n_examples = LEN(scan_examples),
    .exits = scan_exits,
    .n_exits = LEN(scan_exits),
    .min_operands = 1,
    .max_operands = UINT8_MAX,
};
