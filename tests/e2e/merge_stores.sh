#!/usr/bin/env bash
# augur merge of stores: what several machines found, in one store.
. "$(dirname "$0")/lib.sh"

for name in hits visits; do
    cat >$name.c <<END_C
#include <pthread.h>
int $name;
static void *work(void *p) {
    $name++;
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END_C
    "$AUGUR" cc -g -O1 -pthread $name.c -o $name
done
mkdir one two
(cd one && "$AUGUR" run ../hits >/dev/null 2>&1; "$AUGUR" run ../hits >/dev/null 2>&1)
(cd two && "$AUGUR" test ../visits ../hits >/dev/null 2>&1)
(cd two && "$AUGUR" triage --store .augur "$("$AUGUR" list --store .augur --format json |
    sed -n 's/.*"fingerprint": *"\([0-9a-f]*\)".*visits.*/\1/p' | head -n 1)" --as wontfix --note 'only statistics' >/dev/null 2>&1)

check "runs, findings, verdicts and recordings of two stores"
run "$AUGUR" merge --store all one/.augur two/.augur
expect_status 0
expect_err "5 runs merged into 'all'"
run "$AUGUR" list --store all
expect_status 0
expect_out "race on 'hits'"
expect_out "race on 'visits'"
expect_out 'wontfix: only statistics'
expect_out 'seen in 4 runs since run 1' # hits: two runs there, a test and its suite here
run "$AUGUR" list --store all --format json
expect_true "no finding twice" test "$(grep -c '"fingerprint"' .lib/out)" -eq 2

check "the recordings came along: a finding is replayed without the other stores"
mv one/.augur gone1
mv two/.augur gone2
run "$AUGUR" list --store all --kind race
id=$(sed -n "s/^\([0-9a-f]\{8\}\) .*'hits'.*/\1/p" .lib/out | head -n 1)
run "$AUGUR" replay --store all --finding "$id"
expect_status 1
expect_out 'confirmed'
run "$AUGUR" report --store all --whole
expect_out "augur replay --store all --finding"
mv gone1 one/.augur
mv gone2 two/.augur

check "again: nothing comes twice, what is new comes"
run "$AUGUR" merge --store all two/.augur one/.augur
expect_status 0
expect_err "0 runs merged into 'all'"
expect_err '5 runs were there already'
(cd one && "$AUGUR" run ../visits >/dev/null 2>&1)
run "$AUGUR" merge --store all one/.augur
expect_err "1 run merged into 'all'"

check "what one machine has analysed, the other need not"
cp -r two/.augur two/copy
rm -rf three && mkdir three
run "$AUGUR" merge --store three/.augur two/copy
(cd two && "$AUGUR" test --store ../three/.augur -o /dev/null ../visits ../hits 2>err.txt)
expect_true "as before" grep -q '2 recordings are as before' two/err.txt

check "what cannot be merged"
run "$AUGUR" merge --store all all
expect_status 2
expect_err "'all' is the store that others are merged into"
mkdir empty
run "$AUGUR" merge --store all empty
expect_status 2
expect_err "there is no store 'empty' here"
expect_true "nothing is made of it" test ! -e empty/augur.db

check "recordings that cannot be read are no success"
cp -r two/.augur broken
for dir in broken/runs/[0-9]*; do
    rm -r "$dir"
    : >"$dir"
done
run "$AUGUR" merge --store parts broken
expect_true "not 0" test "$status" -ne 0
expect_err 'cannot read the directory'
