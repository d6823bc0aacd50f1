#!/usr/bin/env bash
# --lenient: lines of STD that fork a thread again are left out, with one warning; nothing else is forgiven.
. "$(dirname "$0")/lib.sh"

# Two lines too many, 4 and 6; without them a race of M and T on x, and none on y.
cat >twice.std <<'EOF'
M|w(y)|1|1
M|fork(T)|2
T|r(y)|3|1
M|fork(T)|4
M|w(x)|5|2
M|fork(T)|6
T|w(x)|7|3
EOF
grep -v '|[46]$' twice.std >once.std
warning="'twice.std': left out 2 lines that fork a thread that was forked before, the first is line 4 \(--lenient\)"

check "without it the second fork is an error that says what to do"
for how in check "check --stream" show "show --summary" oracle "convert -o out.std" "convert -o out.ctp"; do
    # shellcheck disable=SC2086
    run "$AUGUR" $how twice.std
    expect_status 2
    expect_no_out
    expect_err "^twice.std:4: thread 'T' is forked twice; try '--lenient', which leaves this line out$"
done

check "with it the rest is checked, and one note says what was left out"
run "$AUGUR" check --lenient twice.std
expect_status 1
expect_out "^note: $warning$"
expect_true "one warning: $out$err" [ "$(cat .lib/out .lib/err | grep -c 'left out')" -eq 1 ]
expect_out "race on 'x'"
expect_true "the first fork orders y: $out" [ "$(grep -c "race on 'y'" .lib/out)" -eq 0 ]

check "findings are those of the trace without these lines"
findings() { "$AUGUR" check --no-stats --format json "$@" | jq '.findings'; }
findings --lenient twice.std >twice.json
findings once.std >once.json
expect_true "one is proved" grep -q '"proved"' once.json
expect_true "the same: $(diff twice.json once.json)" cmp -s twice.json once.json

check "JSON has the note"
run "$AUGUR" check --lenient --format json twice.std
expect_status 1
expect_true "in 'notes'" jq -e '.notes | map(select(test("left out 2 lines .* line 4 "))) | length == 1' .lib/out

check "a stream is repaired as well"
run_with twice.std "$AUGUR" check --lenient -
expect_status 1
expect_out "^note: '<stdin>': left out 2 lines .* the first is line 4 "

check "so are traces that are merged, each with its own note"
head -n 4 twice.std >short.std
run "$AUGUR" check --lenient --prop race short.std once.std
expect_out "^note: 'short.std': left out line 4, which forks a thread that was forked before \(--lenient\)$"
expect_true "one note: $out" [ "$(grep -c 'left out' .lib/out)" -eq 1 ]

check "show and convert leave them out, too"
run "$AUGUR" show --lenient --summary --format json twice.std
expect_status 0
expect_out '"events": 5,'
expect_err "^augur: $warning$"
run "$AUGUR" convert --lenient twice.std -o out.std
expect_status 0
expect_err "^augur: $warning$"
expect_true "as written without them" cmp out.std once.std
run "$AUGUR" convert --lenient twice.std -o out.ctp
expect_status 0
expect_err "^augur: $warning$"
run "$AUGUR" convert once.std -o once.ctp
expect_true "the same model" cmp out.ctp once.ctp
run "$AUGUR" convert -q --lenient twice.std -o out.std
expect_status 0
expect_no_err

check "the oracle takes what the check takes"
run "$AUGUR" oracle --lenient --prop race twice.std
expect_status 1
expect_err "^augur: $warning$"

check "duplicates are found beyond the first block of events"
awk 'BEGIN { print "M|fork(T)|1"; for (i = 2; i <= 40000; i++) print (i % 1000 ? "T|w(x)|" : "M|fork(T)|") i }' >long.std
run "$AUGUR" show --lenient --summary --format json long.std
expect_status 0
expect_out '"events": 39960,'
expect_err "left out 40 lines .* the first is line 1000 "

check "a trace without such lines is read without a word"
run "$AUGUR" show --lenient once.std
expect_status 0
expect_no_err

# refused TEXT PATTERN: --lenient does not help, and is not recommended
refused() {
    # shellcheck disable=SC2059
    printf "$1" >bad.std
    local how
    for how in "check --lenient" check; do
        # shellcheck disable=SC2086
        run "$AUGUR" $how bad.std
        expect_status 2
        expect_no_out
        expect_err "$2"
    done
}

check "nothing else is forgiven"
refused 'T|w(x)|1\nM|fork(T)|2\n' "^bad.std:2: thread 'T' is forked after its first event$"
refused 'M|fork(M)|1\n' "^bad.std:1: thread 'M' forks itself$"
refused 'M|fork(T)|1\nM|fork(U)|2\nM|join(T)|3\nT|fork(U)|4\n' "^bad.std:4: thread 'T' has an event after its join$"
refused 'M|fork(T)|1\nM|join(T)|2\nM|join(T)|3\n' "^bad.std:3: thread 'T' is joined twice$"
refused 'M|rel(m)|1\n' "^bad.std:1: thread 'M' releases 'm', which nobody holds$"
refused 'M|fork(T)|1\n\n' "^bad.std:2: blank line$"

check "a thread that begins anew after its join is refused"
printf 'M|fork(T)|1\nT|w(x)|2\nM|join(T)|3\nM|fork(T)|4\nT|w(x)|5\n' >again.std
run "$AUGUR" check --lenient again.std
expect_status 2
expect_err "^again.std:5: thread 'T' has an event after its join$"

check "other formats are read as before"
printf 'Fork M T\nFork M T\n' >twice.values
run "$AUGUR" check --lenient twice.values
expect_status 2
expect_err "^twice.values:2: thread 'T' is forked twice$"

check "models and --lint have no use for it"
run "$AUGUR" show --lenient once.ctp
expect_status 2
expect_err "'--lenient' is for traces, and 'once.ctp' is a model"
run "$AUGUR" convert --lenient once.ctp -o other.ctp
expect_status 2
expect_err "'--lenient' is for traces, and 'once.ctp' is a model"
run "$AUGUR" show --lint --lenient twice.std
expect_status 2
expect_err "'--lint' checks the whole input: it conflicts with '--lenient'"
run "$AUGUR" show --lint twice.std
expect_status 2
expect_out "^twice.std:4: thread 'T' is forked twice$"
expect_out "^twice.std:6: thread 'T' is forked twice$"
