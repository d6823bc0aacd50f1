#!/usr/bin/env bash
# augur cc: every kind of command line that build systems come up with. What clang does with
# it is what must happen; the same line is given to clang-19 where outputs can be compared.
. "$(dirname "$0")/lib.sh"

if ! command -v clang-19 >/dev/null; then
    check "clang-19"
    skip "clang-19 is not installed"
    exit 0
fi
export TMPDIR=$TMP/tmp
mkdir "$TMPDIR"
has_hooks() { readelf -SW "$1" 2>/dev/null | grep -q '\.augurbc'; }
has_symbol() { nm "$1" | grep -q " $2\$"; }
# The first bytes of a file.
begins() { [ "$(head -c "${#2}" "$1")" = "$2" ]; }

cat >one.c <<'END'
#include <stdio.h>
#include "own.h"
int shared;
int twice(int x) { return shared += x, OWN * x; }
#ifndef LIBRARY
int main(int n, char **v) { (void)v; printf("%d\n", twice(n)); return 3; }
#endif
END
echo '#define OWN 2' >own.h
cat >two.c <<'END'
int other(void);
int other(void) { return 7; }
END

check "compile and link in one go, as a.out"
run "$AUGUR" cc one.c
expect_status 0
expect_no_out
expect_no_err
run ./a.out
expect_status 3
expect_out '^2$'
expect_true "hooks and bitcode inside" has_hooks a.out

check "compile, then link"
run "$AUGUR" cc -O2 -Wall -Wextra -Werror -c one.c -o one.o
expect_status 0
expect_no_err
expect_true "hooks in the object" has_hooks one.o
run "$AUGUR" cc one.o -o one
expect_status 0
run ./one
expect_status 3

check "-c without -o, several sources"
rm -f one.o two.o
run "$AUGUR" cc -c one.c two.c
expect_status 0
expect_file one.o
expect_file two.o
run "$AUGUR" cc -o both one.c two.c
expect_status 0
run ./both
expect_status 3

check "a source and an object"
run "$AUGUR" cc -o both one.c two.o
expect_status 0
run ./both
expect_status 3

for level in -O0 -O1 -O -O2 -O3 -Os -Oz -Og -Ofast; do
    check "macros of $level are clang's"
    clang-19 $level -dM -E -x c /dev/null 2>/dev/null | sort >want
    run "$AUGUR" cc $level -dM -E -x c /dev/null
    expect_status 0
    sort .lib/out | grep -v __AUGUR__ >got
    expect_same got want
    # and in code, where -O0 is not -O0
    cat >macros.c <<'END'
#ifdef __OPTIMIZE__
int optimize = 1;
#else
int optimize = 0;
#endif
#ifdef __NO_INLINE__
int no_inline = 1;
#else
int no_inline = 0;
#endif
#ifdef __OPTIMIZE_SIZE__
int size = 1;
#else
int size = 0;
#endif
#include <stdio.h>
int main(void) { printf("%d %d %d\n", optimize, no_inline, size); return 0; }
END
    clang-19 -w $level macros.c -o macros && ./macros >want
    run "$AUGUR" cc -w $level macros.c -o macros
    expect_status 0
    run ./macros
    expect_same .lib/out want
done

check "-E: only preprocessed, __AUGUR__ is defined"
run "$AUGUR" cc -E -P -D LIBRARY one.c
expect_status 0
expect_out 'return shared \+= x, 2 \* x'
echo 'AUGUR: __AUGUR__' >probe.c
run "$AUGUR" cc -E -P probe.c
expect_out '^AUGUR: 1$'

check "-M, -MM"
clang-19 -M one.c >want
run "$AUGUR" cc -M one.c
expect_status 0
expect_same .lib/out want
run "$AUGUR" cc -MM -MT target one.c
expect_out '^target: one.c own.h$'

check "-MD, -MMD, -MF, -MT, -MP: dependency files are clang's"
for flags in "-MD" "-MMD -MP" "-MMD -MF deps.mk" "-MD -MT some/target -MF deps.mk"; do
    rm -f *.d deps.mk
    clang-19 -c one.c -o one.o $flags
    mv one.d want 2>/dev/null || mv deps.mk want
    run "$AUGUR" cc -c one.c -o one.o $flags
    expect_status 0
    expect_no_err
    mv one.d got 2>/dev/null || mv deps.mk got
    expect_same got want
done

check "-S: assembler text with hooks"
run "$AUGUR" cc -S one.c -o one.s
expect_status 0
expect_true "assembler text" grep -q 'main:' one.s
expect_true "with hooks" grep -q augurbc one.s
run "$AUGUR" cc one.s -o one
expect_status 0
run ./one
expect_status 3
run "$AUGUR" cc -S -o - one.c
expect_out 'main:'

check "-emit-llvm, and the bitcode compiled later"
run "$AUGUR" cc -emit-llvm -c one.c -o one.bc
expect_status 0
expect_true "bitcode" begins one.bc BC
run "$AUGUR" cc one.bc -o one
expect_status 0
expect_no_err
run ./one
expect_status 3
expect_true "one record of bitcode, not two" \
    [ "$(grep -ao AUGURBC1 one | wc -l)" -eq 1 ]
run "$AUGUR" cc -emit-llvm -S one.c -o one.ll
expect_true "text" grep -q 'define .*@main' one.ll
clang-19 -S -emit-llvm one.c -o foreign.ll
run "$AUGUR" cc foreign.ll -o one
expect_status 0
expect_true "bitcode of others gets its hooks" has_hooks one

check "response files"
printf '%s\n' -O1 '"one.c"' -o 'with\ space' >args.rsp
run "$AUGUR" cc @args.rsp
expect_status 0
run "./with space"
expect_status 3

check "very long command lines"
for i in $(seq 30000); do printf -- '-I/no/such/directory/anywhere/in/here/%d\n' $i; done >long.rsp
run "$AUGUR" cc @long.rsp -c one.c -o one.o
expect_status 0
for i in $(seq 30000); do printf -- '-L/no/such/directory/anywhere/in/here/%d\n' $i; done >long.rsp
run "$AUGUR" cc @long.rsp one.o -o one
expect_status 0
run ./one
expect_status 3

check "-x, standard input, -pipe"
run_with one.c "$AUGUR" cc -pipe -x c - -o one -I.
expect_status 0
run ./one
expect_status 3
cp one.c odd.name
run "$AUGUR" cc -x c odd.name -x none two.c -o one
expect_status 0

check "names with spaces, quotes, dollars and backslashes"
mkdir 'a $dir "q" \b'
cp one.c own.h 'a $dir "q" \b/'
run "$AUGUR" cc -c 'a $dir "q" \b/one.c' -o 'a $dir "q" \b/o $o.o' '-DTEXT="a b"'
expect_status 0
expect_file 'a $dir "q" \b/o $o.o'
run "$AUGUR" cc 'a $dir "q" \b/o $o.o' -o 'a $dir "q" \b/p"'
expect_status 0
run './a $dir "q" \b/p"'
expect_status 3

check "-save-temps"
mkdir save && cd save
cp ../one.c ../own.h .
run "$AUGUR" cc -save-temps one.c -o one
expect_status 0
# (clang's assembler warns of checksums here, as it does for plain -g -save-temps)
expect_true "no error" [ "$(grep -c error "$TMP/.lib/err")" -eq 0 ]
for f in one.i one.bc one.s one.o; do
    ls | grep -qE "(^|-)$f\$" || fail "no $f: $(ls)"
done
expect_true "hooks" has_hooks one
run ./one
expect_status 3
cd ..

check "-fsyntax-only writes nothing"
rm -f one.o
run "$AUGUR" cc -fsyntax-only one.c
expect_status 0
expect_no_file one.o

check "questions that clang answers"
for q in --version -dumpversion -dumpmachine -print-search-dirs -print-file-name=libc.so \
    -print-prog-name=ld -print-resource-dir -print-multi-lib -print-target-triple "-v" "-### one.c"; do
    clang-19 $q >want 2>want.err </dev/null
    code=$?
    run "$AUGUR" cc $q
    expect_status $code
    expect_same .lib/out want
    sed 's/-[0-9a-f]*\.o/.o/' want.err >want.plain
    sed 's/-[0-9a-f]*\.o/.o/' .lib/err >got.plain
    expect_same got.plain want.plain
done

check "-v tells what clang does, and where the C library is"
run "$AUGUR" cc -v one.c -o one
expect_status 0
expect_err 'search starts here'
expect_err '^ "/usr/[^"]*ld[^"]*" .*crt1\.o'
expect_true "no part of ours in it" [ "$(grep -c libaugur_rt .lib/err)" -eq 0 ]

check "--augur-verbose tells what augur does; other options of ours are refused"
run "$AUGUR" cc --augur-verbose one.c -o one
expect_status 0
expect_err '^augur: .*libaugur_rt\.a'
run "$AUGUR" cc --augur-nonsense one.c
expect_status 1
expect_err "^augur: unknown option '--augur-nonsense'"

check "precompiled headers"
cat >big.h <<'END'
#include <stdio.h>
#include <pthread.h>
static inline int from_header(void) { return 5; }
END
echo 'int main(void) { return from_header(); }' >uses.c
for level in "" -O2; do
    run "$AUGUR" cc $level -x c-header big.h -o big.h.pch
    expect_status 0
    run "$AUGUR" cc $level -include-pch big.h.pch uses.c -o uses
    expect_status 0
    expect_no_err
    run ./uses
    expect_status 5
done

check "assembler sources"
printf '.globl answer\nanswer:\n mov $42, %%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' >plain.s
printf '#define N 42\n.globl answer\nanswer:\n mov $N, %%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' >cpp.S
echo 'int answer(void); int main(void) { return answer(); }' >asks.c
for s in plain.s cpp.S; do
    run "$AUGUR" cc asks.c $s -o asks
    expect_status 0
    run ./asks
    expect_status 42
done
run "$AUGUR" cc -fno-integrated-as -c one.c -o one.o
expect_status 0

check "link-time optimisation is off, and says so"
for flag in -flto -flto=thin; do
    run "$AUGUR" cc -O2 $flag -c one.c -o one.o
    expect_status 0
    expect_err '^augur: link-time optimisation is off'
    expect_true "an object, not bitcode" begins one.o $'\x7fELF'
    run "$AUGUR" cc -O2 $flag one.o -o one
    expect_status 0
    run ./one
    expect_status 3
done

check "debug information is always there"
for flag in "" -g0 -g1 -gline-tables-only -g -g3 "-g -gdwarf-4" "-g -gsplit-dwarf"; do
    run "$AUGUR" cc $flag -c one.c -o one.o
    expect_status 0
    expect_no_err
    expect_true "debug information with '$flag'" grep -q DW_TAG_compile_unit \
        <(readelf --debug-dump=info one.o 2>/dev/null)
done
expect_file one.dwo

check "no name of a temporary file in the object"
run "$AUGUR" cc -O2 -c one.c -o one.o
expect_true "no temporary name" [ "$(grep -ac augur-cc- one.o)" -eq 0 ]
expect_true "the source's name" grep -q ' one.c$' <(readelf -sW one.o)

check "_FORTIFY_SOURCE does not hide calls from the runtime"
echo '#include <string.h>
#include <stdio.h>
int main(int n, char **v) { char b[8]; strcpy(b, v[0] + n * 0 + strlen(v[0]) - 3); puts(b); return 0; }' >fort.c
run "$AUGUR" cc -O2 -D_FORTIFY_SOURCE=2 -c fort.c -o fort.o
expect_status 0
expect_no_err
expect_true "no checked variant" [ "$(nm -u fort.o | grep -c _chk)" -eq 0 ]

check "-Wframe-larger-than, -Werror: hooks do not count"
run "$AUGUR" cc -O2 -Werror -Wframe-larger-than=16 -c two.c -o two.o
expect_status 0
expect_no_err

check "-fsanitize=undefined is kept"
echo 'int main(int n, char **v) { (void)v; return (0x7fffffff + n) != 0; }' >ub.c
if [ -e "$(clang-19 -print-resource-dir)/lib/linux/libclang_rt.ubsan_standalone-x86_64.a" ]; then
    run "$AUGUR" cc -fsanitize=undefined ub.c -o ub
    expect_status 0
    run ./ub
    expect_err 'signed integer overflow'
else
    skip "the runtime of the sanitizer is not installed"
fi
check "-fsanitize=undefined without its runtime"
run "$AUGUR" cc -fsanitize=undefined -fsanitize-trap=undefined ub.c -o ub
expect_status 0
run ./ub
expect_true "stopped by a trap" [ $status -gt 128 ]

check "what cannot be recorded is refused with a reason"
for flag in address thread memory leak address,undefined; do
    run "$AUGUR" cc -fsanitize=$flag -c one.c -o no.o
    expect_status 1
    expect_err "^augur: '-fsanitize=${flag%%,*}' conflicts with the runtime of augur: leave it out"
    expect_no_file no.o
done
for flag in -static -static-pie; do
    run "$AUGUR" cc $flag one.c -o no
    expect_status 1
    expect_err "^augur: cannot link 'no': a statically linked program cannot be recorded"
    expect_no_file no
done
for flag in -m32 -mx32 --target=aarch64-linux-gnu; do
    run "$AUGUR" cc $flag -c two.c -o no.o
    expect_status 1
    expect_err "^augur: cannot compile for .*x86_64"
    expect_no_file no.o
done
run "$AUGUR" cc -m32 -E -P two.c
expect_status 0

check "-Xclang -ast-dump and its like make no object and no error"
run "$AUGUR" cc -Xclang -ast-dump -c two.c -o none.o
expect_status 0
expect_out FunctionDecl

check "--help alone is ours"
run "$AUGUR" cc --help
expect_status 0
expect_out '^usage: augur cc'

check "temporary files are gone"
expect_true "an empty directory: $(ls "$TMPDIR")" [ -z "$(ls -A "$TMPDIR")" ]
