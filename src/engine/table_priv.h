/* engine/table_priv.h: how rows of the option table are written. Only for the table's files: table.c and
 * table_*.c, one for each group of commands. */
#ifndef AU_ENGINE_TABLE_PRIV_H
#define AU_ENGINE_TABLE_PRIV_H

#include "engine/options.h"
#include "trace/finding.h"

#define LEN(a) (sizeof(a) / sizeof *(a))

/* What follows the help fills further fields of the row: FLAG("with-values", 0, "...", .old = "values"). */
/* clang-format off */
#define FLAG(n, l, ...)                {.name = n, .letter = l, .type = AU_OPT_FLAG, .help = __VA_ARGS__}
#define SWITCH(n, d, ...)              {.name = n, .type = AU_OPT_SWITCH, .def = d, .help = __VA_ARGS__}
#define INT(n, l, a, d, lo_, hi_, ...) {.name = n, .letter = l, .type = AU_OPT_INT, .arg = a, .def = d, .min = lo_, .max = hi_, .help = __VA_ARGS__}
#define NUMBER(n, a, d, lo_, hi_, ...) {.name = n, .type = AU_OPT_NUMBER, .arg = a, .def = d, .lo = lo_, .hi = hi_, .help = __VA_ARGS__}
#define STRING(n, l, a, d, ...)        {.name = n, .letter = l, .type = AU_OPT_STRING, .arg = a, .def = d, .help = __VA_ARGS__}
#define FILE_(n, l, d, ...)            {.name = n, .letter = l, .type = AU_OPT_FILE, .arg = "FILE", .def = d, .help = __VA_ARGS__}
#define DIRECTORY(n, d, ...)           {.name = n, .type = AU_OPT_FILE, .arg = "DIRECTORY", .def = d, .help = __VA_ARGS__}
#define CHOICE(n, a, d, c, ...)        {.name = n, .type = AU_OPT_CHOICE, .arg = a, .def = d, .choices = c, .help = __VA_ARGS__}
#define LIST(n, a, d, c, ...)          {.name = n, .type = AU_OPT_LIST, .arg = a, .def = d, .choices = c, .help = __VA_ARGS__}
/* clang-format on */

#define READ_FORMATS "binary|std|rapidbin|values|ctp"
#define WRITE_FORMATS "binary|std|rapidbin|values|jsonl|perfetto"

#define FROM                                                                                       \
    CHOICE("from", "FORMAT", NULL, READ_FORMATS,                                                   \
           "format of the input; by default augur tells it from its first bytes and its name")
#define PARTIAL FLAG("partial", 0, "accept a truncated binary trace, up to its last complete frame")
#define LENIENT                                                                                    \
    FLAG("lenient", 0,                                                                             \
         "STD: leave out lines that fork a thread that was forked before, with a warning")
#define UNROLL                                                                                     \
    INT("unroll", 0, "N", NULL, 0, 1000000, "models: unroll each 'while' loop up to N times")

/* Kinds of findings, as they are checked and as they are called when found. */
#define KIND_PROP_(id, name, prop) prop "|"
#define KIND_NAME_(id, name, prop) name "|"
#define PROPS(d, choices_, ...) LIST("prop", "KIND,...", d, choices_, __VA_ARGS__, .kinds = true)
#define ALL_PROPS AU_KIND_TABLE(KIND_PROP_)
#define FORMAT(d) CHOICE("format", "FORMAT", d, "text|json", "output format")

#define CHECKS                                                                                     \
    LIST("checks", "WHICH,...", NULL, "null|div|bounds|uaf|none",                                  \
         "recordings: implicit checks: null pointer used (null), division by zero (div), index "   \
         "out of bounds (bounds), freed memory used (uaf); by default 'augur run' and 'augur "     \
         "explore': "                                                                              \
         "null, div and bounds, with --prop memory uaf, too; others: none")

#define LIBRARY                                                                                    \
    LIST("library", "FILE,...", NULL, NULL,                                                        \
         "what functions of your own libraries do: rows as in augur's table of the C library "     \
         "(docs/libraries.md)")

#define BUDGET(d)                                                                                  \
    NUMBER("budget", "SECONDS", d, 0, 1e9,                                                         \
           "time for the whole command, executions of the program included, the time to record "   \
           "it not; then it reports what it has. 0: no limit")
#define STORE DIRECTORY("store", ".augur", "directory of the store: runs, findings and recordings")
#define POLICY(...)                                                                                \
    CHOICE("policy", "POLICY", "os", "os|random|pct", __VA_ARGS__, .old = "schedule")
#define RUN_TIMEOUT(d, lo, ...) NUMBER("run-timeout", "S", d, lo, 1e6, __VA_ARGS__, .old = "limit")
#define CWD DIRECTORY("cwd", NULL, "working directory of the program")

extern const au_command au_cc_command, au_cxx_command; /* table_cc.c */
extern const au_command au_explore_command;
extern const au_command au_record_command, au_replay_command;
extern const au_command au_check_command; /* table.c */
extern const au_command au_test_command, au_run_command, au_list_command, au_triage_command,
    au_report_command, au_serve_command;
extern const au_command au_scan_command; /* table_scan.c */

#endif
