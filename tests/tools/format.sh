#!/usr/bin/env bash
# tools/format.sh sees a file that is not formatted.
. "$(dirname "$0")/../e2e/lib.sh"

mkdir -p tree/tools tree/src/base
cp "$SRC/tools/format.sh" tree/tools/
cp "$SRC/.clang-format" tree/

check "a badly formatted file is found"
printf 'int  au_x ;\n' >tree/src/base/a.c
run bash tree/tools/format.sh
if [ "$status" -eq 77 ]; then
    skip "$out"
else
    expect_status 123
    expect_err "src/base/a.c:1:"
fi

check "format.sh -i repairs it"
run bash tree/tools/format.sh -i
if [ "$status" -eq 77 ]; then
    skip "$out"
else
    expect_status 0
    expect_true "formatted" [ "$(cat tree/src/base/a.c)" = "int au_x;" ]
    run bash tree/tools/format.sh
    expect_status 0
fi
