#!/usr/bin/env bash
# Lost updates: a value that was computed from what another thread has changed since is written. In models, as the oracle
# says; in programs, executed, with what they cost; none in compare-and-exchange loops, constant stores and what looks again.
. "$(dirname "$0")/lib.sh"

# model NAME TEXT: check and oracle of NAME.ctp; their findings in check.json, oracle.json
model() {
    printf '%s\n' "$2" >"$1.ctp"
    run "$AUGUR" oracle --prop lost-update "$1.ctp"
    cp "$TMP/.lib/out" oracle.json
    run "$AUGUR" check --prop lost-update --format json "$1.ctp"
    cp "$TMP/.lib/out" check.json
}
count() {
    grep -c '"kind": "lost-update"' "$1"
}

check "a model that loses an update: proved, and the oracle says so"
model plain 'shared x = 10
thread A { a1: a := x a2: x := a + 1 }
thread B { b1: b := x b2: x := b + 5 }'
expect_status 1
expect_out '"status": "proved"'
expect_out '"what": "11 instead of 16"'
expect_true "as many as the oracle" test "$(count check.json)" -eq "$(count oracle.json)"
expect_true "both threads lose one" test "$(count check.json)" -eq 2

check "constants, idempotent updates and updates under one lock lose nothing"
model none 'shared x = 10, y = 0, z = 3
lock m
thread A { a := x x := 4 b := y y := b | 1 acq m c := z z := c + 1 rel m }
thread B { d := x x := 5 e := y y := e | 1 acq m f := z z := f + 2 rel m }'
expect_status 0
expect_true "nor does the oracle find any" test "$(count oracle.json)" -eq 0

check "what looks again under the lock loses nothing"
model again 'shared x = 1
lock m
thread A { acq m a := x rel m acq m b := x if (a == b) { x := a * 2 } rel m }
thread B { acq m c := x rel m acq m d := x if (c == d) { x := c + 3 } rel m }'
expect_status 0
expect_true "nor does the oracle find any" test "$(count oracle.json)" -eq 0

check "what is read again after the other's write counts as read now"
model reread 'shared x = 1
thread A { a := x x := a + 1 b := x x := a + b }
thread B { x := 7 }'
expect_true "as many as the oracle" test "$(count check.json)" -eq "$(count oracle.json)"

check "where it cannot be looked for, that is said"
run "$AUGUR" check --prop lost-update --no-prefix plain.ctp
expect_status 3
expect_out "^inconclusive: lost updates not looked for"

check "asked for only by name in models"
run "$AUGUR" check plain.ctp
expect_true "none is told" test "$(grep -c "lost" "$TMP/.lib/out")" -eq 0

# program NAME FLAGS...: of bench/unasserted, as JSON
program() {
    local name=$1
    shift
    run "$AUGUR" cc -g -pthread "$@" "$SRC/bench/unasserted/$name.c" -o "$name"
    expect_status 0
    run "$AUGUR" run --format json ./"$name"
}
while read -r name what; do
    check "$name: $what, executed; the right one loses nothing"
    program "$name" -O2
    expect_status 1
    expect_out "\"what\": \"$what\""
    expect_out '"status": "confirmed"'
    program "$name" -O2 -DRIGHT
    expect_status 0
done <<'LIST'
deposit 20 instead of 30
job_seen 6 instead of 13
cas_count 1 instead of 2
settings 2 instead of 3
checked_again 7 instead of 15
LIST

check "a race by which an update is lost is one finding, and says so"
program visits -O1
expect_status 1
expect_out '"kind": "race"'
run "$AUGUR" run ./visits
expect_out "an update is lost by it \(confirmed\): 1 instead of 2"
expect_out "^1 finding: 1 confirmed"

check "alone it is one of its own"
run "$AUGUR" run --prop lost-update ./visits
expect_out "^U1 confirmed  lost update of 'visits': 1 instead of 2"

check "it is replayed by its id"
run "$AUGUR" cc -g -pthread "$SRC/bench/unasserted/stock.c" -o stock
run "$AUGUR" record --quiet -o stock.trace ./stock
run "$AUGUR" check stock.trace
expect_out "^U1 proved  lost update of 'bolts\.count': 97 instead of 57"
run "$AUGUR" replay stock.trace --finding U1
expect_out "^confirmed: U1: lost update of 'bolts\.count'"

check "told with a race it is replayed by the command in the report, and as a variant"
augur_cc -g -O1 -pthread "$SRC/bench/unasserted/visits.c" -o visits
rm -rf .augur
run "$AUGUR" run --no-explore --format json -o visits.json ./visits
variant=$(sed -n 's/.*"command": "augur replay --finding \([0-9a-f]*\)".*/\1/p' visits.json | head -n 1)
for name in "$variant" R1.1; do
    run "$AUGUR" replay --finding "$name"
    expect_status 1
    expect_out '^confirmed: R1.1: lost update'
done
run "$AUGUR" replay --finding R1
expect_out '^confirmed: R1: race'
run "$AUGUR" replay --finding R1.9
expect_status 2
expect_err "finding 'R1' has no variant 'R1.9'"

check "an update that is lost only between paths that no run had together is not called covered"
cat >apart.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b, total;
static void add(int n) {
    int seen = atomic_load(&total);
    atomic_store(&total, seen + n);
}
static void *one(void *p) { if (atomic_load(&a)) add(1); return p; }
static void *two(void *p) { if (atomic_load(&b)) add(2); return p; }
static void *set(void *p) {
    atomic_store(&a, 1);
    atomic_store(&a, 0);
    atomic_store(&b, 1);
    atomic_store(&b, 0);
    return p;
}
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_create(&t[2], 0, set, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
run "$AUGUR" cc -g -O1 -pthread apart.c -o apart
run "$AUGUR" run ./apart
expect_true "found, or not covered" grep -qE "^U1 |^not exhaustive: .*an update of 'total' may be lost" "$TMP/.lib/out"

# --- stale decisions

while read -r name what; do
    check "$name: a stale decision, executed, with what it costs; it counts if it is named; the right one has none"
    program "$name" -O1
    expect_status 0
    expect_out '"kind": "stale-check"'
    expect_out '"status": "confirmed"'
    expect_out '"aside": true'
    expect_out "\"harm_text\": \"$what\""
    run "$AUGUR" run --prop stale-check ./"$name"
    expect_status 1
    expect_out "^U1 confirmed  stale decision on '"
    run "$AUGUR" replay --finding U1
    expect_status 1
    expect_out "^confirmed: U1: stale decision on"
    program "$name" -O1 -DRIGHT
    expect_status 0
    run "$AUGUR" run --prop stale-check ./"$name"
    expect_status 0
    expect_out "^0 findings"
done <<'LIST'
last_item output differs: standard output has 'sold 2, left -1' instead of 'sold 1, left 0'
same_user output differs: standard output has '2 user' instead of '1 user'
LIST

# stale NAME BODY: two threads do BODY, of which the first part decides; the findings of stale decisions
stale() {
    cat >"$1.c" <<C
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int v = 3, other, seen;
static atomic_int a = 3;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
static void *work(void *p) { $2 return p; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, work, 0); pthread_create(&u, 0, work, 0); pthread_join(t, 0); pthread_join(u, 0); return seen > 9; }
C
    run "$AUGUR" cc -g -O1 -pthread "$1.c" -o "$1"
    expect_status 0
    run "$AUGUR" run --prop stale-check ./"$1"
}
check "decided in one section, acted on in the next: stale, through a loop that ends early and a function as well"
stale plain 'LOCK; int n = v; UNLOCK; if (n == 3) { LOCK; v = 7; UNLOCK; }'
expect_status 1
expect_out "^U1 confirmed  stale decision on 'v'.*has made it 7"
stale early 'LOCK; int n = v; UNLOCK; if (n != 3) return p; LOCK; v = 7; UNLOCK;'
expect_status 1
stale loop 'for (int i = 0; i < 3; i++) { LOCK; int n = v; UNLOCK; if (n != 3) break; LOCK; v = 7 + i; UNLOCK; }'
expect_status 1

while IFS='|' read -r name what body; do
    check "no stale decision: $what"
    stale "$name" "$body"
    expect_status 0
    expect_out "^0 findings"
done <<'LIST'
one|in one section|LOCK; if (v == 3) v = 7; UNLOCK;
again|it looks again before it acts|LOCK; int n = v; UNLOCK; if (n == 3) { LOCK; if (v == 3) v = 7; UNLOCK; }
apart|what it writes does not depend on the branch|LOCK; int n = v; if (n == 3) seen++; UNLOCK; LOCK; v++; UNLOCK;
same|the others' values decide alike|LOCK; int n = v; UNLOCK; if (n >= 3) { LOCK; v = n > 5 ? 6 : 5; UNLOCK; }
own|it wrote it itself in the section in which it decided|LOCK; int n = v; if (n == 3) v = 4; UNLOCK; if (n == 3) { LOCK; v = 5; UNLOCK; }
cas|compare-and-exchange looks itself|int n = atomic_load(&a); if (n == 3) atomic_compare_exchange_strong(&a, &n, 7);
LIST

check "asked for where it cannot be looked for, that is said"
run "$AUGUR" check --prop stale-check plain.ctp
expect_status 3
expect_out "^inconclusive: stale decisions not looked for"
