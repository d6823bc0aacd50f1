#!/usr/bin/env bash
# 'augur record -o - PROGRAM | augur check --stream -': a check while the program runs.
# PARTS: 2
. "$(dirname "$0")/../e2e/lib.sh"
. "$SRC/tests/programs/lib.sh"

# places FILE: a line for each finding of a JSON report: its kind and the lines of its events
places() {
    python3 - "$1" <<'P'
import json, sys
out = set()
told = json.load(open(sys.argv[1]))["findings"]
for f in told + [v for f in told for v in f.get("folded", [])]:
    at = ["%s:%s" % (e.get("file"), e.get("line")) for e in f["events"]]
    out.add(" ".join([f["kind"]] + (at if f["kind"] == "atomicity" else sorted(at))))
print("\n".join(sorted(out)))
P
}

if in_part 1; then
    all_found=0
    for name in barrier cond containers cxx_thread deadlock futex io_pipe keys mix mix_life mutex_robust nondet once \
        rwlock sem shared spin; do
        check "the same candidates as of a file: $name"
        case $name in
        containers) augur_cxx -O1 -g -pthread "$PROGRAMS/containers.cpp" -o containers ;;
        *) compile $name ;;
        esac
        "$AUGUR" record -q -o - "./$name" 2>record.err </dev/null | tee "$name.trace" |
            "$AUGUR" check --stream --format json -o online.json - 2>check.err
        expect_true "cat check.err = " test "$(cat check.err)" = ""
        "$AUGUR" check --stream --format json -o file.json "$name.trace" 2>/dev/null
        places online.json >online.txt
        places file.json >file.txt
        cmp -s online.txt file.txt || fail "differ: $(diff online.txt file.txt | head -n 4)"
        all_found=$((all_found + $(wc -w <file.txt)))
    done
    check "there is something to compare"
    expect_true "all_found -gt 20" test "$all_found" -gt 20

    check "what was piped can be replayed"
    run "$AUGUR" replay mix.trace
    expect_err identical
fi
in_part 2 || exit 0

cat >slow.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int early, late;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void *work(void *p) {
    early++;
    for (int i = 0; access("go", F_OK); i++) {
        pthread_mutex_lock(&m);
        sum++;
        pthread_mutex_unlock(&m);
        usleep(20000);
    }
    late++;
    return p;
}
int main(void) {
    pthread_t a, b;
    puts("what the program prints");
    fflush(stdout);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
augur_cc -g -O1 -pthread slow.c -o slow

until_there() { # until_there FILE PATTERN: waits for it, not longer than a busy machine takes
    local i
    for ((i = 0; i < 600; i++)); do
        grep -q "$2" "$1" 2>/dev/null && return
        sleep 0.1
    done
    fail "never in $1: $2"
}

check "a race is told while the program runs"
rm -f go
("$AUGUR" record -o - ./slow 2>record.err | "$AUGUR" check --stream - >online.txt 2>check.err; echo $? >status) &
until_there online.txt "race on 'early'"
expect_true "grep -c race on 'late' online.txt -eq 0" test "$(grep -c "race on 'late'" online.txt)" -eq 0
expect_true "! -e status" test ! -e status
touch go
wait
expect_true "cat status -eq 1" test "$(cat status)" -eq 1
expect_true "grep -c ^R[12] possible .*race on 'early|late' online.txt -eq 2" test "$(grep -c "^R[12] possible .*race on '\(early\|late\)'" online.txt)" -eq 2
grep -q '^note: read from a pipe.*Record into a file' online.txt || fail "the report does not say what one pass cannot do"

check "the program's standard output goes to standard error"
grep -q 'what the program prints' record.err || fail "lost: $(cat record.err)"
expect_true "grep -c 'what the program prints' online.txt -eq 0" test "$(grep -c 'what the program prints' online.txt)" -eq 0

check "help says so"
run "$AUGUR" record --help
expect_out 'standard output'

# both WRITER_SIGNAL READER_SIGNAL: the two commands, in a group of their own, get these when the first race is told
both() {
    rm -f go
    python3 - "$AUGUR" "$1" "$2" <<'P'
import os, signal, subprocess, sys, time
augur, to_writer, to_reader = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def own():
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(s, signal.SIG_DFL)
w = subprocess.Popen([augur, "record", "-o", "-", "./slow"], stdout=subprocess.PIPE, stderr=open("record.err", "w"),
                     preexec_fn=own, start_new_session=True)
r = subprocess.Popen([augur, "check", "--stream", "-"], stdin=w.stdout, stdout=open("online.txt", "w"),
                     stderr=open("check.err", "w"), preexec_fn=own)
w.stdout.close()
until = time.time() + 60
while "race on 'early'" not in open("online.txt").read() and time.time() < until:
    time.sleep(0.1)
if to_writer == to_reader == signal.SIGINT: # as a terminal does it
    os.killpg(w.pid, to_writer)
elif to_writer:
    os.kill(w.pid, to_writer)
if to_reader:
    r.send_signal(to_reader)
print(r.wait(60), w.wait(60), file=open("status", "w"))
P
    grep -q '^1 finding' online.txt || fail "no end: $(tail -n 3 online.txt) $(cat check.err)"
}

check "the writer is killed: a whole report of what came"
both 9 0
expect_true "cat status = 1 -9" test "$(cat status)" = "1 -9"
grep -q 'the stream was cut' online.txt || fail "not said: $(tail -n 3 online.txt)"

check "the program ends because its recorder is told to: that is the end of the stream"
both 15 0
grep -q 'the stream was cut' online.txt && fail "it was not cut"

check "the reader is told to stop: a whole report, and the program ends"
both 0 15
grep -q 'events after number [0-9]* were not read' online.txt || fail "not said: $(tail -n 5 online.txt)"
grep -q 'Broken pipe' record.err || fail "record says nothing: $(cat record.err)"

check "SIGINT of both, as from a terminal: a whole report"
both 2 2

check "a text trace through standard input"
printf 'T0|fork(T1)|1\nT0|w(x)|2\nT1|w(x)|3\n' >race.std
"$AUGUR" check --stream - <race.std >one.txt
expect_true "? -eq 1" test $? -eq 1
(printf 'T0|fork(T1)|1\nT0|w(x)|2\nT1|w(x)|3\n'; until [ -e go ]; do sleep 0.1; done) |
    "$AUGUR" check --stream - >online.txt &
until_there online.txt "race on 'x'"
touch go
wait
grep -q '^R1 possible' online.txt || fail "no report: $(cat online.txt)"

check "a text trace whose writer says no more: SIGTERM ends with a report"
mkfifo quiet
"$AUGUR" check --stream - <quiet >online.txt 2>check.err &
reader=$!
exec 9>quiet
printf 'T0|fork(T1)|1\nT0|w(x)|2\nT1|w(x)|3\nT1|r(' >&9
until_there online.txt "race on 'x'"
kill -TERM $reader
wait $reader
expect_true "? -eq 1" test $? -eq 1
exec 9>&-
grep -q '^R1 possible' online.txt || fail "no report: $(cat online.txt check.err)"

check "several runs do not go into one stream"
run "$AUGUR" record -o - --runs 2 ./slow
expect_status 2
expect_err 'several runs'

check "memory does not grow with the length of the run"
cat >blocks.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static long n, sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) {
    for (long i = 0; i < n; i++) {
        long *b = malloc(8 * (1 + i % 7));
        b[i % 7 ? 1 : 0] = i;
        pthread_mutex_lock(&m);
        sum += *b;
        pthread_mutex_unlock(&m);
        free(b);
    }
    return p;
}
int main(int argc, char **argv) {
    pthread_t t[2];
    n = atol(argv[argc - 1]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
if [ -n "$SANITIZED" ]; then
    skip "memory of the sanitizer build is the sanitizer's"
else
    augur_cc -g -O1 -pthread blocks.c -o blocks
    for n in 50000 400000; do
        "$AUGUR" record -q -o - ./blocks $n | "$AUGUR" check --stream --format json -o $n.json -
    done
    python3 -c '
import json
a, b = (json.load(open(f)) for f in ("50000.json", "400000.json"))
assert b["trace"]["events"] > 7 * a["trace"]["events"], (a["trace"], b["trace"])
assert b["stats"]["peak_kib"] < 3 * a["stats"]["peak_kib"], (a["stats"], b["stats"])
print(a["stats"], b["stats"], a["trace"], b["trace"])' || fail "it does"
fi
