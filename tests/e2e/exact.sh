#!/usr/bin/env bash
# augur check on models: the answers that Wang et al. and docs/oracle.md state, and
# what happens when there is no answer.
. "$(dirname "$0")/lib.sh"
models=$SRC/tests/models

# exact STATUS MODEL OPTION...: check with JSON; every backend
exact() {
    local want=$1 model=$2
    shift 2
    run "$AUGUR" check --format json "$@" "$models/$model.ctp"
    expect_status "$want"
}
# count KIND STATUS: findings of that kind and status in the JSON of the last run
count() {
    tr -d '\n' <.lib/out | grep -oE "\"kind\": \"$1\", *\"status\": \"$2\"" | wc -l
}
# expect_count N KIND STATUS
expect_count() {
    expect_true "$1 of kind $2 $3 from: $au_command" test "$(count "$2" "$3")" -eq "$1"
}

check "who looks at a lock without taking it: nothing is taken for unreachable"
for how in "ranges events" "ranges transactions" "full events"; do
    exact 1 race_failed_try --prop race --widths "${how% *}" --order "${how#* }"
    expect_count 1 race proved
done

check "an atomic block with nothing in it is a mark all the same"
exact 0 empty_block --prop atomicity
exact 1 empty_block --prop atomicity --atomic critical

for backend in cadical z3 both; do
    check "Fig. 1, $backend: the assertion fails, with a schedule and values"
    exact 1 fig1 --prop assert --backend $backend
    expect_count 1 assertion proved
    expect_out '"label": "t12"'
    expect_out '"schedule": \[\["T1", 4\], \["T2", 4\]\]'
    expect_out '\{"thread": "T2", "index": 3, "op": "read", "var": "x", "value": 2\}'
    expect_out '"assert": \{"candidates": 1, "must-hb": 1, "lockset": 1, "interval": 1, "solver": 1'

    check "Fig. 1, $backend: not with the values of the run; so it is in Fig. 7"
    exact 0 fig1 --prop assert --model mcm --backend $backend
    expect_out '"solver": 0'
    exact 1 fig7 --prop assert --model mcm --backend $backend
    expect_count 1 assertion proved
    exact 1 fig7 --prop assert --model ctp --backend $backend
    expect_count 1 assertion proved

    check "Fig. 1, $backend: bounds on the changes of thread"
    exact 0 fig1 --prop assert --no-prefix --context-bound 1 --backend $backend
    expect_out 'assertion: refuted up to 1 switches only'
    exact 1 fig1 --prop assert --no-prefix --context-bound 2 --backend $backend
    exact 0 fig1 --prop assert --context-bound 0 --backend $backend
    exact 1 fig1 --prop assert --context-bound 1 --backend $backend
    exact 1 fig1 --prop assert --context-bound 0..3 --backend $backend
    expect_out '"schedule": \[\["T1", 4\], \["T2", 4\]\]'

    check "Fig. 1 with an assertion that holds, $backend: the bound is lifted"
    exact 0 fig1_holds --prop assert --context-bound 0..3 --backend $backend
    expect_out 'assertion: holds for any number of switches'

    check "Fig. 5, $backend: the violation needs a prefix"
    exact 1 fig5 --prop atomicity --backend $backend
    expect_out '"pattern": "WWR"'
    expect_true "t1 t5 t2" test "$(grep -oE '"label": "t[0-9]"' .lib/out | head -3 | tr -dc '0-9')" = 152
    run "$AUGUR" check --prop atomicity --no-prefix --backend $backend "$models/fig5.ctp"
    expect_true "t1 t5 t2 is refuted" test "$(grep -c 'WWR' .lib/out)" -eq 0

    check "Fig. 9, $backend: models that object where nothing is wrong"
    for row in "fig9a ctp 0" "fig9b ctp 0" "fig9a cam 1" "fig9b cam 0" "fig9a locks 1" "fig9b locks 1"; do
        read -r model semantics found <<<"$row"
        exact "$found" "$model" --prop atomicity --model "$semantics" --backend $backend
        expect_count "$found" atomicity possible
    done

    check "Fig. 11, $backend: branching threads"
    exact 1 fig11 --prop assert --backend $backend
    expect_out '"label": "m7"'
done

check "the funnel and the counts of table 2"
for row in "av 4" "sav 2" "nav 0"; do
    read -r shape real <<<"$row"
    for k in 1 2; do
        bash "$SRC/bench/models.sh" "bank-$shape" $k >bank.ctp
        run "$AUGUR" check --format json --prop atomicity bank.ctp
        expect_status $((real > 0))
        expect_out "\"candidates\": $((12 * k)), \"must-hb\": $((4 * k)), \"lockset\": $((4 * k)), \"interval\": $((4 * k)), \"solver\": $((real * k)), \"unit\": \"triples\""
        run "$AUGUR" check --format json --prop atomicity --model locks bank.ctp
        expect_out "\"must-hb\": $((4 * k)), \"lockset\": $((4 * k)), \"solver\": $((4 * k))"
    done
done

check "table 1: indexers"
bash "$SRC/bench/models.sh" indexer 12 >indexer.ctp
run "$AUGUR" check --prop assert indexer.ctp
expect_status 0
bash "$SRC/bench/models.sh" indexer-a 12 >indexer.ctp
run "$AUGUR" check --prop assert indexer.ctp
expect_status 1

check "every kind of finding is told"
exact 1 deadlock_classic --prop deadlock
expect_count 1 deadlock proved
exact 0 deadlock_gate --prop deadlock
exact 1 deadlock_lost_wakeup --prop deadlock
exact 1 deadlock_self --prop deadlock
exact 1 misuse_rel --prop locks
expect_out '"what": "unlock of a lock not held"'
exact 1 nondet1 --prop race,nondet
expect_count 0 race '[a-z]*'
expect_out '"kind": "nondeterminism"'
exact 1 prim_lost_update --prop race
expect_out '"kind": "race"'

# kinds FILE: how many findings of which kind
kinds() {
    grep -oE '"kind": "[a-z-]+"' "$1" | sort | uniq -c
}
check "the oracle finds as much on every model"
some=("$models"/*.ctp)
[ -z "$SANITIZED" ] || some=("$models"/fig*.ctp)
for model in "${some[@]}"; do
    case $model in *havoc* | *nested_loops*) continue ;; esac # the oracle cannot see all of them
    for how in "--model ctp" "--model ctp --no-prefix" "--model mcm" "--model cam --context-bound 1" "--model locks"; do
        # shellcheck disable=SC2086
        "$AUGUR" oracle --unroll 2 $how "$model" >oracle.json
        # shellcheck disable=SC2086
        run "$AUGUR" check --memory-model sc --unroll 2 --format json $how "$model"
        expect_true "the same kinds of $(basename "$model") $how" test "$(kinds oracle.json)" = "$(kinds .lib/out)"
    done
done

check "a statement that can be reached, and one that cannot"
cat >reach.ctp <<'END'
shared x = 0
thread T1 { x := 1
  x := 2 }
thread T2 { a := x
  if (a == 1) {
    nop
  }
  if (a == 7) {
    nop
  }
}
END
run "$AUGUR" check --format json --reach reach.ctp:6 reach.ctp
expect_status 1
expect_out '"what": "reached"'
run "$AUGUR" check --reach reach.ctp:9 reach.ctp
expect_status 0
run "$AUGUR" check --reach reach.ctp:77 reach.ctp
expect_status 2
expect_err "no statement at 'reach.ctp:77'"

check "text: both sides, the schedule and the values"
run "$AUGUR" check --prop assert "$models/fig1.ctp"
expect_status 1
expect_out '^A1 proved  assertion fails: T2 asserts at t12 \(.*fig1.ctp:[0-9]+\)$'
expect_out 'schedule: T1:1-4 T2:1-4'
expect_out 'values: T1: x=0 x:=2 T2: x=2 y=0'

check "a time-out is no answer: exit status 3 and the reason"
bash "$SRC/bench/models.sh" locked 6 6 >hard.ctp
cat >>hard.ctp <<'END'
shared z = 1
thread U { a := x  b := z  assert (a * b + b * b * a) % 7 != 3 }
thread V { z := 3  z := 5  z := 1 }
END
run "$AUGUR" check --prop assert --timeout 0.001 --format json --backend z3 hard.ctp
expect_status 3
expect_out '"inconclusive": \['
expect_out 'assertion .*: '

check "a worker that runs out of memory is no answer"
if [ -n "$SANITIZED" ]; then
    skip "the sanitizer's own maps need the address space"
else
    bash "$SRC/bench/models.sh" incr 24 >large.ctp
    run "$AUGUR" check --prop assert --memory 16 --window 0 large.ctp
    expect_status 3
    expect_out 'inconclusive: assertion check of M: out of memory'
fi

check "--first is content with one finding"
run "$AUGUR" check --format json --first --prop race "$models/prim_lost_update.ctp"
expect_status 1
expect_count 1 race proved

check "shards together ask what one run asks"
run "$AUGUR" check --format json --prop race,nondet "$models/prim_lost_update.ctp"
all=$(grep -c '"id"' .lib/out)
some=0
for i in 1 2 3; do
    run "$AUGUR" check --format json --prop race,nondet --shard $i/3 "$models/prim_lost_update.ctp"
    some=$((some + $(grep -c '"id"' .lib/out)))
done
expect_true "$some of $all" test "$some" -eq "$all"

check "queries are written for other solvers, and cvc5 and cadical agree on each"
for model in fig1 fig1_holds fig5 fig9a fig11 prim_cond prim_rwlock prim_lost_update wide_bank wide_ops steps; do
    rm -rf dump
    run "$AUGUR" check --prop race,atomicity,assert,locks --format json --dump dump "$models/$model.ctp"
    found=$(grep -c '"id"' .lib/out) sat=0 unsat=0
    for query in dump/*.smt2; do
        expect_file "${query%.smt2}.cnf"
        answer=$(cvc5 "$query" 2>&1)
        case $answer in
        sat) sat=$((sat + 1)) ;;
        unsat) unsat=$((unsat + 1)) ;;
        *) fail "$query: cvc5 says $answer" ;;
        esac
        expect_true "${query%.smt2}.cnf: cvc5 says $answer" \
            test "$(cadical -q "${query%.smt2}.cnf" | sed -n 's/^s SATISFIABLE/sat/p; s/^s UNSATISFIABLE/unsat/p')" = "$answer"
    done
    expect_true "$model: cvc5 finds $sat of $found, refutes $unsat" test "$sat" -eq "$found"
done
rm -rf dump
run "$AUGUR" check --prop assert --context-bound 0..2 --dump dump "$models/fig1.ctp"
expect_true "bound 0" test "$(cvc5 dump/q1-bound0.smt2)" = unsat
expect_true "bound 1" test "$(cvc5 dump/q1-bound1.smt2)" = sat

for backend in cadical z3 both; do
    check "variables of 1 to 64 bits, $backend: what can go wrong does, with the names and lines of C"
    exact 1 wide_bank --prop race,assert --backend $backend
    expect_count 3 race proved
    expect_count 2 assertion proved
    expect_out '"var": "acct\[3\].balance"'
    expect_out '"thread": "teller \(T2\)", "index": 5, "op": "assert", "label": "b5", .*"file": "src/my log.c", "line": 8'
    expect_out '"op": "read", "var": "acct\[3\].balance", "value": 4294967301'
    check "operators beyond C's, $backend: they do what they say"
    exact 1 wide_ops --prop assert --backend $backend
    expect_count 1 assertion proved
    expect_out '"label": "u1"'
    expect_out '"assert": \{"candidates": 19, .*"solver": 1'
    check "indivisible steps of several parts, $backend"
    exact 1 steps --backend $backend
    expect_count 3 race proved
    expect_count 2 nondeterminism proved
    expect_count 0 assertion proved
done
check "the oracle says the same, and what is printed is the same model"
for model in wide_bank wide_ops steps; do
    for prop in race assert atomicity deadlock nondet; do
        run "$AUGUR" check --prop $prop --format json "$models/$model.ctp"
        exact=$(grep -c '"id"' .lib/out)
        run "$AUGUR" oracle --prop $prop "$models/$model.ctp"
        expect_true "$model, $prop: $exact" test "$(grep -c '"id"' .lib/out)" -eq "$exact"
    done
    run "$AUGUR" convert "$models/$model.ctp" -o once.ctp
    expect_status 0
    run "$AUGUR" convert once.ctp -o twice.ctp
    expect_true "$model prints as itself" cmp once.ctp twice.ctp
    run "$AUGUR" check --prop assert,race --format text "$models/$model.ctp"
    grep -v '^tests\|seconds\| s)' .lib/out | sed "s|$models/$model.ctp:[0-9]*|PLACE|g; s|$models/$model.ctp|MODEL|" >first
    run "$AUGUR" check --prop assert,race --format text once.ctp
    grep -v '^tests\|seconds\| s)' .lib/out | sed "s|once.ctp:[0-9]*|PLACE|g; s|once.ctp|MODEL|" >second
    expect_true "$model: the same findings" cmp first second
done

check "two runs together show what neither does alone"
# In run 1 T2 saw y == 0 and did nothing wrong; in run 2 it saw y == 1 when x was set.
cat >one.ctp <<'END'
shared x = 0, y = 0
thread T1 { t1: y := 1  t2: x := 1 }
thread T2 { t3: a := y  t4: assume !(a == 1)  t5: nop }
trace t3-t5 t1 t2
END
cat >two.ctp <<'END'
shared x = 0, y = 0
thread T1 { t1: y := 1  t2: x := 1 }
thread T2 { t3: a := y  t4: assume a == 1  t5: assert x == 1 }
trace t1 t2 t3-t5
END
run "$AUGUR" check --prop assert one.ctp
expect_status 0
run "$AUGUR" check --prop assert --format json one.ctp two.ctp
expect_status 1
expect_out '"input": \['
expect_count 1 assertion proved

check "loops need --unroll"
run "$AUGUR" check "$models/spin.ctp"
expect_status 2
expect_err 'unroll'
run "$AUGUR" check --unroll 2 --prop assert,race "$models/spin.ctp"
expect_true "an answer" test "$status" -le 1

check "a trace with values: a race that no linear stage names"
# T2's section must come before T1's second one, and its read sees the first write.
cat >open.std <<'END'
T1|w(x)|a.c:1|1
T1|acq(l)|a.c:2|0
T1|w(y)|a.c:3|5
T1|rel(l)|a.c:4|0
T1|w(x)|a.c:5|1
T2|acq(l)|b.c:1|0
T2|r(x)|b.c:2|1
T2|rel(l)|b.c:3|0
T2|w(y)|b.c:4|6
END
run "$AUGUR" check --prop race --format json open.std
expect_status 1
expect_true "y races" test "$(grep -A2 '"status": "proved"' .lib/out | grep -c '"var": "y"')" -eq 1
run "$AUGUR" check --prop race --format json --stages lockset open.std
expect_true "not without" test "$(grep -A2 '"status": "proved"' .lib/out | grep -c '"var": "y"')" -eq 0

# deadlock VALUE: T2 asks for the locks the other way round after it read x
deadlock() {
    cat >dead.std <<END
T1|w(x)|1|$1
T1|acq(a)|2|0
T1|acq(b)|3|0
T1|rel(b)|4|0
T1|rel(a)|5|0
T1|w(x)|6|2
T2|r(x)|7|2
T2|acq(b)|8|0
T2|acq(a)|9|0
T2|rel(a)|10|0
T2|rel(b)|11|0
END
}
check "a trace with values: a deadlock that needs another write with the same value"
deadlock 2
run "$AUGUR" check --prop deadlock --format json dead.std
expect_status 1
expect_count 1 deadlock proved
expect_out '"schedule": \[\["T1", 2\], \["T2", 2\]\]'
expect_out '"lockset": 1, "solver": 1'
run "$AUGUR" check --prop deadlock --format json --stages lockset dead.std
expect_count 1 deadlock possible

check "a trace with values: a deadlock that no such write allows"
deadlock 1
run "$AUGUR" check --prop deadlock --format json dead.std
expect_status 0
expect_out '"lockset": 1, "solver": 0'
expect_out 'unreachable while reads see their recorded values'
run "$AUGUR" check --prop deadlock --all dead.std
expect_status 1
expect_out 'unreachable while every read sees its recorded value'

check "of a long trace it is said that deadlocks are looked for among locks only"
{
    for i in $(seq 150); do echo "T9|w(z)|c.c:1|$i"; done
    cat dead.std
} >dead_long.std
run "$AUGUR" check --prop deadlock --window 100 dead_long.std
expect_out '^note: deadlock check incomplete: only locks were decided, the run is too long'

check "a long trace with values is looked at in windows"
for i in $(seq 400); do
    echo "T3|w(z)|c.c:1|$i"
    echo "T3|r(z)|c.c:2|$i"
done >long.std
# the read's value comes from either of two writes
cat >>long.std <<'END'
T1|w(x)|a.c:1|1
T1|w(y)|a.c:3|5
T1|w(x)|a.c:5|1
T2|r(x)|b.c:1|1
T2|w(y)|b.c:4|6
END
run "$AUGUR" check --prop race --format json --window 100 long.std
expect_status 1
expect_out 'in windows of up to 100 steps'
expect_out '"var": "y"'
expect_true "y races" test "$(grep -A2 '"status": "proved"' .lib/out | grep -c '"var": "y"')" -eq 1
run "$AUGUR" check --prop race --format json long.std
expect_true "y races" test "$(grep -A2 '"status": "proved"' .lib/out | grep -c '"var": "y"')" -eq 1
run "$AUGUR" check --prop race --format json --stages lockset long.std
expect_true "not without" test "$(grep -A2 '"status": "proved"' .lib/out | grep -c '"var": "y"')" -eq 0

check "what a block is, the linear stage says: a function, or a section beside marked blocks"
cat >function.std <<'END'
M|fork(A)|1
M|fork(B)|2
A|call(f)|3
A|call(g)|3
A|r(x)|5|0
A|r(x)|8|0
A|ret|10
A|ret|10
B|w(x)|12|1
END
cat >marked.std <<'END'
M|fork(A)|1
M|fork(B)|2
A|begin(a)|3
A|r(y)|3|0
A|end(a)|3
A|acq(l)|3
A|r(x)|5|0
A|r(x)|8|0
A|rel(l)|10
B|w(x)|12|1
B|w(y)|12|1
END
for how in function critical; do
    [ $how = function ] && trace=function.std || trace=marked.std
    run "$AUGUR" check --atomic $how --prop atomicity --schedules 0 $trace
    expect_status 1
    expect_out '^V1 proved'
done

check "a thread that stops within a transaction has read there: whole transactions refute nothing of that"
stops() { # KIND BEFORE AFTER: of T0's store
    printf 'shared x = 0\n%s\nthread T0 { %s a: x := 1 b: rel l }\nthread T2 { c: acq l d: assume x == 1 %s }\n' "$1" "$2" "$3"
}
stops "sem l = 1" "" "" >sem.ctp
stops "lock l" "acq l" "rel l" >lock.ctp
for model in sem lock; do
    for how in "--order events" "--order transactions" "--order transactions --widths ranges" "--order transactions --graph tsg" ""; do
        # shellcheck disable=SC2086
        run "$AUGUR" check --prop nondet $how $model.ctp
        expect_status 1
        expect_out '^N1 proved .* T2 reads at d .* initial value'
    done
done

check "bad options are refused"
for bad in "--context-bound x" "--context-bound 3..1" "--shard 0/2" "--shard 3/2" "--shard 1" "--reach x" "--backend yices"; do
    # shellcheck disable=SC2086
    run "$AUGUR" check $bad "$models/fig1.ctp"
    expect_status 2
done
