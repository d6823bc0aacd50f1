#!/usr/bin/env bash
# Generated programs whose truth is known by construction (tests/claims/claims.py): a share of what nightly runs.
# PARTS: 2
# SANITIZED: no, because what is judged are words, and the programs are many
. "$(dirname "$0")/../e2e/lib.sh"

each=32 # nine of ten of fewer planted bugs would be all of them
check "no false word about programs $(((PART - 1) * each)) to $((PART * each - 1)), and planted bugs are found"
run python3 "$SRC/tests/claims/claims.py" --augur "$AUGUR" --seed check --first $(((PART - 1) * each)) --count $each \
    --schedules 25 --jobs 1 --keep "$TMP/kept"
expect_status 0
expect_out "^$each programs: 0 with a false word, 0 in trouble"
