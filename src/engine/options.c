/* engine/options.c: the parser.
 *
 *   --name=value  --name value  -n value  -nvalue  -qn value  --  -
 *
 * Options and operands may be mixed unless the command wraps another program.
 * A name must be written out: a script that uses a prefix breaks on the day a
 * second option begins like it. A name that is nearly right gets a suggestion. */
#include "engine/options.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/vec.h"
#include "trace/finding.h"
#include "trace/library.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool given;       /* on the command line */
    bool flag;        /* FLAG, SWITCH */
    int64_t i;        /* INT */
    double d;         /* NUMBER */
    const char *text; /* STRING, FILE, CHOICE */
    AU_VEC(char *) list;
} value;

struct au_opts {
    const au_command *command;
    const au_option **row; /* the command's options, then the common ones: looked up once */
    value *value;          /* one for each */
    size_t n_own, n;       /* the command's own and taken ones; all */
    char **operand;
    size_t n_operands;
};

/* ---- the table ---- */

static bool is_in(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *s = list; s && *s; s += strcspn(s, "|"), s += *s == '|')
        if (strcspn(s, "|") == n && !strncmp(s, name, n))
            return true;
    return false;
}

bool au_option_is_called(const au_option *p, const char *name) {
    return !strcmp(p->name, name) || is_in(p->old, name);
}

static bool has(const au_command *c, const char *name) {
    for (size_t i = 0; i < c->n_options; i++)
        if (!strcmp(c->options[i].name, name))
            return true;
    return false;
}

/* Not its own, not left out, not an earlier one's. */
static bool is_taken(const au_command *c, const au_command *from, const char *name) {
    if (has(c, name) || is_in(c->without, name))
        return false;
    for (size_t k = 0; c->takes[k] != from; k++)
        if (has(c->takes[k], name))
            return false;
    return true;
}

const au_option *au_command_taken(const au_command *c, const au_command *from, size_t i) {
    for (size_t k = 0; k < from->n_options; k++)
        if (is_taken(c, from, from->options[k].name) && !i--)
            return &from->options[k];
    return NULL;
}

const au_option *au_command_option(const au_command *c, size_t i) {
    if (i < c->n_options)
        return &c->options[i];
    i -= c->n_options;
    for (size_t k = 0; c->takes && c->takes[k]; k++)
        for (size_t j = 0; j < c->takes[k]->n_options; j++)
            if (is_taken(c, c->takes[k], c->takes[k]->options[j].name) && !i--)
                return &c->takes[k]->options[j];
    return NULL;
}

/* All of them in one walk, into 'row' unless that is NULL. */
static size_t own_rows(const au_command *c, const au_option **row) {
    size_t n = 0;
    for (; n < c->n_options; n++)
        if (row)
            row[n] = &c->options[n];
    for (size_t k = 0; c->takes && c->takes[k]; k++)
        for (size_t j = 0; j < c->takes[k]->n_options; j++) {
            const au_option *p = &c->takes[k]->options[j];
            if (!is_taken(c, c->takes[k], p->name))
                continue;
            if (row)
                row[n] = p;
            n++;
        }
    return n;
}

size_t au_command_n_options(const au_command *c) {
    return own_rows(c, NULL);
}

static size_t n_options(const au_command *c) {
    return au_command_n_options(c) + au_n_common_options;
}

static const au_option *option_at(const au_command *c, size_t i) {
    const au_option *p = au_command_option(c, i);
    return p ? p : &au_common_options[i - au_command_n_options(c)];
}

/* ---- words that are nearly right ---- */

enum { WORD_MAX = 40 };

unsigned au_edit_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > WORD_MAX || m > WORD_MAX)
        return n == m && !strcmp(a, b) ? 0 : WORD_MAX;
    unsigned row[3][WORD_MAX + 1];
    unsigned *before = row[0], *last = row[1], *now = row[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        unsigned *free_row = before;
        before = last, last = now, now = free_row;
    }
    return last[m];
}

/* Keeps the nearest word seen so far. A word that goes on where the typed one
 * stops is near however long it is. */
typedef struct {
    const char *typed, *word;
    unsigned distance;
} nearest;

static void nearest_offer(nearest *n, const char *word) {
    size_t len = strlen(n->typed);
    unsigned d = au_edit_distance(n->typed, word);
    if (len >= 2 && !strncmp(n->typed, word, len) && d > 1)
        d = 1;
    if (d < n->distance) {
        n->distance = d;
        n->word = word;
    }
}

static nearest nearest_start(const char *typed) {
    size_t len = strlen(typed);
    unsigned limit = len < 3 ? 1 : len < 6 ? 2 : 3;
    return (nearest){.typed = typed, .distance = limit + 1};
}

const char *au_command_nearest(const char *name) {
    nearest n = nearest_start(name);
    for (size_t i = 0; i < au_n_commands; i++)
        nearest_offer(&n, au_commands[i]->name);
    return n.word;
}

const au_command *au_command_by_name(const char *name) {
    for (size_t i = 0; i < au_n_commands; i++)
        if (!strcmp(au_commands[i]->name, name))
            return au_commands[i];
    return NULL;
}

static au_status unknown_option(const au_command *c, const char *typed, au_error *err) {
    nearest n = nearest_start(typed);
    for (size_t i = 0; i < n_options(c); i++) {
        const au_option *p = option_at(c, i);
        if (p->hidden)
            continue;
        nearest_offer(&n, p->name);
        if (p->type == AU_OPT_SWITCH && !strncmp(typed, "no-", 3)) {
            nearest bare = {.typed = typed + 3, .distance = n.distance};
            nearest_offer(&bare, p->name);
            if (bare.word)
                return au_error_set(err, AU_EUSAGE,
                                    "unknown option '--%s'; did you mean '--no-%s'?", typed,
                                    bare.word);
        }
    }
    if (n.word)
        return au_error_set(err, AU_EUSAGE, "unknown option '--%s'; did you mean '--%s'?", typed,
                            n.word);
    return au_error_set(err, AU_EUSAGE, "unknown option '--%s'", typed);
}

/* ---- values ---- */

static bool is_choice(const char *choices, const char *s, size_t len) {
    while (*choices) {
        size_t n = strcspn(choices, "|");
        if (n == len && !memcmp(choices, s, n))
            return true;
        choices += n;
        choices += *choices == '|';
    }
    return false;
}

static au_status bad_choice(const au_option *p, const char *s, au_error *err) {
    nearest n = nearest_start(s);
    char *all = au_strdup(p->choices), *save = NULL, *list = au_strdup("");
    for (char *w = strtok_r(all, "|", &save); w; w = strtok_r(NULL, "|", &save)) {
        nearest_offer(&n, w);
        char *longer = au_sprintf("%s%s%s", list, *list ? ", " : "", w);
        free(list);
        list = longer;
    }
    if (n.word)
        au_error_set(err, AU_EUSAGE, "'%s' is no value of '--%s'; did you mean '%s'? (%s)", s,
                     p->name, n.word, list);
    else
        au_error_set(err, AU_EUSAGE, "'%s' is no value of '--%s' (%s)", s, p->name, list);
    free(all);
    free(list);
    return AU_EUSAGE;
}

static bool parse_int(const char *s, int64_t *out) {
    char *end;
    errno = 0;
    if (isspace((unsigned char)*s))
        return false;
    long long v = strtoll(s, &end, 10);
    if (end == s || errno)
        return false;
    int64_t unit = *end == 'k' ? 1000 : *end == 'M' ? 1000000 : *end == 'G' ? 1000000000 : 1;
    if (unit > 1)
        end++;
    return !*end && !__builtin_mul_overflow((int64_t)v, unit, out);
}

static au_status set_int(const au_option *p, const char *s, value *v, au_error *err) {
    int64_t i;
    if (!parse_int(s, &i))
        return au_error_set(err, AU_EUSAGE, "'--%s' needs a whole number, not '%s'", p->name, s);
    if (i >= p->min && i <= p->max) {
        v->i = i;
        return AU_OK;
    }
    if (p->max == INT64_MAX)
        return au_error_set(err, AU_EUSAGE, "'--%s' is at least %lld, not '%s'", p->name,
                            (long long)p->min, s);
    return au_error_set(err, AU_EUSAGE, "'--%s' is between %lld and %lld, not '%s'", p->name,
                        (long long)p->min, (long long)p->max, s);
}

static au_status set_number(const au_option *p, const char *s, value *v, au_error *err) {
    char *end;
    double d = strtod(s, &end);
    if (end == s || *end || !isfinite(d) || isspace((unsigned char)*s))
        return au_error_set(err, AU_EUSAGE, "'--%s' needs a number, not '%s'", p->name, s);
    if (d < p->lo || d > p->hi)
        return au_error_set(err, AU_EUSAGE, "'--%s' is between %g and %g, not '%s'", p->name, p->lo,
                            p->hi, s);
    v->d = d;
    return AU_OK;
}

static void list_clear(value *v) {
    for (size_t i = 0; i < v->list.n; i++)
        free(v->list.at[i]);
    au_vec_clear(&v->list);
}

/* A kind of finding by the name that the row has for it. */
static const char *spelling(const au_option *p, const char *s) {
    au_kind k;
    if (!p->kinds || !au_kind_by_name(s, &k))
        return s;
    const char *prop = au_kind_prop_name(k);
    return is_choice(p->choices, prop, strlen(prop)) ? prop : au_kind_name(k);
}

/* "a,b" is two items; a name with a comma in it is written "a\,b". */
static au_status add_list(const au_option *p, const char *s, value *v, au_error *err) {
    for (;;) {
        char *item = au_alloc(strlen(s) + 1);
        size_t n = 0;
        for (; *s && *s != ','; s++) {
            if (*s == '\\' && (s[1] == ',' || s[1] == '\\'))
                s++;
            item[n++] = *s;
        }
        item[n] = 0;
        if (!n) {
            free(item);
            return au_error_set(err, AU_EUSAGE, "an item of '--%s' is empty", p->name);
        }
        const char *word = spelling(p, item);
        if (p->choices && !is_choice(p->choices, word, strlen(word))) {
            bad_choice(p, item, err);
            free(item);
            return AU_EUSAGE;
        }
        au_vec_push(&v->list, au_strdup(word));
        free(item);
        if (!*s)
            return AU_OK;
        s++;
    }
}

static au_status set_value(const au_option *p, const char *s, value *v, au_error *err) {
    switch (p->type) {
    case AU_OPT_INT:
        return set_int(p, s, v, err);
    case AU_OPT_NUMBER:
        return set_number(p, s, v, err);
    case AU_OPT_CHOICE:
        if (!is_choice(p->choices, s, strlen(s)))
            return bad_choice(p, s, err);
        v->text = s;
        return AU_OK;
    case AU_OPT_LIST:
        return add_list(p, s, v, err);
    case AU_OPT_FILE:
        if (!*s)
            return au_error_set(err, AU_EUSAGE, "the file name of '--%s' is empty", p->name);
        v->text = s;
        return AU_OK;
    case AU_OPT_STRING:
        v->text = s;
        return AU_OK;
    case AU_OPT_FLAG:
    case AU_OPT_SWITCH:
        break;
    }
    au_bug(__FILE__, __LINE__, "an option without a value was given one");
}

static void set_defaults(au_opts *o) {
    for (size_t i = 0; i < o->n; i++) {
        const au_option *p = o->row[i];
        if (!p->def)
            continue;
        au_error err = AU_ERROR_NONE;
        if (p->type == AU_OPT_SWITCH)
            o->value[i].flag = !strcmp(p->def, "yes");
        else
            AU_BUG_IF(set_value(p, p->def, &o->value[i], &err) != AU_OK);
    }
}

/* ---- the command line ---- */

static bool takes_value(const au_option *p) {
    return p->type != AU_OPT_FLAG && p->type != AU_OPT_SWITCH;
}

static au_status give(au_opts *o, size_t i, const char *s, au_error *err) {
    const au_option *p = o->row[i];
    value *v = &o->value[i];
    if (!v->given)
        list_clear(v); /* what is typed replaces the default, then adds up */
    v->given = true;
    return set_value(p, s, v, err);
}

static au_status no_value(const au_option *p, au_error *err) {
    return au_error_set(err, AU_EUSAGE, "'--%s' needs a value: %s", p->name, p->arg);
}

/* argv[*at] is "--name" or "--name=value", 'text' what stands behind the '='; steps *at over
 * what it took. */
static au_status parse_name(au_opts *o, int argc, char *const *argv, int *at, const char *name,
                            const char *text, au_error *err) {
    for (size_t i = 0; i < o->n; i++) {
        const au_option *p = o->row[i];
        bool no = p->type == AU_OPT_SWITCH && !strncmp(name, "no-", 3) &&
                  au_option_is_called(p, name + 3);
        if (!no && !au_option_is_called(p, name))
            continue;
        ++*at;
        if (!takes_value(p)) {
            if (text)
                return au_error_set(err, AU_EUSAGE, "'--%s' takes no value", name);
            o->value[i].given = true;
            o->value[i].flag = !no;
            return AU_OK;
        }
        if (text)
            return give(o, i, text, err);
        if (*at >= argc)
            return no_value(p, err);
        return give(o, i, argv[(*at)++], err);
    }
    return unknown_option(o->command, name, err);
}

static au_status parse_long(au_opts *o, int argc, char *const *argv, int *at, au_error *err) {
    const char *word = argv[*at] + 2, *eq = strchr(word, '=');
    char *name = au_strndup(word, eq ? (size_t)(eq - word) : strlen(word));
    au_status st = parse_name(o, argc, argv, at, name, eq ? eq + 1 : NULL, err);
    free(name);
    return st;
}

/* argv[*at] is "-abc": flags, the last of which may take the rest or the next word. */
static au_status parse_short(au_opts *o, int argc, char *const *argv, int *at, au_error *err) {
    for (const char *s = argv[*at] + 1; *s; s++) {
        size_t i = 0, n = o->n;
        while (i < n && o->row[i]->letter != *s)
            i++;
        if (i == n)
            return au_error_set(err, AU_EUSAGE, "unknown option '-%c'%s%s", *s,
                                argv[*at][2] ? " in " : "", argv[*at][2] ? argv[*at] : "");
        const au_option *p = o->row[i];
        if (!takes_value(p)) {
            o->value[i].given = o->value[i].flag = true;
            continue;
        }
        ++*at;
        if (s[1])
            return give(o, i, s + 1, err);
        if (*at >= argc)
            return no_value(p, err);
        return give(o, i, argv[(*at)++], err);
    }
    ++*at;
    return AU_OK;
}

static au_status parse(au_opts *o, int argc, char *const *argv, au_error *err) {
    const au_command *c = o->command;
    int at = 0;
    bool only_operands = c->foreign;
    if (c->foreign && argc == 1 && !strcmp(argv[0], "--help"))
        only_operands = false;
    while (at < argc) {
        const char *s = argv[at];
        au_status st = AU_OK;
        if (only_operands || s[0] != '-' || !s[1]) {
            o->operand[o->n_operands++] = argv[at++];
            only_operands |= c->stop_at_operand;
        } else if (!strcmp(s, "--")) {
            only_operands = true;
            at++;
        } else if (s[1] == '-') {
            st = parse_long(o, argc, argv, &at, err);
        } else {
            st = parse_short(o, argc, argv, &at, err);
        }
        if (st != AU_OK)
            return st;
    }
    if (au_opt_flag(o, "help"))
        return AU_OK;
    if (o->n_operands < c->min_operands)
        return au_error_set(err, AU_EUSAGE, "missing operand: %s", c->operands);
    if (c->max_operands != UINT8_MAX && o->n_operands > c->max_operands) {
        const char *extra = o->operand[c->max_operands];
        if (!c->max_operands)
            return au_error_set(err, AU_EUSAGE, "unexpected operand '%s'", extra);
        return au_error_set(err, AU_EUSAGE, "unexpected operand '%s' after '%s'", extra,
                            o->operand[c->max_operands - 1]);
    }
    return AU_OK;
}

/* What is known of library functions is known to all stages. */
static au_status read_libraries(const au_opts *o, au_error *err) {
    size_t n;
    if (!au_opt_known(o, "library") || au_opt_flag(o, "help"))
        return AU_OK;
    char *const *list = au_opt_list(o, "library", &n);
    return au_library_read((const char *const *)list, n, err);
}

au_opts *au_opts_parse(const au_command *c, int argc, char *const *argv, au_error *err) {
    au_opts *o = AU_NEW(au_opts);
    o->command = c;
    o->n = n_options(c);
    o->row = au_alloc_array(o->n, sizeof *o->row);
    o->n_own = own_rows(c, o->row);
    for (size_t i = o->n_own; i < o->n; i++)
        o->row[i] = &au_common_options[i - o->n_own];
    o->value = au_alloc_array(o->n, sizeof *o->value);
    o->operand = au_alloc_array((size_t)argc + 1, sizeof *o->operand);
    set_defaults(o);
    if (parse(o, argc, argv, err) == AU_OK && read_libraries(o, err) == AU_OK)
        return o;
    au_opts_free(o);
    return NULL;
}

void au_opts_free(au_opts *o) {
    if (!o)
        return;
    for (size_t i = 0; i < o->n; i++) {
        list_clear(&o->value[i]);
        au_vec_release(&o->value[i].list);
    }
    free(o->row);
    free(o->value);
    free(o->operand);
    free(o);
}

void au_opts_inherit(au_opts *o, const au_opts *before) {
    for (size_t i = 0; i < au_n_common_options; i++) {
        AU_BUG_IF(au_common_options[i].type == AU_OPT_LIST); /* would have two owners */
        value *to = &o->value[o->n_own + i];
        const value *from = &before->value[before->n_own + i];
        if (from->given && !to->given)
            *to = *from;
    }
}

/* ---- looking values up ---- */

static const value *find(const au_opts *o, const char *name, const au_option **row) {
    for (size_t i = 0; i < o->n; i++)
        if (!strcmp(o->row[i]->name, name)) {
            *row = o->row[i];
            return &o->value[i];
        }
    char what[128];
    strcpy(what, "no such option: ");
    strncat(what, name, sizeof what - strlen(what) - 1);
    au_bug(__FILE__, __LINE__, what);
}

bool au_opt_known(const au_opts *o, const char *name) {
    for (size_t i = 0; i < o->n; i++)
        if (!strcmp(o->row[i]->name, name))
            return true;
    return false;
}

bool au_opt_given(const au_opts *o, const char *name) {
    const au_option *p;
    return find(o, name, &p)->given;
}

bool au_opt_flag(const au_opts *o, const char *name) {
    const au_option *p;
    const value *v = find(o, name, &p);
    AU_BUG_IF(takes_value(p));
    return v->flag;
}

int64_t au_opt_int(const au_opts *o, const char *name) {
    const au_option *p;
    const value *v = find(o, name, &p);
    AU_BUG_IF(p->type != AU_OPT_INT);
    return v->i;
}

double au_opt_number(const au_opts *o, const char *name) {
    const au_option *p;
    const value *v = find(o, name, &p);
    AU_BUG_IF(p->type != AU_OPT_NUMBER);
    return v->d;
}

const char *au_opt_str(const au_opts *o, const char *name) {
    const au_option *p;
    const value *v = find(o, name, &p);
    AU_BUG_IF(p->type != AU_OPT_STRING && p->type != AU_OPT_FILE && p->type != AU_OPT_CHOICE);
    return v->text;
}

char *const *au_opt_list(const au_opts *o, const char *name, size_t *n) {
    const au_option *p;
    const value *v = find(o, name, &p);
    AU_BUG_IF(p->type != AU_OPT_LIST);
    *n = v->list.n;
    return v->list.at;
}

bool au_opt_has(const au_opts *o, const char *name, const char *item) {
    const au_option *p;
    const value *v = find(o, name, &p);
    AU_BUG_IF(p->type != AU_OPT_LIST || !p->choices);
    AU_BUG_IF(!is_choice(p->choices, item, strlen(item)));
    for (size_t i = 0; i < v->list.n; i++)
        if (!strcmp(v->list.at[i], item))
            return true;
    return false;
}

/* Items with what add_list takes away. */
static char *list_word(const au_option *p, const value *v) {
    au_out *out = au_out_memory();
    size_t n;
    au_out_printf(out, "--%s=", p->name);
    for (size_t i = 0; i < v->list.n; i++) {
        if (i)
            au_out_char(out, ',');
        for (const char *s = v->list.at[i]; *s; s++) {
            if (*s == ',' || *s == '\\')
                au_out_char(out, '\\');
            au_out_char(out, *s);
        }
    }
    const char *text = au_out_memory_data(out, &n);
    char *word = au_strndup(text, n);
    au_out_abandon(out);
    return word;
}

static char *word_of(const au_option *p, const value *v) {
    switch (p->type) {
    case AU_OPT_FLAG:
        return au_sprintf("--%s", p->name);
    case AU_OPT_SWITCH:
        return au_sprintf("--%s%s", v->flag ? "" : "no-", p->name);
    case AU_OPT_INT:
        return au_sprintf("--%s=%lld", p->name, (long long)v->i);
    case AU_OPT_NUMBER:
        return au_sprintf("--%s=%.17g", p->name, v->d);
    case AU_OPT_STRING:
    case AU_OPT_FILE:
    case AU_OPT_CHOICE:
        return au_sprintf("--%s=%s", p->name, v->text);
    case AU_OPT_LIST:
        break;
    }
    return list_word(p, v);
}

char **au_opts_words(const au_opts *o, const char *without, size_t *n) {
    AU_VEC(char *) word = {0};
    for (size_t i = 0; i < o->n_own; i++) {
        const au_option *p = o->row[i];
        if (o->value[i].given && !is_in(without, p->name))
            au_vec_push(&word, word_of(p, &o->value[i]));
    }
    *n = word.n;
    return word.at;
}

size_t au_operands(const au_opts *o) {
    return o->n_operands;
}

const char *au_operand(const au_opts *o, size_t i) {
    AU_BUG_IF(i >= o->n_operands);
    return o->operand[i];
}

char *const *au_operand_rest(const au_opts *o, size_t i) {
    AU_BUG_IF(i > o->n_operands);
    return o->operand + i;
}

const au_command *au_opts_command(const au_opts *o) {
    return o->command;
}
