/* cli/help_completion.c: the option table as a completion script for bash, zsh or fish.
 *
 * The script needs nothing but the shell. For bash and zsh: one case for the words of each command, one for the
 * values of each option that has choices; findings are asked of 'augur list'; everything else completes file names. */
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

/* A variable of zsh is called 'words'. */
static void value_case(au_out *out, const char *command, const au_option *p, const char *words) {
    if (!p->hidden && p->arg) {
        au_out_printf(out, "    %s:--%s", command, p->name);
        if (p->letter)
            au_out_printf(out, "|%s:-%c", command, p->letter);
        au_out_str(out, ")");
        if (p->choices) {
            au_out_printf(out, " %s='", words);
            const char *at = p->choices, *s;
            size_t len;
            while ((s = au_help_next_choice(&at, &len))) {
                au_out_write(out, s, len);
                if (*at)
                    au_out_char(out, ' ');
            }
            au_out_str(out, "'");
        } else if (!strcmp(p->name, "finding")) {
            au_out_str(out, " ids=1");
        } else if (p->type == AU_OPT_FILE) {
            au_out_str(out, " files=1");
        }
        au_out_str(out, " ;;\n");
    }
}

/* From 'case $command:$prev in' to the end of that case. */
static void cases(au_out *out, const char *words) {
    const au_command *root = &au_command_root;
    au_out_str(out, "    case $command:$prev in\n");
    for (size_t i = 0; i < au_n_common_options; i++)
        value_case(out, "*", &au_common_options[i], words);
    for (size_t i = 0; i < au_n_commands; i++)
        for (size_t k = 0; k < au_command_n_options(au_commands[i]); k++)
            value_case(out, au_commands[i]->name, au_command_option(au_commands[i], k), words);
    au_out_printf(out,
                  "    *)\n"
                  "        case $command in\n"
                  "        '') %s='",
                  words);
    for (size_t i = 0; i < au_n_commands; i++)
        au_out_printf(out, "%s%s", i ? " " : "", au_commands[i]->name);
    option_words(out, root);
    au_out_str(out, "' ;;\n");
    for (size_t i = 0; i < au_n_commands; i++) {
        const au_command *k = au_commands[i];
        bool help = !strcmp(k->name, "help"), triage = !strcmp(k->name, "triage");
        au_out_printf(out, "        %s) %s='", k->name, words);
        for (size_t j = 0; help && j < au_n_commands; j++)
            au_out_printf(out, "%s ", au_commands[j]->name);
        option_words(out, k);
        au_out_printf(out, "'%s ;;\n", triage ? " ids=1" : k->operands && !help ? " files=1" : "");
    }
    au_out_printf(out,
                  "        esac\n"
                  "        [[ $cur == -* ]] && files= ids=\n"
                  "        [[ -n $files ]] && %s=\n"
                  "        ;;\n"
                  "    esac\n",
                  words);
}

/* Ids of the last run, and fingerprints. */
#define IDS                                                                                        \
    "list --last 2>/dev/null |\n"                                                                  \
    "            sed -n 's/^ *\\([A-Z][0-9]*\\) of run .*/\\1/p')"

void au_help_completion(au_out *out, const au_command *c, bool color) {
    (void)c, (void)color;
    au_out_str(out, "# bash completion for augur; made by 'augur help --completion'\n"
                    "_augur() {\n"
                    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "    local command= words= files= ids= i\n"
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
                    "    done\n");
    cases(out, "words");
    au_out_str(out, "    if [[ -n $ids ]]; then\n"
                    "        words=$(${COMP_WORDS[0]} " IDS "\n"
                    "        words+=\" $(${COMP_WORDS[0]} list 2>/dev/null |\n"
                    "            sed -n 's/^\\([0-9a-f]\\{8\\}\\) .*/\\1/p')\"\n"
                    "    fi\n"
                    "    if [[ -n $files ]]; then\n"
                    "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
                    "        compopt -o filenames 2>/dev/null\n"
                    "    else\n"
                    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                    "    fi\n"
                    "}\n"
                    "complete -F _augur augur\n");
}

void au_help_completion_zsh(au_out *out, const au_command *c, bool color) {
    (void)c, (void)color;
    au_out_str(out, "#compdef augur\n"
                    "# zsh completion for augur; made by 'augur help --completion-zsh'\n"
                    "_augur() {\n"
                    "    local cur=${words[CURRENT]} prev=${words[CURRENT-1]}\n"
                    "    local command= list= files= ids= i\n"
                    "    if [[ $cur == --*=* ]]; then\n"
                    "        prev=${cur%%=*}\n"
                    "        cur=${cur#*=}\n"
                    "        compset -P '*='\n"
                    "    fi\n"
                    "    for ((i = 2; i < CURRENT; i++)); do\n"
                    "        case ${words[i]} in\n"
                    "        --color) ((i++)) ;;\n"
                    "        -*) ;;\n"
                    "        *) command=${words[i]}; break ;;\n"
                    "        esac\n"
                    "    done\n");
    cases(out, "list");
    au_out_str(out, "    if [[ -n $ids ]]; then\n"
                    "        list=$(${words[1]} " IDS "\n"
                    "        list+=\" $(${words[1]} list 2>/dev/null |\n"
                    "            sed -n 's/^\\([0-9a-f]\\{8\\}\\) .*/\\1/p')\"\n"
                    "    fi\n"
                    "    if [[ -n $files ]]; then\n"
                    "        _files\n"
                    "    else\n"
                    "        compadd -- ${=list}\n"
                    "    fi\n"
                    "}\n"
                    "if [[ $funcstack[1] == _augur ]]; then\n"
                    "    _augur \"$@\"\n"
                    "else\n"
                    "    compdef _augur augur\n"
                    "fi\n");
}

/* ---- fish ---- */

static void put_fish(au_out *out, const char *text) {
    au_out_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            au_out_char(out, '\\');
        au_out_char(out, *text == '\n' ? ' ' : *text);
    }
    au_out_char(out, '\'');
}

static void fish_option(au_out *out, const char *command, const au_option *p) {
    if (p->hidden)
        return;
    for (int no = 0; no <= (p->type == AU_OPT_SWITCH); no++) {
        au_out_str(out, "complete -c augur");
        if (*command)
            au_out_printf(out, " -n '__fish_seen_subcommand_from %s'", command);
        if (p->letter && !no)
            au_out_printf(out, " -s %c", p->letter);
        au_out_printf(out, " -l %s%s", no ? "no-" : "", p->name);
        if (p->choices && p->arg) {
            au_out_str(out, " -x -a '");
            const char *at = p->choices, *s;
            size_t len;
            while ((s = au_help_next_choice(&at, &len))) {
                au_out_write(out, s, len);
                au_out_char(out, ' ');
            }
            au_out_char(out, '\'');
        } else if (!strcmp(p->name, "finding")) {
            au_out_str(out, " -x -a '(__augur_findings)'");
        } else if (p->arg) {
            au_out_str(out, p->type == AU_OPT_FILE ? " -r -F" : " -x");
        }
        au_out_str(out, " -d ");
        put_fish(out, p->help);
        au_out_char(out, '\n');
    }
}

void au_help_completion_fish(au_out *out, const au_command *c, bool color) {
    (void)c, (void)color;
    au_out_str(out, "# fish completion for augur; made by 'augur help --completion-fish'\n"
                    "function __augur_findings\n"
                    "    augur list --last 2>/dev/null | string replace -rf "
                    "'^ *([A-Z][0-9]*) of run .*' '$1'\n"
                    "    augur list 2>/dev/null | string replace -rf '^([0-9a-f]{8}) .*' '$1'\n"
                    "end\n");
    for (size_t i = 0; i < au_n_common_options; i++)
        fish_option(out, "", &au_common_options[i]);
    for (size_t i = 0; i < au_n_commands; i++) {
        const au_command *k = au_commands[i];
        au_out_printf(out, "complete -c augur -n __fish_use_subcommand -f -a %s -d ", k->name);
        put_fish(out, k->summary);
        au_out_char(out, '\n');
        if (!strcmp(k->name, "triage"))
            au_out_str(out, "complete -c augur -n '__fish_seen_subcommand_from triage' -f -a "
                            "'(__augur_findings)'\n");
        for (size_t j = 0; j < au_command_n_options(k); j++)
            fish_option(out, k->name, au_command_option(k, j));
    }
}
