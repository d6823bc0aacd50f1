#!/usr/bin/env bash
# Decoded code (src/ir/code.h): every program here, compiled in several ways, must
# decode to something well formed with the sites of the instrumentation; corners of C and C++ must
# decode to what their EXPECT lines say; the modules of a recording are found again.
. "$(dirname "$0")/lib.sh"

code=$SRC/tests/code
build=$(dirname "$AUGUR")

# to_bitcode SOURCE OUT FLAGS...: as clang makes it
to_bitcode() {
    local source=$1 out=$2 lang=c flags
    shift 2
    case $source in *.cc | *.cpp) lang=c++ ;; esac
    read -ra flags <<<"$(sed -n 's,^// FLAGS: ,,p' "$source")"
    [ $lang = c++ ] || flags+=(-D_GNU_SOURCE)
    clang-19 -x $lang -w -g "$@" -emit-llvm -pthread -D__AUGUR__ -I"$SRC/include" -I"$SRC/src" \
        ${flags[@]+"${flags[@]}"} -c "$source" -o "$out"
}
dump() {
    "$build/tests/code/code_dump" "$build/augur-llvm.so" "$@"
}
plain=(-O1 -Xclang -disable-llvm-passes)

for source in "$code"/decode/*; do
    name=$(basename "$source")
    check "$name decodes to what it says"
    run to_bitcode "$source" "$name.bc" "${plain[@]}"
    expect_status 0
    run "$build/tests/code/instrument" "$build/augur-llvm.so" "$name.bc" "$name.hooked.bc" \
        --clean "$name.clean.bc"
    expect_status 0
    run dump "$name.clean.bc"
    expect_status 0
    while IFS= read -r regex; do
        expect_true "a line '$regex'" grep -qE -- "$regex" .lib/out
    done <<<"$(sed -n 's,^ *// EXPECT: ,,p' "$source")"

    check "sites of $name stand at the instructions that the plan says"
    dump "$name.clean.bc" --sites | cut -d ' ' -f 2 >found
    "$build/tests/code/replan" "$name.clean.bc" | cut -d ' ' -f 2 >planned
    expect_same found planned
    expect_true "there are sites" test -s planned
done

code_sources=("$code"/programs/*.c "$code"/programs/*.cpp "$code"/decode/*)
other_sources=("$SRC"/tests/programs/*.c "$SRC"/tests/programs/*.cc "$SRC"/examples/*/*.c
    "$SRC"/bench/programs/*.c)
for way in plain O0 O2; do
    check "all programs decode to well-formed code ($way)"
    sources=("${code_sources[@]}")
    flags=("-$way")
    [ -n "$SANITIZED" ] || [ "$way" = O0 ] || sources+=("${other_sources[@]}")
    [ "$way" != plain ] || flags=("${plain[@]}")
    [ "$way" != O0 ] || flags+=(-Xclang -disable-O0-optnone) # else nothing is cleaned
    files=()
    for source in "${sources[@]}"; do
        file=$way.${#files[@]}.$(basename "$source").bc
        to_bitcode "$source" "$file" "${flags[@]}" 2>log || fail "$source: $(head -n 1 log)"
        files+=("$file")
    done
    run dump --raw "${files[@]}"
    expect_status 0
done

check "what is not bitcode is refused"
echo 'not bitcode' >text.bc
run dump text.bc
expect_status 2
expect_err "not bitcode of LLVM 19"

# codes_list and retrace find augur-llvm.so beside themselves
mkdir bin
cp "$build/tests/code/codes_list" "$build/tests/code/retrace" bin/
ln -s "$build/augur-llvm.so" bin/

# Each value that goes into memory is compared with what the program stored there.
for source in "$code"/decode/* "$SRC"/tests/programs/cxx_once_throws.cc; do
    name=$(basename "$source")
    driver=cc
    case $name in *.cc | *.cpp) driver=c++ ;; esac
    read -ra flags <<<"$(sed -n 's,^// FLAGS: ,,p' "$source")"
    for level in O0 O2; do
        check "$name at -$level computes again what it computed"
        run "$AUGUR" $driver -$level -g -w -pthread ${flags[@]+"${flags[@]}"} "$source" -o run.x -lm -latomic
        expect_status 0
        run "$AUGUR" record -o run.trace ./run.x
        expect_status 0
        run bin/retrace run.trace
        expect_status 0
    done
done

cat >inline.h <<'END'
#include <pthread.h>
extern int counter;
int impl(int);
int other(int);
inline __attribute__((noinline)) int bump(int x) { counter += x; return counter; }
/* without hooks only where impl is known */
inline __attribute__((noinline)) int through(int x) { return impl(x) + 1; }
template <class T> __attribute__((noinline)) T loops(T x) {
    T s = 0;
    for (T i = 0; i < x; i++)
        s += i * i;
    return s;
}
END
cat >first.cpp <<'END'
#include "inline.h"
int counter, out;
int impl(int x) { return x * 3; }
static void *work(void *) {
    out = bump(2) + loops(5) + through(1);
    return 0;
}
int main() {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    out += bump(1) + other(3);
    return 0;
}
END
cat >second.cpp <<'END'
#include "inline.h"
int out2;
int other(int x) {
    out2 = loops(x + 2) + through(x);
    if (loops(x) > through(x)) /* only the event of bump tells */
        bump(x);
    else
        out2 = 1;
    return bump(x) + loops(x);
}
END
for order in 'first.cpp second.cpp' 'second.cpp first.cpp'; do
    check "inline functions are followed in the copy that the linker kept ($order)"
    read -ra both <<<"$order"
    run "$AUGUR" c++ -O1 -g "${both[@]}" -pthread -o run.x
    expect_status 0
    run "$AUGUR" record -o run.trace ./run.x
    expect_status 0
    run bin/retrace run.trace
    expect_status 0
done

cat >lib.c <<'END'
int shared_count;
int add(int n) { return shared_count += n; }
END
cat >main.c <<'END'
#include <pthread.h>
int add(int n);
static void *work(void *a) { return (void *)(long)add(*(int *)a); }
int main(void) {
    int one = 1;
    pthread_t t;
    pthread_create(&t, 0, work, &one);
    pthread_join(t, 0);
    return add(0) != 1;
}
END
check "the modules of a program and its library are found by the recording"
run "$AUGUR" cc -shared -fPIC lib.c -o libadd.so
expect_status 0
run "$AUGUR" cc main.c -L. -ladd -Wl,-rpath,"$TMP" -pthread -o main
expect_status 0
run "$AUGUR" record -o t ./main
expect_status 0
run bin/codes_list t
expect_status 0
expect_true "main.c" grep -q '^main.c: decoded, 2 functions$' .lib/out
expect_true "lib.c" grep -q '^lib.c: decoded, 1 functions$' .lib/out
expect_true "no note" test "$(grep -c '^note' .lib/out)" -eq 0

check "a program linked anew from the same objects still serves"
run "$AUGUR" cc main.c -L. -ladd -Wl,-rpath,"$TMP" -Wl,--build-id -pthread -o main
run bin/codes_list t
expect_status 0
expect_true "main.c" grep -q '^main.c: decoded' .lib/out

check "a library that changed, and one that is gone, are noted"
sed -i 's/+=/-=/' lib.c
run "$AUGUR" cc -shared -fPIC lib.c -o libadd.so
run bin/codes_list t
expect_status 0
expect_out "^note: '.*/libadd.so' has changed since it was recorded; 1 of 2 modules have no code"
expect_true "lib.c" grep -q '^lib.c: not there$' .lib/out
expect_true "main.c" grep -q '^main.c: decoded' .lib/out
rm libadd.so
run bin/codes_list t
expect_status 0
expect_out "^note: '.*/libadd.so' cannot be read; 1 of 2"

check "a program without its records is noted"
objcopy --remove-section .augurbc main || fail "objcopy"
run bin/codes_list t
expect_status 0
expect_out "2 of 2 modules have no code to follow"

check "a trace that is no recording has no code"
printf 'T0|w(x)|1\n' >plain.std
run bin/codes_list plain.std
expect_status 2
expect_err "not a recording"

check "the part that decodes is missing"
rm bin/augur-llvm.so
run bin/codes_list t
expect_status 2
expect_err "'augur-llvm.so'"
