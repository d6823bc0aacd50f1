#!/usr/bin/env bash
# tools/limits.sh sees a table that is not that of the rows, and writes it.
. "$(dirname "$0")/../e2e/lib.sh"

mkdir -p tree/src/base tree/docs
cat >tree/src/base/limits.def <<'END'
/* rows */
GROUP("Stages")
LIMIT(MANY_THINGS, 1000 * 1000, "things", NOTE, "the rest", "{n} more "
      "of them")
LIMIT(LARGE, 16 << 20, "bytes of a file", ERROR, "all of it", "too large")
END
printf 'before\n<!-- limits -->\nold\n<!-- end of limits -->\nbehind\n' >tree/docs/limits.md

check "a table that is not that of the rows is found"
run bash "$SRC/tools/limits.sh" --check tree
expect_status 1
expect_out "docs/limits.md: its table is not that of src/base/limits.def"

check "it is written, and then it is"
run bash "$SRC/tools/limits.sh" --write tree
expect_status 0
run bash "$SRC/tools/limits.sh" --check tree
expect_status 0
expect_no_out
expect_true "the rows are there" grep -qF '| many-things | 1 000 000 things | the rest | note: "{n} more of them" |' tree/docs/limits.md
expect_true "bytes are MiB" grep -qF '| large | 16 MiB of a file | all of it | message: "too large" |' tree/docs/limits.md
expect_true "the text around it stays" test "$(head -n 1 tree/docs/limits.md)$(tail -n 1 tree/docs/limits.md)" = beforebehind

check "a row that changes is found"
sed -i 's/1000 \* 1000/2000/' tree/src/base/limits.def
run bash "$SRC/tools/limits.sh" --check tree
expect_status 1
expect_out "2 000 things"

check "a document without the table is found"
echo nothing >tree/docs/limits.md
run bash "$SRC/tools/limits.sh" --check tree
expect_status 1
