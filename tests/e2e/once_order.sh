#!/usr/bin/env bash
# Whoever ran the routine of a pthread_once is the first to tell it, on every schedule: the first one publishes what
# the routine wrote, and models take it for the one that did.
. "$(dirname "$0")/../e2e/lib.sh"

cat >once.c <<'END'
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value, sum;
static void first(void) { value = 4; }
static void *work(void *arg) {
    pthread_once(&once, first);
    sum += value;
    return arg;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
check "the first to tell a once is who ran it"
run "$AUGUR" cc -O1 -g -pthread once.c -o once
expect_status 0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    run "$AUGUR" record --quiet --schedule random --switch-every 1 --seed $seed -o o.trace ./once
    expect_status 0
    "$AUGUR" show o.trace >o.txt
    ran=$(awk '$4 == "call" && $5 == "first" { print $2; exit }' o.txt)
    told=$(awk '$4 == "once" { print $2; exit }' o.txt)
    expect_true "seed $seed: '$ran' ran it and tells it first, not '$told'" test "$ran" = "$told"
done

check "such a run is replayed, and its findings are confirmed"
run "$AUGUR" replay o.trace
expect_err "identical"
run "$AUGUR" check --all --format json -o o.json o.trace
expect_status 1
for id in $(sed -n 's/^ *"id": "\(.*\)",$/\1/p' o.json); do
    run "$AUGUR" replay --quiet --findings o.json --finding "$id" o.trace
    expect_out "^confirmed: "
done
