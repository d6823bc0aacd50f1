#!/usr/bin/env bash
# How often a command opens a recording: counted at the C library's open.
# SANITIZED: no, because the sanitizer's runtime must be the first library
. "$(dirname "$0")/../e2e/lib.sh"

cat >count.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int open64(const char *path, int flags, ...) {
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    va_list ap;
    va_start(ap, flags);
    int mode = va_arg(ap, int);
    va_end(ap);
    int fd = real(path, flags, mode), log;
    size_t n = strlen(path);
    if (fd >= 0 && !(flags & O_WRONLY) && n > 6 && !strcmp(path + n - 6, ".trace") &&
        (log = real(OPENS, O_WRONLY | O_APPEND | O_CREAT, 0600)) >= 0) {
        dprintf(log, "%s\n", path);
        close(log);
    }
    return fd;
}
C
cc -shared -fPIC -DOPENS="\"$PWD/opens\"" count.c -o count.so -ldl
augur_cc -g -O2 -pthread "$SRC/examples/first/bank.c" -o bank
"$AUGUR" record -q -o bank.trace ./bank

opens() { # opens COMMAND...: into $times, how often each recording was opened, the most first
    rm -f opens
    LD_PRELOAD=$PWD/count.so "$@" >out.txt 2>err.txt
    touch opens
    times=$(sort opens | uniq -c | sort -rn | awk '{ printf "%s ", $1 }')
}

check "check: once, though the run is followed in the program's code"
opens "$AUGUR" check bank.trace
grep -q '^R1 proved' out.txt || fail "not found: $(cat err.txt)"
expect_true "opened $times" test "$times" = "1 "

check "check with a dossier: once more, for the callers"
opens "$AUGUR" check --format json bank.trace
expect_true "opened $times" test "$times" = "2 "

check "run: for the check, the executions, the callers and what the race does"
# One finding: each further execution is a recording of its own, by the same name.
opens "$AUGUR" run --no-explore --prop race ./bank
grep -q '^R1 confirmed' out.txt || fail "not found: $(cat err.txt)"
expect_true "opened $times" test "${times%% *}" -le 4
