/* A working directory as a copy of its own. */
#include "base/limits.h"
#include "record/sandbox.h"

#include "base/temporary.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char top[PATH_MAX]; /* real path of a directory of this test */

static const char *in(const char *dir, const char *name) {
    static char path[4][PATH_MAX];
    static unsigned k;
    k = (k + 1) % 4;
    int n = snprintf(path[k], sizeof path[k], "%s/%s", dir, name);
    assert_true(n > 0 && (size_t)n < sizeof path[k]);
    return path[k];
}

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void holds(const char *path, const char *text) {
    char buf[100] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(buf, 1, sizeof buf - 1, f);
    fclose(f);
    buf[n] = 0;
    assert_string_equal(buf, text);
}

static int set_up(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    char *dir = au_temporary_directory("augur-", &err);
    assert_non_null(dir);
    assert_non_null(realpath(dir, top));
    free(dir);
    assert_int_equal(mkdir(in(top, "work"), 0755), 0);
    assert_int_equal(mkdir(in(top, "work/sub"), 0755), 0);
    assert_int_equal(mkdir(in(top, "data"), 0755), 0);
    put(in(top, "work/a"), "one");
    put(in(top, "work/sub/b"), "two");
    put(in(top, "work/prog"), "program");
    put(in(top, "work/mine"), "not copied");
    put(in(top, "data/c"), "three");
    assert_int_equal(symlink("a", in(top, "work/link")), 0);
    assert_int_equal(chmod(in(top, "work/sub/b"), 0444), 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    au_remove_all(top);
    return access(top, F_OK) ? 0 : -1;
}

static void a_copy_each_time(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    struct stat st;
    char work[PATH_MAX], exe[PATH_MAX], omit[PATH_MAX], target[PATH_MAX], first[PATH_MAX];
    snprintf(work, sizeof work, "%s", in(top, "work"));
    snprintf(exe, sizeof exe, "%s", in(top, "work/prog"));
    snprintf(omit, sizeof omit, "%s", in(top, "work/mine"));
    au_sandbox *s = au_sandbox_open(work, exe, omit, &err);
    assert_non_null(s);
    const char *at = au_sandbox_fresh(s, &err);
    assert_non_null(at);
    assert_true(strcmp(at, work));
    snprintf(first, sizeof first, "%s", at);
    holds(in(at, "a"), "one");
    holds(in(at, "sub/b"), "two");
    holds(in(at, "link"), "one");
    holds(in(at, "../data/c"), "three");
    assert_int_equal(stat(in(at, "sub/b"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0444);
    assert_int_equal(lstat(in(at, "link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(access(in(at, "mine"), F_OK), -1);
    ssize_t n = readlink(in(at, "prog"), target, sizeof target - 1);
    assert_true(n > 0);
    target[n] = 0;
    assert_string_equal(target, exe);
    /* What is done there stays there, and is gone with the next copy. */
    put(in(at, "a"), "changed");
    put(in(at, "new"), "new");
    assert_int_equal(unlink(in(at, "sub/b")), 0);
    holds(in(work, "a"), "one");
    at = au_sandbox_fresh(s, &err);
    assert_string_equal(at, first);
    holds(in(at, "a"), "one");
    holds(in(at, "sub/b"), "two");
    assert_int_equal(access(in(at, "new"), F_OK), -1);
    au_sandbox_free(s);
    assert_int_equal(access(first, F_OK), -1);
    holds(in(top, "data/c"), "three"); /* links were taken away, not followed */
}

static void what_cannot_be(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    assert_null(au_sandbox_open("/", NULL, NULL, &err));
    assert_int_equal(err.status, AU_EUNSUPPORTED);
    /* Too large: a file that takes no room on the disk. */
    assert_int_equal(truncate(in(top, "work/a"), (off_t)AU_LIMIT_SANDBOX_BYTES + 1), 0);
    au_sandbox *s = au_sandbox_open(in(top, "work"), NULL, NULL, &err);
    assert_non_null(s);
    assert_null(au_sandbox_fresh(s, &err));
    assert_int_equal(err.status, AU_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "MiB"));
    au_sandbox_free(s);
    s = au_sandbox_open(in(top, "nowhere"), NULL, NULL, &err);
    assert_non_null(s);
    assert_null(au_sandbox_fresh(s, &err));
    assert_int_equal(err.status, AU_EIO);
    au_sandbox_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_copy_each_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
