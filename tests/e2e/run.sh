#!/usr/bin/env bash
# 'augur run': one command from the program to confirmed findings.
. "$(dirname "$0")/lib.sh"

# Without exploration, which has tests of its own, except where it is asked for.
go() { run "$AUGUR" run --no-explore "$@"; }

sed "16s/.*//; 18s/.*//" "$SRC/examples/first/bank.c" >bank.c # only its race
augur_cc -g -O2 -pthread bank.c -o bank

check "a race: recorded, predicted, executed, told"
run "$AUGUR" run ./bank
expect_status 1
expect_out '^balance 30, visits 2$'
expect_out "^R1 confirmed  race on 'account.visits'$"
expect_out '^1 finding: 1 confirmed '
expect_no_err
expect_true "the program's output comes first" test "$(head -n 1 .lib/out)" = "balance 30, visits 2"
expect_true "and once" test "$(grep -c '^balance' .lib/out)" -eq 1
expect_file .augur/runs/1/1.trace
command=$(sed -n 's/^ *\$ augur \(replay.*\)/\1/p' .lib/out)
expect_true "a command is shown" test -n "$command"
# shellcheck disable=SC2086 # words are wanted
run "$AUGUR" $command
expect_status 1
expect_out "^confirmed: R1: race on 'account.visits'"

check "--quiet and a report in a file leave the program's output alone"
go -q -o report.txt ./bank
expect_status 1
expect_true "only that" test "$out" = "balance 30, visits 2"
expect_no_err
expect_true "the report" grep -q '^R1 confirmed' report.txt

check "JSON on standard output is all there is: the program's goes to standard error"
go --format json ./bank
expect_status 1
expect_true "JSON" test "$(head -c 1 .lib/out)" = "{"
expect_out '"outcome": "confirmed"'
expect_true "no other line" test "$(grep -c '^balance' .lib/out)" -eq 0
expect_err '^balance 30, visits 2$'

check "other forms"
for format in sarif junit html; do
    go -q --format $format -o "r.$format" ./bank
    expect_status 1
    expect_true "$format" test -s "r.$format"
done
expect_true "SARIF" grep -q '"2.1.0"' r.sarif
expect_true "JUnit" grep -q '<testsuite' r.junit
go -q --html page.html ./bank
expect_status 1
expect_out '^R1 confirmed'
expect_true "HTML" grep -qi '<!doctype html' page.html

check "a shard of the questions, as check has it"
go --no-explore --shard 1/2 ./bank
expect_out '^note: only shard 1 of 2 was checked'
run "$AUGUR" run --shard 3/2 ./bank
expect_status 2
expect_err "not I/N"

check "several runs: the first as always, the others at random, silent"
go --runs 3 ./bank
expect_status 1
expect_true "output once" test "$(grep -c '^balance' .lib/out)" -eq 1
last=$(ls -d .augur/runs/* | sort -t/ -k3n | tail -n 1)
expect_file "$last/3.trace"
expect_no_file "$last/4.trace"
expect_no_file "$last/replay.trace"
run "$AUGUR" show --summary "$last/1.trace"
expect_out 'schedule *os'
run "$AUGUR" show --summary "$last/3.trace"
expect_out 'schedule *random'
expect_out 'seed *3'

check "how certain it must be to fail"
go --no-replay ./bank
expect_status 1
expect_out '^R1 proved'
go --no-replay --fail-on proved ./bank
expect_status 1
go --no-replay --fail-on confirmed ./bank
expect_status 0
go --fail-on confirmed ./bank
expect_status 1

check "nothing to find"
cat >quiet.c <<'EOF'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *f(void *p) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return x != 2;
}
EOF
"$AUGUR" cc -g -pthread quiet.c -o quiet
run "$AUGUR" run ./quiet
expect_status 0
expect_out 'Every interleaving of this input was covered'
expect_out '^no findings|^0 findings'

check "a program without hooks: what to do"
cat >plain.c <<'EOF'
int main(void) { return 0; }
EOF
mkdir plain && (cd plain && cc ../plain.c -o plain)
cd plain || exit 1
go ./plain
expect_status 2
expect_err "augur cc"
expect_no_file .augur
go ./nothing
expect_status 2
expect_err "nothing"
run "$AUGUR" run
expect_status 2
cd .. || exit 1

check "a run that fails by itself is a finding"
cat >fails.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *f(void *p) {
    x = 1;
    return p;
}
int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    switch (argc > 1 ? *argv[1] : 0) {
    case 'a':
        assert(x == 2);
        break;
    case 'd':
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        pthread_mutex_lock(&a);
        break;
    case 's':
        *(volatile int *)(long)(x - 1) = 0;
        break;
    case 'e':
        return 7;
    }
    puts("well");
    return 0;
}
EOF
"$AUGUR" cc -g -pthread fails.c -o fails
go ./fails a
expect_status 1
expect_out '^A1 confirmed '
expect_err "an assertion failed"
go ./fails d
expect_status 1
expect_out '^(D1|L1) confirmed '
expect_err "deadlocked"
expect_out 'fails.c:2[0-9]'
go ./fails s
expect_status 1
expect_out '^A1 confirmed .*signal 11'
go ./fails e
expect_status 1
expect_out '^no findings|^0 findings'
expect_err "exited with status 7"
go ./fails
expect_status 0
expect_out '^well$'

check "arguments, environment, directory and standard input are the program's in every execution"
cat >asks.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int x;
static void *f(void *p) {
    x += atoi(p);
    return p;
}
int main(int argc, char **argv) {
    char line[80] = "", cwd[4096];
    assert(argc == 3 && !strcmp(argv[2], "--format"));
    assert(getenv("WHO") && !strcmp(getenv("WHO"), "me"));
    assert(getcwd(cwd, sizeof cwd) && strstr(cwd, "elsewhere"));
    if (!fgets(line, sizeof line, stdin) || strcmp(line, "hello\n"))
        return 9;
    pthread_t a, b;
    pthread_create(&a, 0, f, argv[1]);
    pthread_create(&b, 0, f, argv[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("%d\n", x);
    return 0;
}
EOF
"$AUGUR" cc -g -pthread asks.c -o asks
mkdir -p elsewhere
echo hello >input
run_with input "$AUGUR" run $au_budget --env WHO=me --cwd elsewhere --runs 2 ./asks 4 --format
expect_status 1
expect_out '^8$'
expect_out '^R1 confirmed'
expect_true "all" test "$(grep -cE '^R[0-9]+ (proved|possible)' .lib/out)" -eq 0
"$AUGUR" run --env WHO=me --cwd elsewhere ./asks 4 --format <<<hello >out 2>err
expect_true "from a here-document" grep -q '^R1 confirmed' out

check "--checks reach the executions, too"
cat >null.c <<'EOF'
#include <pthread.h>
static int v = 5, y;
static int *volatile p0 = &v;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *p) {
    pthread_mutex_lock(&m);
    y = *p0;
    pthread_mutex_unlock(&m);
    return p;
}
static void *g(void *p) {
    pthread_mutex_lock(&m);
    p0 = 0;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, g, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
EOF
"$AUGUR" cc -g -pthread null.c -o null
go --checks none ./null
expect_status 0
go --checks null ./null
expect_status 1
expect_out "^A1 confirmed .*null pointer"

check "a program without end is cut, and what it did is checked"
cat >endless.c <<'EOF'
#include <pthread.h>
static int x;
static void *f(void *p) {
    for (;;)
        x++;
    return p;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, f, 0);
    for (;;)
        x++;
}
EOF
"$AUGUR" cc -g -pthread endless.c -o endless
go --max-events 2000 --switch-every 100 ./endless
expect_status 1
expect_err "stopped after"
expect_out "^R1 confirmed"

check "a server that is interrupted: what it did until then is checked, and executed until there"
cat >server.c <<'EOF'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int x;
static void *f(void *p) {
    for (;;) {
        x++;
        usleep(100);
    }
    return p;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, f, 0);
    for (int i = 0;; i++) {
        x++;
        usleep(100);
        if (i == 20)
            close(open("served", O_CREAT | O_WRONLY, 0666));
    }
}
EOF
"$AUGUR" cc -g -pthread server.c -o server
# a shell lets its background jobs ignore SIGINT
env --default-signal=INT "$AUGUR" run --no-explore --budget 0 --limit 1200 -o server.txt ./server >/dev/null 2>server.err &
pid=$!
wait_for test -e served
kill -INT $pid
wait $pid
expect_true "status 1" test $? -eq 1
expect_true "told" grep -q 'killed by signal 2 ' server.err
expect_true "confirmed" grep -q '^R1 confirmed' server.txt
expect_true "that end leaves no question open" test "$(grep -c '^inconclusive' server.txt)" -eq 0

check "a program that changes files wants a sandbox"
cat >once.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
static int x;
static void *f(void *p) {
    x++;
    return p;
}
int main(void) {
    FILE *log = fopen("log", "a");
    fputs("a line\n", log);
    fclose(log);
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
EOF
mkdir box && "$AUGUR" cc -g -pthread once.c -o box/once
cd box || exit 1
run "$AUGUR" run --sandbox ./once
expect_status 1
expect_out '^R1 confirmed'
expect_no_file log
run "$AUGUR" run --no-replay --no-explore ./once
expect_status 1
expect_true "one line" test "$(wc -l <log)" -eq 1
run "$AUGUR" run --sandbox ./once
expect_status 1
expect_true "still one line" test "$(wc -l <log)" -eq 1
cd .. || exit 1

check "what is wrong is said before the program runs"
for bad in "--suppressions none.supp" "--suppressions bad.supp" "--baseline none.json" \
    "--baseline bad.json" "-o none/report" "--html none/page" "--store file/store" "--prop nothing" \
    "--budget -1" "--stream" "--measure"; do
    echo 'nonsense' >bad.supp
    echo '{"findings": 7}' >bad.json
    : >file
    # shellcheck disable=SC2086 # words are wanted
    go $bad ./bank
    expect_status 2
    expect_no_out
    expect_true "a message for $bad" test -s .lib/err
done
go --suppressions bad.supp ./bank
expect_err "^bad.supp:1: a suppression is TYPE:PATTERN"

check "suppressions, also ThreadSanitizer's"
printf '# ours\nrace:^deposit$\nthread:main\n' >tsan.supp
go --suppressions tsan.supp ./bank
expect_status 0
expect_out '^R1  .*known|known'
expect_err "tsan.supp:3: 'thread:main' is ignored"
echo 'deadlock:deposit' >other.supp
go --suppressions other.supp ./bank
expect_status 1

check "a baseline: only what is new fails"
run "$AUGUR" report --format baseline -o known.json
expect_status 0
go --baseline known.json ./bank
expect_status 0
go --baseline known.json ./fails a
expect_status 1
go --format json -o whole.json ./bank
expect_status 1
go --baseline whole.json ./bank
expect_status 0
run "$AUGUR" triage --baseline
expect_status 0
expect_err "findings? in the stored baseline"
go --baseline stored ./bank
expect_status 0
go ./bank
expect_status 1

check "what is behind a branch is found by exploring, within the budget"
augur_cc -g -O1 -pthread "$SRC/examples/explore/refresh.c" -o refresh
run "$AUGUR" run --budget 1200 ./refresh
expect_status 1
expect_out '^[A-Z]1 confirmed'
expect_true "nothing is left" test "$(grep -cE '^[A-Z][0-9]+ (proved|possible)' .lib/out)" -eq 0
go ./refresh
expect_status 0
run "$AUGUR" run --budget 0.001 ./refresh
expect_true "it ends, with findings or without answers" test "$status" = 1 -o "$status" = 3

check "it takes the options of explore"
run "$AUGUR" run -q --budget 0 --max-runs 2 --recordings some ./refresh
expect_out '^not exhaustive: .*run limit reached \(--max-runs\)'
expect_true "recordings: $(ls some)" test "$(find some -name '*.trace' | wc -l)" -ge 2
run "$AUGUR" run -q --budget 0 --recordings all --continue random --all-spurious ./refresh
expect_true "more of them: $(ls all)" test "$(find all -name '*.trace' | wc -l)" -gt 2
: >file
run "$AUGUR" run --recordings file ./refresh
expect_status 2
expect_err "cannot write into 'file'"
expect_true "nothing was run" test -z "$out"

check "every proved finding of the examples is confirmed"
list="$SRC/examples/first/*.c $SRC/examples/assertions/*.c $SRC/examples/papers/*.c"
[ -z "$SANITIZED" ] || list="$SRC/examples/first/*.c $SRC/examples/assertions/[a-d]*.c"
programs=0
for file in $list; do
    programs=$((programs + 1))
    augur_cc -g -O1 -pthread "$file" -o example || fail "cannot compile $file"
    go -q --budget 0 --store examples --format json -o example.json ./example
    [ "$status" -le 1 ] || fail "status $status of $file: $err"
    grep -qE '"status": "proved"|"outcome": "(diverged|not shown)"' example.json &&
        fail "$file: $(grep -E '"status": "proved"|"outcome": "(diverged|not shown)"' example.json | head -n 2)"
done
expect_true "there are some" test "$programs" -ge 6
run "$AUGUR" list --store examples --status proved
expect_out '^no such findings$'
run "$AUGUR" list --store examples --status confirmed
expect_out 'race on'
