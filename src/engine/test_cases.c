/* engine/test_cases.c: see test_cases.h. */
#include "engine/test_cases.h"

#include "base/alloc.h"
#include "base/in.h"

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

static bool mentions(const char *path, const char *text) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = false;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED) {
            found = memmem(p, (size_t)st.st_size, text, strlen(text)) != NULL;
            munmap(p, (size_t)st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return found;
}

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
            au_vec_push(into, au_sprintf("--gtest_filter=%s%s", suite, name));
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
            au_vec_push(into, au_strndup(name.at, name.n));
        au_vec_release(&name);
    }
    free(line);
}

void au_test_cases_of(const char *path, au_test_cases *into) {
    bool gtest = mentions(path, "gtest_list_tests");
    bool catch2 = !gtest && mentions(path, "--list-test-names-only");
    if (!gtest && !catch2)
        return;
    int end[2];
    if (pipe2(end, O_CLOEXEC))
        return;
    pid_t pid = 0;
    posix_spawn_file_actions_t files;
    char *const argv[] = {(char *)(uintptr_t)path,
                          gtest ? "--gtest_list_tests" : "--list-test-names-only", NULL};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, end[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid, path, &files, NULL, argv, environ))
        pid = 0;
    posix_spawn_file_actions_destroy(&files);
    close(end[1]);
    FILE *in = fdopen(end[0], "r");
    if (in && pid > 0)
        (gtest ? from_gtest : from_catch)(in, into);
    if (in)
        fclose(in);
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

void au_test_cases_release(au_test_cases *c) {
    for (size_t i = 0; i < c->n; i++)
        free(c->at[i]);
    au_vec_release(c);
}
