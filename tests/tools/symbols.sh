#!/usr/bin/env bash
# tools/symbols.sh sees a global symbol without the prefix.
. "$(dirname "$0")/../e2e/lib.sh"

library() {
    rm -f ./*.o ./*.a
    printf '%s\n' "$1" >a.c
    gcc -c a.c && ar rcs liba.a a.o
    run bash "$SRC/tools/symbols.sh" .
}

check "prefixed and static names are fine"
library 'int au_x; static int y; int au_f(void) { return y++; }'
expect_status 0
expect_out "^2 global symbols"

check "a function without the prefix is found"
library 'int au_x; int helper(void) { return 1; }'
expect_status 1
expect_out "helper"

check "a variable without the prefix is found"
library 'int counter = 3;'
expect_status 1
expect_out "counter"

check "two libraries are looked at, and only their symbols"
library 'int au_x;'
printf 'int au_z;\n' >b.c
gcc -c b.c && ar rcs libb.a b.o
run bash "$SRC/tools/symbols.sh" .
expect_status 0
expect_out "^2 global symbols"
printf 'int zebra;\n' >b.c
gcc -c b.c && ar rcs libb.a b.o
run bash "$SRC/tools/symbols.sh" .
expect_status 1
expect_out "libb.a:b.o:.* zebra$"

check "no library at all is not a pass"
rm -f ./*.a
run bash "$SRC/tools/symbols.sh" .
expect_status 1
