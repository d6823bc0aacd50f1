#!/usr/bin/env bash
# augur oracle: what its answers may claim.
. "$(dirname "$0")/lib.sh"

check "nothing is called proved where values or synchronisation are ignored"
for model in cam locks; do
    run "$AUGUR" oracle --model $model "$SRC/tests/models/fig1.ctp"
    expect_status 1
    expect_out '"kind": "nondeterminism"'
    expect_out '"status": "possible"'
    expect_true "$model proves nothing" test "$(grep -c '"proved"' .lib/out)" -eq 0
done
run "$AUGUR" oracle --model ctp "$SRC/tests/models/fig1.ctp"
expect_out '"status": "proved"'
