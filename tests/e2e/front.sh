#!/usr/bin/env bash
# The LLVM module: programs of tests/front/programs, instrumented and linked with hooks
# that print what they are told, must print the same at every -O, and what stands in
# their .hooks file. The records in section .augurbc must survive everything that
# linkers and strip do.
. "$(dirname "$0")/lib.sh"

front=$SRC/tests/front
build=$(dirname "$AUGUR")

for program in "$front"/programs/*.hooks; do
    program=${program%.hooks}
    name=$(basename "$program")
    levels='O0 O1 O2 O3 Os'
    [ -z "$SANITIZED" ] || levels='O2'
    for level in $levels; do
        check "hooks of $name at -$level"
        run "$front/run.sh" "$program" "$level" "$TMP"
        expect_status 0
        expect_same .lib/out "$program.hooks"
    done
done
