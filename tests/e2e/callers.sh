#!/usr/bin/env bash
# Through which calls threads came to what findings speak of: exact lines, whatever was inlined, called
# through a pointer or by a library.
. "$(dirname "$0")/lib.sh"

cp "$SRC/tests/e2e/callers/calls.c" "$SRC/tests/e2e/callers/table.cpp" "$SRC/tests/e2e/callers/stuck.c" "$SRC/tests/e2e/callers/failed.c" .
# calls FILE: every event of every finding as "R1 T0 deep.c:8 < compare:14 < main:43"
calls() {
    python3 - "$1" <<'PY'
import json, os, sys
for f in json.load(open(sys.argv[1]))["findings"]:
    for e in f["events"]:
        print(f["id"], e["thread"], os.path.basename(e["location"]),
              *("< %s:%d" % (c["function"], c.get("line", 0)) for c in e.get("callers", []) if not c.get("file", "").startswith("/usr/")))
PY
}
line() { grep -n "/\* $1 \*/" calls.c | cut -d: -f1; }

check "C: inlined functions, recursion, a pointer, a callback of qsort"
run "$AUGUR" cc -g -O1 -pthread calls.c -o calls
expect_status 0
run "$AUGUR" record --quiet -o calls.trace ./calls
run "$AUGUR" check --quiet --format json -o calls.json calls.trace
expect_status 1
run calls calls.json
add=$(line add) compare=$(line compare) main=$(line sort) down=$(line down) bottom=$(line bottom) how=$(line how)
expect_out "^R1 T0 calls.c:$add < compare:$compare < main:$main\$"
expect_out "^R1 T1 calls.c:$add < down:$bottom < down:$down < down:$down < worker:$how\$"
expect_out "^D1 T0 calls.c:$(line second) < main:$(line ba)\$"
expect_out "^D1 T1 calls.c:$(line second) < worker:$(line ab)\$"

check "the same at any level of optimisation"
cp calls.json first.json
for level in -O0 -O2 -O3; do
    "$AUGUR" cc -g $level -pthread calls.c -o calls && "$AUGUR" record --quiet -o calls.trace ./calls >/dev/null
    "$AUGUR" check --quiet --format json -o calls.json calls.trace
    expect_true "$level" [ "$(calls calls.json)" = "$(calls first.json)" ]
done

check "augur run tells them, and keeps them"
run "$AUGUR" run --quiet --budget 5 ./calls
expect_status 1
expect_out "^ +called from compare \(calls.c:$compare\), from main \(calls.c:$main\)\$"
expect_out "^ +called from down \(calls.c:$bottom\), from down \(calls.c:$down\), from down \(calls.c:$down\), from worker \(calls.c:$how\)\$"
run "$AUGUR" report --format json
printf '%s\n' "$out" >kept.json
run calls kept.json
expect_out "^R1 T0 calls.c:$add < compare:$compare < main:$main\$"

check "SARIF: a stack for each side, the event's own place first"
run "$AUGUR" check --quiet --format sarif -o calls.sarif calls.trace
cat >stacks.py <<'PY'
import json, sys
for r in json.load(open(sys.argv[1]))["runs"][0]["results"]:
    for s in r["stacks"]:
        print(r["ruleId"], *("%s:%d" % (f["location"]["logicalLocations"][0]["fullyQualifiedName"],
                                        f["location"]["physicalLocation"]["region"]["startLine"]) for f in s["frames"]))
PY
run python3 stacks.py calls.sarif
expect_out " add:$add compare:$compare main:$main\$"
expect_out " lock_both:$(line second) worker:$(line ab)\$"

check "C++: who called the library"
run "$AUGUR" c++ -g -O1 -pthread table.cpp -o table
expect_status 0
run "$AUGUR" record --quiet -o table.trace ./table
run "$AUGUR" check --quiet --prop race --format json -o table.json table.trace
run calls table.json
expect_out "stl_tree.h:[0-9]+ .*< fill:$(grep -n '/\* fill \*/' table.cpp | cut -d: -f1)( |\$)"
expect_true "paths without '..'" [ "$(grep -c '/\.\./' table.json)" -eq 0 ]

check "a run that ended in its deadlock: where the threads wait"
run "$AUGUR" cc -g -O1 -pthread stuck.c -o stuck
run "$AUGUR" record --quiet -o stuck.trace ./stuck
run "$AUGUR" check --quiet --format json -o stuck.json stuck.trace
run calls stuck.json
expect_out '^D1 T0 stuck.c:[0-9]+ < take:[0-9]+ < main:[0-9]+$'

check "after a failed run: the lines of the calls, not of what their functions did last"
# told: where the failed thread stood, as "look:14 < work:19"
told() {
    sed -n 's/^augur: T1 stood in __assert_fail < //p' <<<"$err" | sed -E 's/ \(failed.c:([0-9]+)\)/:\1/g'
}
place() { grep -n "/\* $1 \*/" failed.c | cut -d: -f1; }
stood="want:$(place fails) < look:$(place want) < check:$(place look) < work:$(place check)"
for level in -O0 -O2; do
    run "$AUGUR" cc -g $level -pthread failed.c -o failed
    expect_status 0
    run "$AUGUR" record -o failed.trace ./failed
    expect_status 1
    expect_true "$level: $(told)" [ "$(told)" = "$stood" ]
    run "$AUGUR" check --quiet failed.trace
    expect_out "^A1 proved .*: T1 asserts at failed.c:$(place fails)\$"
    run "$AUGUR" check --quiet --format json -o failed.json failed.trace
    run calls failed.json
    expect_out "^A1 T1 failed.c:$(place fails) < look:$(place want) < check:$(place look) < work:$(place check)\$"
    run "$AUGUR" replay failed.trace
    expect_status 0
    expect_true "$level, replayed: $(told)" [ "$(told)" = "$stood" ]
done

check "without the decoder of its code: what each function did last"
mkdir alone && cp "$AUGUR" alone/augur
run alone/augur record -o failed.trace ./failed
expect_status 1
expect_err "^augur: T1 stood in __assert_fail < look \\(failed.c:$(place fails)\\) < check \\(failed.c:$(place busy)\\) < work "

check "without the program's bitcode there are none, and nothing fails"
objcopy --remove-section .augurbc calls bare 2>/dev/null || cp calls bare
mv calls gone
run "$AUGUR" check --quiet --prop race --format json -o bare.json calls.trace
expect_status 1
run calls bare.json
expect_out "^R1 T0 calls.c:$add\$"
