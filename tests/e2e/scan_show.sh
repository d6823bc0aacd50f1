#!/usr/bin/env bash
# augur scan --show: transaction graphs, what holds at their nodes, what each stage ruled out (scan/show.h,
# report/scan_graph.h).
. "$(dirname "$0")/lib.sh"

fig1=$SRC/examples/scan/fig1.ctp

check "--show graph: nodes, transactions, and the stage that ruled a warning out"
run "$AUGUR" scan --no-spurious --show graph "$fig1"
expect_status 1
plain=$out
for s in must-hb lockset graph box; do
    grep -q "^stage $s: [0-9]* left$" <<<"$out" || fail "no stage $s: $out"
done
grep -Eq '^  0  Alloc:[0-9]+  Dealloc:[0-9]+$' <<<"$out" || fail "no node 0: $out"
grep -Eq '^  0 -> [0-9]+  (Alloc|Dealloc): [0-9]+ to [0-9]+$' <<<"$out" || fail "no transaction: $out"
grep -q "^  ruled out: race on '.*: no node has both threads before these$" <<<"$out" || fail "nothing ruled out: $out"

check "what is ruled out and left is what the report says"
run "$AUGUR" scan --no-spurious --no-replay --all --format json -o all.json "$fig1"
grep -c '"status": "refuted"' all.json >refuted || true
[ "$(grep -c '^  ruled out: ' <<<"$plain")" = "$(cat refuted)" ] || fail "$(cat refuted) refuted: $plain"
[ "$(grep -Ec '^(left|shown): ' <<<"$plain")" = "$(grep -c '"status": "\(proved\|possible\)"' all.json)" ] || fail "left: $plain"

check "--show invariants: what holds at each node"
run "$AUGUR" scan --no-spurious --show invariants "$fig1"
expect_status 1
grep -q '^      .*pg_count in \[' <<<"$out" || fail "nothing about pg_count: $out"
grep -q ' -> ' <<<"$out" && fail "transactions, too: $out"

check "--draw: a file for Graphviz, and a picture"
run "$AUGUR" scan --no-spurious --show invariants --draw g.dot "$fig1"
expect_status 1
grep -q '^digraph transactions {' g.dot || fail "no graph"
grep -q 'g[0-9]*_0 -> g[0-9]*_[0-9]* \[label="' g.dot || fail "no edge"
grep -q 'ruled out by \(graph\|box\|octagon\|polyhedron\)' g.dot || fail "no stage"
run "$AUGUR" scan --no-spurious --stages box --show graph --draw g.svg "$fig1"
if [ "$status" = 1 ]; then
    grep -q '<svg ' g.svg || fail "no picture"
else
    grep -q libgvc <<<"$out$err" || fail "$out$err"
fi

check "of a program, and two threads at a time"
run "$AUGUR" scan --stages box --pairwise --show invariants "$SRC/examples/scan/led.c"
[ "$status" -le 1 ] || fail "status $status"
grep -q '^ graph$' <<<"$out" || fail "no graph: $out"
[ ! -e .augur ] || fail "something was executed"

check "wrong uses"
run "$AUGUR" scan --draw g.svg "$fig1"
expect_status 2
run "$AUGUR" scan --show graph --draw g.png "$fig1"
expect_status 2
run "$AUGUR" scan --show graph --format json "$fig1"
expect_status 2
