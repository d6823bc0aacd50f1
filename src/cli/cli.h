/* cli/cli.h: what the commands share. Only this layer prints to the user's
 * terminal and only it decides on exit statuses. */
#ifndef AU_CLI_CLI_H
#define AU_CLI_CLI_H

#include "cli/options.h"
#include "trace/reader.h"

enum { AU_EXIT_NOTHING = 0, AU_EXIT_FOUND = 1, AU_EXIT_USAGE = 2, AU_EXIT_INTERNAL = 3 };

/* Prints the error to stderr ("augur: …"; an error that names its place in an
 * input starts with that place, as compilers write it) and returns the exit
 * status for it. */
int au_cli_fail(const au_error *err);
/* A remark on stderr, "augur: …"; nothing with --quiet. */
void au_cli_note(const au_opts *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Does output on this descriptor get colours? (--color, NO_COLOR, TERM) */
bool au_cli_color(const au_opts *o, int fd);

/* --from, --partial of every command that reads a trace. */
au_status au_cli_read_options(const au_opts *o, au_read_options *r, au_error *err);
/* Is this input a model? By --from, else by its name. */
bool au_cli_is_model(const au_opts *o, const char *path);
bool au_cli_names_model(const char *path); /* ends in .ctp */

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
int au_cmd_show(const au_opts *o);
int au_cmd_triage(const au_opts *o);

#endif
