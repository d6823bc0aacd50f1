#!/usr/bin/env bash
# Who owns memory: elements handed to threads, threads that are joined before the next, semaphores as locks, errno,
# switches that are never turned (lower/own.c, tsg/lives.h, tsg/sems.h, lower/fold.c); and sources that clang refuses.
. "$(dirname "$0")/lib.sh"

check "examples/scan/farm.c: locksets leave what is marked real, and nothing that is marked bogus"
"$AUGUR" scan --no-replay --all --stages lockset --format json -o farm.json "$SRC/examples/scan/farm.c" || [ $? -le 1 ] || fail "status $?"
read -r real _ lost bogus _ <<<"$(awk -f "$SRC/bench/scan_marks.awk" "$SRC/examples/scan/farm.c" farm.json)"
[ "$real" = 6 ] || fail "$real pairs are marked real"
[ "$lost" = 0 ] || fail "$lost real pairs are lost"
[ "$bogus" = 0 ] || fail "$bogus bogus pairs are left"

if [ -z "$SANITIZED" ] && echo 'int main(void) { return 0; }' | gcc -fsanitize=thread -x c - -o tsan 2>/dev/null && ./tsan; then
    check "random programs: what ThreadSanitizer sees race, locksets leave"
    count=6
    [ -z "${NIGHTLY:-}" ] || count=300
    said=$(python3 "$SRC/tests/scan/owners_random.py" --augur "$AUGUR" --count $count --seed 3) || fail "$said"
    ruled=$(sed -n 's/.*; \([0-9]*\) warnings ruled out.*/\1/p' <<<"$said")
    [ "${ruled:-0}" -gt 50 ] || fail "next to nothing is ruled out: $said"
fi

check "assembler of another machine is skipped, and that is said"
cat >foreign.c <<'C'
#include <pthread.h>
static int n;
static void *f(void *arg) {
    unsigned long r = (unsigned long)arg;
    __asm__ volatile("no_such_instruction %1,%0" : "=m"(r) : "r"(r));
    n++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    n++;
    pthread_join(t, 0);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset foreign.c
expect_status 1
grep -q "race on 'n'" <<<"$out" || fail "no race: $out"
grep -q "assembler that does not compile for this machine is skipped in 'foreign.c'" <<<"$out" || fail "not said: $out"

check "calls without a declaration, as C once allowed them"
cat >old.c <<'C'
static int n;
void *f(void *arg) { n++; return arg; }
int main(void) {
    unsigned long t;
    pthread_create(&t, 0, f, 0);
    n++;
    pthread_join(t, 0);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset old.c
expect_status 1
grep -q "race on 'n'" <<<"$out" || fail "no race: $out"

check "a file that cannot be compiled is named, the others are scanned, and nothing is proved absent"
echo 'this is not C' >bad.c
run "$AUGUR" scan --no-replay --stages lockset old.c bad.c
expect_status 1
grep -q "left out: a file that cannot be read or compiled: 'bad.c'" <<<"$out" || fail "not said: $out"
sed -i '/    n++;/d' old.c
run "$AUGUR" scan --no-replay --svcomp --prop race old.c bad.c
[ "$out" = UNKNOWN ] || fail "$out"
run "$AUGUR" scan --no-replay --svcomp --prop race old.c
[ "$out" = TRUE ] || fail "$out"
run "$AUGUR" scan --no-replay bad.c
expect_status 2

check "a semaphore that somebody else posts is no lock; one that is handed on to no counted reader neither"
cat >posted.c <<'C'
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static int n;
static void *f(void *arg) {
    sem_wait(&s);
    n++;
    sem_post(&s);
    return arg;
}
int main(void) {
    pthread_t t, u;
    sem_init(&s, 0, 1);
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
#ifdef MORE
    sem_post(&s);
#endif
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
C
run "$AUGUR" scan --no-replay --stages lockset --svcomp --prop race posted.c
[ "$out" = TRUE ] || fail "a binary semaphore is a lock: $out"
run "$AUGUR" scan --no-replay --svcomp --prop race posted.c -- -DMORE
[ "$out" != TRUE ] || fail "it has been posted twice: $out"

check "an object that is allocated for each thread is its own; one that two get is not"
cat >fresh.c <<'C'
#include <pthread.h>
#include <stdlib.h>
struct job { int from, done; char text[8]; };
static void *work(void *arg) {
    struct job *j = arg;
    j->done = j->from;
    for (int i = 0; i < 8; i++)
        j->text[i] = 0;
    free(j);
    return NULL;
}
int main(int argc, char **argv) {
    struct job *j = malloc(sizeof *j);
    (void)argv;
    for (int i = 0; i < argc + 4; i++) {
        pthread_t t;
#ifdef SOMETIMES
        if (i % 2)
#endif
#ifndef NEVER
            j = malloc(sizeof *j);
#endif
        j->from = i;
        pthread_create(&t, NULL, work, j);
#ifdef AFTER
        j->from = 0;
#endif
#ifdef TWICE
        pthread_create(&t, NULL, work, j);
#endif
    }
    pthread_exit(NULL);
}
C
run "$AUGUR" scan --no-replay --stages lockset --svcomp --prop race fresh.c
[ "$out" = TRUE ] || fail "each has its own: $out $err"
for slip in -DSOMETIMES -DNEVER -DAFTER -DTWICE; do
    run "$AUGUR" scan --no-replay --stages lockset --svcomp --prop race fresh.c -- "$slip"
    [ "$out" = UNKNOWN ] || fail "$slip: $out"
done

check "what is left names the fact that is missing"
run "$AUGUR" scan --no-replay --stages lockset "$SRC/examples/scan/farm.c"
grep -q "missing: that the two are never at one element of the array at a time" <<<"$out" || fail "of an array: $out"
grep -q "missing: a lock, or an order between the two: neither holds any" <<<"$out" || fail "of a variable: $out"
