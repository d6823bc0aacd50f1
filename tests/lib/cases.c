/* tests/lib/cases.c: the arguments of random tests; see cases.h. */
#include "cases.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t running;

static _Noreturn void refuse(const char *program, bool go_on, const cases_option *more) {
    const char *slash = strrchr(program, '/');
    fprintf(stderr, "usage: %s [--count N] [--seed N] [--one N]%s", slash ? slash + 1 : program,
            go_on ? " [--failures N]" : "");
    for (; more && more->name; more++)
        fprintf(stderr, " [--%s N]", more->name);
    fprintf(stderr, "\n");
    exit(2);
}

static uint64_t *value_of(cases *c, const char *name, const cases_option *more) {
    const cases_option all[] = {
        {"count", &c->count}, {"seed", &c->seed}, {"failures", &c->most}, {"one", &c->one}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(name, all[i].name))
            return all[i].value == &c->most && !c->most ? NULL : all[i].value;
    for (; more && more->name; more++)
        if (!strcmp(name, more->name))
            return more->value;
    return NULL;
}

void au_cases_options(cases *c, int argc, char **argv, const cases_option *more) {
    for (int i = 1; i < argc; i += 2) {
        uint64_t *v = strncmp(argv[i], "--", 2) ? NULL : value_of(c, argv[i] + 2, more);
        char *end = NULL;
        if (!v || i + 1 == argc)
            refuse(argv[0], c->most != 0, more);
        errno = 0;
        *v = strtoull(argv[i + 1], &end, 10);
        if (errno || end == argv[i + 1] || *end)
            refuse(argv[0], c->most != 0, more);
    }
    if (c->one) {
        c->count = 1;
        c->seed = c->one;
    }
}

uint64_t au_cases_seed(const cases *c, uint64_t i) {
    return c->one ? c->one : c->seed * 1000000 + i;
}

static void on_death(int number) {
    char text[64];
    int n = snprintf(text, sizeof text, "signal %d at seed %llu\n", number,
                     (unsigned long long)running);
    (void)!write(STDOUT_FILENO, text, (size_t)n);
    signal(number, SIG_DFL);
    raise(number);
}

void au_cases_enter(uint64_t seed) {
    running = seed;
    signal(SIGABRT, on_death);
    signal(SIGSEGV, on_death);
}
