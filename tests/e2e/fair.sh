#!/usr/bin/env bash
# The default schedule is fair: nobody starves, who spins gives way, and threads that the end of main would cut off have
# their turns before it. All of it is one seeded, ordinary schedule: the same seed gives the same recording, a replay
# repeats it.
. "$(dirname "$0")/../e2e/lib.sh"

programs=$SRC/tests/programs/fair

# recorded PROGRAM OPTION...: built and recorded, and the replay is identical.
recorded() {
    local name=$1
    shift
    [ -e "$name" ] || augur_cc -g -w "$programs/$name.c" -o "$name" -pthread
    run timeout 60 "$AUGUR" record "$@" -o t.trace "./$name"
    expect_status 0
    run "$AUGUR" replay t.trace
    expect_status 0
    expect_err "identical"
}
events_of() { "$AUGUR" show --summary "$1" | awk '$1 == "events" { print $2 }'; }
# Did a thread get to its end?
ended() { "$AUGUR" show "$1" | awk '$4 == "exit" { n++ } END { print n + 0 }'; }

for seed in 1 2 3 4 5; do
    check "a loop of 16 events that holds a lock starves nobody (seed $seed)"
    recorded loop16 --seed "$seed"
    expect_true "within some turns" [ "$(events_of t.trace)" -lt 1000000 ]
done
check "the same seed gives the same recording, another one another"
recorded loop16 --seed 3
cp t.trace same.trace
recorded loop16 --seed 3
"$AUGUR" show t.trace >a && "$AUGUR" show same.trace >b
expect_same a b
recorded loop16 --seed 4
expect_true "another number of events" [ "$(events_of t.trace)" -ne "$(events_of same.trace)" ]
check "--switch-every is an average: it starves nobody, either"
recorded loop16 --switch-every 16
expect_true "within some turns" [ "$(events_of t.trace)" -lt 1000000 ]

for how in plain atomic exchange; do
    check "who spins gives way early ($how)"
    recorded "spin_$how"
    expect_true "long before its time slice is over" [ "$(events_of t.trace)" -lt 10000 ]
done

for how in return exit _exit quick_exit; do
    check "threads that are cut off by $how have their turns"
    augur_cc -g -w -DEND="$how" "$programs/unjoined.c" -o "unjoined_$how" -pthread
    recorded "unjoined_$how"
    expect_true "all three ended" [ "$(ended t.trace)" -eq 3 ]
    run "$AUGUR" run "./unjoined_$how"
    expect_status 1
    expect_out "confirmed  race on 'count'"
done
check "detached threads, too"
recorded unjoined_detached
expect_true "it ended" [ "$(ended t.trace)" -eq 1 ]
check "and with a random schedule, and with pct"
for policy in random pct; do
    recorded unjoined_return --policy "$policy"
    expect_true "all three ended ($policy)" [ "$(ended t.trace)" -eq 3 ]
done
check "a thread that never ends does not keep the program"
recorded unjoined_endless
expect_true "within some turns" [ "$(events_of t.trace)" -lt 100000 ]
check "a thread that waits for ever is left"
recorded unjoined_blocked
expect_true "it has not ended" [ "$(ended t.trace)" -eq 0 ]
check "behind the begin of exit handlers nobody has turns for it"
recorded unjoined_handler
run "$AUGUR" show t.trace
expect_true "the thread of the handler did not write" eval '! grep -q " w .*late" "$TMP/.lib/out"'
check "what is found needs no main that is slow: the assertion behind the end"
augur_cc -g "$programs/unjoined_assert.c" -o unjoined_assert -pthread
run "$AUGUR" run ./unjoined_assert
expect_status 1
expect_out "assertion"

augur_cc -g -w "$programs/endless.c" -o endless -pthread
mkfifo silent
for how in work sleep compute input; do
    check "--for ends the recording of a program that does not end ($how)"
    exec 4<>silent # never closed, and nothing comes
    run_with silent timeout 120 "$AUGUR" record --for 0.3 -o t.trace ./endless "$how"
    exec 4>&-
    expect_status 0
    expect_err "stopped after .* s \(--for\)"
    run "$AUGUR" show --summary t.trace
    expect_status 0
    expect_out "^ended *at the limit of events or time"
    run timeout 120 "$AUGUR" replay t.trace
    expect_status 0
    expect_err "identical"
done
check "--for of a program that ends sooner changes nothing"
run "$AUGUR" record --for 3600 -o t.trace ./unjoined_return
expect_status 0
expect_true "no word of it" eval '! grep -q -e "--for" "$TMP/.lib/err"'
check "run --for: then it is checked, and is not inconclusive"
run timeout 120 "$AUGUR" run --for 0.2 --no-explore --format json -o report.json ./endless sleep
expect_status 1
expect_true "the race is confirmed" grep -q '"status": "confirmed"' report.json
expect_true "nothing is inconclusive" grep -q '"inconclusive": \[\]' report.json
check "--for wants a number"
run "$AUGUR" record --for soon ./endless work
expect_status 2

check "names of threads are recorded, those that another thread gives, too"
recorded named
run "$AUGUR" show --summary t.trace
expect_out "^names *T0 boss, T1 worker$"
run "$AUGUR" show --summary --format json t.trace
expect_out '"name": "worker"'
