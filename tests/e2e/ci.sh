#!/usr/bin/env bash
# The commands of docs/ci.md run and print what is shown; the step of the workflow is one of them.
# SANITIZED: no, because it is about the text of a document; run.sh and formats.sh take its commands sanitized
. "$(dirname "$0")/lib.sh"

document "$SRC/docs/ci.md"

check "ci.md has commands to run"
expect_true "at least six blocks" [ "$blocks" -ge 6 ]

check "the script leaves the files that ci.md names"
for file in augur.html augur.sarif augur-junit.xml .augur; do
    expect_file $file
done

check "the step of the workflow is the script, and runs"
step=$(sed -n 's/^        run: \(sh .*\)$/\1/p' "$SRC/examples/ci/github.yml")
expect_true "there is one" [ "$step" = 'sh ci/augur.sh ./stats' ]
sed -i 's/ -DTOTALS//' Makefile
run env PATH="$PWD/bin:$PATH" sh -c "$step"
expect_status 0

check "what the workflow hands on is what the script writes"
for file in augur.sarif augur.html augur-junit.xml; do
    expect_true "$file in the workflow" grep -q "$file" "$SRC/examples/ci/github.yml"
done
