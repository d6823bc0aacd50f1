#!/usr/bin/env bash
# augur scan: the static half, on models and on programs.
. "$(dirname "$0")/../e2e/lib.sh"

fig1=$SRC/examples/scan/fig1.ctp
scan() { # STATUS ARGUMENT...
    local want=$1
    shift
    run "$AUGUR" scan -j 2 "$@"
    expect_status "$want"
}

check "figure 1: the invariants rule out (a12, b3)"
scan 1 --no-spurious --stages box --all "$fig1"
expect_out "lockset  *8 "
expect_out "box  *6 "
expect_out "refuted  race on 'sh': Alloc writes at a12 .*, Dealloc writes at b3 "
check "figure 1: with two allocators it stays"
{
    cat "$fig1"
    sed -n '/^thread Alloc {/,/^}/p' "$fig1" |
        sed -e 's/thread Alloc/thread Other/' -e 's/\ba\([0-9][0-9]*\):/e\1:/'
} >two.ctp
scan 1 --no-spurious --stages box --all two.ctp
expect_out "possible  race on 'sh': Alloc writes at a12 .*, Dealloc writes at b3 "

check "a flag keeps them apart, whatever the number of rounds"
cat >flag.ctp <<'M'
shared turn = 0, x = 0
thread A { while (1) { [assume turn == 0]  a: x := 1  turn := 1 } }
thread B { while (1) { [assume turn == 1]  b: x := 2  turn := 0 } }
M
scan 1 --all flag.ctp
expect_out "refuted  race on 'x'"
check "a lock in one thread only: a schedule, executed by the checker"
cat >race.ctp <<'M'
shared x = 0
lock l
thread A { i := 0  while (i < 5) { acq l  a: x := x + 1  rel l  i := i + 1 } }
thread B { b: x := 7 }
M
scan 1 race.ctp
expect_out "R1 proved  race on 'x': A .* at a "
check "octagons see what boxes do not"
cat >oct.ctp <<'M'
shared n = 0, m = 0, x = 0
lock l
thread A { while (1) { acq l  n := n + 1  m := n  rel l } }
thread B { acq l  p := n  q := m  rel l  if (p != q) { b: x := 1 } }
thread C { c: x := 2 }
M
scan 1 --stages box oct.ctp
scan 0 --stages octagon oct.ctp

check "--svcomp: TRUE, FALSE with a witness, UNKNOWN"
cat >true.ctp <<'M'
shared x = 0
lock l
thread A { while (1) { acq l  x := 1  assert x == 1  x := 0  rel l } }
thread B { while (1) { acq l  x := 2  x := 0  rel l } }
M
scan 0 --svcomp --prop assert true.ctp
expect_out '^TRUE$'
cat >false.ctp <<'M'
shared x = 0
thread A { while (1) { x := 1  assert x == 1  x := 0 } }
thread B { while (1) { x := 2  x := 0 } }
M
scan 1 --svcomp --prop assert --witness w.graphml false.ctp
expect_out '^FALSE$'
grep -q violation_witness w.graphml || fail "no witness"
cat >unknown.ctp <<'M'
shared x = 0
thread A { i := 0  while (i != 2000000000) { i := i + 1 }  x := i * i }
thread B { y := x  assert y * y != 49 }
M
scan 3 --svcomp --prop assert --unroll 2 --timeout 2 unknown.ctp
expect_out '^UNKNOWN$'

check "deadlock"
cat >dead.ctp <<'M'
lock l
lock k
thread A { while (1) { acq l  acq k  rel k  rel l } }
thread B { while (1) { acq k  acq l  rel l  rel k } }
M
scan 1 --prop deadlock dead.ctp
expect_out "D1 proved  deadlock"

check "as JSON"
scan 1 --format json race.ctp
expect_out '"kind": *"race"'
expect_out '"status": *"proved"'

check "a program: known races are shown, the protected variable is not told"
cat >prog.c <<'C'
#include <pthread.h>
static int safe, racy, once;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) {
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&m);
        safe++;
        pthread_mutex_unlock(&m);
    }
    racy++;
    return p;
}
int main(void) {
    pthread_t a, b;
    once = 1;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return safe + racy + once;
}
C
scan 1 prog.c
expect_out "confirmed  race on 'racy'"
for name in safe once; do
    case $out in *"race on '$name'"*) fail "'$name' is told" ;; esac
done

check "races that lie many rounds away are shown, every one that is marked"
for name in ctrace laps refs serials; do
    # what atol returns is no proof: the program must be given as many rounds
    scan 1 --all --format json --budget 600 --args 300 -o "$TMP/marks.json" "$SRC/examples/scan/$name.c"
    read -r real shown lost _ <<<"$(awk -f "$SRC/bench/scan_marks.awk" "$SRC/examples/scan/$name.c" "$TMP/marks.json")"
    [ "$real" -gt 0 ] && [ "$shown" = "$real" ] && [ "$lost" = 0 ] ||
        fail "$name.c: $shown of $real real races shown, $lost lost"
done
check "head and tail of a ring only grow, and wrap: their difference decides"
cat >ring.ctp <<'M'
shared head = 0, tail = 0, message = 0
lock l
thread P { while (1) {
    acq l  a := head  b := tail  rel l
    if (a == b) { p: message := 5  acq l  c := head  head := c + 1  rel l } } }
thread I { while (1) {
    acq l  d := head  e := tail  rel l
    if (d > e) { i: message := 0  acq l  f := tail  tail := f + 1  rel l } } }
M
scan 1 --stages box ring.ctp
scan 0 --stages octagon ring.ctp
check "two elements of an array are not one: no proof"
cat >halves.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static int a[100];
static void *low(void *p) { for (int i = 0; i < rand() % 50; i++) a[i] = 1; return p; }
static void *high(void *p) { for (int i = 50; i < 50 + rand() % 50; i++) a[i] = 1; return p; }
int main(void) {
    pthread_t x, y;
    pthread_create(&x, 0, low, 0);
    pthread_create(&y, 0, high, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
    return 0;
}
C
scan 1 --no-replay halves.c
expect_out "possible  race on 'a"
check "malloc in a loop is no reason to doubt"
cat >again.c <<'C'
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
static int n;
static void *takes(void *p) {
    while (__VERIFIER_nondet_int()) {
        void *b = malloc(8);
        if (b)
            n++;
        free(b);
    }
    return p;
}
int main(void) {
    pthread_t x;
    pthread_create(&x, 0, takes, 0);
    n = 0;
    pthread_join(x, 0);
    return 0;
}
C
scan 1 --no-replay again.c
expect_out "proved  race on 'n'"
check "constructors run before main, what is not followed is said"
cat >life.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static int ready, x;
static void bye(void) { x = 3; }
static void *spins(void *p) { while (rand()) x = 1; return p; }
__attribute__((constructor)) static void early(void) { ready = 1; }
int main(void) {
    pthread_t t;
    if (!ready)
        abort();
    atexit(bye);
    pthread_create(&t, 0, spins, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    x = 2;
    return 0;
}
C
scan 1 --no-replay --all life.c
expect_out "left out: .*exit handlers"
expect_out "left out: .*cancelled"
case $out in *" assertion "*"proved"* | *"proved  assertion"*) fail "main does not begin after its constructors" ;; esac

check "--once: an entry runs once in each of its threads"
cat >once.c <<'C'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
void enter(void) {
    pthread_mutex_lock(&m);
    n++;
    assert(n < 3);
    pthread_mutex_unlock(&m);
}
C
scan 1 --prop assert --entry enter once.c
expect_out "A1 proved"
scan 0 --prop assert --entry enter --once once.c

# The nodes and edges of a stage's graphs: nodes STAGE COLUMN
column() { awk -v s="$1" -v c="$2" '$1 == s {print $c}' .lib/out; }
check "--no-reduce: the graph without partial-order reduction has more edges"
scan 1 --stages graph "$fig1"
reduced=$(column graph 6)
scan 1 --stages graph --no-reduce "$fig1"
expect_true "$reduced edges reduced, $(column graph 6) without" \
    test "$(column graph 6)" -gt "$reduced"

check "--max-nodes: a graph that is too large is made of two threads at a time, or not at all"
{
    cat flag.ctp
    echo 'thread C { c: p := turn }'
} >three.ctp
scan 1 --stages box three.ctp
expect_true "one graph" test "$(grep -c 'graph holds two threads' .lib/out)" -eq 0
all=$(column graph 5)
scan 1 --stages box --max-nodes $((all - 1)) three.ctp
expect_out "a graph holds two threads"
scan 1 --stages box --max-nodes 3 three.ctp
expect_out "stage graph: 3 graphs were too large or timed out: nothing is ruled out by them"
check "--pairwise: two threads at a time, whatever the size"
scan 1 --stages box --pairwise three.ctp
expect_out "a graph holds two threads"

check "what cannot be scanned is said"
scan 2 nothing.ctp
scan 2 nothing.c
printf 'thread {' >bad.ctp
scan 2 bad.ctp
expect_err "bad.ctp:1:"
