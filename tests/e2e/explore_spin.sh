# augur explore: loops that wait by looking are waits. Each program is covered with a few runs, or finds its bug.
. "$(dirname "$0")/../e2e/lib.sh"

# program NAME [OPTION…]: compiles standard input.
program() {
    local name=$1
    shift
    { printf '#include <assert.h>\n#include <immintrin.h>\n#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n'
      cat
      printf 'int main(void) { pthread_t p, q; pthread_create(&p, 0, a, 0); pthread_create(&q, 0, b, 0);\n'
      printf 'pthread_join(p, 0); pthread_join(q, 0); return 0; }\n'; } >"$name.c"
    run "$AUGUR" cc -g -pthread "$@" "$name.c" -o "$name"
    expect_status 0
}
number() { # FILE NAME: of the stats
    python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["stats"][sys.argv[2]])' "$1" "$2"
}
# explored NAME STATUS: everything is covered.
explored() {
    run "$AUGUR" explore --quiet --format json --budget 120 --max-events 20000 -o "$1.json" "./$1"
    expect_status "$2"
    expect_true "everything was covered" test "$(number "$1.json" every_interleaving)" = 1
    expect_true "no run was stopped at a limit" test "$(number "$1.json" stopped_runs)" = 0
}
few() { # NAME MOST: runs
    expect_true "$(number "$1.json" runs) runs are at most $2" test "$(number "$1.json" runs)" -le "$2"
}

for level in 0 1 2; do
    check "-O$level: a flag, with and without back-off"
    program flag -O$level <<'C'
static atomic_int flag, seen;
static int x;
static void *a(void *u) { x = 1; flag = 1; while (!seen) _mm_pause(); return u; }
static void *b(void *u) { while (!flag) { sched_yield(); } assert(x == 1); seen = 1; return u; }
C
    explored flag 0
    few flag 4

    check "-O$level: test and set, compare and exchange, tickets"
    program locks -O$level <<'C'
static atomic_int l, m, next, serving;
static int x, y, z;
static void both(void) {
    while (atomic_exchange(&l, 1))
        while (atomic_load(&l)) _mm_pause();
    x++;
    l = 0;
    int free = 0;
    while (!atomic_compare_exchange_strong(&m, &free, 1)) free = 0;
    y++;
    m = 0;
    int mine = atomic_fetch_add(&next, 1);
    while (serving != mine) sched_yield();
    z++;
    serving = mine + 1;
}
static void *a(void *u) { both(); return u; }
static void *b(void *u) { both(); return u; }
C
    explored locks 0
    few locks 40
done

check "a function that is called in each round"
program called -O0 <<'C'
static atomic_int l;
static int x;
static int taken(atomic_int *p) { int was = atomic_exchange(p, 1); return was != 0; }
static void *a(void *u) { while (taken(&l)) sched_yield(); x++; l = 0; return u; }
static void *b(void *u) { while (taken(&l)) sched_yield(); x++; l = 0; return u; }
C
explored called 0
few called 5

check "two cells are not read at once"
program two -O1 <<'C'
static atomic_int x, y = 1;
static int both;
/* x and y are never 1 together, and a sees both all the same. */
static void *a(void *u) { while (!(y == 1 && x == 1)) ; both = 1; return u; }
static void *b(void *u) { y = 0; x = 1; return u; }
C
run "$AUGUR" explore --quiet --format json --budget 60 -o two.json ./two
expect_status 1
expect_true "it may go on" python3 -c '
import json, sys
j = json.load(open("two.json"))
s = j["stats"]
sys.exit(not (s["sides_taken"] == s["open_branches"] * 2 and s["every_interleaving"]))'
expect_true "and it may spin for good" grep -q '"what": *"the program deadlocks: .*spins at two.c:9' two.json

check "locks of atomics, taken in two orders"
program orders -O1 <<'C'
static atomic_int l, m;
static int n;
static void lock(atomic_int *l) { while (atomic_exchange(l, 1)) ; }
static void *a(void *u) { lock(&l); lock(&m); n++; m = 0; l = 0; return u; }
static void *b(void *u) { lock(&m); lock(&l); n++; l = 0; m = 0; return u; }
C
explored orders 1
expect_true "both spin" grep -q 'deadlocks: T0 waits at orders.c:[0-9]*, T1 spins at orders.c:8, T2 spins at orders.c:8' orders.json
expect_true "confirmed" grep -q '"status": *"confirmed"' orders.json
expect_true "a few runs" test "$(number orders.json runs)" -le 12

check "who is to end the loop waits for the thread in it"
program joined -O1 <<'C'
static atomic_int go, stop, ended;
static void *a(void *u) { if (go) while (!stop) ; ended = 1; return u; }
static void *b(void *u) { go = 1; while (!ended) ; stop = 1; return u; }
C
explored joined 1
expect_true "both spin" grep -q 'deadlocks: T0 waits at .*, T1 spins at joined.c:7, T2 spins at joined.c:8' joined.json

check "who holds a mutex spins, and the other one waits for it"
program mixed -O1 <<'C'
static atomic_int go;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *a(void *u) { pthread_mutex_lock(&m); while (!go) ; pthread_mutex_unlock(&m); return u; }
static void *b(void *u) { pthread_mutex_lock(&m); go = 1; pthread_mutex_unlock(&m); return u; }
C
explored mixed 1
expect_true "T2 waits" grep -q 'deadlocks: T0 waits at .*, T1 spins at mixed.c:8, T2 waits at mixed.c:9' mixed.json

check "what a handler may end does not spin for good"
for handler in 'signal(SIGUSR1, ends);' ''; do
    program handled -O1 <<C
#include <signal.h>
static atomic_int stop;
void ends(int s) { stop = s; }
static void *a(void *u) { while (!stop) ; return u; }
static void *b(void *u) { $handler stop = 0; return u; }
C
    run "$AUGUR" explore --quiet --no-check --max-events 20000 --budget 60 ./handled
    case $handler in
    '') expect_status 1 && expect_out '^D1 +confirmed +deadlock' ;;
    *) expect_status 0 && expect_out 'stopped at a limit' ;;
    esac
done

check "what counts its rounds is no wait"
program counts -O1 <<'C'
static atomic_int flag;
static int rounds;
static void *a(void *u) { int n = 0; while (!flag && n < 3) n++; rounds = n; assert(n != 2 || !flag); return u; }
static void *b(void *u) { flag = 1; return u; }
C
explored counts 1
expect_true "the third round was seen" grep -q '"kind": *"assertion"' counts.json

check "nor what a round leaves in memory"
program leaves -O1 <<'C'
static atomic_int flag, rounds;
static void *a(void *u) { assert(rounds != 2); flag = 1; return u; }
static void *b(void *u) { while (!flag) rounds++; return u; }
C
run "$AUGUR" explore --quiet --first --budget 30 ./leaves
expect_status 1
expect_out "^A1 +confirmed"

check "nor an exchange that changes what it finds"
program changes -O1 <<'C'
static atomic_int l = 2;
static void *a(void *u) { while (atomic_exchange(&l, 1)) ; return u; }
static void *b(void *u) { assert(l != 1); l = 0; return u; }
C
run "$AUGUR" explore --quiet --first --no-check --budget 30 ./changes
expect_status 1
expect_out "^A1 +confirmed"

check "nor the clock"
program clock -O1 <<'C'
static atomic_int flag;
static unsigned long long end;
static void *a(void *u) { end = __rdtsc() + 1000; while (!flag && __rdtsc() < end) ; assert(flag); return u; }
static void *b(void *u) { flag = 1; return u; }
C
run "$AUGUR" explore --quiet --budget 5 ./clock
expect_out "Not every interleaving of this input was covered|A1 +confirmed"

