#!/usr/bin/env bash
# Loops that join all threads of another loop (lower/joins.c), and verdicts that executions of the program decide
# (engine/scan_execute.c, engine/scan_explore.c).
. "$(dirname "$0")/lib.sh"

cat >pool.c <<'C'
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    data++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    int n = __VERIFIER_nondet_int(), from = 0, by = 1;
    if (n < 4 || n > 8)
        abort();
    int last = n;
    pthread_t *t = malloc((n + 1) * sizeof *t);
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, work, NULL);
#ifdef BOUND
    last = n - 1;
#endif
#ifdef FROM
    from = 1;
#endif
#ifdef COPIED
    pthread_join(t[1], NULL);
    t[1] = t[0];
    from = 1;
#endif
#ifdef MOVED
    t++;
    last = n - 1;
#endif
    for (int i = from; i < last; i += by) {
#ifdef PASSED
        if (i == PASSED)
            continue;
#endif
#ifdef BREAK
        if (i == 2)
            goto out;
#endif
        pthread_join(t[i], NULL);
    }
#ifdef BREAK
out:
#endif
#ifdef LATER
    pthread_create(&t[0], NULL, work, NULL);
#endif
    return data;
}
C
check "after a loop that joins all of them no thread is alive"
run "$AUGUR" scan --no-replay --stages lockset --svcomp --prop race pool.c
[ "$out" = TRUE ] || fail "$out $err"

check "after one that does not, they are"
for slip in -DBOUND -DFROM -DCOPIED -DMOVED -DPASSED=1 -DPASSED=data -DBREAK -DLATER; do
    run "$AUGUR" scan --no-replay --stages lockset --svcomp --prop race pool.c -- "$slip"
    [ "$out" = UNKNOWN ] || fail "$slip: $out"
done

if [ -z "$SANITIZED" ] && echo 'int main(void) { return 0; }' | gcc -fsanitize=thread -x c - -o tsan 2>/dev/null && ./tsan; then
    check "random programs: what ThreadSanitizer sees race, locksets leave"
    count=4
    [ -z "${NIGHTLY:-}" ] || count=300
    said=$(python3 "$SRC/tests/scan/joins_random.py" --augur "$AUGUR" --count $count --seed 5) || fail "$said"
fi

check "--svcomp executes the program where the model is not exact: what it does is FALSE"
cat >slots.c <<'C'
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int *slot;
static void *work(void *arg) {
    slot[(long)arg] = 1;
    return NULL;
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        abort();
    pthread_t *t = malloc(n * sizeof *t);
    slot = malloc(n * sizeof *slot);
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, work, (void *)(long)(i SLIP));
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    return 0;
}
C
run "$AUGUR" scan --svcomp --prop race --budget 30 slots.c -- '-DSLIP=/2'
expect_status 1
[ "$out" = FALSE ] || fail "$out $err"
run "$AUGUR" scan --svcomp --prop race --no-replay slots.c -- '-DSLIP=/2'
[ "$out" = UNKNOWN ] || fail "not executed: $out $err"
run "$AUGUR" scan --svcomp --prop race slots.c -- '-DSLIP='
[ "$out" = TRUE ] || fail "each has its own: $out $err"

check "--explore looks for races in runs of the program that no schedule of the model shows"
cat >last.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    data++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(int argc, char **argv) {
    int n = argc + 2;
    (void)argv;
    pthread_t *t = malloc(n * sizeof *t);
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < n - 1; i++)
        pthread_join(t[i], NULL);
    return data == 7;
}
C
run "$AUGUR" scan --prop race --explore --budget 30 last.c
expect_status 1
expect_out "^R1 confirmed  race on 'data'"
expect_out "^note: explored on the program: [1-9][0-9]* runs, 1 warnings shown"
run "$AUGUR" replay --finding R1
expect_out "^confirmed: R1"
