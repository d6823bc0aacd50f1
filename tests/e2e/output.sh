#!/usr/bin/env bash
# Different output: what another interleaving of the same input tells the world; and what a race does (harm): both orders
# executed to the end. Lines in another order are told apart from other lines, and the time of day from both.
. "$(dirname "$0")/lib.sh"

# program NAME [FLAGS...] <source
program() {
    local name=$1
    shift
    { printf '#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n'; cat; } >"$name.c"
    "$AUGUR" cc -g -O1 -pthread "$@" "$name.c" -o "$name" || fail "$name.c does not compile"
}
# two NAME ARGS: main, which starts 'one' and 'two', joins both, and then does TEXT
two() {
    printf '%s\n' "int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);" \
        "pthread_join(a, 0); pthread_join(b, 0); $1 }"
}
order='static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x = 1;
static void *one(void *p) { pthread_mutex_lock(&m); x = x * 2; pthread_mutex_unlock(&m); return p; }
static void *two(void *p) { pthread_mutex_lock(&m); x = x + 3; pthread_mutex_unlock(&m); return p; }'

check "another order prints something else: shown, confirmed, and no reason to fail"
{ echo "$order"; two 'printf("x is %d\n", x); return 0;'; } | program printed
run "$AUGUR" run ./printed
expect_status 0
expect_out "^O1 confirmed  different output: standard output has 'x is 8' instead of 'x is 5'"
expect_out "reads 'x' = 8 \\(5 in the run\\)"
run "$AUGUR" run --format json ./printed
expect_out '"kind": "output"'
expect_out '"var": "standard output"'
expect_out '"aside": true'

check "asked for by name it counts, and alone"
run "$AUGUR" run --prop output ./printed
expect_status 1
expect_out "^O1 confirmed"
run "$AUGUR" explore --prop output ./printed
expect_status 1
expect_out "^O1 confirmed"

check "it is replayed by its id"
run "$AUGUR" run ./printed
run "$AUGUR" replay --finding O1
expect_status 1
expect_out "^confirmed: O1: standard output has 'x is 8' instead of 'x is 5'"

check "not looked at with --compare-output none, nor where other properties are named"
for how in "--compare-output none" "--prop race"; do
    run "$AUGUR" run $how ./printed
    expect_status 0
    expect_out "^0 findings"
done

check "the same lines in another order are the same content, and another order"
program lines <<'C'
static void *one(void *p) { puts("one"); return p; }
static void *two(void *p) { puts("two"); return p; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
C
run "$AUGUR" run ./lines
expect_status 0
expect_out "^0 findings"
run "$AUGUR" run --compare-output order ./lines
expect_out "^O1 confirmed  different output: standard output has the same lines in another order: 'two' where the run has 'one'"

check "the time of day, numbers of processes and random numbers depend on no schedule"
program times <<'C'
static void *one(void *p) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); printf("one %ld.%09ld %d\n", (long)t.tv_sec, t.tv_nsec, (int)getpid()); return p; }
static void *two(void *p) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); printf("two %ld.%09ld\n", (long)t.tv_sec, t.tv_nsec); return p; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }
C
run "$AUGUR" run --prop output ./times
expect_out "^0 findings"

check "standard error and files that the program makes are told to the world, too"
{ echo "$order"; two 'fprintf(stderr, "x %d\n", x); FILE *f = fopen("made.txt", "w"); if (f) fprintf(f, "made %d\n", x), fclose(f); return 0;'; } | program files
run "$AUGUR" run ./files
expect_out "different output: standard error has 'x 8' instead of 'x 5'"
run "$AUGUR" run --prop output ./files
expect_out "^O1 confirmed  different output: standard error"
{ echo "$order"; two 'FILE *f = fopen("made.txt", "w"); if (f) fprintf(f, "made %d\n", x), fclose(f); return 0;'; } | program file
rm -f made.txt # a file that was there before is not compared
run "$AUGUR" run ./file
expect_out "different output: .*made.txt has 'made 8' instead of 'made 5'"
expect_true "the file is that of the run" grep -q 'made 5' made.txt

check "an exit status that merely differs is output, no failed assertion"
{ echo "$order"; two 'return x == 5 ? 0 : 3;'; } | program status
run "$AUGUR" run --format json ./status
expect_status 1 # the execution fails
expect_out '"kind": "output"'
expect_out '"var": "exit status"'
expect_true "no assertion" test "$(grep -c '"kind": "assertion"' "$TMP/.lib/out")" -eq 0

check "what does not depend on the order is no finding"
{ echo "$order" | sed 's/x \* 2/x + 2/'; two 'printf("x is %d\n", x); return 0;'; } | program same
run "$AUGUR" run --prop output ./same
expect_status 0
expect_out "^0 findings"

check "where nothing is executed it cannot be looked for, and that is said"
run "$AUGUR" record --quiet -o printed.trace ./printed
printf 'shared x = 0\nthread A { a1: x := 1 }\n' >model.ctp
for input in printed.trace model.ctp; do
    run "$AUGUR" check --prop output "$input"
    expect_status 3
    expect_out "^inconclusive: different output not looked for"
done
run "$AUGUR" oracle --prop output model.ctp
expect_status 2

# --- harm

# harm PROGRAM: the harm of its first race
harm() {
    run "$AUGUR" run --format json "$@"
    expect_out '"harm": "'"$want"'"'
}
racy='static int x; static volatile int y;'

check "a race by which the output differs: how, and that order is the one that is shown and replayed"
{ echo "$racy static void *one(void *p) { x++; return p; } static void *two(void *p) { x++; return p; }"; two 'printf("x is %d\n", x); return 0;'; } | program lost
want=output harm ./lost
run "$AUGUR" run ./lost
expect_out "what it does: output differs: standard output has 'x is 1' instead of 'x is 2'"
run "$AUGUR" replay --finding R1
expect_status 1
expect_out "^x is 1"

check "a race by which memory is left with another value"
{ echo "$racy static void *one(void *p) { x = 1; return p; } static void *two(void *p) { x = 2; return p; }"; two 'return 0;'; } | program state
want=state harm ./state
expect_out "state differs: 'x' ends as 1 instead of 2"

check "a race by which nothing differs says in how many executions nothing was seen; it is a race all the same"
{ echo "$racy static void *one(void *p) { x = 1; return p; } static void *two(void *p) { x = 1; return p; }"; two 'return 0;'; } | program none
want=none-seen harm ./none
expect_status 1
expect_out "no difference seen in 6 executions"

check "a race by which the program fails"
{ echo "$racy static void *one(void *p) { x = 1; return p; } static void *two(void *p) { assert(x == 1); return p; }"; two 'return 0;'; } | program fails
want=fails harm ./fails
expect_out "fails: an assertion fails"

check "a continuation that does not end is said, and nothing else"
{ echo "$racy static void *one(void *p) { x = 1; return p; } static void *two(void *p) { if (!x) for (;;) y = 0; return p; }"; two 'return 0;'; } | program endless
want=none-seen harm --run-timeout 0.5 --budget 30 ./endless
expect_out "of which [1-9][0-9]* did not end"

check "clocks that differ from execution to execution are no harm"
{ echo "$racy static void *one(void *p) { x = 1; return p; } static void *two(void *p) { x = 1; struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); printf(\"%ld\\n\", t.tv_nsec); return p; }"; two 'return 0;'; } | program clock
want=none-seen harm ./clock
