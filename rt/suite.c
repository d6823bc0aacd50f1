/* SPDX-License-Identifier: MIT
 *
 * rt/suite.c: a program that 'augur test' finds among the processes of a test suite. It was started by the suite, not by
 * augur; so before anything of it has run it becomes the recorder, which starts it again, recorded, and ends as it ends.
 *
 * AU_SUITE_VARIABLE names the suite's directory; the tool is a link in it, and is gone when the suite has ended:
 * executions that follow, of recordings that hold this environment, are left alone.
 *
 * And one test of a program of cmocka, which has no option for that, only a function. */
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/start.h"

#include <string.h>
#include <sys/auxv.h>

const char *rt_value_of(char **envp, const char *name) {
    size_t n = strlen(name);
    for (; *envp; envp++)
        if (!strncmp(*envp, name, n) && (*envp)[n] == '=')
            return *envp + n + 1;
    return NULL;
}

enum { MOST = 4096 };

void rt_suite_start(int argc, char **argv, char **envp) {
    const char *dir = rt_value_of(envp, AU_SUITE_VARIABLE);
    static char tool[MOST], option[MOST], self[MOST];
    if (!dir || *dir != '/' || getauxval(AT_SECURE))
        return;
    size_t n = strlen(dir);
    if (n + sizeof "/" AU_SUITE_TOOL > MOST || n + sizeof "--suite=" > MOST || argc < 1)
        return;
    memcpy(tool, dir, n);
    memcpy(tool + n, "/" AU_SUITE_TOOL, sizeof "/" AU_SUITE_TOOL);
    memcpy(option, "--suite=", 8);
    memcpy(option + 8, dir, n + 1);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0 || access(tool, X_OK) != 0)
        return;
    self[length] = 0;
    char *arg[argc + 6];
    int k = 0;
    arg[k++] = (char[]){"augur"};
    arg[k++] = (char[]){"record"};
    arg[k++] = (char[]){"--quiet"};
    arg[k++] = option;
    arg[k++] = (char[]){"--"};
    arg[k++] = self;
    for (int i = 1; i < argc; i++)
        arg[k++] = argv[i];
    arg[k] = NULL;
    rt_real.execve(tool, arg, envp); /* if it cannot, the program runs as it is */
}

void rt_cmocka_start(char **envp) {
    const char *pattern = rt_value_of(envp, AU_CMOCKA_VARIABLE);
    void *f = pattern ? dlsym(RTLD_DEFAULT, "cmocka_set_test_filter") : NULL;
    void (*set)(const char *);
    memcpy(&set, &f, sizeof set);
    if (f)
        set(pattern);
}
