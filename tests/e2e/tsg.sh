#!/usr/bin/env bash
# Transaction sequence graphs and ranges (docs/intervals.md) from the command line.
. "$(dirname "$0")/../e2e/lib.sh"
models=$SRC/tests/models

check "show --tsg: the counts of the paper's example"
run "$AUGUR" show --tsg "$models/tsg.ctp"
expect_status 0
expect_out 'MATs          5'
expect_out 'switches    8, 0 of them never possible'
expect_out 'nodes         7'
expect_out 'transactions  5'
expect_out 'switches      8, 0 of them added'
run "$AUGUR" show --tsg --mat "$models/tsg.ctp"
expect_out 'MATs          7'
expect_out 'switches    12, 2 of them never possible'
expect_out 'nodes         9'
expect_out 'transactions  7'
expect_out 'switches      10, 0 of them added'
run "$AUGUR" show --tsg --ccfg "$models/tsg.ctp"
expect_out 'nodes         13'
expect_out 'transactions  11'

check "show --tsg: JSON"
run "$AUGUR" show --tsg --format json "$models/tsg.ctp"
expect_status 0
expect_out '"graph": \{"kind": "TSG.", "mats": 5, "mat_switches": 8, "impossible": 0, "nodes": 7, "transactions": 5, "switches": 8, "added": 0\}'

check "show --tsg --draw: columns, solid and dashed, and names that bite"
cat >odd.ctp <<'END'
shared x = 0
thread A { one: x := 1 }
thread B { two: b := x }
END
cp odd.ctp 'a"b\N<b>.ctp'
run "$AUGUR" show --tsg --draw g.dot 'a"b\N<b>.ctp'
expect_status 0
grep -q 'label="a\\"b\\\\N<b>.ctp"' g.dot || fail "the name is not escaped: $(grep label g.dot | head -n 1)"
grep -q 'subgraph cluster_1' g.dot || fail "no column for the second thread"
grep -q 'style=dashed' g.dot || fail "no dashed switch"
# What libgvc and the font libraries under it never free is not ours.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 run "$AUGUR" show --tsg --draw g.svg 'a"b\N<b>.ctp'
expect_status 0
grep -q '<svg' g.svg || fail "no SVG"
grep -q '<b>' g.svg && fail "markup of the name is markup of the picture"
run "$AUGUR" show --tsg --draw g.png odd.ctp
expect_status 2
expect_err "ends neither in '.svg' nor in '.dot'"

check "show --tsg: --bare, --priority and --look-ahead"
drop=$models/ah_drop_second.ctp
run "$AUGUR" show --tsg "$drop"
expect_out 'switches      11, 5 of them added'
expect_out 'rounds        6'
run "$AUGUR" show --tsg --bare "$drop"
expect_out 'switches      11, 0 of them added'
run "$AUGUR" show --tsg --priority first "$drop"
expect_out 'switches      9, 3 of them added'
run "$AUGUR" show --tsg --priority last "$drop"
expect_out 'switches      11, 5 of them added'
run "$AUGUR" show --tsg --look-ahead 4 "$drop"
expect_out 'rounds        2'

check "show --tsg: what does not go together"
run "$AUGUR" show --mat "$models/tsg.ctp"
expect_status 2
expect_err "'--mat' needs '--tsg'"
run "$AUGUR" show --tsg --mat --ccfg "$models/tsg.ctp"
expect_status 2
printf 'T1|w(x)|1\n' >t.std
run "$AUGUR" show --tsg t.std
expect_status 2
expect_err 'the trace has no value for this access, and a model needs it'

check "loops: ranges without unrolling"
cat >loop.ctp <<'END'
shared x = 0
lock l
thread A { i := 0  while (i < 10) { acq l  x := i  rel l  i := i + 1 }  low: assert i >= 10 }
thread B { acq l  b := x  rel l  in: assert b <= 9  out: assert b <= 8 }
END
run "$AUGUR" show --tsg loop.ctp
expect_status 0
expect_out 'assertions    2 of 3 proved by ranges'

check "check: ranges rule out what is never reached and what never fails"
cat >range.ctp <<'END'
shared x = 0, y = 0
lock l
thread A { acq l  x := 3  rel l  if (y > 5) { dead: x := 9 } }
thread B { acq l  b := x  rel l  y := b & 3  fine: assert y < 4 }
END
run "$AUGUR" check --format json --prop assert range.ctp
expect_status 0
expect_out '"lockset": 1, "interval": 0, "solver": 0'
run "$AUGUR" check --format json --prop race range.ctp
expect_out '"interval": 1'
run "$AUGUR" check --format json --prop race --stages interval range.ctp
expect_out '"interval": 1'

check "check: the same answers with full widths and with whole transactions"
for how in "--widths full" "--widths ranges" "--order transactions" "--order transactions --no-prefix"; do
    # shellcheck disable=SC2086
    run "$AUGUR" check --format json --prop assert $how "$models/fig1.ctp"
    expect_status 1
    # shellcheck disable=SC2086
    run "$AUGUR" check --format json --prop assert $how "$models/fig1_holds.ctp"
    expect_status 0
done

check "recordings: graph, ranges and metric, of the whole run and of a slice"
cat >shop.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int price = 3, count = 2, total;
static void *shop(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        int p = price, c = count;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        price = (p * 5 + me) % 11;
        count = (c * c + i) % 7;
        total = p * c;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void) {
    pthread_t t[3];
    int number[3];
    for (int i = 0; i < 3; i++) {
        number[i] = i;
        pthread_create(&t[i], 0, shop, &number[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(total <= 60);
    assert(total % 61 != 59);
    return 0;
}
END
"$AUGUR" cc -g -O1 -pthread shop.c -o shop && "$AUGUR" record --quiet -o shop.trace ./shop >/dev/null
run "$AUGUR" show --tsg shop.trace
expect_status 0
expect_out 'model         shop.trace'
expect_out 'threads       4'
expect_out 'graph         TSG.'
expect_out 'assertions    1 of 2 proved by ranges'
"$AUGUR" show --as-ctp shop.trace >shop.ctp
"$AUGUR" show --tsg shop.ctp 2>/dev/null | grep -v -e seconds -e ^model >as_ctp
"$AUGUR" show --tsg shop.trace 2>/dev/null | grep -v -e seconds -e ^model >as_trace
expect_same as_ctp as_trace
run "$AUGUR" show --tsg --slice shop.c:28 --format json shop.trace
expect_status 0
expect_out '"asserts": 1, "proved": 1'
run "$AUGUR" show --tsg --ccfg --draw shop.dot shop.trace
expect_status 0
run grep -c digraph shop.dot
expect_status 0
run "$AUGUR" show --tsg --as-ctp shop.trace
expect_status 2
expect_err "'--tsg' conflicts with '--as-ctp'"
run "$AUGUR" show --mat shop.trace
expect_status 2
expect_err "'--mat' needs '--tsg'"

check "show --tsg: limits end in a message"
bash "$SRC/bench/tsg_models.sh" index4 >index4.ctp
run "$AUGUR" show --tsg --timeout 0.1 index4.ctp
expect_status 2
expect_err 'take more than 0.1 s \(--timeout\)'
[ -n "$SANITIZED" ] || run "$AUGUR" show --tsg --memory 10 index4.ctp
expect_status 2
[ -n "$SANITIZED" ] || expect_err 'need more than 10 MiB \(--memory\)'

check "recordings: the stage interval and whole transactions"
run "$AUGUR" check --format json --prop assert --stages interval shop.trace
expect_out '"candidates": 2, "interval": 1'
for how in "--widths ranges" "--order transactions"; do
    # shellcheck disable=SC2086
    run "$AUGUR" check --format json --prop assert $how shop.trace
    expect_status 0
    expect_out '"interval": 1, "solver": 0'
done

check "--graph: each graph gives the same answer, and the fewer switches it has, the fewer variables a query has"
cat >graphs.ctp <<'END'
shared x = 0, y = 0
lock l
thread A { acq l  x := x + 1  y := y + x  rel l  acq l  x := x + y  rel l }
thread B { local r  acq l  r := x  y := y + r  rel l  acq l  x := x + y  rel l }
thread M { fork A fork B join A join B assert x != 3 }
END
last=1000000
for graph in ccfg tsg tsg-prime; do
    rm -rf dump
    run "$AUGUR" check --prop assert --order transactions --graph $graph --dump dump graphs.ctp
    expect_status 1
    expect_out '^A1 proved'
    expect_true "cadical agrees" test "$(cadical -q dump/q1.cnf | head -1)" = "s SATISFIABLE"
    n=$(awk 'NR == 1 { print $3 }' dump/q1.cnf)
    expect_true "$graph: $n variables, fewer than $last" test "$n" -lt "$last"
    last=$n
done

check "--order auto: whole transactions in a model of 200 steps and more, events in a short one"
for times in 4 30; do
    {
        echo "shared x = 0, y = 0"
        echo "lock l"
        for t in A B; do
            echo "thread $t {"
            for ((i = 0; i < times; i++)); do echo "  acq l x := x + 1 y := y + 1 rel l"; done
            echo "}"
        done
        echo "thread M { fork A fork B join A join B assert x == 0 }"
    } >long.ctp
    for order in auto events transactions; do
        rm -rf dump
        "$AUGUR" check --quiet --window 0 --prop assert --order $order --dump dump long.ctp >/dev/null
        head -1 dump/q1.cnf >$order
    done
    expect_true "$times: events and transactions differ" test -n "$(diff events transactions)"
    [ $times -eq 4 ] && same=events || same=transactions
    expect_true "$times: auto is $same" cmp -s auto $same
done
