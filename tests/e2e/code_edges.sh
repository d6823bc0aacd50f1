#!/usr/bin/env bash
# Code at the edges of the model (tests/claims/code): what is right gets no 'proved' and no 'confirmed', what
# is wrong is found.
# SANITIZED: no, because all its time goes to many whole runs with a budget; llvm.sh, retrace.sh and run.sh take the same ways
. "$(dirname "$0")/../e2e/lib.sh"
code=$SRC/tests/claims/code

# without PATTERN: no line of the output matches it
without() {
    expect_true "no line '$1': $(grep -E -m 2 -e "$1" "$TMP/.lib/out" | tr '\n' ' ')" \
        test -z "$(grep -E -e "$1" "$TMP/.lib/out")"
}

# build FILE FLAGS…: as ./prog
build() {
    local file=$1 compiler=cc
    shift
    [ "${file%.cpp}" = "$file" ] || compiler="c++ -std=c++20"
    # shellcheck disable=SC2086
    run "$AUGUR" $compiler -g -pthread "$@" "$code/$file" -o prog
    expect_status 0
}

# right FILE FLAGS…: nothing is said of it
right() {
    check "right: $*"
    build "$@"
    run "$AUGUR" run --quiet --budget 2 ./prog
    without "confirmed|proved"
    without "a bug of augur|the model cannot"
}

# wrong WHAT FILE FLAGS…: a finding with these words is proved or confirmed
wrong() {
    local what=$1
    shift
    check "wrong: $*"
    build "$@"
    run "$AUGUR" run --quiet --budget 4 ./prog
    expect_status 1
    expect_out "^[A-Z]+[0-9]+ (proved|confirmed) .*$what"
}

check "assembler that became instructions computes what it computed"
run clang-19 -O1 -DPLAIN "$code/asm_values.c" -o plain
run ./plain
expect_out "values, hash"
printf '%s\n' "$out" >expected
build asm_values.c -O1
run ./prog
printf '%s\n' "$out" >got
expect_true "the same values" cmp -s expected got
run "$AUGUR" record --quiet -o values.trace ./prog
run "$AUGUR" check values.trace
without "a bug of augur"
calls=$("$AUGUR" show values.trace | grep -c "xcall")
expect_true "no assembler is left that is called: $calls calls" test "$calls" -eq 1833

for lock in 1 2 3 4 5 6; do
    right asm_locks.c -DLOCK=$lock
    wrong "race on 'shared'" asm_locks.c -DLOCK=$lock -DBUG
done

for form in 1 2 3 4; do
    right atomic_wide.c -DFORM=$form
    wrong "race on 'v.a'" atomic_wide.c -DFORM=$form -DBUG
done

for form in 1 2 3 4 5; do
    right static_local.cpp -DFORM=$form
    wrong "race on 'beside'" static_local.cpp -DFORM=$form -DBUG
done

for route in 1 2 3 4 5 6 8; do
    right route.c -DROUTE=$route
    wrong "race on 'y'" route.c -DROUTE=$route -DBUG
done

for form in 1 2 3; do
    right coroutine.cpp -DFORM=$form
    wrong "race on 'shared'" coroutine.cpp -DFORM=$form -DBUG
done
right coroutine.cpp -DFORM=4
wrong "use after free: 'elsewhere'" coroutine.cpp -DFORM=4 -DBUG

for form in 1 2 3 4; do
    right asm_foreign.c -DFORM=$form
    wrong "race on 'y'" asm_foreign.c -DFORM=$form -DBUG
done

for form in 1 2 3 4 5; do
    right update_first.cpp -DFORM=$form
    wrong "race on '" update_first.cpp -DFORM=$form -DBUG
done
