#!/usr/bin/env bash
# Threads that threads make: a finding whose schedule makes them in another order than the recorded run is executed
# with every thread under its recorded number.
. "$(dirname "$0")/../e2e/lib.sh"

cat >nested.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int value, last;
static void *child(void *arg) {
    int *own = malloc(sizeof *own);
    *own = value;
    value = *own + 1;
    free(own);
    return arg;
}
static void *parent(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    value = 5;
    pthread_join(t, NULL);
    return arg;
}
static void *other(void *arg) {
    last = 1;
    return arg;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, parent, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_create(&c, NULL, parent, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
END
check "a program whose threads make threads"
run "$AUGUR" cc -O1 -g -pthread nested.c -o nested
expect_status 0
run "$AUGUR" record --schedule os -o n.trace ./nested
expect_status 0
run "$AUGUR" replay n.trace
expect_err "identical"

check "findings of other orders of creation are confirmed"
run "$AUGUR" check --all --format json -o n.json n.trace
expect_status 1
confirmed=0
for id in $(sed -n 's/^ *"id": "\(.*\)",$/\1/p' n.json); do
    run "$AUGUR" replay --quiet --findings n.json --finding "$id" n.trace
    expect_status 1
    expect_out "^confirmed: "
    confirmed=$((confirmed + 1))
done
expect_true "several findings" test "$confirmed" -ge 3

check "their recordings are recordings"
run "$AUGUR" replay --quiet --findings n.json --finding R1 -o again.trace n.trace
expect_status 1
run "$AUGUR" show --summary again.trace
expect_status 0
run "$AUGUR" replay again.trace
expect_err "identical"
run "$AUGUR" check again.trace
expect_status 1

check "findings of several runs are confirmed, too"
run "$AUGUR" record --schedule random --switch-every 3 --seed 3 -o m.trace ./nested
expect_status 0
run "$AUGUR" check --all --format json -o nm.json n.trace m.trace
expect_status 1
confirmed=0
for id in $(awk '/"id":/ { gsub(/[",]/, "", $2); id = $2 } /"status": "proved"/ { print id }' nm.json); do
    run "$AUGUR" replay --quiet --findings nm.json --finding "$id" n.trace
    expect_status 1
    expect_out "^confirmed: "
    confirmed=$((confirmed + 1))
done
expect_true "several findings" test "$confirmed" -ge 3
