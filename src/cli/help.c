/* cli/help.c: the option table as text, and what all forms of it share. */
#include "cli/help.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 80, HELP_COLUMN = 28 };

int au_help_print(au_help_fn *fn, const au_command *c, const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_fd(STDOUT_FILENO, "<stdout>");
    fn(out, c, au_cli_color(o, STDOUT_FILENO));
    return au_out_commit(out, &err) == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}

void au_help_usage(au_out *out, const au_command *c) {
    au_out_printf(out, "augur%s%s%s%s%s", *c->name ? " " : "", c->name,
                  c->foreign ? "" : " [OPTION...]", c->operands ? " " : "",
                  c->operands ? c->operands : "");
}

void au_help_option_names(au_out *out, const au_option *p) {
    if (p->letter)
        au_out_printf(out, "-%c, ", p->letter);
    if (p->type == AU_OPT_SWITCH)
        au_out_printf(out, "--%s, --no-%s", p->name, p->name);
    else
        au_out_printf(out, "--%s%s%s", p->name, p->arg ? "=" : "", p->arg ? p->arg : "");
}

enum { FEW = 14 }; /* that many options are read without headings */

static bool is_explained(const au_command *c, size_t i) {
    const au_option *p = au_command_option(c, i);
    return !p->hidden && (i < c->n_options || au_option_group_of(p->name) != AU_GROUP_ANALYSES);
}

const au_option **au_help_section(const au_command *c, size_t g, size_t *n) {
    AU_VEC(const au_option *) all = {0};
    size_t many = 0;
    for (size_t i = 0; i < au_command_n_options(c); i++)
        many += is_explained(c, i) &&
                au_option_group_of(au_command_option(c, i)->name) != AU_GROUP_ANALYSES;
    for (size_t i = 0; i < au_command_n_options(c); i++) {
        size_t of = au_option_group_of(au_command_option(c, i)->name);
        if (many <= FEW && of != AU_GROUP_ANALYSES)
            of = 0;
        if (of == g && is_explained(c, i))
            au_vec_push(&all, au_command_option(c, i));
    }
    *n = all.n;
    return all.at;
}

size_t au_help_common_section(const au_command *c) {
    size_t n;
    free(au_help_section(c, 0, &n));
    return n ? 0 : au_option_group_of("output");
}

char *au_help_taken(const au_command *c, const au_command *from, const char *quote,
                    const char *between) {
    au_out *o = au_out_memory();
    const au_option *p;
    for (size_t i = 0; (p = au_command_taken(c, from, i)); i++) {
        if (p->hidden || au_option_group_of(p->name) != AU_GROUP_ANALYSES)
            continue;
        if (p->letter)
            au_out_printf(o, "%s%s-%c%s", au_out_bytes(o) ? between : "", quote, p->letter, quote);
        au_out_printf(o, "%s%s--%s%s%s%s", au_out_bytes(o) ? between : "", quote, p->name,
                      p->arg ? "=" : "", p->arg ? p->arg : "", quote);
        if (p->type == AU_OPT_SWITCH)
            au_out_printf(o, "%s%s--no-%s%s", between, quote, p->name, quote);
    }
    char *text = au_strdup(au_out_memory_data(o, NULL));
    au_out_abandon(o);
    return text;
}

const char *au_help_next_choice(const char **at, size_t *len) {
    const char *s = *at;
    if (!s || !*s)
        return NULL;
    *len = strcspn(s, "|");
    *at = s + *len + (s[*len] == '|');
    return s;
}

char *au_help_option_values(const au_option *p) {
    au_out *o = au_out_memory();
    if (p->choices) {
        au_out_str(o, p->type == AU_OPT_LIST ? "of " : "one of ");
        const char *at = p->choices, *s;
        size_t len;
        while ((s = au_help_next_choice(&at, &len))) {
            if (s != p->choices)
                au_out_str(o, ", ");
            au_out_write(o, s, len);
        }
    } else if (p->type == AU_OPT_INT && p->max != INT64_MAX) {
        au_out_printf(o, "%lld to %lld", (long long)p->min, (long long)p->max);
    } else if (p->type == AU_OPT_NUMBER) {
        au_out_printf(o, "%g to %g", p->lo, p->hi);
    }
    if (p->def && *p->def) {
        size_t before = au_out_bytes(o);
        au_out_str(o, before ? "; default " : "default ");
        if (p->type == AU_OPT_SWITCH)
            au_out_printf(o, "--%s%s", strcmp(p->def, "yes") ? "no-" : "", p->name);
        else
            au_out_str(o, p->def);
    }
    char *text = au_strdup(au_out_memory_data(o, NULL));
    au_out_abandon(o);
    return text;
}

/* ---- the terminal form ---- */

static void heading(au_out *out, const char *text, bool color) {
    au_out_printf(out, "%s%s%s\n", color ? "\033[1m" : "", text, color ? "\033[0m" : "");
}

static void pad(au_out *out, size_t n) {
    while (n--)
        au_out_char(out, ' ');
}

/* Words of s, broken before the right margin, further lines at 'indent'. */
static void wrapped(au_out *out, const char *s, size_t column, size_t indent) {
    while (*s) {
        size_t n = strcspn(s, " \n");
        if (column > indent && column + 1 + n > WIDTH) {
            au_out_char(out, '\n');
            pad(out, indent);
            column = indent;
        } else if (column > indent) {
            au_out_char(out, ' ');
            column++;
        }
        au_out_write(out, s, n);
        column += n;
        s += n;
        s += strspn(s, " \n");
    }
    au_out_char(out, '\n');
}

static void option_text(au_out *out, const au_option *p) {
    uint64_t start = au_out_bytes(out);
    pad(out, p->letter ? 2 : 6); /* long names stand under each other */
    au_help_option_names(out, p);
    size_t column = au_out_bytes(out) - start;
    if (column + 2 > HELP_COLUMN) {
        au_out_char(out, '\n');
        column = 0;
    }
    pad(out, HELP_COLUMN - column);
    char *values = au_help_option_values(p);
    char *text = au_sprintf("%s%s%s%s", p->help, *values ? " (" : "", values, *values ? ")" : "");
    wrapped(out, text, HELP_COLUMN, HELP_COLUMN);
    free(text);
    free(values);
}

static void row(au_out *out, const char *left, const char *right, size_t column) {
    uint64_t start = au_out_bytes(out);
    au_out_printf(out, "  %s", left);
    size_t at = au_out_bytes(out) - start;
    pad(out, at < column ? column - at : 1);
    wrapped(out, right, column, column);
}

static void paragraphs(au_out *out, const char *s) {
    while (*s) {
        const char *end = strstr(s, "\n\n");
        size_t n = end ? (size_t)(end - s) : strlen(s);
        char *one = au_strndup(s, n);
        wrapped(out, one, 0, 0);
        free(one);
        s += n;
        s += strspn(s, "\n");
        if (*s)
            au_out_char(out, '\n');
    }
}

static void taken_text(au_out *out, const au_command *c, bool color) {
    bool first = true;
    for (size_t k = 0; c->takes && c->takes[k]; k++) {
        char *names = au_help_taken(c, c->takes[k], "", " ");
        if (*names) {
            if (first) {
                au_out_char(out, '\n');
                heading(out, au_option_groups[AU_GROUP_ANALYSES].heading, color);
            }
            au_out_printf(out, "  'augur %s --help' explains:\n  ", c->takes[k]->name);
            wrapped(out, names, 2, 2);
            first = false;
        }
        free(names);
    }
}

static void sections(au_out *out, const au_command *c, bool color) {
    size_t commons = au_help_common_section(c);
    for (size_t g = 0; g < au_n_option_groups; g++) {
        size_t n;
        const au_option **p = au_help_section(c, g, &n);
        bool common = g == commons && !c->foreign;
        if (n || common) {
            au_out_char(out, '\n');
            heading(out, au_option_groups[g].heading, color);
        }
        for (size_t i = 0; i < n; i++)
            option_text(out, p[i]);
        for (size_t i = 0; i < au_n_common_options && common; i++)
            option_text(out, &au_common_options[i]);
        free(p);
    }
    taken_text(out, c, color);
}

void au_help_text(au_out *out, const au_command *c, bool color) {
    bool root = !*c->name;
    au_out_str(out, "usage: ");
    au_help_usage(out, c);
    au_out_str(out, "\n\n");
    paragraphs(out, c->description);
    if (root) {
        au_out_char(out, '\n');
        heading(out, "commands", color);
        for (size_t i = 0; i < au_n_commands; i++)
            row(out, au_commands[i]->name, au_commands[i]->summary, 12);
    }
    sections(out, c, color);
    if (c->n_examples) {
        au_out_char(out, '\n');
        heading(out, "examples", color);
        for (size_t i = 0; i < c->n_examples; i++)
            au_out_printf(out, "  %s\n      %s\n", c->examples[i].command, c->examples[i].what);
    }
    au_out_char(out, '\n');
    heading(out, "exit status", color);
    for (size_t i = 0; i < c->n_exits; i++) {
        char status[16] = {(char)('0' + c->exits[i].status)};
        row(out, status, c->exits[i].when, 5);
    }
}
