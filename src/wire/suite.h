/* SPDX-License-Identifier: MIT
 *
 * wire/suite.h: how the runtime of a process in a test suite and 'augur test' find out that the process is as before, and
 * need not be recorded again.
 *
 * The suite's directory has a file AU_SUITE_KNOWN of 8-byte numbers: the first stands for augur and its options, the
 * others, ascending, for what earlier suites had. A process makes such a number of itself, beginning with the first;
 * if it is among them it runs as it is, and leaves a file *.known: the number as 16 digits, a new line, its name. */
#ifndef AU_WIRE_SUITE_H
#define AU_WIRE_SUITE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define AU_SUITE_KNOWN "known"

/* FNV-1a, with what stands at p appended. */
static inline uint64_t au_suite_mix(uint64_t h, const void *p, size_t n) {
    for (const unsigned char *s = (const unsigned char *)p, *end = s + n; s < end; s++)
        h = (h ^ *s) * UINT64_C(0x100000001b3);
    return h;
}

/* A variable of the environment ("NAME=VALUE") that augur, shells, make, Meson and continuous integrations set anew each time.
 * What it is does not tell runs of a test apart. */
static inline int au_suite_is_passing(const char *item) {
    static const char *const name[] = {
        "AUGUR_SUITE=", "_=",        "SHLVL=",           "OLDPWD=",  "MAKEFLAGS=", "MFLAGS=",
        "MAKELEVEL=",   "MAKE_TERM", "MALLOC_PERTURB_=", "GITHUB_",  "RUNNER_",    "ACTIONS_",
        "CI_",          "GITLAB_",   "BUILD_",           "JENKINS_", "TF_BUILD"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (!strncmp(item, name[i], strlen(name[i])))
            return 1;
    return 0;
}

#endif
