/* cli/help_markdown.c: the option table as docs/commands.md. */
#include "cli/help.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A '|' would end a cell of a table, '<' might begin a tag. */
static void cell(au_out *out, const char *s) {
    for (; *s; s++) {
        if (strchr("|<*_\\", *s))
            au_out_char(out, '\\');
        au_out_char(out, *s);
    }
}

static void option(au_out *out, const au_option *p) {
    au_out_str(out, "| `");
    au_help_option_names(out, p);
    au_out_str(out, "` | ");
    cell(out, p->help);
    char *values = au_help_option_values(p);
    au_out_str(out, " | ");
    cell(out, values);
    free(values);
    au_out_str(out, " |\n");
}

/* An empty line, then "What to look for:". */
static void subheading(au_out *out, const char *s) {
    au_out_printf(out, "\n%c%s:\n", toupper((unsigned char)*s), s + 1);
}

static const char head[] = "| option | meaning | values |\n|---|---|---|\n";

static void sections(au_out *out, const au_command *c) {
    bool analyses = false;
    for (size_t g = 0; g < au_n_option_groups; g++) {
        size_t n;
        const au_option **p = au_help_section(c, g, &n);
        if (n && g) {
            subheading(out, au_option_groups[g].heading);
            au_out_char(out, '\n');
        }
        if (n)
            au_out_str(out, head);
        for (size_t i = 0; i < n; i++)
            option(out, p[i]);
        free(p);
    }
    for (size_t k = 0; c->takes && c->takes[k]; k++) {
        char *names = au_help_taken(c, c->takes[k], "`", ", ");
        if (*names) {
            if (!analyses)
                subheading(out, au_option_groups[AU_GROUP_ANALYSES].heading);
            analyses = true;
            au_out_printf(out, "those of [`augur %s`](#augur-%s): %s.\n", c->takes[k]->name,
                          c->takes[k]->name, names);
        }
        free(names);
    }
}

static void command(au_out *out, const au_command *c) {
    au_out_printf(out, "## augur%s%s\n\n", *c->name ? " " : "", c->name);
    au_out_printf(out, "%s\n\n```\n", c->summary);
    au_help_usage(out, c);
    au_out_printf(out, "\n```\n\n%s\n\n", c->description);
    if (!*c->name) {
        au_out_str(out, "| command | does |\n|---|---|\n");
        for (size_t i = 0; i < au_n_commands; i++)
            au_out_printf(out, "| [`augur %s`](#augur-%s) | %s |\n", au_commands[i]->name,
                          au_commands[i]->name, au_commands[i]->summary);
        au_out_char(out, '\n');
    }
    sections(out, c);
    if (!*c->name) {
        au_out_printf(out, "\nHere and after every command:\n\n%s", head);
        for (size_t i = 0; i < au_n_common_options; i++)
            option(out, &au_common_options[i]);
    }
    if (c->n_examples)
        au_out_str(out, "\nExamples:\n\n");
    for (size_t i = 0; i < c->n_examples; i++)
        au_out_printf(out, "- `%s`: %s\n", c->examples[i].command, c->examples[i].what);
    au_out_str(out, "\n| exit status | when |\n|---|---|\n");
    for (size_t i = 0; i < c->n_exits; i++)
        au_out_printf(out, "| %d | %s |\n", c->exits[i].status, c->exits[i].when);
    au_out_char(out, '\n');
}

void au_help_markdown(au_out *out, const au_command *c, bool color) {
    (void)c, (void)color;
    au_out_str(
        out, "# Commands\n\n"
             "<!-- Made by 'augur help --markdown' from src/engine/table*.c; do not edit. -->\n\n");
    command(out, &au_command_root);
    for (size_t i = 0; i < au_n_commands; i++)
        command(out, au_commands[i]);
}
