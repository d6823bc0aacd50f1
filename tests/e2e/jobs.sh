#!/usr/bin/env bash
# What is found does not depend on the number of processes that look for it.
. "$(dirname "$0")/../e2e/lib.sh"

# Long enough to be shared out (linear/race_apart.c); the second with an order by reads, late sections and many threads.
"$AUGUR" gen --quiet --events 300000 --threads 4 --locks 3 --vars 40 -o plain.trace
"$AUGUR" gen --quiet --events 300000 --threads 9 --locks 30 --vars 900 --nesting 3 --with-blocks --seed 5 -o nested.trace

# told TRACE JOBS: the report without what it cost
told() {
    "$AUGUR" check --quiet --jobs "$2" --schedules 0 --prop race,deadlock --most 30 "$1" 2>&1 | sed -E 's/ \([0-9.]+ s\)//'
}

for trace in plain nested; do
    check "$trace: one process and several say the same"
    told $trace.trace 1 >one.txt
    grep -q '[1-9][0-9]* findings' one.txt || fail "nothing was found: $(tail -n 3 one.txt)"
    for jobs in 2 5 0; do
        told $trace.trace $jobs >several.txt
        diff one.txt several.txt >difference || fail "--jobs $jobs: $(head -n 5 difference)"
    done
done

check "processes take part in it"
run strace -f -qq -e trace=memfd_create -o calls "$AUGUR" check --quiet --jobs 3 --schedules 0 --prop race --most 1 plain.trace
if [ "$status" -eq 127 ]; then
    skip "strace is not installed"
else
    [ "$(grep -c augur-part calls)" -eq 3 ] || fail "$(cat calls)"
fi
