#!/usr/bin/env bash
# Schedules of 'augur scan', executed on the compiled program (src/confirm/guide.h): what is exact is
# confirmed, what is right is not, and what was printed can be done again.
. "$(dirname "$0")/lib.sh"

programs=$SRC/tests/scan
quick=(--domain box --graph-timeout 5 --timeout 60)
# scan STATUS ARGUMENT...
scan() {
    local want=$1
    shift
    run timeout 1200 "$AUGUR" scan -j 2 "${quick[@]}" "$@"
    expect_status "$want"
}
# of STATUS: findings with it in $out
of() { grep -c "^[RAD][0-9]* $1 " <<<"$out" || true; }
# again NUMBER: the printed commands, that many, are executed and confirm
again() {
    local n=0 command
    while read -r command; do
        # shellcheck disable=SC2086
        run timeout 1200 "$AUGUR" ${command#augur }
        expect_status 1
        expect_out '^confirmed: '
        n=$((n + 1))
    done < <(grep -o 'augur replay .*' <<<"$out")
    [ "$n" = "$1" ] || fail "$n commands, not $1"
}

# PROGRAM CONFIRMED WHAT: so many findings, all of them confirmed; none of the right twin.
while read -r name number what; do
    check "$name: what has a schedule is confirmed"
    scan 1 --prop "$what" "$programs/$name.c"
    [ "$(of confirmed)" = "$number" ] || fail "$(of confirmed) confirmed, not $number"
    [ "$(of proved)" = 0 ] || fail "$(of proved) are not confirmed"
    check "$name: and again, by the printed command"
    again "$number"
    grep -q RIGHT "$programs/$name.c" || continue
    check "$name: its right twin"
    scan 0 --prop "$what" "$programs/$name.c" -- -DRIGHT
    [ "$(of confirmed)$(of proved)" = 00 ] || fail "something right is told"
done <<'END'
loop 1 race
many 1 race
assertion 1 assert
deadlock 1 deadlock
condition 1 race
spurious 1 assert
sync 2 race
forever 2 race
END

check "what atoi returns is needed: no proof, and which value"
scan 1 "$programs/input.c"
[ "$(of confirmed)" = 0 ] || fail "confirmed without its input"
[ "$(of possible)" = 1 ] || fail "$(of possible) possible, not 1"
expect_out "does not reach the .* at input.c:17.*needs inputs .*: 7 at input.c:14"
check "… and given"
scan 1 --args "7 more" "$programs/input.c"
[ "$(of confirmed)" = 1 ] || fail "$(of confirmed) confirmed, not 1"

check "a program that was built before, and its standard input is not touched"
"$AUGUR" cc -g -O2 "$programs/assertion.c" -o prog
echo kept >in
{
    run "$AUGUR" scan "${quick[@]}" ./prog
    read -r word
} <in
expect_status 1
[ "$(of confirmed)" = 1 ] || fail "not confirmed"
[ "$word" = kept ] || fail "standard input is gone"

check "several sources, compiled with options"
cat >one.c <<'C'
#include <pthread.h>
extern int shared;
void *work(void *p);
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    shared = FIRST;
    pthread_join(a, 0);
    return 0;
}
C
echo 'int shared; void *work(void *p) { shared++; return p; }' >two.c
scan 1 one.c two.c -- -DFIRST=1 -O1
[ "$(of confirmed)" = 1 ] || fail "not confirmed"
check "what does not link is scanned all the same"
cat >part.c <<'C'
#include <pthread.h>
void elsewhere(void);
static int n;
static void *work(void *p) { n++; return p; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    n--;
    elsewhere();
    return 0;
}
C
scan 1 part.c
[ "$(of proved)$(of possible)" != 00 ] || fail "no finding"
expect_out "note: schedules were not executed on the program: these files do not link to a program"
[ -z "$err" ] || fail "there are messages: $err"

check "--no-replay executes and keeps nothing"
mkdir -p clean
cd clean || exit 1
scan 1 --prop deadlock --no-replay "$programs/deadlock.c"
[ "$(of proved)" = 1 ] || fail "not proved"
[ ! -e .augur ] || fail "there is a store"
cd ..

check "--sandbox: what the program writes is gone"
mkdir -p box
cd box || exit 1
cat >file.c <<'C'
#include <pthread.h>
#include <stdio.h>
static int n;
static void *work(void *p) { n++; return p; }
int main(void) {
    pthread_t a;
    FILE *f = fopen("made", "a");
    if (f) fclose(f);
    pthread_create(&a, 0, work, 0);
    n--;
    pthread_join(a, 0);
    return 0;
}
C
scan 1 --sandbox file.c
[ "$(of confirmed)" = 1 ] || fail "$(of confirmed) confirmed, not 1"
[ ! -e made ] || fail "a file was left"
cd ..

check "in every format"
for format in json sarif junit html; do
    scan 1 --prop deadlock --store st --format $format -o "out.$format" "$programs/deadlock.c"
done
grep -q '"status": "confirmed"' out.json || fail "json"
grep -q '(confirmed)' out.sarif || fail "sarif"
grep -q '>confirmed' out.junit || fail "junit"
grep -q 'pthread_mutex_lock' out.html || fail "no source in the page"
check "the findings of a file, on the recording"
traces=(st/runs/*/1.trace)
run "$AUGUR" replay "${traces[0]}" --findings out.json --finding D1
expect_status 1
expect_out '^confirmed: D1'
check "listed, settled, and then it does not count"
run "$AUGUR" list --store st
expect_out "confirmed  deadlock"
run "$AUGUR" triage --store st D1 --as wontfix --note known
expect_status 0
scan 0 --prop deadlock --store st "$programs/deadlock.c"

# The rest takes long: the examples, and random programs of which every exact schedule must be confirmed.
if [ -n "$SANITIZED" ]; then
    check "examples and random programs"
    skip "too slow with sanitizers"
    exit
fi
examples="led serial pool waitq" seeds="2 5 9 14 15 23 1007"
if [ -n "${NIGHTLY:-}" ]; then
    examples="$examples ring ctrace fig1 laps refs rotate serials"
    seeds="$seeds $(seq 20 60) $(seq 1010 1050) $(seq 3001 3010) $(seq "${RANDOM_SEED:-1}" $((${RANDOM_SEED:-1} + 30)))"
fi
for name in $examples; do
    check "examples/scan/$name.c: all schedules are confirmed"
    run timeout 1200 "$AUGUR" scan -j 2 --prop race --domain box --timeout 5 --args 300 "$SRC/examples/scan/$name.c"
    expect_status 1
    [ "$(of proved)" = 0 ] || fail "$(of proved) are not confirmed"
    [ "$(of confirmed)" != 0 ] || fail "none is confirmed"
done
build=$(dirname "$AUGUR")
for seed in ${SCAN_SEEDS:-$seeds}; do
    check "random program $seed: exact schedules are confirmed"
    "$build/tests/random/gen_c_print" "$seed" $((seed > 3000 ? 16 : seed > 1000 ? 9 : 4)) >"r$seed.c"
    run timeout 1200 "$AUGUR" scan -j 2 --prop race,assert,deadlock --domain box --graph-timeout 2 --timeout 2 --args 0 "r$seed.c" -- -fwrapv
    [ "$status" -le 1 ] || fail "status $status: $err"
    [ "$(of proved)" = 0 ] || fail "$(grep -A4 '^[RAD][0-9]* proved ' <<<"$out")"
done
