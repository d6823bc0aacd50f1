#!/usr/bin/env bash
# One limit for a whole command (--budget), signals that end it with a report, progress, and outputs that cannot be
# written. Seconds are judged only where minutes would be wrong: the programs here keep the exact stage busy for
# much longer than any bound in this file.
# SANITIZED: no, because it waits for times; run.sh and soak.sh take the same ways through our code
. "$(dirname "$0")/../e2e/lib.sh"

MOST=60 # seconds that a command of three may take on a busy machine

cat >heavy.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int x[8], turns, racy;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *p) {
    long id = (long)p;
    for (int i = 0; i < 40; i++) {
        pthread_mutex_lock(&m);
        int v = x[i % 8];
        if (v % 3 == id % 3)
            x[(i + 1) % 8] += v + 1;
        else
            x[(i + 3) % 8] ^= v * 7 + (int)id;
        turns++;
        pthread_mutex_unlock(&m);
    }
    racy++;
    return 0;
}
int main(void) {
    pthread_t t[5];
    fclose(fopen("ran", "w"));
    for (long i = 0; i < 5; i++)
        pthread_create(&t[i], 0, f, (void *)i);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], 0);
    assert(x[0] != 123456);
    return 0;
}
C
"$AUGUR" cc -g -O1 -pthread heavy.c -o heavy
"$AUGUR" record -q -o heavy.trace ./heavy

whole() { # whole FILE: valid JSON of ours
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))["findings"]' "$1" 2>/dev/null
}
is_busy() { # is_busy PID: it has workers
    [ -n "$(pgrep -P "$1")" ] || ! kill -0 "$1" 2>/dev/null
}

# is_solving PID: it has a worker, and its workers have computed for two seconds, those that have ended included.
is_solving() {
    local child ticks
    ticks=$(cut -d ' ' -f 16 "/proc/$1/stat" 2>/dev/null)
    for child in $(pgrep -P "$1" -x augur); do
        ticks=$((${ticks:-0} + $(cut -d ' ' -f 14 "/proc/$child/stat" 2>/dev/null || echo 0) + 0))
        [ "$ticks" -ge $((2 * $(getconf CLK_TCK))) ] && return
    done
    ! kill -0 "$1" 2>/dev/null
}

check "the defaults"
for command in run explore; do
    run "$AUGUR" $command --help
    expect_out 'default 60'
done

check "a budget of three seconds is one: what the linear stages find is executed, what was not done is said"
from=$SECONDS
run "$AUGUR" run --budget 3 ./heavy
expect_status 1
expect_true "$((SECONDS - from)) s are no more than $MOST" test $((SECONDS - from)) -le $MOST
expect_out '^R1 confirmed  race on .racy'
expect_out '^inconclusive: .*time limit reached \(--budget\)'
expect_true "last line" sh -c 'tail -1 .lib/out | grep -q "^not exhaustive: .*--budget.* Try a larger --budget"'

check "a check with a budget, and without findings"
from=$SECONDS
run "$AUGUR" check --budget 3 --prop assert heavy.trace
expect_status 3
expect_true "$((SECONDS - from)) s are no more than $MOST" test $((SECONDS - from)) -le $MOST
expect_out '^0 findings'
expect_true "last line" sh -c 'tail -1 .lib/out | grep -q "^not exhaustive: .*undecided, among them: .* Try a larger --"'

check "no time at all is no answer"
run "$AUGUR" check --budget 0.0001 heavy.trace
expect_status 3
expect_out '^inconclusive: time limit reached \(--budget\): '
run "$AUGUR" run --budget 0.0001 --format json -o none.json ./heavy
expect_true "status 1 or 3, not $status" test "$status" = 1 -o "$status" = 3
expect_true "whole" whole none.json

check "a trace that cannot be read in time: what was read is looked at, and the rest is said"
run "$AUGUR" gen -q -n 4M --with-values -o long.trace
run "$AUGUR" check --budget 0.2 long.trace
expect_true "status 1 or 3, not $status" test "$status" = 1 -o "$status" = 3
expect_out '^inconclusive: time limit reached \(--budget\): not done: .*the exact stage'
expect_true "last line" sh -c 'tail -1 .lib/out | grep -q "^not exhaustive: .* Try "'
rm long.trace

check "a long recording whose survey takes more than the budget: the beginning of the run is looked at"
cat >long.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static long early, late, n, own[2][64];
static void *f(void *p) {
    long me = (long)p;
    early = me;
    for (long i = 0; i < n; i++)
        own[me][i % 7] += i;
    late = me;
    return 0;
}
int main(int argc, char **argv) {
    pthread_t t[2];
    n = argc > 1 ? atol(argv[1]) : 1;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, f, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
"$AUGUR" cc -g -O1 -pthread long.c -o long
"$AUGUR" record -q -o long.trace ./long 10000000
from=$SECONDS
run "$AUGUR" check --budget 0.5 long.trace
expect_true "$((SECONDS - from)) s are no more than $MOST" test $((SECONDS - from)) -le $MOST
expect_out '^inconclusive: time limit reached \(--budget\): events after number [0-9]+ were not read'
expect_out "^R1 proved  race on 'early'"
expect_true "the end was not read" sh -c '! grep -q "race on .late" .lib/out'
expect_true "last line" sh -c 'tail -1 .lib/out | grep -q "^not exhaustive: .*--budget"'

check "a source that cannot be read in time is not read, and that is said"
python3 - >large.c <<'P'
print("#include <pthread.h>\nint x;")
for i in range(6000):
    print(f"int g{i}(int a) {{ x += a; for (int i = 0; i < a; i++) x ^= i * {i}; return x; }}")
print("void *f(void *p) {")
for i in range(6000):
    print(f"    g{i}({i});")
print("    return p;\n}\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }")
P
from=$SECONDS
run "$AUGUR" scan --budget 0.3 large.c
expect_status 3
expect_true "$((SECONDS - from)) s are no more than $MOST" test $((SECONDS - from)) -le $MOST
expect_out 'time limit reached \(--budget\): the program was not read'
expect_true "last line" sh -c 'tail -1 .lib/out | grep -q "^not exhaustive: .* Try a larger --budget"'
run "$AUGUR" scan --svcomp --budget 0.3 large.c
expect_out UNKNOWN

check "explore and scan have one, too"
from=$SECONDS
run "$AUGUR" explore --budget 3 --format json -o explored.json ./heavy
expect_true "status 0 or 1, not $status" test "$status" -le 1
expect_true "whole" whole explored.json
expect_true "it says so" grep -q 'time limit reached (--budget)' explored.json
run "$AUGUR" scan --budget 3 --no-replay --format json -o scanned.json heavy.c
expect_true "status 1 or 3, not $status" test "$status" = 1 -o "$status" = 3
expect_true "whole" whole scanned.json
expect_true "$((SECONDS - from)) s are no more than twice $MOST" test $((SECONDS - from)) -le $((2 * MOST))

# told COMMAND...: SIGTERM when $until says so of its process, or when it has a child; its status
told() {
    "$AUGUR" "$@" >told.out 2>told.err &
    local pid=$!
    wait_for "${until:-is_busy}" $pid
    from=$SECONDS
    kill -TERM $pid
    wait $pid
    status=$? au_command="augur $*" err=$(cat told.err)
    expect_true "$((SECONDS - from)) s are no more than $MOST" test $((SECONDS - from)) -le $MOST
}

check "SIGTERM: check reports what it knows"
until=is_solving told check --timeout 0 --format json -o told.json heavy.trace
expect_status 1
expect_true "whole" whole told.json
expect_true "the race is there" grep -q '"status": "proved"' told.json
expect_true "it says so" grep -q '"interrupted: ' told.json

check "SIGTERM: run, in every form, and in the store"
until=is_solving told run --budget 0 --timeout 0 --no-explore --html told.html --format json -o run.json ./heavy
expect_status 1
expect_true "whole" whole run.json
expect_true "executed before the exact stage was asked" grep -q '"status": "confirmed"' run.json
expect_true "the page is whole" grep -q '</html>' told.html
run "$AUGUR" list --last
expect_out 'confirmed.*racy'

check "SIGTERM: explore and scan"
told explore --budget 0 --timeout 1000 --format json -o explore.json ./heavy
expect_true "status 1 or 3, not $status" test "$status" = 1 -o "$status" = 3
expect_true "whole" whole explore.json
expect_true "it says so" grep -q 'interrupted' explore.json
told scan --no-replay --timeout 1000 --format json -o scan.json heavy.c
expect_true "status 1 or 3, not $status" test "$status" = 1 -o "$status" = 3
expect_true "whole" whole scan.json

check "SIGTERM while it records: the program is ended, and there is a report"
cat >stubborn.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static int x;
static void *f(void *p) {
    x++;
    return p;
}
int main(void) {
    pthread_t a;
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    pthread_create(&a, 0, f, 0);
    x++;
    pthread_join(a, 0);
    fclose(fopen("served", "w"));
    for (;;)
        usleep(1000);
}
C
"$AUGUR" cc -g -pthread stubborn.c -o stubborn
"$AUGUR" run --format json -o stubborn.json ./stubborn >/dev/null 2>&1 &
pid=$!
wait_for test -e served
kill -TERM $pid
wait $pid
status=$? au_command="augur run ./stubborn"
expect_true "status 1 or 3, not $status" test "$status" = 1 -o "$status" = 3
expect_true "whole" whole stubborn.json

check "SIGINT ends the recording, even of a program that ignores it, and what was recorded is checked"
rm -f served
env --default-signal=INT "$AUGUR" run --budget 600 --format json -o stubborn.json ./stubborn >/dev/null 2>&1 &
pid=$!
wait_for test -e served
kill -INT $pid
wait $pid
status=$? au_command="augur run ./stubborn"
expect_status 1
expect_true "confirmed" grep -q '"status": "confirmed"' stubborn.json

check "an output that cannot be written is an error before anything runs"
touch file
rm -f ran
for command in "explore --keep file" "explore -o missing/x" "run -o missing/x" "run --html missing/x" "run --store file"; do
    # shellcheck disable=SC2086
    run "$AUGUR" $command ./heavy
    expect_status 2
    expect_err "'(file|file/.*|missing/x.*)'"
    expect_no_file ran
done
for command in "scan -o missing/x heavy.c" "scan --store file heavy.c" "check -o missing/x heavy.trace"; do
    # shellcheck disable=SC2086
    run "$AUGUR" $command
    expect_status 2
done

check "progress on a terminal: stage, how much, findings, time left; gone at the end"
TERM=xterm script -qec "'$AUGUR' check --budget 4 heavy.trace" /dev/null </dev/null >tty 2>&1
expect_true "the line: $(tr '\r' '\n' <tty | head -3)" grep -qE '[0-9]+ of [0-9]+ \([0-9]+ %\).*[0-9]+ s left' tty
expect_true "findings" grep -qE ', 1 finding, ' tty
TERM=xterm script -qec "'$AUGUR' check --progress none --budget 4 heavy.trace" /dev/null </dev/null >tty 2>&1
expect_true "none" test "$(grep -c ' s left' tty)" -eq 0
run "$AUGUR" check --budget 2 heavy.trace
expect_no_err

check "who waits for a server is told what to do"
rm -f served
TERM=xterm script -qec "exec env --default-signal=INT '$AUGUR' run --budget 600 -o server.txt ./stubborn" /dev/null </dev/null >tty 2>&1 &
pid=$!
wait_for grep -q 'recording; Ctrl-C stops it and checks' tty
kill -INT "$(pgrep -P $pid)"
wait $pid
expect_true "checked" grep -q '^R1 confirmed' server.txt
