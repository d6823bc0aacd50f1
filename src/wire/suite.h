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

/* A variable of the environment ("NAME=VALUE" or its name) that augur, shells, make, Meson and continuous integrations set
 * anew each time. What it is does not tell runs of a test apart, unless the test asks for it (rt/told.c). Names that may say
 * what is to be tested, as CI_NODE_INDEX and BUILD_MODE do, do not belong here. */
static inline int au_suite_is_passing(const char *item) {
    static const char *const name[] = {
        "AUGUR_SUITE",
        "_",
        "SHLVL",
        "OLDPWD",
        "MAKEFLAGS",
        "MFLAGS",
        "MAKELEVEL",
        "MAKE_TERMOUT",
        "MAKE_TERMERR",
        "MALLOC_PERTURB_",
        "GITHUB_RUN_ID",
        "GITHUB_RUN_NUMBER",
        "GITHUB_RUN_ATTEMPT",
        "GITHUB_SHA",
        "GITHUB_ENV",
        "GITHUB_OUTPUT",
        "GITHUB_PATH",
        "GITHUB_STATE",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_EVENT_PATH",
        "GITHUB_ACTION",
        "GITHUB_ACTOR",
        "GITHUB_ACTOR_ID",
        "GITHUB_TRIGGERING_ACTOR",
        "GITHUB_TOKEN",
        "GITHUB_REF",
        "GITHUB_REF_NAME",
        "GITHUB_HEAD_REF",
        "GITHUB_WORKFLOW_SHA",
        "GITHUB_WORKFLOW_REF",
        "RUNNER_NAME",
        "RUNNER_TRACKING_ID",
        "ACTIONS_RUNTIME_TOKEN",
        "ACTIONS_RUNTIME_URL",
        "ACTIONS_RESULTS_URL",
        "ACTIONS_CACHE_URL",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
        "ACTIONS_ID_TOKEN_REQUEST_URL",
        "ACTIONS_ORCHESTRATION_ID",
        "CI_JOB_*",
        "CI_COMMIT_*",
        "CI_RUNNER_*",
        "CI_PIPELINE_ID",
        "CI_PIPELINE_IID",
        "CI_PIPELINE_URL",
        "CI_PIPELINE_CREATED_AT",
        "CI_BUILD_ID",
        "CI_BUILD_TOKEN",
        "CI_CONCURRENT_ID",
        "CI_CONCURRENT_PROJECT_ID",
        "CI_REGISTRY_PASSWORD",
        "CI_DEPENDENCY_PROXY_PASSWORD",
        "GITLAB_USER_ID",
        "GITLAB_USER_NAME",
        "GITLAB_USER_LOGIN",
        "GITLAB_USER_EMAIL",
        "BUILD_ID",
        "BUILD_NUMBER",
        "BUILD_TAG",
        "BUILD_URL",
        "BUILD_DISPLAY_NAME",
        "BUILD_BUILDID",
        "BUILD_BUILDNUMBER",
        "BUILD_BUILDURI",
        "BUILD_SOURCEVERSION",
        "JENKINS_SERVER_COOKIE",
        "JENKINS_NODE_COOKIE",
    };
    size_t n = strcspn(item, "=");
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        size_t k = strlen(name[i]);
        if (name[i][k - 1] == '*' ? n >= k && !strncmp(item, name[i], k - 1)
                                  : n == k && !strncmp(item, name[i], n))
            return 1;
    }
    return 0;
}

#endif
