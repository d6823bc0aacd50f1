#!/usr/bin/env bash
# tools/fuzz.sh sees a crash, keeps its input and fails.
. "$(dirname "$0")/../e2e/lib.sh"

mkdir -p tree/tools tree/fuzz/corpus/planted tree/build-asan/fuzz
cp "$SRC/tools/fuzz.sh" tree/tools/
printf 'abc' >tree/fuzz/corpus/planted/seed
cat >planted.c <<'END'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    if (n > 0 && p[0] == BAD)
        __builtin_trap();
    return 0;
}
END
build() {
    touch tree/fuzz/fuzz_planted.c
    clang-19 -g -fsanitize=fuzzer,address "-DBAD=$1" planted.c -o tree/build-asan/fuzz/fuzz_planted
}

check "a clean harness passes and its executions are counted"
build 1000
run bash tree/tools/fuzz.sh 1
expect_status 0
expect_out "^fuzz_planted +[1-9][0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +0$"

check "a crash fails and its input is kept"
build "'X'"
run bash tree/tools/fuzz.sh 5
expect_status 1
expect_out "^fuzz_planted .* 1$"
expect_true "the input is kept" compgen -G "tree/build-asan/artifacts/planted/crash-*" >/dev/null

check "a harness without seeds fails"
rm tree/fuzz/corpus/planted/seed
run bash tree/tools/fuzz.sh 1
expect_status 1
expect_err "no seeds"

check "a harness that is not built fails"
rm tree/build-asan/fuzz/fuzz_planted
run bash tree/tools/fuzz.sh 1
expect_status 1
expect_err "not built"
