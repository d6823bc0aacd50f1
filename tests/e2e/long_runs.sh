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

expect_true "it was asked in a part of the run" grep -q 'questions in 1 parts of the run' far.json

check "of the right program nothing is said, but that not all was looked at"
run "$AUGUR" cc -g -O1 -pthread -DRIGHT far.c -o right
expect_status 0
run "$AUGUR" record --quiet --schedule random --seed 1 -o right.trace ./right
expect_status 0
run "$AUGUR" check right.trace
expect_status 0
expect_out "the exact stage asked 1 questions in 1 parts of the run and found 0"
