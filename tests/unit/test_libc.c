/* The table of library functions (wire/libc.def): every row can be found, and no row contradicts itself. */
#include "wire/libc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_row_is_found(void **state) {
    (void)state;
    size_t n;
    const au_libc *row = au_libc_rows(&n);
    assert_true(n > 600);
    for (size_t i = 0; i < n; i++) {
        const au_libc *found = au_libc_find(row[i].name);
        if (found != &row[i])
            fail_msg("'%s' is in the table twice, or its order is wrong", row[i].name);
        assert_string_equal(au_libc_of(row[i].name).name, row[i].name);
    }
}

static void other_names_are_not_found(void **state) {
    (void)state;
    static const char *const none[] = {"",        " ",     "A",      "mem", "memcpy ",
                                       " memcpy", "memcp", "zzz",    "_",   "pthread_x",
                                       "\xff",    "__",    "strcpy2"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(au_libc_find(none[i]));
    /* Every row's name, longer and shorter by a letter, unless that is a row as well. */
    size_t n;
    const au_libc *row = au_libc_rows(&n);
    for (size_t i = 0; i < n; i++) {
        char name[200];
        size_t length = strlen(row[i].name);
        assert_true(length + 2 < sizeof name);
        snprintf(name, sizeof name, "%s~", row[i].name);
        assert_null(au_libc_find(name));
        name[length - 1] = 0;
        const au_libc *found = au_libc_find(name);
        if (found)
            assert_string_equal(found->name, name);
    }
    au_libc nothing = au_libc_of("zzz");
    assert_null(nothing.name);
    assert_int_equal(nothing.class, AU_CLASS_UNSTATED);
    assert_int_equal(nothing.reads, AU_READS_UNSTATED);
}

static void families_fill_what_a_row_leaves_open(void **state) {
    (void)state;
    au_libc x = au_libc_of("sem_wait"); /* its own: how it synchronises */
    assert_int_equal(x.sync, AU_SYNC_SEM_WAIT);
    assert_int_equal(x.class, AU_CLASS_UNSTATED);
    assert_int_equal(x.reads, AU_READS_EVENTS);
    x = au_libc_of("pthread_once"); /* its own class stands before the family's */
    assert_int_equal(x.class, AU_CLASS_FIRST);
    x = au_libc_of("sem_of_tomorrow"); /* no row: nobody says that it is harmless */
    assert_string_equal(x.name, "sem_");
    assert_int_equal(x.class, AU_CLASS_UNSTATED);
    assert_int_equal(x.reads, AU_READS_EVENTS);
    assert_int_equal(x.does, AU_DOES_UNSTATED);
    x = au_libc_of("sem");
    assert_null(x.name);
    /* A column of each of two families. */
    x = au_libc_of("__VERIFIER_nondet_something");
    assert_int_equal(x.reads, AU_READS_EVENTS);
    assert_int_equal(x.class, AU_CLASS_HARMLESS);
}

static void families_are_not_repeated(void **state) {
    (void)state;
    size_t n;
    const au_libc *family = au_libc_families(&n);
    assert_true(n > 20);
    for (size_t i = 0; i < n; i++) {
        assert_true(*family[i].name);
        assert_null(au_libc_find(family[i].name));
        if (!family[i].runtime && !family[i].does && !family[i].reads && !family[i].channel &&
            !family[i].class)
            fail_msg("the family '%s' states nothing", family[i].name);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(family[i].name, family[j].name);
    }
}

/* The letters of 'args' that a row may have. */
static const char *letters(const au_libc *r) {
    switch ((au_libc_does)r->does) {
    case AU_DOES_MEMORY:
        return "-rwbpPk*";
    case AU_DOES_ALLOC:
        return "-srz";
    case AU_DOES_REALLOC:
        return "-b";
    case AU_DOES_FREE:
        return "-f";
    case AU_DOES_CALLBACK:
        return "-rwbfx";
    case AU_DOES_SYNC:
        return "-hdfaSlcnvxk";
    case AU_DOES_FAILS:
    case AU_DOES_ASSUME:
        return "c";
    default:
        return "";
    }
}

static void arguments_and_results_fit(void **state) {
    (void)state;
    size_t n;
    const au_libc *row = au_libc_rows(&n);
    for (size_t i = 0; i < n; i++) {
        const au_libc *r = &row[i];
        bool stated = r->does >= AU_DOES_PURE;
        if (stated != (r->args != NULL) || stated != (r->result != 0))
            fail_msg("'%s': args and result are stated, or not, with what it does", r->name);
        if ((r->does == AU_DOES_SYNC) != (r->sync != AU_SYNC_NONE))
            fail_msg("'%s': what synchronises is an S, and says how", r->name);
        if (!stated)
            continue;
        size_t length = strlen(r->args);
        if (strspn(r->args, letters(r)) != length)
            fail_msg("'%s': no such letter in \"%s\"", r->name, r->args);
        const char *many = strchr(r->args, '*');
        if (many && (many == r->args || many[1]))
            fail_msg("'%s': '*' repeats the last letter", r->name);
        if (r->result >= '0' && r->result <= '9' && (size_t)(r->result - '0') >= length)
            fail_msg("'%s' gives an argument that it does not have", r->name);
        if (!strchr("ibotpz", r->result) && (r->result < '0' || r->result > '9'))
            fail_msg("'%s': no such result '%c'", r->name, r->result);
        for (size_t k = 0; r->most && r->most[k]; k++) {
            bool pointer = k < length && strchr("rwb", r->args[k]);
            size_t by = (size_t)(r->most[k] - '0');
            if (r->does != AU_DOES_MEMORY ||
                (r->most[k] != '-' && (!pointer || by >= length || r->args[by] != '-')))
                fail_msg("'%s': no argument says how much in \"%s\"", r->name, r->most);
        }
    }
}

/* '.touches' as rt/told.c reads it: a letter, an argument or R, how much. */
static const char *wrong_place(const char *s) {
    bool stream = *s && strchr("fgoud", *s);
    if (!stream && (!*s || !strchr("rwWZE", *s)))
        return "no such letter";
    s++;
    if (*s != 'R' && (*s < '0' || *s > '5'))
        return "no such argument";
    s++;
    if (stream)
        return *s ? "a stream has no length" : NULL;
    char how = *s;
    if (!how || !strchr("sSnNkK#", how))
        return "no such length";
    size_t digits = strspn(++s, "0123456789");
    if ((!digits && !strchr("sS", how)) || (how != '#' && digits > 1))
        return "a length of what";
    s += digits;
    if (how == 'n' && *s == 'x') {
        digits = strspn(++s, "012345");
        if (digits != 1)
            return "a product of what";
        s++;
    }
    return *s ? "too long" : NULL;
}

static void the_runtime_can_read_what_is_touched(void **state) {
    (void)state;
    size_t n;
    const au_libc *row = au_libc_rows(&n);
    for (size_t i = 0; i < n; i++) {
        const au_libc *r = &row[i];
        if (r->touches && r->runtime != AU_RUNTIME_TELLS)
            fail_msg("'%s' says what it touches and is no TELLS", r->name);
        if (r->runtime == AU_RUNTIME_TELLS && !r->touches && !r->state)
            fail_msg("'%s' is TELLS and tells nothing", r->name);
        if (r->changes && !r->state)
            fail_msg("'%s' changes no state", r->name);
        char text[80], *save = NULL;
        assert_true(snprintf(text, sizeof text, "%s", r->touches ? r->touches : "") < 80);
        for (char *s = strtok_r(text, " ", &save); s; s = strtok_r(NULL, " ", &save))
            if (wrong_place(s))
                fail_msg("'%s': %s in '%s'", r->name, wrong_place(s), s);
    }
}

static void states_have_names(void **state) {
    (void)state;
    assert_null(au_libc_state_at(AU_STATE_BASE - 1));
    assert_null(au_libc_state_at(AU_STATE_BASE + 8 * AU_STATE_WORDS));
    for (unsigned k = 0; k < AU_STATE_WORDS; k++) {
        const char *name = au_libc_state_at(AU_STATE_BASE + 8 * k);
        assert_non_null(name);
        assert_true(au_libc_names_state(name));
    }
    assert_false(au_libc_names_state("(anonymous namespace)::x"));
    assert_false(au_libc_names_state("environment"));
}

/* ---- contradictions --------------------------------------------------------------------- */

/* Rows whose columns contradict each other: the columns were lists of their own once, and each keeps what it said.
 * A row that is put right goes from here; none is added. */
static const struct {
    const char *name, *what;
} known[] = {
    {"perror", "tells others and does not send"},
};

static bool reads_memory(const au_libc *r) {
    return r->args && r->does != AU_DOES_SYNC && strpbrk(r->args, "rb");
}

/* What contradicts itself in a row, with what its families state. */
static const char *contradiction(const au_libc *r) {
    if (r->class == AU_CLASS_HARMLESS && r->channel & AU_CHANNEL_SENDS)
        return "harmless and sends";
    if (r->class == AU_CLASS_HARMLESS && r->channel & AU_CHANNEL_HEARS)
        return "harmless and hears";
    if (r->class == AU_CLASS_HARMLESS && r->gap)
        return "harmless and a gap";
    if (r->class == AU_CLASS_DEAF && r->channel & AU_CHANNEL_HEARS)
        return "deaf and hears";
    if (r->class == AU_CLASS_DEAF && !(r->channel & AU_CHANNEL_SENDS))
        return "tells others and does not send";
    if (r->reads == AU_READS_SHOWN && r->channel & AU_CHANNEL_HEARS)
        return "only puts out and hears";
    if (r->reads == AU_READS_SHOWN && r->args && strpbrk(r->args, "wb"))
        return "only puts out and writes";
    if (r->reads == AU_READS_EVENTS && reads_memory(r) && r->runtime < AU_RUNTIME_STANDS)
        return "events of its reads, and the runtime does not define it";
    if (r->fails && r->does >= AU_DOES_PURE && r->does != AU_DOES_FAILS)
        return "fails and does something else";
    if (!r->fails && r->does == AU_DOES_FAILS && !*r->args)
        return "fails and does not fail";
    return NULL;
}

static void no_row_contradicts_itself(void **state) {
    (void)state;
    size_t n, bad = 0;
    const au_libc *row = au_libc_rows(&n);
    bool seen[sizeof known / sizeof *known] = {0};
    for (size_t i = 0; i < n; i++) {
        au_libc all = au_libc_of(row[i].name);
        const char *what = contradiction(&all);
        if (!what)
            continue;
        bool is_known = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (!strcmp(known[k].name, all.name) && !strcmp(known[k].what, what))
                is_known = seen[k] = true;
        if (!is_known) {
            print_error("'%s': %s\n", all.name, what);
            bad++;
        }
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!seen[k]) {
            print_error("'%s' is no longer '%s': take it from the list\n", known[k].name,
                        known[k].what);
            bad++;
        }
    assert_int_equal(bad, 0);
}

/* ---- what orders -------------------------------------------------------------------------- */

static void unknown_code_orders(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool base, other; /* in the C library, elsewhere */
    } what[] = {
        {"deflate", true, true},       /* no row */
        {"strlen", false, false},      /* modelled */
        {"abs", false, false},         /* harmless */
        {"lrand48", false, false},     /* no memory of the program */
        {"gethostname", false, false}, /* only what it is given … */
        {"fdopen", true, true},        /* … and memory of others */
        {"getpwnam", false, false},    /* told: the runtime defines it */
        {"event_add", true, true},     /* keeps what it is given */
        {"printf", false, false},      /* through a channel */
        {"memcached_get", true, true}, /* no family of libc's names */
        {"atomic_queue_push", false, true},
        {"pthread_mutex_lock", false, false},
        {"pthread_attr_init", false, false},
        {"_ZNSt6thread4joinEv", false, false},
        {"_ZNSt6vectorIiSaIiEE9push_backEOi", false, false},
        {"_ZN5Queue4pushEPv", true, true},
        {"__cxa_begin_catch", false, false},
        {"g_mutex_lock", false, false},
        {"g_list_append", false, false},
        {"g_async_queue_push", true, true},
    };
    for (size_t i = 0; i < sizeof what / sizeof *what; i++)
        if (au_libc_orders(what[i].name, true) != what[i].base ||
            au_libc_orders(what[i].name, false) != what[i].other)
            fail_msg("'%s' orders, or not, in libc or elsewhere", what[i].name);
}

/* What a call depends on that no event tells. */
static void foreign_code_asks(void **state) {
    (void)state;
    static const struct {
        const char *name;
        au_libc_reply base, other; /* in the C library, elsewhere */
    } what[] = {
        {"crc32", AU_REPLY_MEMORY, AU_REPLY_MEMORY}, /* no row */
        {"regexec", AU_REPLY_MEMORY, AU_REPLY_MEMORY},
        {"umask", AU_REPLY_STATE, AU_REPLY_STATE}, /* no memory of the program */
        {"getrlimit", AU_REPLY_STATE, AU_REPLY_STATE},
        {"setrlimit", AU_REPLY_MEMORY, AU_REPLY_MEMORY}, /* reads what it is given */
        {"semop", AU_REPLY_STATE, AU_REPLY_STATE},       /* wrapped, and not told */
        {"mkdir", AU_REPLY_STATE, AU_REPLY_STATE},       /* its name is told */
        {"strlen", AU_REPLY_UNSTATED, AU_REPLY_UNSTATED},
        {"abs", AU_REPLY_UNSTATED, AU_REPLY_UNSTATED},
        {"printf", AU_REPLY_UNSTATED, AU_REPLY_UNSTATED},
        {"malloc", AU_REPLY_UNSTATED, AU_REPLY_UNSTATED},
        {"pthread_mutex_lock", AU_REPLY_UNSTATED, AU_REPLY_UNSTATED},
    };
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        if (au_libc_foreign(what[i].name, true) != what[i].base ||
            au_libc_foreign(what[i].name, false) != what[i].other)
            fail_msg("%s: %d, %d", what[i].name, au_libc_foreign(what[i].name, true),
                     au_libc_foreign(what[i].name, false));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_found),
        cmocka_unit_test(other_names_are_not_found),
        cmocka_unit_test(families_fill_what_a_row_leaves_open),
        cmocka_unit_test(families_are_not_repeated),
        cmocka_unit_test(arguments_and_results_fit),
        cmocka_unit_test(the_runtime_can_read_what_is_touched),
        cmocka_unit_test(states_have_names),
        cmocka_unit_test(no_row_contradicts_itself),
        cmocka_unit_test(unknown_code_orders),
        cmocka_unit_test(foreign_code_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
