#!/usr/bin/env bash
# The commands of docs/tutorial.md run, one after the other, and print what is shown.
# SANITIZED: no, because it is about the text of a document; run.sh, check.sh and replay.sh take its commands sanitized
. "$(dirname "$0")/lib.sh"

document "$SRC/docs/tutorial.md"

check "the tutorial has commands to run"
expect_true "at least twelve blocks" [ "$blocks" -ge 12 ]
