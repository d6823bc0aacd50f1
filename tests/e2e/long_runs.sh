#!/usr/bin/env bash
# A run that is too long for one model is asked about in parts: what goes wrong late in it is
# predicted from the state that it had reached, and confirmed by the program itself; memory
# follows the part.
. "$(dirname "$0")/lib.sh"

if ! command -v clang-19 >/dev/null; then
    check "long runs"
    skip "clang-19 is not installed"
    exit 0
fi

cat >far.c <<'PROGRAM'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t b;
static long counter;
static int value;
static void count(void) {
    for (int i = 0; i < 30000; i++) {
        pthread_mutex_lock(&m);
        counter++;
        pthread_mutex_unlock(&m);
    }
}
static void set(int v) {
    pthread_mutex_lock(&m);
    value = v;
    pthread_mutex_unlock(&m);
}
static void *writer(void *p) {
    count();
    pthread_barrier_wait(&b);
#ifdef RIGHT
    set(2);
#else
    set(1); /* for a moment */
    set(2);
#endif
    return p;
}
static void *reader(void *p) {
    count();
    pthread_barrier_wait(&b);
    pthread_mutex_lock(&m);
    int seen = value;
    long n = counter;
    pthread_mutex_unlock(&m);
    assert((seen != 1) | (n == 7));
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t[0], 0, writer, 0);
    pthread_create(&t[1], 0, reader, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
PROGRAM

check "an assertion that fails behind 200000 events is predicted and confirmed"
run "$AUGUR" cc -g -O1 -pthread far.c -o far
expect_status 0
run "$AUGUR" record --quiet --schedule random --seed 1 -o far.trace ./far
expect_status 0
run "$AUGUR" check --format json -o far.json far.trace
expect_status 1
expect_true "it is proved" grep -q '"message": "assertion .*seen != 1.* fails with .*value = 1' far.json
run "$AUGUR" replay --quiet --findings far.json --finding A1 far.trace
expect_status 1
expect_out "^confirmed: A1: assertion .*seen != 1"

expect_true "it was asked in windows" grep -q 'asked 1 questions in windows of up to 2000 steps' far.json

check "of the right program it is said that not all was looked at"
run "$AUGUR" cc -g -O1 -pthread -DRIGHT far.c -o right
expect_status 0
run "$AUGUR" record --quiet --schedule random --seed 1 -o right.trace ./right
expect_status 0
run "$AUGUR" check right.trace
expect_status 3
expect_out "^inconclusive: 1 of 1 questions have no answer: the run is long, and no window of it shows them"
expect_out "^not exhaustive: "

# Ten million events, of which hardly any tell something new (src/trace/thin.h).
check "races at both ends of a long run are found and proved, and what was not done is said"
run "$AUGUR" cc -g -O2 -pthread "$SRC/bench/programs/long.c" -o long
expect_status 0
run "$AUGUR" record --quiet -o long.trace ./long 2 1000000
expect_status 0
run "$AUGUR" check --format json -o long.json long.trace
expect_status 1
expect_true "the first" grep -q '"message": "race on .first.' long.json
expect_true "the last" grep -q '"message": "race on .last.' long.json
expect_true "both are proved" test "$(grep -c '"status": "proved"' long.json)" -ge 2
expect_true "it is said" grep -q 'accesses that repeat others were left out, and the exact stage did not run' long.json
expect_true "events are those of the run" grep -q '"events": 100[0-9]*,' long.json

check "… and confirmed by the program, by the numbers of its events"
for race in first last; do
    id=$(sed -n '/"id": "R/h;/"message": "race on .'"$race"'\b/{x;s/.*"id": "\(R[0-9]*\)".*/\1/p;q}' long.json)
    run "$AUGUR" replay --quiet --findings long.json --finding "$id" long.trace
    expect_status 1
    expect_out "^confirmed: $id: race on '$race'"
done

check "… in memory that does not follow the length of the run"
if [ -n "$SANITIZED" ]; then
    skip "the sanitizer has its own memory"
else
    run bash -c "ulimit -v 200000; '$AUGUR' check --quiet --stages lockset long.trace"
    expect_status 1
    expect_out "race on 'last'"
fi

cat >hash.c <<'PROGRAM'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned seed;
static void *f(void *p) {
    pthread_mutex_lock(&m);
    unsigned h = seed;
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 1200000; i++) {
        h = h * 31 + 7;
        if (i % 5000 == 0) {
            pthread_mutex_lock(&m);
            seed++;
            pthread_mutex_unlock(&m);
        }
    }
    assert(h != 12345);
    return p;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
PROGRAM

check "a run of which nearly every value depends on another thread's is not followed for ever, and that is said"
run "$AUGUR" cc -g -O1 -pthread hash.c -o hash
expect_status 0
run "$AUGUR" record --quiet -o hash.trace ./hash
expect_status 0
run "$AUGUR" check hash.trace
expect_status 3
expect_out "^inconclusive: more than 3000000 values of the run depend on what threads read of each other: .*assertions were not checked"
expect_out "^not exhaustive: "
