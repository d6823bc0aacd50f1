/* cli/help_man.c: the option table as manual pages, augur(1) and augur-CMD(1). */
#include "cli/help.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Plain text as roff: what roff would take for its own is escaped. 'at_start'
 * says that this is the beginning of a line. */
static void text(au_out *out, const char *s, size_t n, bool at_start) {
    for (size_t i = 0; i < n; i++) {
        if (at_start && (s[i] == '.' || s[i] == '\''))
            au_out_str(out, "\\&");
        at_start = s[i] == '\n';
        if (s[i] == '\\')
            au_out_str(out, "\\e");
        else if (s[i] == '-')
            au_out_str(out, "\\-");
        else if (s[i] == '\'')
            au_out_str(out, "\\(aq");
        else if (s[i] == '~')
            au_out_str(out, "\\(ti");
        else if (s[i] == '^')
            au_out_str(out, "\\(ha");
        else if (s[i] == '`')
            au_out_str(out, "\\(ga");
        else
            au_out_char(out, s[i]);
    }
}

static void str(au_out *out, const char *s) {
    text(out, s, strlen(s), true);
}

static void bold(au_out *out, const char *s) {
    au_out_str(out, "\\fB");
    text(out, s, strlen(s), false);
    au_out_str(out, "\\fR");
}

static void paragraphs(au_out *out, const char *s) {
    while (*s) {
        const char *end = strstr(s, "\n\n");
        size_t n = end ? (size_t)(end - s) : strlen(s);
        au_out_str(out, ".PP\n");
        text(out, s, n, true);
        au_out_char(out, '\n');
        s += n;
        s += strspn(s, "\n");
    }
}

static void option(au_out *out, const au_option *p) {
    au_out_str(out, ".TP\n");
    if (p->letter) {
        char letter[] = {'-', p->letter, 0};
        bold(out, letter);
        au_out_str(out, ", ");
    }
    char *name = au_sprintf("--%s", p->name);
    bold(out, name);
    free(name);
    if (p->type == AU_OPT_SWITCH) {
        name = au_sprintf("--no-%s", p->name);
        au_out_str(out, ", ");
        bold(out, name);
        free(name);
    } else if (p->arg) {
        au_out_str(out, "=\\fI");
        text(out, p->arg, strlen(p->arg), false);
        au_out_str(out, "\\fR");
    }
    au_out_char(out, '\n');
    str(out, p->help);
    char *values = au_help_option_values(p);
    if (*values) {
        au_out_str(out, "\n(");
        text(out, values, strlen(values), false);
        au_out_char(out, ')');
    }
    free(values);
    au_out_char(out, '\n');
}

/* ".SS What to look for" */
static void subheading(au_out *out, const char *s) {
    char first[] = {(char)toupper((unsigned char)*s), 0};
    au_out_str(out, ".SS ");
    str(out, first);
    text(out, s + 1, strlen(s + 1), false);
    au_out_char(out, '\n');
}

static void sections(au_out *out, const au_command *c) {
    bool analyses = false;
    size_t commons = au_help_common_section(c);
    for (size_t g = 0; g < au_n_option_groups; g++) {
        size_t n;
        const au_option **p = au_help_section(c, g, &n);
        if (g && n)
            subheading(out, au_option_groups[g].heading);
        for (size_t i = 0; i < n; i++)
            option(out, p[i]);
        for (size_t i = 0; i < au_n_common_options && g == commons && !c->foreign; i++)
            option(out, &au_common_options[i]);
        free(p);
    }
    for (size_t k = 0; c->takes && c->takes[k]; k++) {
        char *names = au_help_taken(c, c->takes[k], "", " ");
        if (*names) {
            if (!analyses)
                subheading(out, au_option_groups[AU_GROUP_ANALYSES].heading);
            analyses = true;
            au_out_printf(out, ".PP\nThese, which\n.BR augur\\-%s (1)\nexplains:\n",
                          c->takes[k]->name);
            str(out, names);
            au_out_char(out, '\n');
        }
        free(names);
    }
}

static void page_name(au_out *out, const au_command *c, bool upper) {
    char *s = au_sprintf("augur%s%s", *c->name ? "-" : "", c->name);
    for (char *p = s; upper && *p; p++)
        *p = (char)toupper((unsigned char)*p);
    text(out, s, strlen(s), true);
    free(s);
}

static void see_also(au_out *out, const au_command *c) {
    au_out_str(out, ".SH SEE ALSO\n");
    if (*c->name) {
        au_out_str(out, ".BR augur (1)\n");
        return;
    }
    for (size_t i = 0; i < au_n_commands; i++)
        au_out_printf(out, ".BR augur\\-%s (1)%s\n", au_commands[i]->name,
                      i + 1 < au_n_commands ? "," : "");
}

void au_help_man(au_out *out, const au_command *c, bool color) {
    (void)color;
    au_out_str(out, ".\\\" made by 'augur help --man' from the option table\n.TH ");
    page_name(out, c, true);
    au_out_str(out, " 1 \"\" \"augur " AU_VERSION "\" \"augur manual\"\n.SH NAME\n");
    page_name(out, c, false);
    au_out_str(out, " \\- ");
    text(out, c->summary, strlen(c->summary), false);
    au_out_str(out, "\n.SH SYNOPSIS\n");
    char *name = au_sprintf("augur%s%s", *c->name ? " " : "", c->name);
    bold(out, name);
    free(name);
    if (!c->foreign)
        au_out_str(out, " [\\fIOPTION\\fR...]");
    if (c->operands) {
        au_out_str(out, " \\fI");
        text(out, c->operands, strlen(c->operands), false);
        au_out_str(out, "\\fR");
    }
    au_out_str(out, "\n.SH DESCRIPTION\n");
    paragraphs(out, c->description);
    if (!*c->name) {
        au_out_str(out, ".SH COMMANDS\n");
        for (size_t i = 0; i < au_n_commands; i++) {
            au_out_str(out, ".TP\n");
            bold(out, au_commands[i]->name);
            au_out_char(out, '\n');
            str(out, au_commands[i]->summary);
            au_out_char(out, '\n');
        }
    }
    au_out_str(out, ".SH OPTIONS\n");
    sections(out, c);
    au_out_str(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < c->n_exits; i++) {
        au_out_printf(out, ".TP\n\\fB%d\\fR\n", c->exits[i].status);
        str(out, c->exits[i].when);
        au_out_char(out, '\n');
    }
    if (c->n_examples)
        au_out_str(out, ".SH EXAMPLES\n");
    for (size_t i = 0; i < c->n_examples; i++) {
        au_out_str(out, ".PP\n");
        str(out, c->examples[i].what);
        au_out_str(out, ":\n.PP\n.RS 4\n.nf\n");
        str(out, c->examples[i].command);
        au_out_str(out, "\n.fi\n.RE\n");
    }
    see_also(out, c);
}
