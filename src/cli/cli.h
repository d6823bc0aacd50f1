/* cli/cli.h: what the commands share. Only this layer prints to the user's
 * terminal and only it decides on exit statuses. */
#ifndef AU_CLI_CLI_H
#define AU_CLI_CLI_H

#include "engine/options.h"
#include "trace/reader.h"

/* Prints the error to stderr ("augur: …"; an error that names its place in an
 * input starts with that place, as compilers write it) and returns the exit
 * status for it. */
int au_cli_fail(const au_error *err);
/* A remark on stderr, "augur: …"; nothing with --quiet. */
void au_cli_note(const au_opts *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A note about what --lenient left out of the input, if anything. */
void au_cli_repairs(const au_opts *o, au_repairs x, const char *path);
/* Does output on this descriptor get colours? (--color, NO_COLOR, TERM) */
bool au_cli_color(const au_opts *o, int fd);

/* Which function does a command of the table (commands.c): every one has one. */
typedef int au_command_fn(const au_opts *o); /* returns the exit status */
typedef struct {
    const char *name;
    au_command_fn *run;
} au_cli_command;
extern const au_cli_command au_cli_commands[];
extern const size_t au_cli_n_commands;
au_command_fn *au_cli_function(const au_command *c);

/* One file a command. */
int au_cmd_cc(const au_opts *o);
int au_cmd_check(const au_opts *o);
int au_cmd_convert(const au_opts *o);
int au_cmd_cxx(const au_opts *o);
int au_cmd_doctor(const au_opts *o);
int au_cmd_explore(const au_opts *o);
int au_cmd_gen(const au_opts *o);
int au_cmd_help(const au_opts *o);
int au_cmd_list(const au_opts *o);
int au_cmd_merge(const au_opts *o);
int au_cmd_oracle(const au_opts *o);
int au_cmd_record(const au_opts *o);
int au_cmd_replay(const au_opts *o);
int au_cmd_report(const au_opts *o);
int au_cmd_run(const au_opts *o);
int au_cmd_scan(const au_opts *o);
int au_cmd_serve(const au_opts *o);
int au_cmd_show(const au_opts *o);
int au_cmd_test(const au_opts *o);
int au_cmd_triage(const au_opts *o);
int au_cmd_verify(const au_opts *o);

#endif
