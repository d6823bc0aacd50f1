/* engine/table_scan.c: augur scan. */
#include "engine/table_priv.h"

static const au_option scan_options[] = {
    PROPS("race,assert", "race|assert|deadlock", "what to look for"),
    LIST("entry", "FUNCTION,...", NULL, NULL,
         "no main: each of these may run at any time, beside the others and beside itself"),
    FLAG("once", 0, "--entry: each runs once in its threads, not again and again"),
    INT("inline", 0, "N", "0", 0, 100000000,
        "instructions that a thread may grow to by copies of called functions; 0: 20000"),
    CHOICE("stages", "STAGE", "solver", "must-hb|lockset|graph|box|octagon|polyhedron|solver",
           "stop after this stage"),
    CHOICE(
        "domain", "DOMAIN", "polyhedron", "box|octagon|polyhedron",
        "the most precise invariants: intervals, then sums and differences of two variables, then "
        "linear ones"),
    INT("unroll", 0, "N", "16", 1, 4096,
        "solver: go round loops at most N times (1, 2, 4, ... until it is decided)"),
    NUMBER("timeout", "S", "10", 0.01, 1e6, "solver: seconds for one warning"),
    NUMBER("graph-timeout", "S", "20", 0.01, 1e6, "invariants: seconds for one graph"),
    NUMBER(
        "budget", "S", "0", 0, 1e9,
        "seconds for everything but reading, about; 0: no limit, and 240 for programs of more than "
        "20000 steps"),
    INT("max-nodes", 0, "N", "20000", 1, 100000000,
        "with more nodes in the graph of all threads, they are taken two at a time"),
    INT("rounds", 0, "N", "4", 1, 1000, "make the graph again at most N times in a domain"),
    SWITCH("reduce", "yes", "let one thread move alone where nothing can be lost by it"),
    SWITCH("spurious", "yes", "a wait may end without a signal, as POSIX has it"),
    FLAG("pairwise", 0, "take threads two at a time even if all at once would do", .old = "pairs"),
    FLAG("all", 'a', "list what was ruled out, too, and by which stage"),
    INT("brief", 0, "N", "100", 0, INT64_MAX,
        "text: with more than N undecided races, a line for each variable; 0: never"),
    INT("top", 0, "N", "40", 0, INT64_MAX,
        "text: so many of these lines, the most promising first; 0: all"),
    INT("most", 0, "N", "0", 0, INT64_MAX, "text: at most N findings of a kind; 0: all"),
    INT("jobs", 'j', "N", "0", 0, 4096, "processes at once; 0: one a core"),
    INT("memory", 0, "MIB", "4096", 0, 1 << 30, "memory of one worker in MiB; 0: no limit"),
    SWITCH("replay", "yes",
           "execute what has a schedule on the compiled program, if it has a main"),
    STRING("args", 0, "TEXT", "", "--replay: arguments of the program, divided by blanks"),
    RUN_TIMEOUT("5", 0.1, "--replay: seconds for one execution"),
    FLAG("sandbox", 0, "--replay: every execution in a copy of the working directory"),
    STORE,
    INT("keep", 0, "N", "10", 1, 1000000, "recordings of so many runs stay in the store"),
    FLAG("svcomp", 0, "print TRUE, FALSE or UNKNOWN for what --prop names, and nothing else"),
    FILE_("witness", 0, NULL, "with --svcomp: where to write the schedule of a FALSE, as GraphML"),
    CHOICE("format", "FORMAT", "text", "text|json|html|sarif|junit", "how to print the answer"),
    FILE_("output", 'o', "-", "where to write; '-' is standard output"),
};
static const au_example scan_examples[] = {
    {"augur scan server.c queue.c -- -I include", "a program from its sources"},
    {"augur scan --args \"4 100\" ./bank",
     "a program; its schedules are executed with these arguments"},
    {"augur scan --entry open,close,irq driver.c", "functions that anybody may call at any time"},
    {"augur scan pages.ctp", "races and assertions of a model, loops and all"},
    {"augur scan --prop deadlock pages.ctp", "can threads wait for each other?"},
    {"augur scan --stages polyhedron --all pages.ctp", "what invariants rule out"},
};
static const au_exit scan_exits[] = {
    {AU_EXIT_NOTHING, "nothing of what was looked for can happen (--svcomp: TRUE)"},
    {AU_EXIT_FOUND, "warnings are left, shown by a schedule or undecided (--svcomp: FALSE)"},
    {AU_EXIT_USAGE, "wrong usage, or the input cannot be read"},
    {AU_EXIT_INTERNAL, "internal error (--svcomp: UNKNOWN)"},
};
const au_command au_scan_command = {
    .name = "scan",
    .summary = "look for races and failing assertions in the code, whatever the run",
    .operands = "FILE... [-- OPTION...]",
    .description =
        "The static half: takes C or C++ sources (compiled here, with the options after --), a\n"
        "program built with 'augur cc', or a .ctp model, with its loops; lists the pairs of "
        "accesses that\n"
        "could race and the assertions, and rules out what cannot happen: by fork and join, by\n"
        "locksets, by synchronisation, by invariants of increasing precision. What is left is\n"
        "unrolled and given to the solver, which finds a schedule, or shows that there is none,\n"
        "or leaves it undecided up to a bound. Schedules of a program with a main are then "
        "executed\n"
        "on it, as 'augur replay' does, and kept in the store: such a finding is 'confirmed'. See\n"
        "docs/scan.md.",
    .options = scan_options,
    .n_options = LEN(scan_options),
    .examples = scan_examples,
    .n_examples = LEN(scan_examples),
    .exits = scan_exits,
    .n_exits = LEN(scan_exits),
    .min_operands = 1,
    .max_operands = UINT8_MAX,
};
