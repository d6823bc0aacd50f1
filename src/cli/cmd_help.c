/* cli/cmd_help.c: augur help. */
#include "cli/help.h"

static void names(au_out *out, const au_command *c, bool color) {
    (void)c, (void)color;
    for (size_t i = 0; i < au_n_commands; i++)
        au_out_printf(out, "%s\n", au_commands[i]->name);
}

int au_cmd_help(const au_opts *o) {
    const au_command *c = &au_command_root;
    if (au_operands(o)) {
        const char *name = au_operand(o, 0);
        c = au_command_by_name(name);
        if (!c) {
            au_error err = AU_ERROR_NONE;
            const char *near = au_command_nearest(name);
            au_error_set(&err, AU_EUSAGE, "unknown command '%s'%s%s%s", name,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
            return au_cli_fail(&err);
        }
    }
    au_help_fn *fn = au_opt_flag(o, "man")               ? au_help_man
                     : au_opt_flag(o, "markdown")        ? au_help_markdown
                     : au_opt_flag(o, "completion")      ? au_help_completion
                     : au_opt_flag(o, "completion-zsh")  ? au_help_completion_zsh
                     : au_opt_flag(o, "completion-fish") ? au_help_completion_fish
                     : au_opt_flag(o, "names")           ? names
                                                         : au_help_text;
    return au_help_print(fn, c, o);
}
