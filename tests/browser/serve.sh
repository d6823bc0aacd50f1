#!/usr/bin/env bash
# 'augur serve' in Chromium (serve.js has the tests): list, filters, verdicts, history, replay, and who may not ask.
. "$(dirname "$0")/../e2e/lib.sh"

here=$SRC/tests/browser
kept=$SRC/build/browser
mkdir -p "$kept/npm"
check "the browser and what drives it are there"
. "$here/lib.sh"
if [ -n "$why" ]; then
    skip "$why"
    exit 0
fi

check "a store with findings"
augur_cc -g -O1 -pthread "$SRC/examples/first/bank.c" -o bank
augur_cc -g -O1 -pthread "$SRC/examples/assertions/check_then_act.c" -o shop
run "$AUGUR" run ./bank
expect_status 1
run "$AUGUR" run ./shop
expect_status 1
setpriv --pdeathsig KILL "$AUGUR" serve >address 2>/dev/null &
server=$!
for _ in $(seq 100); do
    [ -s address ] && break
    sleep 0.1
done
expect_true "an address of this machine" grep -qE '^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$' address

au_finish_check
if node "$here/serve.js" "$(cat address)" "$kept" "$kept/npm/node_modules" >rows 2>"$TMP/drive.log"; then
    cat rows >&3
    ! grep -q '^fail' rows || au_failures=1
else
    cat rows >&3
    check "the browser tests ran to their end"
    fail "$(tail -n 5 "$TMP/drive.log")"
fi
check "what was said in the browser is in the store"
run "$AUGUR" list --triage wontfix
expect_out 'because <b>'
check "it ends when it is told to"
kill -TERM $server
wait $server
ended=$?
expect_true "status 0 and not $ended" [ $ended -eq 0 ]
