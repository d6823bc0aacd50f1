#!/usr/bin/env bash
# tools/layers.sh sees planted violations.
. "$(dirname "$0")/../e2e/lib.sh"

# plant FILE INCLUDE: a tree with one file that includes one header.
plant() {
    rm -rf tree
    mkdir -p "tree/$(dirname "$1")"
    printf '#include <stdio.h>\n#include "%s"\n' "$2" >"tree/$1"
    mkdir -p tree/src
    cp "$SRC/src/layers.txt" tree/src
    run bash "$SRC/tools/layers.sh" tree
}

check "an include upwards is fine"
plant src/trace/a.c base/vec.h
expect_status 0
expect_no_out

check "an include of the own layer is fine"
plant src/trace/a.c trace/reader_priv.h
expect_status 0

check "an include downwards is found, with its place"
plant src/base/a.c trace/trace.h
expect_status 1
expect_out "^src/base/a.c:2: base may not include 'trace/trace.h'"

check "oracle stands after witness and before program"
plant src/oracle/a.c witness/w.h
expect_status 0
plant src/witness/a.c oracle/o.h
expect_status 1
plant src/oracle/a.c program/f.h
expect_status 1

check "wire includes nothing of ours"
plant src/wire/a.h base/vec.h
expect_status 1
expect_out "wire includes nothing of ours"

check "rt may include wire and nothing else"
plant rt/ring.c wire/wire.h
expect_status 0
plant rt/ring.c base/vec.h
expect_status 1
expect_out "^rt/ring.c:2: rt may include only wire"

check "api and cli stand on engine, api not on cli"
plant src/api/a.c engine/check.h
expect_status 0
plant src/cli/a.c engine/check.h
expect_status 0
plant src/engine/a.c cli/cli.h
expect_status 1
plant src/api/a.c cli/cli.h
expect_status 1
expect_out "^src/api/a.c:2: api stands on engine and needs no cli"

check "engine neither prints nor exits"
for line in 'printf("a");' 'fprintf(stderr, "a");' '    exit(1);' '_exit(2);' 'fputs("a", stdout);' 'perror("a");'; do
    plant src/engine/a.c base/vec.h
    echo "$line" >>tree/src/engine/a.c
    run bash "$SRC/tools/layers.sh" tree
    expect_status 1
    expect_out "^src/engine/a.c:3: engine prints nothing"
done
plant src/engine/a.c base/vec.h
echo 'au_out_printf(out, "a"); snprintf(a, 1, "b"); au_exit e; fflush(stderr);' >>tree/src/engine/a.c
run bash "$SRC/tools/layers.sh" tree
expect_status 0

check "a private header stays in its layer"
plant src/model/a.c trace/reader_priv.h
expect_status 1
expect_out "private header"

check "includes without their layer are found"
plant src/trace/a.c trace.h
expect_status 1
expect_out "not written as layer/file.h"

check "an unknown layer is found"
plant src/misc/a.c base/vec.h
expect_status 1
expect_out "not a layer"

check "spaces around the hash do not hide an include"
mkdir -p tree/src/base
printf '  #  include "cli/cli.h"\n' >tree/src/base/b.c
run bash "$SRC/tools/layers.sh" tree
expect_status 1
expect_out "src/base/b.c:1"

check "the lists in the documents are those of src/layers.txt"
plant src/trace/a.c base/vec.h
printf 'a\n<!-- layers -->\nold\n<!-- end of layers -->\nb\n' >tree/CONTRIBUTING.md
run bash "$SRC/tools/layers.sh" tree
expect_status 1
expect_out "^CONTRIBUTING.md: its list of layers"
run bash "$SRC/tools/layers.sh" --write tree
expect_status 0
run bash "$SRC/tools/layers.sh" tree
expect_status 0
expect_true "the text around the list stays" test "$(head -n 1 tree/CONTRIBUTING.md)$(tail -n 1 tree/CONTRIBUTING.md)" = ab
expect_true "the list is there" grep -q '^    base wire trace' tree/CONTRIBUTING.md

check "a document without the list is found"
echo nothing >tree/CONTRIBUTING.md
run bash "$SRC/tools/layers.sh" tree
expect_status 1
