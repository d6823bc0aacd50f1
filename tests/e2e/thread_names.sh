#!/usr/bin/env bash
# What the program calls its threads (pthread_setname_np, prctl) is what reports call them; numbers stay, since
# two may have one name.
. "$(dirname "$0")/../e2e/lib.sh"

cat >named.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/prctl.h>
static int shared;
static void *work(void *p) {
    if (p)
        prctl(PR_SET_NAME, "with a name that is longer than the kernel takes", 0, 0, 0);
    shared++;
    return 0;
}
static void *trick(void *p) {
    prctl(PR_SET_NAME, "T1", 0, 0, 0);
    shared++;
    return p;
}
int main(int argc, char **argv) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_setname_np(a, "worker");
    pthread_create(&b, 0, argc > 1 ? trick : work, argc > 2 ? 0 : &a);
    if (argc > 2)
        pthread_setname_np(b, "worker");
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
augur_cc -g -O1 -pthread named.c -o named

check "run: text"
run "$AUGUR" run --html named.html ./named
expect_status 1
expect_out "    worker \(T1\) writes 'shared'"
expect_out "    with a name tha \(T2\) reads 'shared'"
expect_out '> worker \(T1\) +named.c:8'

check "the page has the same names"
grep -Eq '"thread": *"T1", *"thread_name": *"worker"' named.html || fail "not in its data"
grep -q 'e.thread_name' named.html || fail "not shown"

check "replay"
run "$AUGUR" replay --finding R1
expect_out "^confirmed: R1: .*worker \(T1\) writes"

check "explore"
run "$AUGUR" explore ./named
expect_out "    worker \(T1\) writes 'shared'"

check "JSON: numbers stay numbers, names stand beside them; SARIF has both"
"$AUGUR" record -q -o named.trace ./named
"$AUGUR" check --format json -o named.json named.trace
python3 - <<'P' || fail "wrong JSON"
import json
f = json.load(open("named.json"))["findings"][0]
assert [(e["thread"], e["thread_name"]) for e in f["events"]] == [("T1", "worker"), ("T2", "with a name tha")], f["events"]
assert {t[0] for t in f["schedule"]} <= {"T0", "T1", "T2"}, f["schedule"]
assert any(e["thread"] == "T0" and "thread_name" not in e for e in f["observed"])
P
run "$AUGUR" check --format sarif named.trace
expect_out '"id": "worker \(T1\)"'

check "a report read back says the same"
cp named.json back.json
run "$AUGUR" replay --findings back.json --finding R1 named.trace
expect_out 'confirmed: R1'

check "show"
run "$AUGUR" show named.trace
expect_out '^ *[0-9]+  worker \(T1\) +[0-9]+  w +shared'

check "show --thread, by both names"
run "$AUGUR" show --thread T1 named.trace
by_number=$out
run "$AUGUR" show --thread worker named.trace
expect_out '^ *[0-9]+  worker \(T1\) +[0-9]+  w +shared'
[ "$out" = "$by_number" ] || fail "other events than those of T1"
run "$AUGUR" show --thread workr named.trace
expect_status 2

check "a thread that calls itself T1 is not taken for it"
run "$AUGUR" run ./named x
expect_out "    T1 \(T2\) (reads|writes) 'shared'"

check "two of one name are two"
"$AUGUR" record -q -o two.trace ./named x y
run "$AUGUR" check two.trace
expect_out 'worker \(T1\) writes .*T1 \(T2\)|worker \(T1\) writes .*worker \(T2\)'

check "while it runs, too"
"$AUGUR" record -q -o - ./named | "$AUGUR" check - >online.txt
grep -q "^possible  race on 'shared': worker (T1) writes" online.txt || fail "$(head -n 1 online.txt)"
