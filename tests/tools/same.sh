#!/usr/bin/env bash
# tools/same.sh: equal outputs pass, a planted difference is found; a small corpus is run by the tool itself.
. "$(dirname "$0")/../e2e/lib.sh"
same=$SRC/tools/same.sh
export SAME_PLACE=$TMP/place

plant() {
    rm -rf a b
    mkdir -p a/out/program/one.c a/out/help/help
    printf '$ augur check t.trace\nstatus 1\nR1 proved\n' >a/out/program/one.c/check
    printf 'status 0\n' >a/out/help/help/show
    cp -r a b
}

check "equal trees pass"
plant
run bash "$same" compare a b
expect_status 0
expect_out "^2 outputs, 0 differ$"

check "another text is found and shown"
sed -i 's/proved/possible/' b/out/program/one.c/check
run bash "$same" compare a b
expect_status 1
expect_out "^differs: program/one.c/check$"
expect_out "> R1 possible$"
expect_out "^2 outputs, 1 differ$"

check "an output that is missing, and one too many"
plant
mv b/out/program/one.c/check b/out/program/one.c/checks
run bash "$same" compare a b
expect_status 1
expect_out "^only in the first: program/one.c/check$"
expect_out "^only in the second: program/one.c/checks$"

check "help texts can be left aside"
plant
echo more >>b/out/help/help/show
run bash "$same" compare a b
expect_status 1
run bash "$same" compare a b program
expect_status 0
expect_out "^1 outputs, 0 differ$"

check "nothing to compare is not a pass"
run bash "$same" compare a b nothing
expect_status 2
run bash "$same" compare a nowhere
expect_status 2
run bash "$same"
expect_status 2
expect_err "tools/same.sh make AUGUR DIRECTORY"

check "only times and dates are made equal"
normal() { printf '%s\n' "$1" | sed -E -f "$SRC/tools/same/normal.sed"; }
expect_true "seconds" [ "$(normal '1 finding (0.03 s)')" = "$(normal '1 finding (12.10 s)')" ]
expect_true "seconds in JSON" [ "$(normal '"seconds": 0.1,')" = "$(normal '"seconds": 3,')" ]
expect_true "dates" [ "$(normal '"when": "2026-01-02T03:04:05Z"')" = "$(normal '"when": "2027-11-12T13:14:15Z"')" ]
expect_true "not the number of findings" [ "$(normal '1 finding (0.03 s)')" != "$(normal '2 finding (0.03 s)')" ]
expect_true "not what a stage leaves" [ "$(normal 'box   3   0.01  1')" != "$(normal 'box   4   0.01  1')" ]

if [ -z "$SANITIZED" ]; then
    mkdir -p small/inputs/tests/models small/inputs/examples/traces
    cp "$SRC/tests/models/fig1.ctp" small/inputs/tests/models
    cp "$SRC/examples/traces/hidden_race.std" small/inputs/examples/traces
    check "two runs of one augur over a small corpus agree, one that says something else does not"
    for n in 1 2; do
        run env SAME_ONLY='model|trace examples' bash "$same" make "$AUGUR" "run$n" small
        expect_status 0
    done
    run bash "$same" compare run1 run2
    expect_status 0
    expect_out "^[0-9]{2,} outputs, 0 differ$"
    sed -i 's/^T1|/T9|/' small/inputs/examples/traces/hidden_race.std
    run env SAME_ONLY='model|trace examples' bash "$same" make "$AUGUR" run3 small
    run bash "$same" compare run1 run3
    expect_status 1
    expect_out "^differs: trace/examples.traces.hidden_race.std/show$"
    run bash "$same" compare run1 run3 model
    expect_status 0
fi
