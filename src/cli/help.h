/* cli/help.h: the option table as text, manual page, completion and markdown. */
#ifndef AU_CLI_HELP_H
#define AU_CLI_HELP_H

#include "base/out.h"
#include "cli/cli.h"

/* One command (augur itself: au_command_root) as something to read. */
typedef void au_help_fn(au_out *out, const au_command *c, bool color);
void au_help_text(au_out *out, const au_command *c, bool color); /* --help */
void au_help_man(au_out *out, const au_command *c, bool color);  /* roff, man(7) */
/* The whole table; c is ignored. */
void au_help_completion(au_out *out, const au_command *c, bool color); /* bash */
void au_help_completion_zsh(au_out *out, const au_command *c, bool color);
void au_help_completion_fish(au_out *out, const au_command *c, bool color);
void au_help_markdown(au_out *out, const au_command *c, bool color); /* docs/commands.md */

/* Writes one of these to standard output; returns the exit status. */
int au_help_print(au_help_fn *fn, const au_command *c, const au_opts *o);

/* Pieces that these share. */
/* "augur show [OPTION...] TRACE" */
void au_help_usage(au_out *out, const au_command *c);
/* "-o, --output=FILE" */
void au_help_option_names(au_out *out, const au_option *p);
/* "one of text, json; default text", "1 to 64; default 4"; "" if there is nothing to say. Caller
 * frees. */
char *au_help_option_values(const au_option *p);
/* The options that the help of c explains under heading g of au_option_groups: its own and those it
 * takes, but of the analyses' options only its own. A command with few options has them under one
 * heading, but for the analyses'. Caller frees; NULL if there are none. */
const au_option **au_help_section(const au_command *c, size_t g, size_t *n);
/* The heading that the common options stand under: the first, or "output" if the first has none. */
size_t au_help_common_section(const au_command *c);
/* The names of the others: the analyses' options that c takes of another command, each in quotes. Caller
 * frees. */
char *au_help_taken(const au_command *c, const au_command *from, const char *quote,
                    const char *between);
/* The choices of an option one after the other: *at starts at p->choices; NULL at the end. */
const char *au_help_next_choice(const char **at, size_t *len);

#endif
