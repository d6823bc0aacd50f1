# Recordings with what their programs compute: the papers' verdicts and counts, the model as text,
# what was pinned, and what happens without the program.
. "$(dirname "$0")/../e2e/lib.sh"

# record_paper NAME FILE [OPTION...]: NAME.trace
record_paper() {
    local name=$1 file=$2
    shift 2
    augur_cc -g -O1 -pthread "$@" "$SRC/examples/papers/$file.c" -o "$name" || fail "does not compile"
    "$AUGUR" record --quiet -o "$name.trace" "./$name" || fail "the recorded run is to be a good one"
}
# asserts NAME FILE error|passed [OPTION...]: as table 1 of Wang et al. has it
asserts() {
    local name=$1 file=$2 verdict=$3
    shift 3
    check "table 1: $name: $verdict"
    record_paper "$name" "$file" "$@"
    run "$AUGUR" check --prop assert "$name.trace"
    if [ "$verdict" = passed ]; then
        expect_status 0
    else
        expect_status 1
        expect_out '^A1 proved  assertion '
        run "$AUGUR" replay --quiet --finding A1 "$name.trace"
        expect_out '^confirmed: A1: '
    fi
}
# blocks NAME FILE CANDIDATES MUST-HB REAL [OPTION...]: as table 2 counts them
blocks() {
    local name=$1 file=$2 candidates=$3 must=$4 real=$5
    shift 5
    check "table 2: $name: $candidates, $must, $real"
    record_paper "$name" "$file" "$@"
    run "$AUGUR" check --prop atomicity "$name.trace"
    expect_status $((real > 0))
    expect_out "^atomicity  *candidates $candidates  must-hb $must  lockset [0-9]*  (interval [0-9]*  )?solver $real  \(triples\)"
}

for n in 2 5 10; do
    asserts "banking-$n" banking passed -DN=$n -DRIGHT
    asserts "banking-${n}a" banking error -DN=$n
done
asserts indexer-10 indexer passed -DN=10
for n in 15 20 25; do
    asserts "indexer-$n" indexer passed -DN=$n -DRIGHT
    asserts "indexer-${n}a" indexer error -DN=$n
done
blocks atom001 atom 8 2 1
blocks atom001a atom 8 2 0 -DRIGHT
blocks atom002 atom 212 34 33 -DTIMES=33 -DSTEPS=89
blocks atom002a atom 212 34 0 -DTIMES=33 -DSTEPS=89 -DRIGHT
for k in 2 4; do
    blocks "bank-av-$k" bank $((12 * k)) $((4 * k)) $((4 * k)) -DK=$k
    blocks "bank-sav-$k" bank $((12 * k)) $((4 * k)) $((2 * k)) -DK=$k -DWAITS=2
    blocks "bank-nav-$k" bank $((12 * k)) $((4 * k)) 0 -DK=$k -DWAITS=4
done

check "the model is .ctp text with which check and oracle find the same"
record_paper account account
run "$AUGUR" show --model account.trace
expect_status 0
expect_no_err
cp .lib/out account.ctp
run "$AUGUR" show account.ctp
expect_status 0
cp .lib/out again.ctp
expect_same account.ctp again.ctp
run "$AUGUR" check --prop assert account.ctp
expect_status 1
expect_out '^A1 proved '
run "$AUGUR" oracle --prop assert --format text account.ctp
expect_status 1

check "a slice holds what a line depends on, and no more"
line=$(grep -n 'assert(account' "$SRC/examples/papers/account.c" | cut -d: -f1)
run "$AUGUR" show --slice "account.c:$line" account.trace
expect_status 0
expect_out 'assert '
cp .lib/out slice.ctp
run "$AUGUR" check --prop assert slice.ctp
expect_status 1
expect_true "it is no longer than the model" [ "$(wc -l <slice.ctp)" -le "$(wc -l <account.ctp)" ]
run "$AUGUR" show --slice nosuch.c:1 account.trace
expect_status 2
expect_err "no event or branch at 'nosuch.c:1' depends on other threads"
run "$AUGUR" show --slice 17 account.trace
expect_status 2
expect_err "'--slice 17' is not FILE:LINE"

check "what was pinned is told with place and reason"
cat >pin.c <<'EOF2'
#include <assert.h>
#include <math.h>
#include <pthread.h>
static int x = 1;
static double y;
static void *f(void *p) {
    x++;
    y = x / 2.0;
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(y > 0);
    return 0;
}
EOF2
"$AUGUR" cc -g -pthread pin.c -o pin && "$AUGUR" record --quiet -o pin.trace ./pin || fail "cannot record"
run "$AUGUR" show --pinned pin.trace
expect_status 0
expect_out '^[0-9]+ reads may see other values; values were pinned [1-9][0-9]* times at [1-9][0-9]* places$'
expect_out '^ *[0-9]+  .*pin.c:8  '
run "$AUGUR" show --pinned --format json pin.trace
expect_status 0
expect_out '"file": ".*pin.c", "line": 8, "times": [0-9]+, "why": "'
run "$AUGUR" show --pinned --model pin.trace
expect_status 2
run "$AUGUR" show --model --summary pin.trace
expect_status 2

check "checks that nobody wrote"
cat >null.c <<'EOF2'
#include <pthread.h>
#include <stdlib.h>
static int value = 3;
static int *p = &value;
static int out;
static void *use(void *u) {
    int *q = p;
    out = *q;
    return u;
}
static void *drop(void *u) {
    p = NULL;
    return u;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, drop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return out;
}
EOF2
"$AUGUR" cc -g -pthread null.c -o null && "$AUGUR" record --quiet -o null.trace ./null
run "$AUGUR" check --prop assert null.trace
expect_status 0
run "$AUGUR" check --prop assert --checks null null.trace
expect_status 1
expect_out "^A1 proved  null pointer: T1 at .*null.c:8, with p = 0"

check "without the program reads keep their values, and that is said"
cp account.trace gone.trace
rm -f account
run "$AUGUR" check gone.trace
expect_status 1
expect_out "^note: values fixed to the recording(, assertions not checked)?: .*account"
expect_true "no assertion is told" test -z "$(grep '^A' .lib/out)"
run "$AUGUR" show --model gone.trace
expect_status 0
expect_err "account"

check "a trace from elsewhere has no program"
run "$AUGUR" show --model "$SRC/examples/traces/hidden_race.std"
expect_status 2
expect_err 'is not a recording of a program'
run "$AUGUR" show --pinned account.ctp
expect_status 2

check "an assertion that failed in the recorded run is a finding"
cat >failed.c <<'EOF2'
#include <assert.h>
int main(void) {
    volatile int x = 3;
    assert(x == 4);
    return 0;
}
EOF2
"$AUGUR" cc -g -pthread failed.c -o failed
"$AUGUR" record --quiet -o failed.trace ./failed 2>/dev/null
run "$AUGUR" check failed.trace
expect_status 1
expect_out '^A1 proved  an assertion failed in the recorded run itself: T0 asserts at .*failed.c:4'
run "$AUGUR" replay --quiet --finding A1 failed.trace
expect_status 1
expect_out '^confirmed: A1: '

check "a wait that nobody ends any more is a deadlock"
cat >lost.c <<'EOF2'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *waiter(void *u) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return u;
}
static int said;
static void *sayer(void *u) {
    pthread_mutex_lock(&m);
    said++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return u;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, sayer, 0);
    pthread_mutex_lock(&m);
    said++;
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
EOF2
"$AUGUR" cc -g -pthread lost.c -o lost && "$AUGUR" record --quiet -o lost.trace ./lost
run "$AUGUR" check lost.trace
expect_status 1
expect_out '^D1 proved  deadlock: T1 wake'
run "$AUGUR" replay --quiet --finding D1 lost.trace
expect_status 1
expect_out '^confirmed: D1: deadlock'

check "two copies of structures race on both: they are steps, but not atomic ones"
cat >copies.c <<'EOF2'
#include <pthread.h>
#include <string.h>
struct record { int a; short b; char c[3]; long d; };
static struct record s, t;
static void *one(void *u) {
    s = t;
    return u;
}
int main(void) {
    pthread_t x;
    pthread_create(&x, 0, one, 0);
    memcpy(&t, &s, sizeof t);
    pthread_join(x, 0);
    return 0;
}
EOF2
"$AUGUR" cc -g -pthread copies.c -o copies && "$AUGUR" record --quiet -o copies.trace ./copies
run "$AUGUR" check copies.trace
expect_status 1
expect_out "proved  race on 's': T0 reads"
expect_out "proved  race on 't': T0 writes"
expect_true "nothing is open" [ "$(grep -c inconclusive <<<"$out")" -eq 0 ]
for id in R1 R2; do
    run "$AUGUR" replay --quiet --finding $id copies.trace
    expect_out "^confirmed: $id: race"
done

check "who waits until a time is up does not wait for good, and does not hide who does"
cat >timed.c <<'EOF2'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void soon(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    pthread_mutex_lock(&own);
    pthread_cond_timedwait(&c, &own, &t);
    pthread_mutex_unlock(&own);
}
static void both(pthread_mutex_t *a, pthread_mutex_t *b) {
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}
static void *one(void *z) {
    both(&m, &n);
    return z;
}
int main(int argc, char **argv) {
    pthread_t t;
    soon();
    pthread_create(&t, 0, one, 0);
    if (argc > 1)
        both(&n, &m);
    soon();
    pthread_join(t, 0);
    return 0;
}
EOF2
augur_cc -g -pthread timed.c -o timed
"$AUGUR" record --quiet -o timed.trace ./timed
run "$AUGUR" check timed.trace
expect_status 0
expect_out '^0 findings'
"$AUGUR" record --quiet -o timed.trace ./timed crossed
run "$AUGUR" check timed.trace
expect_status 1
expect_out '^1 finding: 1 proved'
expect_out 'proved  deadlock'
