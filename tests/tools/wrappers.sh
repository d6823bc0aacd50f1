#!/usr/bin/env bash
# tools/wrappers.sh sees a wrapper without a row, and a row without a wrapper.
. "$(dirname "$0")/../e2e/lib.sh"

# compared CODE ROW...: an archive of the code, a table of the rows
compared() {
    rm -f ./*.o ./*.a
    mkdir -p src/wire
    printf '%s\n' "$1" >a.c
    shift
    printf '%s\n' "$@" >src/wire/libc.def
    gcc -fno-builtin -c a.c && ar rcs librt.a a.o
    run bash "$SRC/tools/wrappers.sh" librt.a src
}
weak='int __attribute__((weak))'

check "rows and weak symbols agree; strong and local ones are not looked at"
compared "$weak read(void) { return 1; } $weak open(void) { return 1; } int __augur_ld1; static int x; int *au_p = &x;" \
    "F(read, WRAPS, _)" "S(open, STANDS, _)" "F(write, _, QUIET)" "F(exit, REAL, _)"
expect_status 0
expect_out "^2 functions"

check "a wrapper without a row is found"
compared "$weak read(void) { return 1; } $weak open(void) { return 1; }" "F(read, WRAPS, _)"
expect_status 1
expect_out "defines 'open', which has no row"

check "a wrapper whose row does not say so is found"
compared "$weak read(void) { return 1; } $weak open(void) { return 1; }" "F(read, REAL, _)" "F(open, _, _)"
expect_status 1
expect_out "defines 'read'; its row"
expect_out "defines 'open'; its row"

check "a row without a wrapper is found"
compared "$weak read(void) { return 1; }" "F(read, WRAPS, _)" "S(sem_wait, STANDS, _)"
expect_status 1
expect_out "'sem_wait' is STANDS, but the runtime does not define it"

check "a family stands for its members, and must have one"
compared "$weak box_a(void) { return 1; } $weak box_b(void) { return 1; }" 'B("box_", STANDS, _)'
expect_status 0
compared "$weak box_a(void) { return 1; }" 'B("box_", STANDS, _)' 'B("bag_", STANDS, _)'
expect_status 1
expect_out "of the family 'bag_' the runtime defines nothing"
compared "$weak box_a(void) { return 1; }" 'B("box_", _, _)'
expect_status 1
expect_out "defines 'box_a', which has no row"

check "an archive without wrappers is not a pass"
compared "int au_x;" "F(read, _, _)"
expect_status 1
