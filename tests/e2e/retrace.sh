#!/usr/bin/env bash
# Retracing: every program of tests/programs, tests/code/programs, examples and the small bench
# programs is recorded and followed instruction by instruction; every event must be the one that
# the interpreter expects, with its address and value (docs/retrace.md).
. "$(dirname "$0")/lib.sh"
. "$SRC/tests/programs/lib.sh"

if ! command -v clang-19 >/dev/null; then
    check "retracing"
    skip "clang-19 is not installed"
    exit 0
fi

# The tool looks for its parts beside itself.
build=$(dirname "$AUGUR")
cp "$build/tests/code/retrace" "$TMP/retrace"
ln -s "$build/augur-llvm.so" "$TMP/augur-llvm.so"

# followed TRACE [OPTION...]: retraced to its end, every event checked
followed() {
    run timeout 1200 "$TMP/retrace" "$@"
    expect_status 0
    case $out in
    *mismatch:* | *cut:*) fail "$(grep -E 'mismatch|cut' <<<"$out")" ;;
    esac
    events=$(sed -n 's/^events //p' <<<"$out")
    [ "$events" = "$(sed -n 's/^followed //p' <<<"$out")" ] || fail "not all of $events events followed"
}
both() {
    followed "$1" --values
    followed "$1"
}
# recorded NAME [ARG...]: ./NAME, whatever its status
recorded() {
    run timeout 1200 "$AUGUR" record -o "$1.trace" "./$@" </dev/null
    [ -s "$1.trace" ] || fail "no recording: $err"
}

for name in $(all_programs); do
    check "retrace: $name"
    compile "$name" 2>compile.err || fail "$(cat compile.err)"
    input=$(expectation "$name" IN)
    printf '%b' "$input" >stdin.txt
    run timeout 1200 "$AUGUR" record -o "$name.trace" "./$name" <stdin.txt
    both "$name.trace"
    rm -f "$name" "$name.trace"
done

word() { sed -n "s,^// $1: ,,p" "$2"; }
# FLAGS:, LINK: and WITH: lines say what a program needs; what it is linked with is built by
# clang beside tests/code/programs (foreign code), by augur beside tests/retrace.
for src in "$SRC"/tests/code/programs/*.c* "$SRC"/tests/retrace/*.c*; do
    grep -qs 'int main' "$src" || continue
    case $src in *.hooks) continue ;; esac
    name=$(basename "$src")
    check "retrace: ${src#"$SRC"/}"
    read -ra flags <<<"$(word FLAGS "$src")"
    read -ra link <<<"$(word LINK "$src")"
    case $name in *.cpp) cc="c++" ;; *) cc="cc" ;; esac
    for level in -O0 -O2; do
        objects=()
        for w in $(word WITH "$src"); do
            case $src in
            */tests/code/*) run clang-19 -O1 -c "$(dirname "$src")/$w" -o "$w.o" ;;
            *) run "$AUGUR" cc -g $level -c "$(dirname "$src")/$w" -o "$w.o" ;;
            esac
            expect_status 0
            objects+=("$w.o")
        done
        run "$AUGUR" $cc -g $level -I"$SRC/include" ${flags[@]+"${flags[@]}"} -c "$src" -o "$name.o"
        expect_status 0
        run "$AUGUR" $cc "$name.o" ${objects[@]+"${objects[@]}"} -o "$name.exe" ${link[@]+"${link[@]}"} \
            -pthread -lm
        expect_status 0
        recorded "$name.exe"
        both "$name.exe.trace"
    done
done

for src in "$SRC"/examples/*/*.c "$SRC"/examples/*/*.cpp; do
    [ -e "$src" ] || continue
    case $src in */examples/api/*) continue ;; esac # needs libaugur, has one thread: tests/e2e/install.sh
    name=$(basename "$(dirname "$src")")-$(basename "$src" .c)
    check "retrace: examples/${src#"$SRC"/examples/}"
    case $src in *.cpp) cc=augur_cxx ;; *) cc=augur_cc ;; esac
    run $cc -g -O1 -pthread -I"$SRC/include" "$src" -o "$name"
    expect_status 0
    recorded "$name"
    both "$name.trace"
done

for name in "counter 4 2000" "matrix 4 24" "queue 2000"; do
    set -- $name
    check "retrace: bench/programs/$1"
    run augur_cc -g -O2 -pthread "$SRC/bench/programs/$1.c" -o "$1"
    expect_status 0
    recorded "$@"
    both "$1.trace"
done

# ---- what must be noticed ----

cat >wrong.c <<'END'
#include <stdio.h>
volatile int x, y;
int main(void) {
    for (int i = 0; i < 10; i++)
        x += i;
    y = x;
    printf("%d\n", y);
    return 0;
}
END
check "a program that was built anew is not taken for the recorded one"
"$AUGUR" cc -g wrong.c -o wrong && "$AUGUR" record -o wrong.trace ./wrong >/dev/null 2>&1
followed wrong.trace
sed 's/x += i/x += i + 1/' wrong.c >other.c
"$AUGUR" cc -g other.c -o wrong
run "$TMP/retrace" wrong.trace --values
expect_status 0
expect_out '^followed 0$'
expect_out '^unknown [1-9]'
expect_err 'note: '

check "a recording that was cut short is followed to its end"
"$AUGUR" cc -g wrong.c -o wrong
size=$(stat -c %s wrong.trace)
head -c $((size - 20)) wrong.trace >cut.trace
run "$TMP/retrace" cut.trace --values
expect_status 0

# ---- more than one file, and what ends it early ----

cat >plug.c <<'END'
int plug_count;
static const int weights[4] = {3, 1, 4, 1};
int plug(int (*cb)(int), int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        plug_count += weights[i & 3];
        s += cb(plug_count);
    }
    return s;
}
END
cat >loads.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
int hits;
static __thread int mine;
__thread int yours[4];
static int cb(int x) {
    hits += x;
    yours[x & 3] += ++mine;
    return hits & 15;
}
static int (*f)(int (*)(int), int);
static void *worker(void *p) {
    int r = 0;
    unsigned eax = 1, ebx;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx)::"ecx", "edx");
    for (int i = 0; i < 4; i++)
        r += f(cb, i), yours[i] += r;
    __asm__ volatile("lock incl %0" : "+m"(hits));
    if (ebx)
        hits++;
    return p;
}
int main(void) {
    for (int k = 0; k < 2; k++) {
        void *h = dlopen("./plug.so", RTLD_NOW);
        if (!h)
            return 2;
        *(void **)&f = dlsym(h, "plug");
        pthread_t t[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&t[i], 0, worker, 0);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], 0);
        dlclose(h);
    }
    printf("%d\n", hits > 0);
    return 0;
}
END
check "retrace: a library that is loaded twice, callbacks, inline assembler"
run "$AUGUR" cc -g -O2 -shared -fPIC plug.c -o plug.so
expect_status 0
run "$AUGUR" cc -g -O2 loads.c -o loads -ldl -pthread
expect_status 0
recorded loads
both loads.trace

cat >ignores.c <<'END'
#include <augur.h>
volatile int x, y;
int main(void) {
    x++;
    AUGUR_IGNORE_BEGIN();
    for (int i = 0; i < x; i++)
        y += i;
    AUGUR_IGNORE_END();
    x += y;
    return 0;
}
END
check "retrace: an ignored region ends it, and that is said"
run "$AUGUR" cc -g -I"$SRC/include" ignores.c -o ignores
expect_status 0
recorded ignores
run "$TMP/retrace" ignores.trace
expect_status 0
expect_out '^cut: not followed to the end: a region that is ignored begins'
