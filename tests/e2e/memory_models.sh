#!/usr/bin/env bash
# augur oracle --memory-model, and what every other stage says of a model with memory orders.
. "$(dirname "$0")/lib.sh"

models=$SRC/tests/models
against="$SRC/tests/memory/check_models.py"
variants=12 programs=60
[ -z "$SANITIZED" ] || variants=2 programs=10

check "the verdicts that papers state"
run python3 -B "$against" "$AUGUR" literature
expect_status 0
expect_out "ok 192 verdicts, 12 on races"

check "litmus tests, against the paper's axioms and a machine with store buffers"
run python3 -B "$against" "$AUGUR" litmus $variants
expect_status 0
expect_out "ok SB $variants of 6400, .*IRIW $variants of 102400"

check "random programs, against the same"
run python3 -B "$against" "$AUGUR" random 7 $programs
expect_status 0
expect_out "ok $programs programs"

check "store buffering: not by interleavings, but on x86 and in C11"
run "$AUGUR" oracle --memory-model sc --prop assert "$models/store_buffering.ctp"
expect_status 0
expect_out '"memory_model": "sc"'
expect_out '"exhaustive": true'
for memory in tso rc11; do
    run "$AUGUR" oracle --memory-model $memory --prop assert --format text "$models/store_buffering.ctp"
    expect_status 1
    expect_out "assertion t of T3 fails"
    expect_out "T1:2 .b. reads 'y' from the initial value"
    expect_out "T2:2 .d. reads 'x' from the initial value"
    expect_out "3 executions"
done

check "message passing without a release: a race of C11, what comes after it is only possible"
run "$AUGUR" oracle --memory-model rc11 --prop race,assert "$models/message_passing.ctp"
expect_status 1
expect_out '"undefined": true'
expect_out '"message": "race on .data.: T1 w with T2 r"'
expect_out '"after_race": true'
expect_true "the race is proved, the assertion possible" test \
    "$(grep '"status"' .lib/out | tr -d ' \n')" = '"status":"proved","status":"possible",'
run "$AUGUR" oracle --memory-model tso --prop race,assert "$models/message_passing.ctp"
expect_status 0
expect_out '"executions": 2'

sed 's/rlx flag := 1/rel flag := 1/' "$models/message_passing.ctp" >released.ctp
run "$AUGUR" oracle --memory-model rc11 --prop race,assert released.ctp
expect_status 0
expect_out '"undefined": false'
expect_out '"exhaustive": true'

check "what happens without a race, too, does not come after one: the read itself may be what races"
cat >own.ctp <<'CTP'
shared flag
thread T1 { [rlx early := flag] [acq seen := flag] c: assert flag == 0 }
thread T2 { s: [rel flag := 1] }
CTP
run "$AUGUR" oracle --memory-model rc11 --prop race,assert own.ctp
expect_status 1
expect_out '"undefined": true'
expect_true "the assertion fails without a race" test "$(grep -c '"status": "possible"' .lib/out)" -eq 0

check "a race that nobody asked for leaves the other answers open"
sed 's/assert value == 1/assert value == 0 || value == 1/' "$models/message_passing.ctp" >weaker.ctp
run "$AUGUR" oracle --memory-model rc11 --prop assert weaker.ctp
expect_status 3
expect_out '"exhaustive": false'
expect_out "there is a race"
run "$AUGUR" oracle --memory-model tso --prop assert weaker.ctp
expect_status 0

check "without a choice the oracle does not call interleavings all there is"
run "$AUGUR" oracle --prop assert "$models/store_buffering.ctp"
expect_status 3
expect_out '"exhaustive": false'
expect_out "weaker than seq_cst"
expect_true "it names no memory model" test "$(grep -c memory_model .lib/out)" -eq 0

check "the stages on interleavings do not either"
why="only interleavings were looked at"
run "$AUGUR" scan "$models/store_buffering.ctp"
expect_status 3
expect_out "$why"
expect_out "not exhaustive"
for other in "--no-prefix" "--context-bound 3" "--model mcm" "--backend both"; do
    # shellcheck disable=SC2086
    run "$AUGUR" check --prop assert $other "$models/store_buffering.ctp"
    expect_status 3
    expect_out "$why"
    expect_out "not exhaustive"
    # shellcheck disable=SC2086
    run "$AUGUR" check --memory-model rc11 --prop assert $other "$models/store_buffering.ctp"
    expect_status 2
    expect_err "does not go with '${other%% *}'"
done
run "$AUGUR" check --prop assert --format json --no-prefix "$models/store_buffering.ctp"
expect_status 3
expect_out '"exhaustive": false'
run "$AUGUR" check --shard 1/2 --prop assert --format json -o 1.json "$models/store_buffering.ctp"
run "$AUGUR" check --shard 2/2 --prop assert --format json -o 2.json "$models/store_buffering.ctp"
run "$AUGUR" merge --format text 1.json 2.json
expect_status 3
expect_out "$why"
run "$AUGUR" scan --svcomp "$models/message_passing.ctp"
expect_status 3
expect_out UNKNOWN
run "$AUGUR" scan --show invariants "$models/message_passing.ctp"
expect_err "$why"
run "$AUGUR" show --tsg "$models/message_passing.ctp"
expect_status 0
expect_err "$why"
run "$AUGUR" check --certify proofs "$models/store_buffering.ctp"
expect_status 2
expect_err "memory orders weaker than seq_cst"

check "check: what x86 and C11 do and no interleaving does"
run "$AUGUR" check --memory-model sc --prop race,assert "$models/store_buffering.ctp"
expect_status 0
expect_out "exhaustive: every interleaving .sc. was looked at"
for memory in tso rc11; do
    run "$AUGUR" check --memory-model $memory --prop race,assert "$models/store_buffering.ctp"
    expect_status 1
    expect_out "^A1 proved  assertion fails: T3 asserts at t"
    expect_out "in no interleaving, but .* allows it .$memory."
    expect_out "T1:2 reads 'y' from the initial value"
    expect_out "T2:2 reads 'x' from the initial value"
    expect_out "^exhaustive: every execution .*.$memory. was looked at"
    run "$AUGUR" check --memory-model $memory --prop assert --format json "$models/store_buffering.ctp"
    expect_status 1
    expect_out "\"memory_model\": \"$memory\""
    expect_out "\"memory\": \"$memory\""
    expect_out '"read": \["T1", 2\], "var": "y", "sees": "initial"'
    expect_out '"read": \["T3", 3\], "var": "r1", "sees": \["T1", 3\]'
    expect_out '"exhaustive": true'
done
run "$AUGUR" check --prop assert --format json "$models/store_buffering.ctp"
expect_status 1
expect_out '"memory_model": "rc11"'

check "check: what an interleaving shows has no memory model"
sed 's/r1 == 1 || r2 == 1/r1 == 1/' "$models/store_buffering.ctp" >plain.ctp
run "$AUGUR" check --memory-model rc11 --prop assert --format json plain.ctp
expect_status 1
expect_true "no memory" test "$(grep -c '"memory":' .lib/out)" -eq 0

check "check: the race of message passing through a relaxed flag"
run "$AUGUR" check --memory-model rc11 --prop race,assert "$models/message_passing.ctp"
expect_status 1
expect_out "^R1 proved  race on 'data': T1 writes at w"
expect_out "^A1 possible  assertion fails: T2 asserts at c"
expect_out "only after a race"
run "$AUGUR" check --memory-model tso --prop race,assert "$models/message_passing.ctp"
expect_status 0
run "$AUGUR" check --memory-model rc11 --prop race,assert released.ctp
expect_status 0
expect_out "^exhaustive: every execution that C11 allows .rc11. was looked at; load buffering"
run "$AUGUR" check --memory-model rc11 --prop assert weaker.ctp
expect_status 3
expect_out "there is a race, and C11 does not say"
run "$AUGUR" check --memory-model rc11 --prop race,assert own.ctp
expect_status 1
expect_out "^A1 proved"

check "check: x86, and what would forbid it"
run "$AUGUR" check --prop race,assert "$models/store_buffering.ctp"
expect_out "C11 allows it .rc11., and x86 does it, too"
expect_out "it is forbidden if a of T1 .*is sc, not rlx, and "
run "$AUGUR" check --prop race,assert "$models/message_passing.ctp"
expect_out "C11 allows it .rc11.; x86 does not do it by itself"
expect_out "it is forbidden if s of T1 .*message_passing.ctp:6. is rel, not rlx"
sed 's/acq l := flag/rlx l := flag/; s/acq f := flag/rlx f := flag/; s/\[acq /[rlx /' "$models/message_passing.ctp" >both.ctp
run "$AUGUR" check --prop race both.ctp
expect_out "it is forbidden if s of T1 .* is rel, not rlx, and l of T2 .* is acq, not rlx"
run "$AUGUR" check --prop race,assert --format json "$models/message_passing.ctp"
expect_out '"x86": false'
expect_out '"remedy": "s of T1 .*is rel, not rlx"'

check "check: reads, and the order of writes"
cat >2+2w.ctp <<'CTP'
shared x, y
thread T1 { a: [rlx x := 1] b: [rlx y := 2] }
thread T2 { c: [rlx y := 1] d: [rlx x := 2] }
thread T3 { join T1 join T2 [rlx p := x] [rlx q := y] t: assert p != 1 || q != 1 }
CTP
run "$AUGUR" check --memory-model rc11 --prop assert 2+2w.ctp
expect_status 1
expect_out "writes of 'x' in order: T2:2, T1:1"
expect_out "writes of 'y' in order: T1:2, T2:1"
run "$AUGUR" check --memory-model tso --prop assert 2+2w.ctp
expect_status 0
cat >stale.ctp <<'CTP'
shared x, y
thread T1 { a: [rlx x := 1] b: [rlx y := 1] }
thread T2 { c: [rlx p := y] assume p == 1 d: [rlx q := x] }
CTP
run "$AUGUR" check --memory-model tso --prop nondet stale.ctp
expect_true "x86 has no stale read" test "$(grep -c "can see the initial value.*d" .lib/out)" -eq 0
run "$AUGUR" check --memory-model rc11 --prop nondet stale.ctp
expect_status 1
expect_out "T2:3 reads 'x' from the initial value"

check "check: C11 without weak orders and without a race is interleavings"
run "$AUGUR" check --memory-model rc11 --prop race,assert,nondet,deadlock,locks,atomicity "$models/prim_lock.ctp"
expect_true "no word of executions that were not looked at" test "$(grep -c "only interleavings" .lib/out)" -eq 0
sed 's/rlx/sc/g' "$models/store_buffering.ctp" >strong.ctp
run "$AUGUR" check --memory-model rc11 --prop race,assert strong.ctp
expect_status 0
expect_out "^exhaustive: .*rc11"
run "$AUGUR" check --memory-model tso --prop race,assert strong.ctp
expect_status 0

check "check: what executions are not asked about is said"
cat >locks.ctp <<'CTP'
shared x, y
lock m, n
thread T1 { acq m [rlx x := 1] acq n rel n rel m }
thread T2 { acq n [rlx y := 1] acq m rel m rel n }
thread T3 { acq m rel m }
CTP
run "$AUGUR" check --prop deadlock locks.ctp
expect_status 1
run "$AUGUR" check --prop assert,locks locks.ctp
expect_status 3
expect_out "wrong uses of locks: only interleavings were looked at, and rc11 allows more"
printf 'shared x, y\nthread T { t: [x := y] }\n' >several.ctp
run "$AUGUR" check --memory-model tso --prop race several.ctp
expect_status 3
expect_out "'t' accesses several variables at once"
run "$AUGUR" check --memory-model rc11 "$SRC/examples/traces/hidden_race.std"
expect_status 2
expect_err "is for .ctp models"
{
    echo "shared x"
    echo "thread T {"
    for _ in $(seq 1001); do echo "  [rlx x := 1]"; done
    echo "}"
} >longer.ctp
run "$AUGUR" check --prop race longer.ctp
expect_status 3
expect_out "1001 steps; the limit of memory models is 1000"

check "check and the oracle agree on every model"
kinds() {
    grep -oE '"kind": "[a-z-]+"' "$1" | sort | uniq -c
}
some=("$models"/*.ctp)
[ -z "$SANITIZED" ] || some=("$models"/*memory*.ctp)
agreed=0
for model in "${some[@]}"; do
    case $model in *havoc* | *nested_loops*) continue ;; esac
    for memory in tso rc11; do
        "$AUGUR" oracle --unroll 2 --memory-model $memory --prop race,assert "$model" >oracle.json 2>.lib/err ||
            [ $? -eq 1 ] || continue # it says nothing of some models
        run "$AUGUR" check --unroll 2 --memory-model $memory --prop race,assert --format json "$model"
        expect_true "$(basename "$model") under $memory" test "$(kinds oracle.json)" = "$(kinds .lib/out)"
        agreed=$((agreed + 1))
    done
done
[ -n "$SANITIZED" ] || expect_true "on many" test "$agreed" -ge 40

check "a certificate does not hold for its model with other orders"
cat >seq.ctp <<'CTP'
shared x
lock m
thread T1 { acq m x := 1 rel m }
thread T2 { acq m [x := 2] rel m assert x > 0 }
CTP
run "$AUGUR" check --prop race,assert --certify proofs seq.ctp
run "$AUGUR" verify proofs
expect_status 0
sed -i 's/\[ x := 2/[ rlx x := 2/' proofs/model-*.ctp
expect_true "the model was changed" grep -q rlx proofs/model-1.ctp
run "$AUGUR" verify proofs
expect_true "refused" [ "$status" -ne 0 ]

check "seq_cst and plain accesses are what they were"
why="only interleavings were looked at"
run "$AUGUR" check --prop assert seq.ctp
expect_status 0
expect_true "no word of weak orders" test "$(grep -c "$why" .lib/out)" -eq 0
sed 's/\[x := 2\]/fence acq [sc x := 2] fence sc/' seq.ctp >fences.ctp
run "$AUGUR" check --prop assert fences.ctp
expect_status 0
expect_true "no word of weak orders" test "$(grep -c "$why" .lib/out)" -eq 0

check "models with orders are printed as they read"
run "$AUGUR" show "$models/memory_orders.ctp"
cp .lib/out printed.ctp
run "$AUGUR" show printed.ctp
expect_same .lib/out printed.ctp
expect_out "fence acq_rel"
expect_out "if \[acq x > 2\]"
run "$AUGUR" convert "$models/message_passing.ctp" -o converted.ctp
expect_status 0
expect_true "converted" grep -q "rlx flag := 1" converted.ctp

check "synchronisation orders: locks, fork and join, semaphores, conditions, barriers"
cat >sync.ctp <<'CTP'
shared a, b, c, d, e
lock m
rwlock rw
sem s
cond cv
barrier bar = 2
thread Main {
  a := 1 fork U
  wracq rw b := 1 rel rw
  c := 1 rel s
  d := 1 arrive bar
  acq m e := 1 signal cv rel m
  join U
  a := 2
}
thread U {
  p := a
  acq s q := c
  rdacq rw r := b rel rw
  arrive bar t := d
  acq m u := e rel m
}
CTP
for memory in rc11 tso; do
    run "$AUGUR" oracle --memory-model $memory --prop race,deadlock,locks sync.ctp
    expect_status 0
    expect_out '"exhaustive": true'
done
sed 's/acq s q := c/q := c acq s/' sync.ctp >unordered.ctp
run "$AUGUR" oracle --memory-model rc11 --prop race --format text unordered.ctp
expect_status 1
expect_out "race on 'c'"

check "what is not said is refused with the reason"
run "$AUGUR" oracle --memory-model rc11 --no-prefix "$models/fig1.ctp"
expect_status 2
expect_err "goes with '--model ctp' alone"
run "$AUGUR" oracle --memory-model tso --prop atomicity "$models/fig1.ctp"
expect_status 2
expect_err "'--memory-model sc' only"
run "$AUGUR" oracle --memory-model rc11 "$SRC/examples/traces/hidden_race.std"
expect_status 2
expect_err "is for .ctp models"
printf 'shared x, y\nthread T { t: [x := y] }\n' >two.ctp
run "$AUGUR" oracle --memory-model rc11 two.ctp
expect_status 2
expect_err "'t' accesses several variables at once"
printf 'shared x\nlock m\nthread T { assume owner(m) == 0 x := 1 }\n' >owner.ctp
run "$AUGUR" oracle --memory-model rc11 owner.ctp
expect_status 2
expect_err "looks at the state of a lock"
{
    echo "shared x"
    echo "thread T {"
    for _ in $(seq 70); do echo "  x := 1"; done
    echo "}"
} >long.ctp
run "$AUGUR" oracle --memory-model rc11 --prop assert long.ctp
expect_status 3
expect_out "more than 64 accesses"

check "the page on memory models shows what is so"
document "$SRC/docs/memory-models.md"
expect_true "at least two blocks" [ "$blocks" -ge 2 ]
