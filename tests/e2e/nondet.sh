#!/usr/bin/env bash
# augur check --prop nondet: reads that can see another write, on traces and on programs.
. "$(dirname "$0")/lib.sh"
. "$SRC/tests/programs/lib.sh"

check "figure 1: no race, and nondeterministic"
cat >fig1.std <<'END'
T1|acq(l)|a.c:1
T1|w(x)|a.c:2
T1|rel(l)|a.c:3
T2|acq(l)|b.c:1
T2|r(x)|b.c:2
T2|rel(l)|b.c:3
END
run "$AUGUR" check --prop race fig1.std
expect_status 0
run "$AUGUR" check --prop nondet --format json fig1.std
expect_status 1
expect_out '"nondet": \{"candidates": 6, "graph": 1, "unit": "witnesses"\}'
expect_out '"status": "proved"'
expect_out '"schedule": \[\["T2", 2\]\]'
expect_out 'it can see the initial value; in the run T1.s write at a.c:2'

check "figure 4: a cycle through the read-couple on y"
cat >fig4.std <<'END'
T1|w(x)|1
T1|w(x)|2
T1|acq(l)|3
T1|w(y)|4
T1|rel(l)|5
T2|r(y)|6
T2|acq(l)|7
T2|r(x)|8
T2|rel(l)|9
END
run "$AUGUR" check --prop nondet --most 0 fig4.std
expect_status 1
expect_out "read of another write of 'y'"
expect_true "nothing about x" test "$(grep -c "write of 'x'" .lib/out)" -eq 0

check "a kept couple keeps a third write out"
cat >third.std <<'END'
T3|acq(l)|1
T3|w(y)|2
T3|w(x)|3
T3|rel(l)|4
T2|acq(l)|5
T2|w(y)|6
T2|w(x)|7
T2|rel(l)|8
T1|acq(l)|9
T1|r(y)|10
T1|r(x)|11
T1|rel(l)|12
END
run "$AUGUR" check --prop nondet --format json --most 0 third.std
expect_status 1
expect_true "r of x keeps its write" test "$(grep -c '"location": "11".*"decisive"' .lib/out)" -eq 0
expect_true "r of y does not" test "$(grep -c '"location": "10".*"decisive"' .lib/out)" -gt 0

check "--values: the same value is the same"
printf 'T1|w(x)|1|7\nT2|w(x)|2|7\nT3|r(x)|3|7\n' >same.std
run "$AUGUR" check --prop nondet same.std
expect_status 1
run "$AUGUR" check --prop nondet --values --format json same.std
expect_out '"same_value": 6'
expect_out 'it can see the initial value'
expect_true "one finding" test "$(grep -c '"id"' .lib/out)" -eq 1

check "--pairs observed fixes who woke whom"
cat >wake.std <<'END'
T1|acq(l)|1
T1|rel(l)|2
T1|wait(c)|3
T2|w(x)|4
T2|signal(c)|5
T1|wake(c)|6
T1|acq(l)|7
T1|r(x)|8
T1|rel(l)|9
END
run "$AUGUR" check --prop nondet wake.std
expect_status 1
expect_out "needs a wake-up without a signal"
run "$AUGUR" check --prop nondet --pairs observed wake.std
expect_status 0

check "the paper's sizes: every witness is decided"
for shape in account:1416 daisy:383007; do
    [ -z "$SANITIZED" ] || [ "$shape" = account:1416 ] || continue
    "$AUGUR" gen --shape "${shape%:*}" -o shape.trace
    run "$AUGUR" check --prop nondet --format json -o shape.json shape.trace
    expect_status 1
    expect_true "witnesses of $shape" grep -q "\"witnesses\": ${shape#*:}," shape.json
    expect_true "all decided" grep -q '"undecided": 0,' shape.json
    expect_true "all proved" test "$(grep -c '"status": "possible"' shape.json)" -eq 0
done

check "what the budget leaves out is told"
run "$AUGUR" check --prop nondet --effort 2000 shape.trace
expect_out "witnesses of nondeterminism not checked: budget used up"

check "it needs the whole trace"
run "$AUGUR" check --prop nondet --stream fig1.std
expect_status 2
expect_err "nondeterminism needs the whole trace"

check "it agrees with the oracle"
printf 'Write 1 x 1\nWrite 2 x 2\nRead 3 x 2\nWrite 3 y 1\nRead 1 y 1\nWrite 1 x 3\n' >small.values
run "$AUGUR" check --prop nondet --all --format json small.values
expect_status 1
grep -o '"id": "N[0-9]*"' .lib/out | wc -l >mine
"$AUGUR" convert small.values -o small.ctp
"$AUGUR" oracle --prop nondet --keep-reads small.ctp >oracle.json
expect_true "as many as the oracle finds" \
    test "$(cat mine)" -eq "$(grep -o '"id": "N[0-9]*"' oracle.json | wc -l)"

check "a recorded program: every finding is confirmed"
run compile nondet
expect_status 0
run "$AUGUR" record -o t ./nondet
expect_status 0
run "$AUGUR" check --prop nondet --format json -o found.json t
expect_status 1
n=$(grep -c '"id": "N' found.json)
expect_true "at least three" test "$n" -ge 3
for ((i = 1; i <= n; i++)); do
    run timeout 1200 "$AUGUR" replay t --finding "N$i"
    expect_status 1
    expect_true "N$i is confirmed: $out" grep -q "^confirmed: N$i" .lib/out
done
run "$AUGUR" replay t --finding N99
expect_status 2
expect_err "'augur check --prop nondet t' has no finding 'N99'"

check "what the graph does not know exactly goes to the solver"
run compile barrier
expect_status 0
run "$AUGUR" record -o b ./barrier
expect_status 0
run "$AUGUR" check --prop nondet --format json b
expect_true "the solver refuted some" grep -qE '"solver_infeasible": [1-9]' .lib/out
expect_true "nothing is only possible" test "$(grep -c '"status": "possible"' .lib/out)" -eq 0
run "$AUGUR" check --prop nondet --stages graph --format json b
expect_true "it is not asked" grep -q '"solver_infeasible": 0' .lib/out

check "a recorded queue: every witness is decided, nearly all on shared walks"
run "$AUGUR" cc -g -O1 -pthread "$SRC/bench/programs/queue.c" -o queue
expect_status 0
run "$AUGUR" record --quiet -o queue.trace ./queue 200
expect_status 0
run timeout 1200 "$AUGUR" check --prop nondet --format json -o queue.json queue.trace
expect_status 1
number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" queue.json | head -n 1; }
expect_true "more than a million" test "$(number witnesses)" -gt 1000000
expect_true "none undecided" test "$(number undecided)" -eq 0
expect_true "$(number on_shared_walks) of $(number feasible) shared" test $(($(number on_shared_walks) * 10)) -ge $(($(number feasible) * 9))
expect_true "all proved" test "$(grep -c '"status": "possible"' queue.json)" -eq 0
