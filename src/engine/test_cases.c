/* engine/test_cases.c: see test_cases.h. */
#include "engine/test_cases.h"

#include "base/alloc.h"
#include "wire/control.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- which framework ---- */

/* One of the texts that end with NULL. */
static bool mentions(const char *path, const char *const *text) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = false;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED) {
            for (; *text && !found; text++)
                found = memmem(p, (size_t)st.st_size, *text, strlen(*text)) != NULL;
            munmap(p, (size_t)st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return found;
}

/* ---- their lists ---- */

/* "Queue." and below it "  Full  # GetParam() = 3"; what the program says besides stands at the beginning of
 * a line and does not end with a point. */
static void from_gtest(FILE *in, au_test_cases *into) {
    char *line = NULL, suite[512] = "";
    size_t cap = 0;
    while (getline(&line, &cap, in) > 0) {
        bool inner = !strncmp(line, "  ", 2);
        char *name = line + (inner ? 2 : 0);
        name[strcspn(name, " \t\n#")] = 0;
        size_t n = strlen(name);
        if (!inner)
            snprintf(suite, sizeof suite, "%s", n && name[n - 1] == '.' ? name : "");
        else if (n && *suite && strncmp(name, "DISABLED_", 9) && strncmp(suite, "DISABLED_", 9))
            au_vec_push(into,
                        ((au_test_case){.arg = au_sprintf("--gtest_filter=%s%s", suite, name)}));
    }
    free(line);
}

/* A name a line; commas, brackets and the like have a meaning in its own patterns. */
static void from_catch(FILE *in, au_test_cases *into) {
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, in) > 0) {
        line[strcspn(line, "\n")] = 0;
        AU_VEC(char) name = {0};
        for (const char *s = line; *s; s++) {
            if (strchr(",[]\\*\"~", *s))
                au_vec_push(&name, '\\');
            au_vec_push(&name, *s);
        }
        if (name.n)
            au_vec_push(into, ((au_test_case){.arg = au_strndup(name.at, name.n)}));
        au_vec_release(&name);
    }
    free(line);
}

/* "queue: 2 tests" and below it "├── full" and "└── empty"; a disabled test has "(skipped)" behind it. */
static void from_criterion(FILE *in, au_test_cases *into) {
    char *line = NULL, suite[512] = "";
    size_t cap = 0;
    while (getline(&line, &cap, in) > 0) {
        char *name = strstr(line, "── "), *colon = strrchr(line, ':');
        line[strcspn(line, "\n")] = 0;
        if (!name && colon) {
            *colon = 0;
            snprintf(suite, sizeof suite, "%s", line);
        } else if (name && *suite && !strstr(name, "(skipped)")) {
            name += strlen("── ");
            name[strcspn(name, " \t\033")] = 0;
            au_vec_push(into, ((au_test_case){.arg = au_sprintf("--filter=%s/%s", suite, name)}));
        }
    }
    free(line);
}

/* Between <tag> and </tag> of a line, with the characters that XML writes otherwise; caller frees, NULL: not there. */
static char *content(const char *line, const char *open, char end) {
    static const char *const entity[] = {"&amp;", "&",      "&lt;", "<",      "&gt;",
                                         ">",     "&quot;", "\"",   "&apos;", "'"};
    const char *s = strstr(line, open);
    AU_VEC(char) text = {0};
    for (s = s ? s + strlen(open) : ""; *s && *s != end;) {
        size_t n = 1, k = 0;
        while (k < 10 && strncmp(s, entity[k], strlen(entity[k])))
            k += 2;
        au_vec_push(&text, k < 10 ? *entity[k + 1] : *s);
        n = k < 10 ? strlen(entity[k]) : 1;
        s += n;
    }
    char *all = *s && text.n ? au_strndup(text.at, text.n) : NULL;
    au_vec_release(&text);
    return all;
}

static bool is_there(const au_test_cases *c, const au_test_case *x) {
    for (size_t i = 0; i < c->n; i++) {
        bool same = true;
        for (size_t k = 0; k < 2; k++)
            same &= !c->at[i].env[k] == !x->env[k] &&
                    (!x->env[k] || !strcmp(c->at[i].env[k], x->env[k]));
        if (same)
            return true;
    }
    return false;
}

static void release_one(au_test_case *c) {
    free(c->arg);
    free(c->env[0]);
    free(c->env[1]);
}

static void add_variables(au_test_cases *into, const char *first, const char *a, const char *second,
                          const char *b) {
    au_test_case c = {
        .env = {au_sprintf("%s=%s", first, a), b ? au_sprintf("%s=%s", second, b) : NULL}};
    if (is_there(into, &c))
        release_one(&c);
    else
        au_vec_push(into, c);
}

/* Its report: <title> of the suite, then each test with the <description> of its case. */
static void from_check(FILE *in, au_test_cases *into) {
    char *line = NULL, *suite = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, in) > 0) {
        char *title = content(line, "<title>", '<'), *name = content(line, "<description>", '<');
        if (title) {
            free(suite);
            suite = title;
        }
        if (name && suite)
            add_variables(into, "CK_RUN_CASE", name, "CK_RUN_SUITE", suite);
        free(name);
    }
    free(suite);
    free(line);
}

static void from_cmocka(FILE *in, au_test_cases *into) {
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, in) > 0) {
        char *name = content(line, "<testcase name=\"", '"');
        if (name)
            add_variables(into, AU_CMOCKA_VARIABLE, name, "", NULL);
        free(name);
    }
    free(line);
}

/* ---- asking the program ---- */

enum { BOTH = -2 }; /* standard output and standard error */

typedef struct {
    const char *text[4]; /* in the file of a program that uses it, any of these */
    const char *arg[3];
    const char *variable[2]; /* … and their values; "%s": the name of a file for the list */
    int fd;                  /* where the list is written otherwise */
    void (*read)(FILE *in, au_test_cases *into);
} framework;

/* The order counts: GoogleTest's header mentions nobody else, but programs of others may use its mocks. */
static const framework known[] = {
    {{"gtest_list_tests"}, {"--gtest_list_tests"}, {NULL}, STDOUT_FILENO, from_gtest},
    {{"--list-test-names-only"}, {"--list-test-names-only"}, {NULL}, STDOUT_FILENO, from_catch},
    {{"Catch2 v", "N5Catch"},
     {"--list-tests", "--verbosity=quiet"},
     {NULL},
     STDOUT_FILENO,
     from_catch},
    {{"criterion_initialize", "criterion_handle_args", "libcriterion.so"},
     {"--list", "--color=never"},
     {NULL},
     STDOUT_FILENO,
     from_criterion},
    {{"srunner_run_all", "srunner_run"}, {NULL}, {"CK_XML_LOG_FILE_NAME", "%s"}, -1, from_check},
    {{"_cmocka_run_group_tests"}, {NULL}, {"CMOCKA_MESSAGE_OUTPUT", "XML"}, BOTH, from_cmocka},
};

static void ask(const framework *f, const char *path, au_test_cases *into) {
    int list = memfd_create("cases", MFD_CLOEXEC);
    char *const argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)f->arg[0],
                          (char *)(uintptr_t)f->arg[1], NULL};
    if (list < 0)
        return;
    if (f->variable[0]) {
        char *file = au_sprintf("/proc/%d/fd/%d", (int)getpid(), list);
        setenv(f->variable[0], *f->variable[1] == '%' ? file : f->variable[1], 1);
        free(file);
    }
    pid_t pid;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fd == f->fd || f->fd == BOTH)
            posix_spawn_file_actions_adddup2(&files, list, fd);
        else
            posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_WRONLY, 0);
    if (!posix_spawn(&pid, path, &files, NULL, argv, environ))
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    posix_spawn_file_actions_destroy(&files);
    if (f->variable[0])
        unsetenv(f->variable[0]);
    FILE *in = fdopen(list, "r");
    rewind(in);
    f->read(in, into);
    fclose(in);
}

void au_test_cases_of(const char *path, au_test_cases *into) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (mentions(path, known[i].text)) {
            ask(&known[i], path, into);
            return;
        }
}

void au_test_cases_release(au_test_cases *c) {
    for (size_t i = 0; i < c->n; i++)
        release_one(&c->at[i]);
    au_vec_release(c);
}
