/* engine/options.h: the option table of the command line and what it parses to.
 *
 * One row a command and one row an option: the parser, --help, the manual pages,
 * the shell completion and docs/commands.md are all made from them, so none of
 * these can fall behind another. The rows stand in table.c. They say names, options
 * and help; which function a command has is the command line's (cli/commands.c), so
 * that the C interface takes the same options without it. */
#ifndef AU_ENGINE_OPTIONS_H
#define AU_ENGINE_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    AU_OPT_FLAG,   /* --quiet */
    AU_OPT_SWITCH, /* --prefix or --no-prefix, the later one counts */
    AU_OPT_INT,    /* min … max; 10k, 5M and 2G are understood */
    AU_OPT_NUMBER, /* lo … hi */
    AU_OPT_STRING,
    AU_OPT_FILE,   /* a string for which a shell completes file names */
    AU_OPT_CHOICE, /* one of 'choices' */
    AU_OPT_LIST    /* comma-separated, repeatable; of 'choices' if there are any */
} au_opt_type;

typedef struct {
    const char *name;    /* without the dashes */
    const char *arg;     /* what the argument is called in the help; NULL for FLAG and SWITCH */
    const char *def;     /* as it would be typed; NULL: none. SWITCH: "yes" or "no" */
    const char *choices; /* "text|json" */
    const char *help;    /* lower case, no full stop */
    const char *old; /* an earlier name, or two ("limit|wait"), that still works; not in the help */
    int64_t min, max; /* INT */
    double lo, hi;    /* NUMBER */
    au_opt_type type;
    char letter; /* 0: none */
    bool hidden; /* for the build, not for people */
    bool
        kinds; /* LIST: the items are kinds of findings, by either of their names (trace/finding.h);
                    the parser turns them into the one that 'choices' has */
} au_option;

typedef struct {
    const char *command, *what;
} au_example;

/* What the exit statuses mean to every command; the table says when, src/cli returns them. */
enum { AU_EXIT_NOTHING = 0, AU_EXIT_FOUND = 1, AU_EXIT_USAGE = 2, AU_EXIT_INTERNAL = 3 };
typedef struct {
    int status;
    const char *when;
} au_exit;

typedef struct au_command {
    const char *name; /* "" is augur itself */
    const char *summary;
    const char *operands;    /* as in the usage line: "TRACE"; NULL: none */
    const char *description; /* paragraphs, an empty line between them */
    const au_option *options;
    const au_example *examples;
    const au_exit *exits;
    uint8_t n_options, n_examples, n_exits;
    uint8_t min_operands, max_operands; /* UINT8_MAX: any number */
    bool stop_at_operand; /* what follows the first operand belongs to another program */
    bool foreign;         /* every argument does, options too: all are operands, except that a
                             --help alone is ours; options of ours are the command's own matter */
    /* The options of these commands as well (ended by NULL), but for what has a name that is its own
     * or stands in 'without': "output|stream". */
    const struct au_command *const *takes;
    const char *without;
} au_command;

/* Its own options, then those it takes of others; without the common ones. */
size_t au_command_n_options(const au_command *c);
const au_option *au_command_option(const au_command *c, size_t i);
/* Number i of those taken of 'from'; NULL: there are no more. */
const au_option *au_command_taken(const au_command *c, const au_command *from, size_t i);

/* Is this the option's name, or an earlier one? */
bool au_option_is_called(const au_option *p, const char *name);

/* Headings of the help, in their order; the options that a heading is for by name ("store|keep"). */
typedef struct {
    const char *heading, *names;
} au_option_group;
extern const au_option_group au_option_groups[];
extern const size_t au_n_option_groups;
enum { AU_GROUP_ANALYSES = 8 }; /* what only someone who works on the analyses uses: the last one */
size_t au_option_group_of(const char *name);

/* The table. The common options are those that every command takes. */
extern const au_command au_command_root;
extern const au_command *const au_commands[];
extern const size_t au_n_commands;
extern const au_option au_common_options[];
extern const size_t au_n_common_options;
const au_command *au_command_by_name(const char *name); /* NULL if unknown */
/* The nearest command's name, or NULL if none is near. */
const char *au_command_nearest(const char *name);

/* A parsed command line. Strings are borrowed from argv and the table, lists are
 * its own. */
typedef struct au_opts au_opts;

/* argv[0] is the first argument after the command's name. NULL on failure with
 * AU_EUSAGE, *err set. With --help given nothing is said about what is missing. */
au_opts *au_opts_parse(const au_command *c, int argc, char *const *argv, au_error *err);
void au_opts_free(au_opts *o);
/* Takes over the common options that were given before the command's name
 * ('augur --quiet show'), where they are not given after it. */
void au_opts_inherit(au_opts *o, const au_opts *before);

/* Values by name. A name or type that the command's rows do not have is a bug of
 * ours and stops the program. */
bool au_opt_given(const au_opts *o, const char *name);
/* Does the command have this option at all? For what several commands share. */
bool au_opt_known(const au_opts *o, const char *name);
bool au_opt_flag(const au_opts *o, const char *name);       /* FLAG, SWITCH */
int64_t au_opt_int(const au_opts *o, const char *name);     /* INT; 0 if absent */
double au_opt_number(const au_opts *o, const char *name);   /* NUMBER; 0 if absent */
const char *au_opt_str(const au_opts *o, const char *name); /* STRING, FILE, CHOICE; or NULL */
/* LIST: its items, the caller's as long as o. The empty list is NULL, 0. */
char *const *au_opt_list(const au_opts *o, const char *name, size_t *n);
/* LIST with choices: is this one of the items? The item must be one of the choices. */
bool au_opt_has(const au_opts *o, const char *name, const char *item);

/* What was given of the command's own options, as it would be typed, in the order of the table and
 * always the same for the same values: "--prop=race,atomicity", "--no-prefix". Without those of
 * 'without' ("output|jobs"). n texts; the caller frees them and the array. */
char **au_opts_words(const au_opts *o, const char *without, size_t *n);

size_t au_operands(const au_opts *o);
const char *au_operand(const au_opts *o, size_t i);
/* The rest of the command line from operand i on, ended by NULL as execvp wants it. */
char *const *au_operand_rest(const au_opts *o, size_t i);
const au_command *au_opts_command(const au_opts *o);

/* How far apart two words are: letters added, left out, changed or two swapped. */
unsigned au_edit_distance(const char *a, const char *b);

#endif
