#!/usr/bin/env bash
# The commands of README.md, docs/traces-and-models.md and docs/symbolic.md run and print what is shown.
# SANITIZED: no, because it is about the text of a document; run.sh and check.sh take its commands sanitized
. "$(dirname "$0")/lib.sh"

document "$SRC/README.md" "$SRC/docs/traces-and-models.md" "$SRC/docs/symbolic.md"

check "README has commands to run"
expect_true "at least three blocks" [ "$blocks" -ge 3 ]
