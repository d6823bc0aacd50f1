#!/usr/bin/env bash
# augur cc: messages and exit statuses are clang's, byte for byte; what is interrupted leaves
# nothing behind.
. "$(dirname "$0")/lib.sh"

if ! command -v clang-19 >/dev/null; then
    check "clang-19"
    skip "clang-19 is not installed"
    exit 0
fi
export TMPDIR=$TMP/tmp
mkdir "$TMPDIR"

# same ARGUMENT...: clang-19 and augur cc say the same and leave the same files.
same() {
    rm -rf want.d got.d
    mkdir want.d got.d
    (cd want.d && clang-19 "$@" </dev/null >../want.out 2>../want.err)
    local code=$?
    (cd got.d && "$AUGUR" cc "$@" </dev/null >../.lib/out 2>../.lib/err)
    status=$? au_command="augur cc $*"
    out=$(cat .lib/out) err=$(cat .lib/err)
    expect_status $code
    sed -E 's/-[0-9a-f]{6}\.o/.o/g; s,/[^ ]*/tmp/(augur-cc-[A-Za-z0-9]{6}/)?,,g' want.err >want.plain
    sed -E 's/-[0-9a-f]{6}\.o/.o/g; s,/[^ ]*/tmp/(augur-cc-[A-Za-z0-9]{6}/)?,,g' .lib/err >got.plain
    expect_same want.out .lib/out
    expect_same want.plain got.plain
    (cd want.d && ls) >want.ls
    (cd got.d && ls) >got.ls
    expect_same want.ls got.ls
}

cat >error.c <<'END'
int f(void) { return undeclared; }
int g(void) { int x = "s"; return }
END
cat >warning.c <<'END'
#warning a word
static int unused(void) { return 1; }
int f(int n) { int x; if (n = 1) return x; }
END
echo 'int main(void) { return 0; }' >good.c
echo 'int main(void) { __asm__("no such instruction"); return 0; }' >inline.c
printf 'no such instruction\n' >bad.s
cat >late.c <<'END'
void never(void) __attribute__((error("this must not be called")));
int main(void) { never(); return 0; }
END
cat >deep.h <<'END'
#include "deeper.h"
END
echo 'int x = ;' >deeper.h
echo '#include "deep.h"' >includes.c

check "errors"
same -c ../error.c
same -c ../includes.c
same -S ../error.c
same ../error.c -o prog
same -fsyntax-only ../error.c
same -E ../includes.c -I.. -include nothere.h
check "warnings, and warnings as errors"
same -c ../warning.c
same -Wall -Wextra -c ../warning.c
same -Wall -Werror -c ../warning.c
same -w -c ../warning.c
check "one of several sources is bad: the others are compiled"
same -c ../good.c ../error.c ../inline.c
same ../good.c ../error.c -o prog
check "errors that come from code generation"
same -c ../inline.c
same -c ../bad.s
same -O2 -c ../late.c
check "errors of the driver"
same
same -c nothere.c
same --no-such-option -c ../good.c
same -O99 -c ../good.c
same -o prog
same -c ../good.c ../warning.c -o both.o
same -x nolanguage ../good.c
same -march=none -c ../good.c
same -c ../good.c -o no/such/directory/x.o
check "unused arguments"
same -c ../good.c -lm -Wl,-z,now
same -c ../good.c -Werror -lm
same good.o -c
check "options for messages"
same -c ../error.c -fcolor-diagnostics
same -c ../error.c -fdiagnostics-format=msvc
same -c ../error.c -ferror-limit=1
same -c ../error.c -fno-caret-diagnostics
same -c ../error.c -fdiagnostics-absolute-paths
same -c ../error.c -serialize-diagnostics x.dia

check "colours on a terminal"
if command -v script >/dev/null; then
    TERM=xterm script -qec "clang-19 -c error.c" /dev/null </dev/null >want.tty
    TERM=xterm script -qec "'$AUGUR' cc -c error.c" /dev/null </dev/null >got.tty
    expect_true "there are colours" grep -q $'\033\\[' want.tty
    expect_same want.tty got.tty
    TERM=xterm script -qec "'$AUGUR' cc good.c -lnothere -o x" /dev/null </dev/null >got.tty
    expect_true "also in the last word" grep -q $'\033\\[0;1;31merror: ' got.tty
else
    skip "script is not installed"
fi

check "no part of augur, no program"
mkdir alone
cp "$AUGUR" alone/augur
run alone/augur cc -c good.c -o x.o
expect_status 1
expect_err "^augur: a part of augur is missing: 'augur-llvm.so'"
run alone/augur cc -E good.c
expect_status 0

check "no clang"
run env PATH=/nonexistent "$AUGUR" cc --version
if [ -x /usr/lib/llvm-19/bin/clang ]; then
    expect_status 0
else
    expect_status 1
    expect_err "cannot find 'clang-19'"
fi

# As where memory was short for a moment: what clang makes by itself next has no hooks.
check "clang fails only when asked what it would run"
mkdir weak
for how in 'exit 3' 'kill -SEGV $$'; do
    cat >weak/clang-19 <<END
#!/bin/sh
case " \$* " in *" -### "*) $how ;; esac
exec $(command -v clang-19) "\$@"
END
    chmod +x weak/clang-19
    run env PATH="$PWD/weak:$PATH" "$AUGUR" cc good.c -o weak.out
    expect_true "a failure, not $status" [ "$status" -ne 0 ]
    expect_err "weak/clang-19.*(no hooks|killed by signal)"
done

check "no place for temporary files"
run env TMPDIR=/no/such/directory "$AUGUR" cc -c good.c
expect_status 1
expect_err "^augur: cannot make a directory '/no/such/directory/augur-cc-"

# Interrupted in the middle of a compilation that reads from a pipe nobody closes.
for sig in INT TERM HUP; do
    check "stopped by SIG$sig: nothing is left behind"
    rm -f fifo stopped.o
    mkfifo fifo
    # an interactive shell's background job would ignore SIGINT: start it through env
    env --default-signal=INT,TERM,HUP "$AUGUR" cc -x c fifo -c -o stopped.o &
    pid=$!
    exec 9>fifo # opens when cc1 reads it
    kill -$sig $pid
    wait $pid
    status=$? au_command="augur cc, killed"
    exec 9>&-
    expect_true "died of the signal, not with status $status" \
        [ "$status" -eq $((128 + $(kill -l $sig))) ]
    expect_no_file stopped.o
    expect_true "an empty directory: $(ls "$TMPDIR")" [ -z "$(ls -A "$TMPDIR")" ]
done

check "many at once"
for i in $(seq 12); do
    echo "int f$i(int *p); int f$i(int *p) { return *p + $i; }" >many$i.c
done
printf 'all: %s\n%%.o: %%.c\n\t"$(AUGUR)" cc -O1 -c $< -o $@\n' "$(echo many{1..12}.o)" >many.mk
run make -s -j 6 -f many.mk
expect_status 0
expect_no_err
expect_true "all objects" [ "$(ls many*.o | wc -l)" -eq 12 ]

check "temporary files are gone"
expect_true "an empty directory: $(ls "$TMPDIR")" [ -z "$(ls -A "$TMPDIR")" ]
