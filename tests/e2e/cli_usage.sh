#!/usr/bin/env bash
# The command line itself: exit statuses, misspellings, closed and full outputs,
# signals.
. "$(dirname "$0")/lib.sh"

cat >t.std <<'END'
T0|fork(T1)|1
T0|w(x)|2|1
T1|r(x)|3|1
END

check "version"
run "$AUGUR" --version
expect_status 0
expect_out '^augur 0\.1\.0$'
expect_true "one line" [ "$(wc -l <.lib/out)" -eq 1 ]

check "no command, an unknown command"
run "$AUGUR"
expect_status 2
expect_no_out
expect_err "^augur: no command given"
expect_err "^try 'augur --help'"
run "$AUGUR" frobnicate
expect_status 2
expect_err "^augur: unknown command 'frobnicate'$"
run "$AUGUR" shwo t.std
expect_status 2
expect_err "^augur: unknown command 'shwo'; did you mean 'show'\?$"
run "$AUGUR" help shwo
expect_status 2
expect_err "unknown command 'shwo'; did you mean 'show'\?$"

check "misspelt options and values"
run "$AUGUR" show --sumary t.std
expect_status 2
expect_no_out
expect_err "^augur: unknown option '--sumary'; did you mean '--summary'\?$"
expect_err "^try 'augur show --help'$"
run "$AUGUR" show --summ t.std
expect_status 2
expect_err "did you mean '--summary'"
run "$AUGUR" show --format=jsn t.std
expect_status 2
expect_err "'jsn' is no value of '--format'; did you mean 'json'\? \(text, json\)"
run "$AUGUR" show --op read t.std
expect_status 2
expect_err "'read' is no value of '--op'"
run "$AUGUR" show --top=-1 t.std
expect_status 2
expect_err "'--top' is at least 0"
run "$AUGUR" show --top
expect_status 2
expect_err "'--top' needs a value: N"

check "operands"
run "$AUGUR" show
expect_status 2
expect_err "^augur: missing operand: TRACE$"
run "$AUGUR" show t.std u.std
expect_status 2
expect_err "^augur: unexpected operand 'u.std' after 't.std'$"
run "$AUGUR" doctor t.std
expect_status 2
expect_err "unexpected operand 't.std'"
cp t.std ./--summary
run "$AUGUR" show -- --summary
expect_status 0
expect_out "^1  T0 "

check "common options stand before and after the command"
run "$AUGUR" --quiet show t.std
expect_status 0
expect_true "no heading" [ "$(wc -l <.lib/out)" -eq 3 ]
run "$AUGUR" show -q t.std
expect_true "no heading" [ "$(wc -l <.lib/out)" -eq 3 ]
run "$AUGUR" --color=always show t.std
expect_out $'\033\\['
run "$AUGUR" --color=always show --color=never t.std
expect_true "no colours" [ "$(grep -c $'\033' .lib/out)" -eq 0 ]

check "a closed pipe ends quietly with status 0"
awk 'BEGIN { for (i = 0; i < 200000; i++) print "T0|w(x)|" i }' >long.std
for how in "show long.std" "show --format json long.std" "convert long.std -o - --to jsonl" \
    "gen --events 300k"; do
    # shellcheck disable=SC2086
    "$AUGUR" help --names | grep -qx "${how%% *}" || continue
    { "$AUGUR" $how 2>err; echo $? >code; } | head -n 1 >first
    expect_true "status 0 of $how" [ "$(cat code)" -eq 0 ]
    expect_true "nothing on stderr of $how" [ ! -s err ]
    expect_true "one line of $how" [ "$(wc -l <first)" -eq 1 ]
done

check "standard output that cannot be written"
for how in "--version" "--help" "show t.std" "show --summary t.std" "show --lint t.std" "doctor" \
    "convert t.std -o - --to std" "help --man show"; do
    # shellcheck disable=SC2086
    "$AUGUR" $how >/dev/full 2>err
    code=$?
    expect_true "status 2 or 3 of $how, not $code" [ $code -eq 2 -o $code -eq 3 ]
    grep -q "^augur: cannot write '<stdout>': No space left on device" err ||
        fail "message of $how: $(cat err)"
    # shellcheck disable=SC2086
    "$AUGUR" $how >&- 2>err
    code=$?
    expect_true "status 2 or 3 of $how with stdout closed, not $code" [ $code -eq 2 -o $code -eq 3 ]
done

check "a signal leaves no unfinished file"
mkdir out
mkfifo pipe
"$AUGUR" convert pipe --from std -o out/u.trace 2>err &
pid=$!
exec 8<>pipe # both ways: opening does not wait for the other side
head -c 30000 long.std >&8
wait_for eval '[ -n "$(ls out)" ]'
expect_true "an unfinished file was there" [ -n "$(ls out)" ]
kill -TERM $pid
wait $pid
code=$?
exec 8>&-
expect_true "died of the signal, not $code" [ $code -eq 143 ]
expect_true "nothing is left: $(ls out)" [ -z "$(ls out)" ]

check "a kind of finding by both of its names"
fig1=$SRC/tests/models/fig1.ctp
run "$AUGUR" check --no-stats --format json --prop assert "$fig1"
expect_status 1
cp .lib/out short
run "$AUGUR" check --no-stats --format json --prop assertion "$fig1"
expect_status 1
expect_same .lib/out short
expect_out '"kind": "assertion"'
run "$AUGUR" oracle --prop assertion "$fig1"
expect_status 1
run "$AUGUR" scan --prop assertion "$fig1"
expect_status 1
run "$AUGUR" check --prop lock "$fig1"
expect_status 2
expect_err "^augur: 'lock' is no value of '--prop'; did you mean 'locks'\?"

check "doctor"
run "$AUGUR" doctor
expect_status 0
expect_no_err
expect_out '^ok +kernel +Linux'
expect_out '^(ok|warn) +personality +address randomisation'
expect_out '^ok +xxhash +libxxhash'
expect_out '^everything required is there$'
expect_true "leaves nothing behind" [ -z "$(find . -name '.augur*')" ]
run "$AUGUR" doctor --format json
expect_status 0
expect_out '"ok": true'
expect_out '"name": "workers", "status": "ok"'
if command -v python3 >/dev/null; then
    python3 -m json.tool <.lib/out >/dev/null 2>&1 || fail "not JSON: $out"
fi
