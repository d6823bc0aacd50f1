/* The option parser, and the sanity of the option table. */
#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "trace/finding.h"
#include "trace/reader.h"

#include <ctype.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const au_option rows[] = {
    {.name = "threads",
     .letter = 't',
     .type = AU_OPT_INT,
     .arg = "N",
     .def = "4",
     .min = 1,
     .max = 64},
    {.name = "events", .type = AU_OPT_INT, .arg = "N", .min = -5, .max = INT64_MAX},
    {.name = "fraction", .type = AU_OPT_NUMBER, .arg = "F", .def = "0.5", .lo = 0, .hi = 1},
    {.name = "name", .letter = 'n', .type = AU_OPT_STRING, .arg = "NAME"},
    {.name = "output", .letter = 'o', .type = AU_OPT_FILE, .arg = "FILE", .def = "-"},
    {.name = "format", .type = AU_OPT_CHOICE, .arg = "F", .def = "text", .choices = "text|json"},
    {.name = "prop",
     .type = AU_OPT_LIST,
     .arg = "P",
     .def = "race,lock",
     .choices = "race|lock|deadlock"},
    {.name = "var", .type = AU_OPT_LIST, .arg = "V"},
    {.name = "summary", .letter = 's', .type = AU_OPT_FLAG},
    {.name = "prefix", .type = AU_OPT_SWITCH, .def = "yes", .old = "begin|start"},
    {.name = "run-timeout", .type = AU_OPT_NUMBER, .arg = "S", .hi = 9, .old = "limit"},
    {.name = "secret", .type = AU_OPT_FLAG, .hidden = true},
};
static const au_command command = {
    .name = "try",
    .operands = "A B",
    .options = rows,
    .n_options = sizeof rows / sizeof *rows,
    .max_operands = 2,
};
static const au_command wrapper = {
    .name = "wrap",
    .operands = "PROGRAM",
    .options = rows,
    .n_options = sizeof rows / sizeof *rows,
    .min_operands = 1,
    .max_operands = UINT8_MAX,
    .stop_at_operand = true,
};

#define PARSE(c, err, ...)                                                                         \
    parse(c, err, (sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),                        \
          (const char *[]){__VA_ARGS__})

static au_opts *parse(const au_command *c, au_error *err, size_t n, const char **argv) {
    return au_opts_parse(c, (int)n, (char *const *)argv, err);
}

#define OK(o, ...)                                                                                 \
    do {                                                                                           \
        au_error e_ = AU_ERROR_NONE;                                                               \
        o = PARSE(&command, &e_, __VA_ARGS__);                                                     \
        if (!o)                                                                                    \
            fail_msg("refused: %s", e_.text);                                                      \
    } while (0)

/* The whole text, so that a change of wording is a decision. */
#define REFUSED(text_, ...)                                                                        \
    do {                                                                                           \
        au_error e_ = AU_ERROR_NONE;                                                               \
        assert_null(PARSE(&command, &e_, __VA_ARGS__));                                            \
        assert_int_equal(e_.status, AU_EUSAGE);                                                    \
        assert_string_equal(e_.text, text_);                                                       \
    } while (0)

static void defaults(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    au_opts *o = au_opts_parse(&command, 0, NULL, &err);
    assert_non_null(o);
    assert_int_equal(au_opt_int(o, "threads"), 4);
    assert_int_equal(au_opt_int(o, "events"), 0);
    assert_true(au_opt_number(o, "fraction") == 0.5);
    assert_null(au_opt_str(o, "name"));
    assert_string_equal(au_opt_str(o, "output"), "-");
    assert_string_equal(au_opt_str(o, "format"), "text");
    assert_true(au_opt_has(o, "prop", "race"));
    assert_true(au_opt_has(o, "prop", "lock"));
    assert_false(au_opt_has(o, "prop", "deadlock"));
    assert_false(au_opt_flag(o, "summary"));
    assert_true(au_opt_flag(o, "prefix"));
    assert_false(au_opt_given(o, "threads"));
    assert_false(au_opt_flag(o, "help"));
    assert_string_equal(au_opt_str(o, "color"), "auto");
    size_t n;
    au_opt_list(o, "var", &n);
    assert_int_equal(n, 0);
    assert_int_equal(au_operands(o), 0);
    au_opts_free(o);
}

static void ways_to_write_a_value(void **state) {
    (void)state;
    static const char *const ways[][2] = {{"--threads=7", NULL}, {"--threads", "7"},
                                          {"-t", "7"},           {"-t7", NULL},
                                          {"-st", "7"},          {"-st7", NULL}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        au_error err = AU_ERROR_NONE;
        au_opts *o = au_opts_parse(&command, ways[i][1] ? 2 : 1, (char *const *)ways[i], &err);
        assert_non_null(o);
        assert_int_equal(au_opt_int(o, "threads"), 7);
        assert_true(au_opt_given(o, "threads"));
        assert_int_equal(au_opt_flag(o, "summary"), i >= 4);
        assert_int_equal(au_operands(o), 0);
        au_opts_free(o);
    }
    au_opts *o;
    OK(o, "--name=", "--output", "--threads"); /* an empty value, a value like an option */
    assert_string_equal(au_opt_str(o, "name"), "");
    assert_string_equal(au_opt_str(o, "output"), "--threads");
    au_opts_free(o);
    OK(o, "-t1", "-t", "2", "--threads=3");
    assert_int_equal(au_opt_int(o, "threads"), 3); /* the last one counts */
    au_opts_free(o);
    OK(o, "--name=a=b");
    assert_string_equal(au_opt_str(o, "name"), "a=b");
    au_opts_free(o);
}

static void operands(void **state) {
    (void)state;
    au_opts *o;
    OK(o, "one", "--summary", "-");
    assert_int_equal(au_operands(o), 2);
    assert_string_equal(au_operand(o, 0), "one");
    assert_string_equal(au_operand(o, 1), "-");
    assert_true(au_opt_flag(o, "summary"));
    au_opts_free(o);
    OK(o, "--", "--summary", "--");
    assert_int_equal(au_operands(o), 2);
    assert_string_equal(au_operand(o, 0), "--summary");
    assert_string_equal(au_operand(o, 1), "--");
    assert_false(au_opt_flag(o, "summary"));
    au_opts_free(o);
    OK(o, "");
    assert_string_equal(au_operand(o, 0), "");
    au_opts_free(o);
    REFUSED("unexpected operand 'c' after 'b'", "a", "b", "c");
}

static void wrapped_programs_keep_their_options(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    au_opts *o = PARSE(&wrapper, &err, "-s", "./prog", "--threads", "x", "--", "-s");
    assert_non_null(o);
    assert_true(au_opt_flag(o, "summary"));
    assert_int_equal(au_opt_int(o, "threads"), 4);
    assert_int_equal(au_operands(o), 5);
    assert_string_equal(au_operand(o, 4), "-s");
    char *const *rest = au_operand_rest(o, 0);
    assert_string_equal(rest[0], "./prog");
    assert_string_equal(rest[3], "--");
    assert_null(rest[5]); /* as execvp wants it */
    au_opts_free(o);
    o = PARSE(&wrapper, &err, "--", "--prog", "--summary");
    assert_non_null(o);
    assert_string_equal(au_operand(o, 0), "--prog");
    assert_false(au_opt_flag(o, "summary"));
    au_opts_free(o);
    assert_null(PARSE(&wrapper, &err, "-s"));
    assert_string_equal(err.text, "missing operand: PROGRAM");
    o = PARSE(&wrapper, &err, "--help"); /* who asks for help need not know the operands */
    assert_non_null(o);
    au_opts_free(o);
}

static void whole_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"--events=0", 0},
                {"--events=-5", -5},
                {"--events=+12", 12},
                {"--events=10k", 10000},
                {"--events=5M", 5000000},
                {"--events=2G", 2000000000},
                {"--events=9223372036854775807", INT64_MAX}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        au_opts *o;
        OK(o, good[i].text);
        assert_int_equal(au_opt_int(o, "events"), good[i].value);
        au_opts_free(o);
    }
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "x",
                                      "1.5",
                                      "0x10",
                                      "10K",
                                      "1kk",
                                      "k",
                                      "--",
                                      "1e3",
                                      "9223372036854775808",
                                      "9223372036854775807k"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        au_error err = AU_ERROR_NONE;
        assert_null(PARSE(&command, &err, "--events", bad[i]));
        assert_non_null(strstr(err.text, "needs a whole number"));
    }
    REFUSED("'--threads' is between 1 and 64, not '0'", "--threads=0");
    REFUSED("'--threads' is between 1 and 64, not '65'", "-t65");
    REFUSED("'--events' is at least -5, not '-6'", "--events", "-6");
}

static void numbers(void **state) {
    (void)state;
    au_opts *o;
    OK(o, "--fraction=1e-3");
    assert_true(au_opt_number(o, "fraction") == 0.001);
    au_opts_free(o);
    REFUSED("'--fraction' is between 0 and 1, not '1.01'", "--fraction=1.01");
    REFUSED("'--fraction' needs a number, not 'nan'", "--fraction=nan");
    REFUSED("'--fraction' needs a number, not ''", "--fraction=");
    REFUSED("'--fraction' needs a number, not '0.5x'", "--fraction=0.5x");
}

static void choices_and_lists(void **state) {
    (void)state;
    au_opts *o;
    OK(o, "--format", "json", "--prop=deadlock", "--prop", "race,race");
    assert_string_equal(au_opt_str(o, "format"), "json");
    size_t n;
    char *const *item = au_opt_list(o, "prop", &n);
    assert_int_equal(n, 3); /* the default is gone, what was typed adds up */
    assert_string_equal(item[0], "deadlock");
    assert_false(au_opt_has(o, "prop", "lock"));
    assert_true(au_opt_has(o, "prop", "race"));
    au_opts_free(o);
    OK(o, "--var=a,b", "--var=c\\,d\\\\e\\f,g");
    item = au_opt_list(o, "var", &n);
    assert_int_equal(n, 4);
    assert_string_equal(item[0], "a");
    assert_string_equal(item[2], "c,d\\e\\f");
    assert_string_equal(item[3], "g");
    au_opts_free(o);
    REFUSED("'jsno' is no value of '--format'; did you mean 'json'? (text, json)", "--format=jsno");
    REFUSED("'tex' is no value of '--format'; did you mean 'text'? (text, json)", "--format=tex");
    REFUSED("'' is no value of '--format' (text, json)", "--format=");
    REFUSED("'quux' is no value of '--prop' (race, lock, deadlock)", "--prop=race,quux");
    REFUSED("an item of '--var' is empty", "--var=a,,b");
    REFUSED("an item of '--var' is empty", "--var=");
    REFUSED("the file name of '--output' is empty", "-o", "");
}

static void switches(void **state) {
    (void)state;
    au_opts *o;
    OK(o, "--no-prefix");
    assert_false(au_opt_flag(o, "prefix"));
    assert_true(au_opt_given(o, "prefix"));
    au_opts_free(o);
    OK(o, "--no-prefix", "--prefix");
    assert_true(au_opt_flag(o, "prefix"));
    au_opts_free(o);
    REFUSED("unknown option '--no-summary'; did you mean '--summary'?", "--no-summary");
    REFUSED("unknown option '--no-prefx'; did you mean '--no-prefix'?", "--no-prefx");
    REFUSED("'--no-prefix' takes no value", "--no-prefix=1");
}

/* Each kind of finding has two names, and every option of kinds takes both. */
static void kinds_by_both_names(void **state) {
    (void)state;
    size_t seen = 0;
    for (size_t i = 0; i < au_n_commands; i++)
        for (size_t j = 0; j < au_command_n_options(au_commands[i]); j++) {
            const au_option *p = au_command_option(au_commands[i], j);
            assert_int_equal(p->kinds, !strcmp(p->name, "prop") || !strcmp(p->name, "kind"));
            const char *at = p->choices, *s;
            size_t len;
            while (p->kinds && (s = au_help_next_choice(&at, &len))) {
                char name[32] = {0};
                memcpy(name, s, len);
                au_kind k;
                if (au_narrow_by_name(name, &k)) /* 'memory': a kind of findings with one name */
                    continue;
                assert_true(au_kind_by_name(name, &k));
                char *both =
                    au_sprintf("--%s=%s,%s", p->name, au_kind_name(k), au_kind_prop_name(k));
                const char *const argv[] = {both, "operand"};
                au_error err = AU_ERROR_NONE;
                au_opts *o = au_opts_parse(au_commands[i], 1 + (au_commands[i]->min_operands > 0),
                                           (char *const *)argv, &err);
                if (!o)
                    fail_msg("%s %s: %s", au_commands[i]->name, both, err.text);
                size_t n;
                char *const *item = au_opt_list(o, p->name, &n);
                assert_int_equal(n, 2);
                assert_string_equal(item[0], name); /* one spelling inside, whatever was typed */
                assert_string_equal(item[1], name);
                au_opts_free(o);
                free(both);
                seen++;
            }
        }
    assert_true(seen >= 5 * AU_KINDS);
}

/* An earlier name does what the new one does, and the new one is what we speak of. */
static void earlier_names_still_work(void **state) {
    (void)state;
    au_opts *o;
    OK(o, "--limit", "2", "--no-start");
    assert_true(au_opt_number(o, "run-timeout") == 2);
    assert_true(au_opt_given(o, "run-timeout"));
    assert_false(au_opt_flag(o, "prefix"));
    size_t n;
    char **word = au_opts_words(o, "", &n);
    assert_int_equal(n, 2);
    assert_string_equal(word[0], "--no-prefix");
    assert_string_equal(word[1], "--run-timeout=2");
    free(word[0]), free(word[1]), free(word);
    au_opts_free(o);
    OK(o, "--no-prefix", "--begin", "--run-timeout=1", "--limit=3");
    assert_true(au_opt_flag(o, "prefix"));
    assert_true(au_opt_number(o, "run-timeout") == 3); /* the last one counts */
    au_opts_free(o);
    REFUSED("'--run-timeout' is between 0 and 9, not '10'", "--limit", "10");
    REFUSED("'--begin' takes no value", "--begin=yes");
    REFUSED("unknown option '--beginn'", "--beginn"); /* nor are they suggested */
}

/* Not in the help of any form. */
static void earlier_names_are_not_shown(void **state) {
    (void)state;
    au_help_fn *const form[] = {au_help_text, au_help_man, au_help_markdown, au_help_completion};
    static const au_option some[] = {
        {.name = "prefix", .type = AU_OPT_SWITCH, .def = "yes", .help = "a", .old = "begin"},
        {.name = "run-timeout", .type = AU_OPT_NUMBER, .arg = "S", .help = "b", .old = "limit"}};
    au_command one = *au_command_by_name("help");
    one.options = some;
    one.n_options = 2;
    for (size_t i = 0; i < 2; i++) {
        au_out *out = au_out_memory();
        form[i](out, &one, false);
        size_t n;
        const char *text = au_out_memory_data(out, &n);
        assert_non_null(strstr(text, "timeout"));
        assert_null(strstr(text, "limit"));
        assert_null(strstr(text, "begin"));
        au_out_abandon(out);
    }
    for (size_t i = 2; i < 4; i++) {
        au_out *out = au_out_memory();
        form[i](out, &au_command_root, false);
        size_t n;
        const char *text = au_out_memory_data(out, &n);
        assert_non_null(strstr(text, "--run-timeout"));
        assert_null(strstr(text, "--limit"));
        au_out_abandon(out);
    }
}

static void what_was_given_can_be_typed_again(void **state) {
    (void)state;
    static const char *const words[] = {"--threads=9", "--fraction=0.10000000000000001",
                                        "--prop=race", "--var=a\\,b,c\\\\d",
                                        "--summary",   "--no-prefix"};
    au_opts *o, *again;
    OK(o, "--var", "a\\,b", "--no-prefix", "-s", "-t9", "--fraction=.1", "--prop=race", "--var",
       "c\\d", "-o", "x", "--quiet");
    for (int round = 0; round < 2; round++) {
        size_t n;
        char **word = au_opts_words(o, "format|output", &n);
        assert_int_equal(n, 6);
        for (size_t i = 0; i < n; i++)
            assert_string_equal(word[i], words[i]);
        au_error err = AU_ERROR_NONE;
        again = au_opts_parse(&command, (int)n, word, &err);
        assert_non_null(again);
        assert_true(au_opt_number(again, "fraction") <= 0.1);
        au_opts_free(o);
        o = again;
        size_t items;
        assert_string_equal(au_opt_list(o, "var", &items)[0], "a,b");
        for (size_t i = 0; i < n; i++)
            free(word[i]);
        free(word);
    }
    au_opts_free(o);
    OK(o, "a");
    size_t n;
    assert_null(au_opts_words(o, "", &n));
    assert_int_equal(n, 0);
    au_opts_free(o);
}

static void misspellings(void **state) {
    (void)state;
    REFUSED("unknown option '--thraeds'; did you mean '--threads'?", "--thraeds=3");
    REFUSED("unknown option '--thread'; did you mean '--threads'?", "--thread", "3");
    REFUSED("unknown option '--thr'; did you mean '--threads'?", "--thr=3"); /* no prefixes */
    REFUSED("unknown option '--colour'; did you mean '--color'?", "--colour=never");
    REFUSED("unknown option '--zzzzzzzz'", "--zzzzzzzz");
    REFUSED("unknown option '--secre'", "--secre"); /* what is hidden is not suggested */
    REFUSED("unknown option '-x'", "-x");
    REFUSED("unknown option '-x' in -sx", "-sx");
    REFUSED("'--threads' needs a value: N", "--threads");
    REFUSED("'--threads' needs a value: N", "-st");
    REFUSED("'--summary' takes no value", "--summary=yes");
    assert_string_equal(au_command_nearest("shwo"), "show");
    assert_string_equal(au_command_nearest("conv"), "convert");
    assert_null(au_command_nearest("xyzzy"));
    assert_null(au_command_by_name("sho"));
}

static void distances(void **state) {
    (void)state;
    assert_int_equal(au_edit_distance("", ""), 0);
    assert_int_equal(au_edit_distance("abc", ""), 3);
    assert_int_equal(au_edit_distance("abc", "abd"), 1);
    assert_int_equal(au_edit_distance("abc", "acb"), 1); /* two swapped */
    assert_int_equal(au_edit_distance("kitten", "sitting"), 3);
    char longer[100] = {0};
    memset(longer, 'a', sizeof longer - 1);
    assert_int_equal(au_edit_distance(longer, longer), 0);
    assert_true(au_edit_distance(longer, "a") > 10);
}

static void common_options_before_the_command(void **state) {
    (void)state;
    au_opts *before, *o;
    OK(before, "--quiet", "--color=never");
    OK(o, "--color=always");
    au_opts_inherit(o, before);
    assert_true(au_opt_flag(o, "quiet"));
    assert_string_equal(au_opt_str(o, "color"), "always"); /* the nearer one wins */
    au_opts_free(o);
    au_opts_free(before);
}

/* A key that the table does not have must not read as "not given". */
static void check_aborts(void (*fn)(const au_opts *)) {
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 2);
        au_error err = AU_ERROR_NONE;
        au_opts *o = au_opts_parse(&command, 0, NULL, &err);
        signal(SIGABRT, SIG_DFL);
        fn(o);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
static void ask_misspelt(const au_opts *o) {
    au_opt_int(o, "thread");
}
static void ask_wrong_type(const au_opts *o) {
    au_opt_str(o, "threads");
}
static void ask_wrong_item(const au_opts *o) {
    au_opt_has(o, "prop", "races");
}
static void ask_missing_operand(const au_opts *o) {
    au_operand(o, 0);
}
static void our_own_slips_are_caught(void **state) {
    (void)state;
    check_aborts(ask_misspelt);
    check_aborts(ask_wrong_type);
    check_aborts(ask_wrong_item);
    check_aborts(ask_missing_operand);
}

/* ---- the table ---- */

static void check_text(const char *s) {
    assert_non_null(s);
    assert_true(*s);
    for (const char *p = s; *p; p++)
        assert_true(isprint((unsigned char)*p) || *p == '\n');
}

static void check_row(const au_option *p) {
    check_text(p->name);
    check_text(p->help);
    assert_true(p->help[strlen(p->help) - 1] != '.');
    bool bare = p->type == AU_OPT_FLAG || p->type == AU_OPT_SWITCH;
    assert_int_equal(bare, p->arg == NULL);
    if (p->type == AU_OPT_CHOICE)
        assert_non_null(p->choices);
    if (p->type == AU_OPT_INT)
        assert_true(p->min < p->max);
    if (p->type == AU_OPT_NUMBER)
        assert_true(p->lo < p->hi);
    if (p->type == AU_OPT_SWITCH)
        assert_non_null(p->def);
}

static void check_command(const au_command *c) {
    check_text(c->summary);
    check_text(c->description);
    assert_true(c->n_exits >= 2);
    size_t own = au_command_n_options(c), n = own + au_n_common_options;
    for (size_t i = 0; i < n; i++) {
        const au_option *p = i < own ? au_command_option(c, i) : &au_common_options[i - own];
        check_row(p);
        for (size_t j = 0; j < n; j++) {
            const au_option *q = j < own ? au_command_option(c, j) : &au_common_options[j - own];
            if (i == j)
                continue;
            assert_false(au_option_is_called(q, p->name)); /* nor by an earlier name */
            assert_true(!p->letter || p->letter != q->letter);
        }
    }
    for (size_t i = 0; i < c->n_examples; i++) {
        check_text(c->examples[i].command);
        check_text(c->examples[i].what);
    }
    for (size_t i = 0; i < c->n_exits; i++)
        assert_in_range(c->exits[i].status, 0, 3);
    au_error err = AU_ERROR_NONE;
    static const char *const help[] = {"--help"};
    au_opts *o = au_opts_parse(c, 1, (char *const *)help, &err); /* aborts on a bad default */
    assert_non_null(o);
    au_opts_free(o);
}

static void table_is_sane(void **state) {
    (void)state;
    check_command(&au_command_root);
    for (size_t i = 0; i < au_n_commands; i++) {
        check_command(au_commands[i]);
        assert_true(au_commands[i]->n_examples > 0);
        assert_ptr_equal(au_command_by_name(au_commands[i]->name), au_commands[i]);
    }
}

/* Each name under a heading is an option of some command, and stands there once. Only what has many
 * options has headings, but the analyses' options always stand apart. */
static void headings(void **state) {
    (void)state;
    for (size_t g = 0; g < au_n_option_groups; g++) {
        check_text(au_option_groups[g].heading);
        const char *at = au_option_groups[g].names, *s;
        size_t len;
        while ((s = au_help_next_choice(&at, &len))) {
            char name[32] = {0};
            memcpy(name, s, len);
            assert_int_equal(au_option_group_of(name), g);
            bool found = false;
            for (size_t i = 0; i < au_n_commands; i++)
                for (size_t k = 0; k < au_commands[i]->n_options; k++)
                    found |= !strcmp(au_commands[i]->options[k].name, name);
            if (!found)
                fail_msg("no command has '--%s'", name);
        }
    }
    for (size_t i = 0; i < au_n_commands; i++) {
        const au_command *c = au_commands[i];
        size_t all = 0, shown = 0, n, named = 0, apart = 0;
        for (size_t k = 0; k < au_command_n_options(c); k++)
            all += !au_command_option(c, k)->hidden;
        for (size_t g = 0; g < au_n_option_groups; g++) {
            const au_option **p = au_help_section(c, g, &n);
            for (size_t k = 0; k < n; k++)
                apart += (au_option_group_of(p[k]->name) == AU_GROUP_ANALYSES) !=
                         (g == AU_GROUP_ANALYSES);
            shown += n;
            free(p);
        }
        for (size_t k = 0; c->takes && c->takes[k]; k++) {
            char *text = au_help_taken(c, c->takes[k], "", "|");
            for (const char *at = text, *s; (s = au_help_next_choice(&at, &n));)
                named += s[0] == '-' && strncmp(s, "--no-", 5);
            free(text);
        }
        assert_int_equal(apart, 0);
        assert_int_equal(shown + named, all); /* each is explained or named, once */
    }
}

/* A command of the table has one function, and a function has a command. */
static void every_command_has_its_function(void **state) {
    (void)state;
    assert_int_equal(au_cli_n_commands, au_n_commands);
    for (size_t i = 0; i < au_n_commands; i++) {
        size_t n = 0;
        for (size_t k = 0; k < au_cli_n_commands; k++)
            n += !strcmp(au_cli_commands[k].name, au_commands[i]->name);
        if (n != 1)
            fail_msg("'%s' has %zu functions", au_commands[i]->name, n);
        assert_non_null(au_cli_function(au_commands[i]));
    }
    for (size_t k = 0; k < au_cli_n_commands; k++) {
        if (!au_command_by_name(au_cli_commands[k].name))
            fail_msg("'%s' is not in the table", au_cli_commands[k].name);
        for (size_t j = 0; j < k; j++)
            assert_true(au_cli_commands[j].run != au_cli_commands[k].run);
    }
}

/* What --from, --to and --op offer is what the trace library knows. */
static void table_agrees_with_the_library(void **state) {
    (void)state;
    for (size_t i = 0; i < au_n_commands; i++)
        for (size_t k = 0; k < au_commands[i]->n_options; k++) {
            const au_option *p = &au_commands[i]->options[k];
            bool format = !strcmp(p->name, "from") || !strcmp(p->name, "to");
            bool op = !strcmp(p->name, "op");
            const char *at = p->choices, *s;
            size_t len, n = 0;
            while ((format || op) && (s = au_help_next_choice(&at, &len))) {
                char name[32] = {0};
                memcpy(name, s, len);
                n++;
                if (op)
                    assert_true(au_op_by_name(name, len) == n - 1);
                else if (strcmp(name, "ctp"))
                    assert_true(au_format_by_name(name) != AU_FORMAT_AUTO);
            }
            if (op)
                assert_int_equal(n, AU_OPS);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(ways_to_write_a_value),
        cmocka_unit_test(operands),
        cmocka_unit_test(wrapped_programs_keep_their_options),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(numbers),
        cmocka_unit_test(choices_and_lists),
        cmocka_unit_test(switches),
        cmocka_unit_test(kinds_by_both_names),
        cmocka_unit_test(earlier_names_still_work),
        cmocka_unit_test(earlier_names_are_not_shown),
        cmocka_unit_test(what_was_given_can_be_typed_again),
        cmocka_unit_test(misspellings),
        cmocka_unit_test(distances),
        cmocka_unit_test(common_options_before_the_command),
        cmocka_unit_test(our_own_slips_are_caught),
        cmocka_unit_test(table_is_sane),
        cmocka_unit_test(headings),
        cmocka_unit_test(every_command_has_its_function),
        cmocka_unit_test(table_agrees_with_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
