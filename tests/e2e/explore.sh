# augur explore: bugs behind branches that the first run does not take, and what is said of coverage.
. "$(dirname "$0")/../e2e/lib.sh"

# program NAME: compiles standard input.
program() {
    { printf '#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/stat.h>\n#include <unistd.h>\n'
      cat; } >"$1.c"
    run "$AUGUR" cc -g -O1 -pthread "$1.c" -o "$1"
    expect_status 0
}
# field FILE NAME: a number of the stats.
field() {
    grep -oE "\"$2\": ?[0-9.]+" "$1" | head -1 | grep -oE '[0-9.]+$'
}

check "a bug behind a branch that the first run does not take"
program behind <<'C'
static int ready, value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *u) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    value = 7;
    pthread_mutex_unlock(&lock);
    return u;
}
static void *reader(void *u) {
    pthread_mutex_lock(&lock);
    if (ready) {
        int seen = value;
        assert(seen == 7);
    }
    pthread_mutex_unlock(&lock);
    return u;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, reader, NULL);
    pthread_create(&a, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
C
run "$AUGUR" explore --format json -o behind.json ./behind
expect_status 1
expect_no_err
expect_true "the assertion is confirmed" grep -q '"status": *"confirmed"' behind.json
expect_true "it is the assertion of line $(grep -n 'seen == 7' behind.c | cut -d: -f1)" \
    grep -q "\"line\": *$(grep -n 'seen == 7' behind.c | cut -d: -f1)" behind.json
expect_true "everything was covered" test "$(field behind.json every_interleaving)" = 1
expect_true "within a few runs" test "$(field behind.json runs)" -le 8

check "large blocks of memory are no reason to leave a run out"
{ sed -n '1,/^static int ready/p' behind.c | sed '$d'
  printf 'static void *big(void) { void *p = malloc(200000); return p ? __builtin_memset(p, 1, 150000) : p; }\n'
  sed -n '/^static int ready/,$p' behind.c | sed 's/pthread_t a, b;/pthread_t a, b; free(big());/'; } >large.c
run "$AUGUR" cc -g -O1 -pthread large.c -o large
expect_status 0
run "$AUGUR" explore --format json -o large.json ./large
expect_status 1
expect_true "everything was covered" test "$(field large.json every_interleaving)" = 1

check "the command that is told shows it again"
run "$AUGUR" explore ./behind
expect_status 1
expect_out "^A1 +confirmed "
expect_out "Every interleaving of this input was covered\\."
command=$(grep -oE '\$ augur replay behind.explored/[^ ]+$' "$TMP/.lib/out" | head -1)
expect_true "there is one" test -n "$command"
run "$AUGUR" replay ${command#\$ augur replay }
expect_status 0
expect_err "an assertion failed"
expect_err "identical"

check "a race of a run that had to be found first is executed on that run"
program race <<'C'
static atomic_int go;
static int x;
static void *f(void *u) {
    if (go)
        x++;
    return u;
}
static void *g(void *u) {
    go = 1;
    return u;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, f, NULL);
    pthread_create(&b, NULL, f, NULL);
    pthread_create(&c, NULL, g, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
C
run "$AUGUR" explore ./race
expect_status 1
expect_out "^R1 +confirmed .*'x'"
command=$(grep -oE '\$ augur replay .*--finding R1$' "$TMP/.lib/out" | head -1)
expect_true "it has a command" test -n "$command"
run "$AUGUR" replay ${command#\$ augur replay }
expect_status 1
expect_out "confirmed: R1"

check "nothing is found, nothing is left behind, and that is all there is"
program right <<'C'
static int n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *u) {
    pthread_mutex_lock(&lock);
    if (n == 0)
        n = 1;
    else
        n += 2;
    pthread_mutex_unlock(&lock);
    return u;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, f, NULL);
    pthread_create(&b, NULL, f, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 3);
    return 0;
}
C
run "$AUGUR" explore ./right
expect_status 0
expect_no_err
expect_out "2 distinct behaviours"
expect_out "Every interleaving of this input was covered\\."
expect_no_file right.explored

check "--recordings keeps all runs, --verbose tells of them"
run "$AUGUR" explore --recordings kept --verbose ./right
expect_status 0
expect_err "run 1 .*the first one"
expect_err "run 2 .*reached"
expect_file kept/run-1.trace
expect_file kept/run-2.trace
run "$AUGUR" replay kept/run-2.trace
expect_status 0

check "budgets, and what they leave is said"
run "$AUGUR" explore --max-runs 1 ./right
expect_status 0
expect_out "1 run, 1 distinct behaviour\\."
expect_out "Not every interleaving of this input was covered: run limit reached \\(--max-runs\\); .*right\\.c:[0-9]+"

check "--first stops at the first finding"
run "$AUGUR" explore --first ./behind
expect_status 1
expect_out "stopped at the first finding|Every interleaving"

check "a crash is a confirmed finding"
program crash <<'C'
static int data = 3, *_Atomic p;
static void *t(void *u) {
    p = &data;
    return u;
}
int main(void) {
    pthread_t a;
    int x = 0;
    pthread_create(&a, NULL, t, NULL);
    sched_yield();
    int *q = p;
    x = *q;
    pthread_join(a, NULL);
    return x == 77;
}
C
sed -i '1i #include <sched.h>' crash.c
run "$AUGUR" cc -g -O1 -pthread crash.c -o crash
run "$AUGUR" explore ./crash
expect_status 1
expect_out "confirmed  the program is ended by signal 11"

check "another exit status than the first run's 0 is a finding; the same one is not"
program exits <<'C'
static int x;
static void *t(void *u) {
    x = 1;
    return u;
}
int main(int argc, char **argv) {
    pthread_t a;
    pthread_create(&a, NULL, t, NULL);
    int y = x;
    pthread_join(a, NULL);
    if (y != (argc > 1))
        exit(argc > 2 ? 0 : 3);
    (void)argv;
    return 0;
}
C
run "$AUGUR" explore --no-check ./exits
expect_status 1
expect_out "exits with status 3"
program always <<'C'
int main(void) {
    return 5;
}
C
run "$AUGUR" explore ./always
expect_status 0
expect_out "0 findings"

check "a deadlock in the first run"
program dead <<'C'
static sem_t s;
static void *t(void *u) {
    sem_wait(&s);
    return u;
}
int main(void) {
    pthread_t a;
    sem_init(&s, 0, 0);
    pthread_create(&a, NULL, t, NULL);
    pthread_join(a, NULL);
    return 0;
}
C
run "$AUGUR" explore ./dead
expect_status 1
expect_out "^D1 +confirmed "

check "a run that does not end is stopped, and coverage is not claimed"
program spin <<'C'
static atomic_int go, stop;
static int rounds; /* a loop that leaves nothing behind is a wait: explore_spin.sh */
static void *t(void *u) {
    if (go)
        while (!stop)
            rounds++;
    return u;
}
static void *v(void *u) {
    go = 1;
    return u;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, t, NULL);
    pthread_create(&b, NULL, v, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    stop = 1;
    return 0;
}
C
run "$AUGUR" explore --budget 1200 --max-runs 2 --no-check --max-events 2000 ./spin
expect_status 3
expect_out "Not every interleaving of this input was covered"
expect_out "runs? stopped at a limit"

check "arguments and standard input are the same for every run"
program input <<'C'
static int n, seen;
static void *t(void *u) {
    if (n)
        seen = n;
    return u;
}
int main(int argc, char **argv) {
    pthread_t a;
    int k;
    if (argc != 2 || scanf("%d", &k) != 1)
        return 9;
    pthread_create(&a, NULL, t, NULL);
    n = k + atoi(argv[1]);
    pthread_join(a, NULL);
    assert(seen != 7);
    return 0;
}
C
echo 3 >three
run_with three "$AUGUR" explore --no-check ./input 4
expect_status 1
expect_out "^A1 +confirmed "
expect_true "through a pipe" sh -c 'cat three | "$AUGUR" explore --no-check ./input 4 | grep -q "^A1 *confirmed "'
run_with three "$AUGUR" explore --no-check ./input 5
expect_status 0

check "--sandbox: no run sees what another one wrote"
program files <<'C'
static int x;
static void *t(void *u) {
    x = 1;
    return u;
}
int main(void) {
    pthread_t a;
    struct stat s;
    if (stat("made", &s) || s.st_size)
        return 5;
    pthread_create(&a, NULL, t, NULL);
    int y = x;
    pthread_join(a, NULL);
    FILE *f = fopen("made", "a");
    if (f)
        fputs("x", f), fclose(f);
    if (y)
        x = 2;
    return 0;
}
C
: >made # a file that a run makes is gone for the next one anyway: tests/e2e/world.sh
run "$AUGUR" explore --no-check --sandbox ./files
expect_status 0
expect_out "2 distinct behaviours"
expect_out "Every interleaving of this input was covered\\."
expect_true "the file is as it was" test ! -s made
run "$AUGUR" explore --no-check ./files
expect_status 1
expect_out "exits with status 5"
expect_out "Not every"
rm -f made

check "threads that are not followed to their waits: no deadlock, no internal error"
program unfollowed <<'C'
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int table[4] = {4, 3, 2, 1}, full, seen;
static sem_t sorted;
static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void *waiter(void *u) {
    pthread_mutex_lock(&lock);
    qsort(table, 4, sizeof *table, up);
    seen = table[1];
    sem_post(&sorted);
    while (!full)
        pthread_cond_wait(&ready, &lock);
    full = 0;
    pthread_mutex_unlock(&lock);
    return u;
}
int main(void) {
    pthread_t a;
    sem_init(&sorted, 0, 0);
    pthread_create(&a, NULL, waiter, NULL);
    sem_wait(&sorted);
    pthread_mutex_lock(&lock);
    table[1] = 9;
    full = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    printf("%d\n", table[1]);
    return 0;
}
C
run "$AUGUR" run ./unfollowed
expect_status 0
expect_no_err
expect_out "^0 findings"
expect_true "nothing is inconclusive" test -z "$(grep inconclusive <<<"$out")"
sed 's/table\[1\] = 9/table[1]++/' unfollowed.c >neither.c
run "$AUGUR" cc -g -O1 -pthread neither.c -o neither
expect_status 0
run "$AUGUR" run ./neither
expect_status 0
expect_out "^0 findings"
expect_true "nothing is inconclusive" test -z "$(grep inconclusive <<<"$out")"

check "memory that one run divides otherwise than another"
program divided <<'C'
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char names[2][8];
static int n;
static void *adder(void *name) {
    pthread_mutex_lock(&lock);
    int taken = n == 1 && !strcmp(names[0], name);
    pthread_mutex_unlock(&lock);
    if (taken)
        return NULL;
    pthread_mutex_lock(&lock);
    assert(n == 0 || strcmp(names[0], name));
    strcpy(names[n++], name);
    pthread_mutex_unlock(&lock);
    return NULL;
}
static void *both(void *u) {
    adder("lo");
    adder("upper");
    return u;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, both, NULL);
    pthread_create(&b, NULL, adder, "upper");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
C
run "$AUGUR" explore --format json -o divided.json ./divided
expect_status 1
expect_true "all runs were merged" test "$(field divided.json unmerged_runs)" = 0
expect_true "all goals were reached" test "$(field divided.json missed_runs)" = 0
expect_true "everything was covered" test "$(field divided.json every_interleaving)" = 1

check "what cannot be explored is refused"
run "$AUGUR" explore /bin/true
expect_status 2
expect_err "not built by 'augur cc'"
run "$AUGUR" explore ./nowhere
expect_status 2
run "$AUGUR" explore
expect_status 2
run "$AUGUR" explore --continue sideways ./right
expect_status 2

check "--run-timeout: a run that does not end is stopped, and that is said"
program hangs <<'C'
static int x;
static void *f(void *p) { x = 1; return p; }
static void *g(void *p) { if (!x) for (;;) pause(); return p; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, g, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
C
# longer than the 10 s that are the default: a busy machine only adds to them
run "$AUGUR" explore --no-check --verbose --run-timeout 12 ./hangs
expect_status 3
expect_out "1 run stopped at a limit, run 2 first"
expect_err "^augur: run 2 \([0-9]+[0-9]{4}\.[0-9] ms\): .*stopped: too long"
expect_err "^augur: run 2 \((1[1-9]|[2-9][0-9]|[0-9]{3,})[0-9]{3}\.[0-9] ms\)"

check "--continue random is the same for the same seed"
run "$AUGUR" explore --continue random --seed 3 --format json -o one.json ./behind
expect_status 1
run "$AUGUR" explore --continue random --seed 3 --jobs 1 --format json -o two.json ./behind
expect_status 1
expect_true "covered" test "$(field two.json every_interleaving)" = 1

check "when half of the runs are used up, some are tried at random"
cat >hunt.c <<'C'
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
static _Atomic int x;
static int seen[2];
static void *count(void *p) {
    int *n = p;
    for (int i = 0; i < 10; i++)
        if (atomic_fetch_add(&x, 1) % 2)
            *n += 1 << i;
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, count, &seen[0]);
    pthread_create(&u, 0, count, &seen[1]);
    pthread_join(t, 0);
    pthread_join(u, 0);
    int turns = __builtin_popcount((seen[0] ^ seen[0] >> 1) & 511);
    assert(sqrt((double)turns) < 2.3);
    return 0;
}
C
run "$AUGUR" cc -g -O1 -pthread hunt.c -lm -o hunt
expect_status 0
run "$AUGUR" explore --no-check --max-runs 40 --budget 0 --verbose ./hunt
expect_status 1
expect_out '^40 runs, '
expect_err 'a random schedule: recorded, an assertion failed'
