#!/usr/bin/env bash
# augur check on traces: what is found, what is proved, what must not be reported.
. "$(dirname "$0")/lib.sh"

# count KIND STATUS: findings of that kind and status in the JSON of the last run
count() {
    tr -d '\n' <.lib/out | grep -oE "\"kind\": \"$1\", *\"status\": \"$2\"" | wc -l
}

check "raytracer: N(N-1) broken blocks, none with a common lock"
for n in 10 20 40; do
    "$AUGUR" gen --shape raytracer --threads $n -o ray.std
    run "$AUGUR" check --prop atomicity --format json ray.std
    expect_status 1
    expect_out "\"lockset\": $((n * (n - 1))), \"graph\": $((n * (n - 1))), \"unit\": \"representatives\""
    expect_true "$n threads" test "$(count atomicity '[a-z]*')" -eq $((n * (n - 1)))
    expect_true "no write-read-write" test "$(grep -c '"pattern": "WRW"' .lib/out)" -eq 0
done
for t in $(seq 20); do
    for e in begin 'acq(l)' 'r(sum)' 'w(sum)' 'rel(l)' end; do
        echo "T$t|$e|1"
    done
done >common.std
run "$AUGUR" check --prop atomicity common.std
expect_status 0
expect_out '^0 findings'

check "the race that happens-before does not see, with its schedule"
cat >hidden.std <<'END'
T1|acq(l)|a.c:1
T1|w(x)|a.c:2
T1|rel(l)|a.c:3
T2|acq(l)|b.c:1
T2|rel(l)|b.c:2
T2|w(x)|b.c:3
END
run "$AUGUR" check --prop race --format json hidden.std
expect_status 1
expect_true "proved" test "$(count race proved)" -eq 1
expect_out '"schedule": \[\["T2", 2\], \["T1", 1\]\]'
expect_out '"file": "a.c", "line": 2'
run "$AUGUR" check --prop race --stream hidden.std
expect_status 0

check "a deadlock is proved, a gate lock rules it out"
cat >dead.std <<'END'
T1|acq(a)|1
T1|acq(b)|2
T1|rel(b)|3
T1|rel(a)|4
T2|acq(b)|5
T2|acq(a)|6
T2|rel(a)|7
T2|rel(b)|8
END
run "$AUGUR" check --prop deadlock --format json dead.std
expect_status 1
expect_true "proved" test "$(count deadlock proved)" -eq 1
sed -E 's/^(T.)\|acq\(a\)\|1$/\1|acq(g)|0\n&/; s/^(T.)\|acq\(b\)\|5$/\1|acq(g)|0\n&/; s/^(T.)\|rel\(.\)\|[48]$/&\n\1|rel(g)|9/' dead.std >gate.std
run "$AUGUR" check gate.std
expect_status 0
expect_out '^0 findings'
expect_true "the last line claims nothing" grep -q "^not exhaustive: what these runs did not do.*augur explore" <<<"${out##*$'\n'}"
run "$AUGUR" check --stages lockset gate.std
expect_true "stages that were left out are told" grep -q '^not exhaustive: some stages were left out (--stages)' <<<"${out##*$'\n'}"
run "$AUGUR" check --stream gate.std
expect_true "one pass decides nothing" grep -q '^not exhaustive: one pass decides nothing' <<<"${out##*$'\n'}"

check "--first keeps the most certain finding, of whatever kind"
{
    printf 'A|%s|1\n' begin 'acq(l)' 'r(x)' 'rel(l)' 'acq(l)' 'w(x)' 'rel(l)' end
    printf 'B|%s|2\n' 'acq(l)' 'r(x)' 'w(x)' 'rel(l)'
    cat dead.std
} >both.std
run "$AUGUR" check --format json both.std
expect_true "a possible block" test "$(count atomicity possible)" -ge 1
expect_true "a proved deadlock" test "$(count deadlock proved)" -eq 1
run "$AUGUR" check --first --format json both.std
expect_status 1
expect_true "one finding" test "$(grep -c '"kind"' .lib/out)" -eq 1
expect_true "the proved one" test "$(count deadlock proved)" -eq 1

check "read-write locks: readers exclude no reader"
cat >rw.std <<'END'
T1|rdacq(a)|1
T1|rdacq(b)|2
T1|rel(b)|3
T1|rel(a)|4
T2|rdacq(b)|5
T2|rdacq(a)|6
T2|rel(a)|7
T2|rel(b)|8
END
run "$AUGUR" check --prop deadlock rw.std
expect_status 0

check "a fork orders what comes before it"
cat >fork.std <<'END'
M|w(x)|1
M|fork(T)|2
T|w(x)|3
END
run "$AUGUR" check fork.std
expect_status 0

check "hundreds of locks that two threads take in opposite order: deadlocks, and the limit is named"
awk 'BEGIN {
    n = 400
    for (i = 1; i <= n; i++) print "T|acq(l" i ")|" i
    for (i = n; i >= 1; i--) print "T|rel(l" i ")|" i
    for (i = n; i >= 1; i--) print "U|acq(l" i ")|" i
    for (i = 1; i <= n; i++) print "U|rel(l" i ")|" i
}' >opposite.std
run "$AUGUR" check --prop deadlock opposite.std
expect_status 1
expect_out "^D1 proved  deadlock: T wants 'l2' at 2, U wants 'l1' at 1$"
expect_out "^inconclusive: search limit reached at lock cycles of 2 locks: "

check "the injected races of the stored traces are all proved"
for f in "$SRC"/tests/traces/raceinjector/*_missed-*.std; do
    run "$AUGUR" check -q --prop race --format json "$f"
    expect_status 1
    expect_true "$(basename "$f")" grep -qE '"status": "proved", *"var": "BUGGY_ADDR"' <(tr -d '\n' <.lib/out)
done

check "findings come as a stream goes"
mkfifo pipe
"$AUGUR" check - <pipe >live.txt 2>&1 &
exec 4>pipe
# told LINE: is it there, while the writer still has the pipe open?
told() { wait_for grep -q "$1" live.txt; }
printf 'T1|w(x)|1\nT2|w(x)|2\nT1|beg' >&4
expect_true "the race is told" told "^possible  race on 'x': T1 writes at 1, T2 writes at 2"
printf 'in|3\nT1|r(y)|4\nT1|w(y)|5\nT1|end|6\n' >&4
printf 'T2|w(y)|7\n' >&4
expect_true "and the next one" told "^possible  race on 'y': T1 writes at 5, T2 writes at 7"
# blocks are told at doubling lengths, of which one may have passed before the last line came
for _ in $(seq 25); do printf 'T2|r(q)|8\n'; done >&4
expect_true "the broken block as well" told "^possible  atomic block broken (RWW on 'y')"
exec 4>&-
wait
expect_true "a summary at the end" grep -q '^32 events\|: 32 events' live.txt

check "the same answer from every format"
"$AUGUR" gen --events 700 --threads 4 --locks 5 --vars 8 --depth 3 --atomic --seed 7 -o t.trace
"$AUGUR" convert t.trace -o t.std
"$AUGUR" convert t.trace -o t.std.gz
strip() { sed -E 's/"(input|check|seconds|peak_kib)".*//' "$1"; }
"$AUGUR" check --format json t.trace >a.json
"$AUGUR" check --format json t.std >b.json
"$AUGUR" check --format json t.std.gz >c.json
expect_true "std" cmp -s <(strip a.json) <(strip b.json)
expect_true "gzip" cmp -s <(strip a.json) <(strip c.json)

check "names cannot play tricks on a terminal, and make valid JSON"
printf 'T\033[31m1|w(x\033[2J)|a\007.c:1\nT2|w(x\033[2J)|b.c:2\n' >evil.std
run "$AUGUR" check evil.std
expect_status 1
expect_true "no control characters" test -z "$(tr -d '\n[:print:]' <.lib/out)"
run "$AUGUR" check --format json evil.std
expect_true "none in JSON either" test -z "$(tr -d '\n[:print:]' <.lib/out)"

check "bad input"
printf 'T1|rel(a)|1\n' >bad.std
run "$AUGUR" check bad.std
expect_status 2
expect_err '^bad.std:1: '
run "$AUGUR" check missing.std
expect_status 2
run "$AUGUR" check --prop nonsense hidden.std
expect_status 2
run "$AUGUR" check -o /dev/full hidden.std
expect_true "not 0 or 1" test $status -ge 2
