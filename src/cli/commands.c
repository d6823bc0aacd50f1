/* cli/commands.c: the functions of the commands, by the names of the table (engine/table.c).
 * tests/unit/test_options.c holds the two lists to each other. */
#include "cli/cli.h"

#include <string.h>

const au_cli_command au_cli_commands[] = {
    {"c++", au_cmd_cxx},         {"cc", au_cmd_cc},         {"check", au_cmd_check},
    {"convert", au_cmd_convert}, {"doctor", au_cmd_doctor}, {"explore", au_cmd_explore},
    {"gen", au_cmd_gen},         {"help", au_cmd_help},     {"list", au_cmd_list},
    {"merge", au_cmd_merge},     {"oracle", au_cmd_oracle}, {"record", au_cmd_record},
    {"replay", au_cmd_replay},   {"report", au_cmd_report}, {"run", au_cmd_run},
    {"scan", au_cmd_scan},       {"serve", au_cmd_serve},   {"show", au_cmd_show},
    {"test", au_cmd_test},       {"triage", au_cmd_triage}, {"verify", au_cmd_verify},
};
const size_t au_cli_n_commands = sizeof au_cli_commands / sizeof *au_cli_commands;

au_command_fn *au_cli_function(const au_command *c) {
    for (size_t i = 0; i < au_cli_n_commands; i++)
        if (!strcmp(au_cli_commands[i].name, c->name))
            return au_cli_commands[i].run;
    au_bug(__FILE__, __LINE__, "a command of the table has no function");
}
