#!/usr/bin/env bash
# A schedule of any length is executed, and told turn by turn.
. "$(dirname "$0")/../e2e/lib.sh"

# Two threads take turns with a lock, 120 000 turns; then a race.
awk 'BEGIN {
    print "T0|fork(T1)|1"; print "T0|fork(T2)|1"
    for (i = 0; i < 120000; i++) {
        t = 1 + i % 2
        printf "T%d|acq(l)|2\nT%d|r(x)|3\nT%d|w(x)|4\nT%d|rel(l)|5\n", t, t, t, t
    }
    print "T1|w(y)|6"; print "T2|w(y)|7"
}' >long.std

check "a race behind 120 000 turns is proved"
run "$AUGUR" check --quiet --prop race long.std
expect_status 1
expect_out "^R1 proved  race on 'y'"
expect_out "… 119989 turns …"

check "its schedule is in the JSON, every turn of it"
run "$AUGUR" check --quiet --prop race --format json -o long.json long.std
expect_status 1
run python3 -c 'import json
f, = json.load(open("long.json"))["findings"]
print(f["status"], len(f["schedule"]), f["schedule"][0], f["schedule"][-1])'
expect_out "^proved 120001 .*T0.*2.* .*T2.*240000"
