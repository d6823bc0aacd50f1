/* cli/help_completion.c: the option table as a completion script for bash.
 *
 * The script is plain bash (no bash-completion package needed): one case for
 * the words of each command, one for the values of each option that has
 * choices; everything else completes file names. */
#include "cli/help.h"

#include <string.h>

static void option_word(au_out *out, const au_option *p) {
    if (!p->hidden) {
        if (p->letter)
            au_out_printf(out, " -%c", p->letter);
        au_out_printf(out, " --%s", p->name);
        if (p->type == AU_OPT_SWITCH)
            au_out_printf(out, " --no-%s", p->name);
    }
}

static void option_words(au_out *out, const au_command *c) {
    for (size_t i = 0; i < au_command_n_options(c); i++)
        option_word(out, au_command_option(c, i));
    for (size_t i = 0; i < au_n_common_options && !c->foreign; i++)
        option_word(out, &au_common_options[i]);
}

static void value_case(au_out *out, const char *command, const au_option *p) {
    if (!p->hidden && p->arg) {
        au_out_printf(out, "    %s:--%s", command, p->name);
        if (p->letter)
            au_out_printf(out, "|%s:-%c", command, p->letter);
        au_out_str(out, ")");
        if (p->choices) {
            au_out_str(out, " words='");
            const char *at = p->choices, *s;
            size_t len;
            while ((s = au_help_next_choice(&at, &len))) {
                au_out_write(out, s, len);
                if (*at)
                    au_out_char(out, ' ');
            }
            au_out_str(out, "'");
        } else if (p->type == AU_OPT_FILE) {
            au_out_str(out, " files=1");
        }
        au_out_str(out, " ;;\n");
    }
}

void au_help_completion(au_out *out, const au_command *c, bool color) {
    (void)c, (void)color;
    const au_command *root = &au_command_root;
    au_out_str(out, "# bash completion for augur; made by 'augur help --completion'\n"
                    "_augur() {\n"
                    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "    local command= words= files= i\n"
                    "    # bash splits --name=value at the '='\n"
                    "    if [[ $cur == '=' ]]; then\n"
                    "        cur=\n"
                    "    elif [[ $prev == '=' ]]; then\n"
                    "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                    "    fi\n"
                    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                    "        case ${COMP_WORDS[i]} in\n"
                    "        --color) [[ ${COMP_WORDS[i+1]} == '=' ]] && ((i++)); ((i++)) ;;\n"
                    "        -*|=) ;;\n"
                    "        *) command=${COMP_WORDS[i]}; break ;;\n"
                    "        esac\n"
                    "    done\n"
                    "    case $command:$prev in\n");
    for (size_t i = 0; i < au_n_common_options; i++)
        value_case(out, "*", &au_common_options[i]);
    for (size_t i = 0; i < au_n_commands; i++)
        for (size_t k = 0; k < au_command_n_options(au_commands[i]); k++)
            value_case(out, au_commands[i]->name, au_command_option(au_commands[i], k));
    au_out_str(out, "    *)\n"
                    "        case $command in\n"
                    "        '') words='");
    for (size_t i = 0; i < au_n_commands; i++)
        au_out_printf(out, "%s%s", i ? " " : "", au_commands[i]->name);
    option_words(out, root);
    au_out_str(out, "' ;;\n");
    for (size_t i = 0; i < au_n_commands; i++) {
        const au_command *k = au_commands[i];
        bool help = !strcmp(k->name, "help");
        au_out_printf(out, "        %s) words='", k->name);
        for (size_t j = 0; help && j < au_n_commands; j++)
            au_out_printf(out, "%s ", au_commands[j]->name);
        option_words(out, k);
        au_out_printf(out, "'%s ;;\n", k->operands && !help ? " files=1" : "");
    }
    au_out_str(out, "        esac\n"
                    "        [[ $cur == -* ]] && files=\n"
                    "        [[ -n $files ]] && words=\n"
                    "        ;;\n"
                    "    esac\n"
                    "    if [[ -n $files ]]; then\n"
                    "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
                    "        compopt -o filenames 2>/dev/null\n"
                    "    else\n"
                    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                    "    fi\n"
                    "}\n"
                    "complete -F _augur augur\n");
}
