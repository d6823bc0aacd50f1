# Runs as long as the papers' and longer: windows that grow, around the question and around the reads that decide it.
. "$(dirname "$0")/../e2e/lib.sh"

bank() { # NAME TIMES OPTIONS...: one thread after the other, so that threads meet at few places of the run
    local name=$1 times=$2
    shift 2
    augur_cc -g -O1 -pthread -DN=10 -DTIMES="$times" "$@" "$SRC/examples/papers/banking.c" -o "$name"
    "$AUGUR" record --quiet --policy pct --depth 1 -o "$name.trace" "./$name"
}

check "11 000 events: the assertion at the end fails because of two threads in the middle, and the program shows it"
bank wrong 40
run "$AUGUR" check --prop assert --timeout 20 wrong.trace
expect_status 1
expect_out 'A1 proved'
expect_out 'in windows of up to 2000 steps .*; 0 undecided'
run "$AUGUR" replay wrong.trace --finding A1
expect_out '^confirmed: A1'

check "… in a whole run, too"
run "$AUGUR" check --prop assert --no-prefix --timeout 20 wrong.trace
expect_status 1
expect_out 'A1 proved'

check "… and not without windows around the reads that decide"
run "$AUGUR" check --prop assert --timeout 1 --window 0 wrong.trace
expect_status 3

check "the repaired program: no window shows it, the whole run refutes it"
bank right 20 -DRIGHT
run "$AUGUR" check --prop assert right.trace
expect_status 0
expect_out 'candidates 1  solver 0'

check "2 900 events, which are few enough to be asked about at once: windows come first"
bank short 10
run "$AUGUR" check --prop assert --timeout 20 short.trace
expect_status 1
expect_out 'A1 proved'

# model ASSUME: A loses B's update in the middle of a long run; C sees it after both, if ASSUME lets it.
model() {
    echo "shared x = 0, y = 0"
    echo "lock l"
    for t in A B; do
        echo "thread $t {"
        echo "  local r"
        for i in $(seq 300); do
            if [ "$i" -eq 290 ] && [ $t = A ]; then
                echo "  acq l r := x rel l acq l x := r + 1 rel l"
            else
                echo "  acq l x := x + 1 rel l"
            fi
        done
        echo "}"
    done
    echo "thread C { fork A fork B join A join B $1 assert x == 600 }"
    echo "trace: C.1-2"
}
check "a model: the failure is 1200 steps behind its reason"
model "" | grep -v ^trace >far.ctp
run "$AUGUR" check --prop assert --window 400 --timeout 20 far.ctp
expect_status 1
expect_out 'A1 proved'
run "$AUGUR" check --prop assert --window 400 --no-prefix --timeout 20 far.ctp
expect_status 1
expect_out 'A1 proved'

check "… but not where a guard on the way keeps it from happening"
model "assume x > 599" | grep -v ^trace >kept.ctp
run "$AUGUR" check --prop assert --window 400 --timeout 3 kept.ctp
expect_status 3
expect_out '^0 findings'

check "sums over nested sections, set up by main: eight threads of four transfers"
{
    echo "shared a = 0, b = 0, c = 0, d = 0"
    echo "lock la, lb, lc, ld"
    for t in 1 2 3 4 5 6 7 8; do
        echo "thread T$t {"
        for pair in "a b" "b c" "c d" "a d"; do
            read -r x y <<<"$pair"
            echo "  acq l$x acq l$y $x := $x - $t $y := $y + $t rel l$y rel l$x"
        done
        echo "}"
    done
    echo "thread M { a := 100 b := 100 c := 100 d := 100"
    for t in 1 2 3 4 5 6 7 8; do echo "fork T$t"; done
    for t in 1 2 3 4 5 6 7 8; do echo "join T$t"; done
    echo "assert a + b + c + d == 400 }"
} >nested.ctp
run "$AUGUR" check --prop assert --timeout 20 nested.ctp
expect_status 0

check "… and one transfer that gives the lock up between read and write is found, once it is there"
sed '0,/thread T8/! { 0,/a := a - 8/ s/a := a - 8/q := a rel lb rel la acq la acq lb a := q - 8/ }; s/thread T8 {/thread T8 { local q/' nested.ctp >lost.ctp
run "$AUGUR" check --prop assert --timeout 20 lost.ctp
expect_status 1
expect_out 'A1 proved'

check "a bound makes it cheaper: ten clients need more changes of thread than two, and that is seen at once"
run "$AUGUR" check --prop assert --context-bound 2 --timeout 5 short.trace
expect_status 0
expect_out 'candidates 1  solver 0'

check "… and twenty-four are enough, in a long run, too: a window's schedule has few changes"
bank few 1
for trace in few short; do
    run "$AUGUR" check --prop assert --context-bound 24 --timeout 5 $trace.trace
    expect_status 1
    expect_out 'A1 proved'
done

# far KIND ASSERTION: A's 1800 steps come before B's, and what goes wrong needs the beginning of the one and the end of the other.
far() {
    echo "shared x = 0, f = 0, g = 0, h = 0"
    echo "lock l, p, q"
    for t in A B; do
        echo "thread $t {"
        echo "  local r"
        for i in $(seq 600); do
            case $1.$t.$i in
            lost.A.60) echo "  acq l r := x rel l acq l x := r + 1 rel l" ;;
            flag*.A.60) echo "  acq l f := 1 rel l" ;;
            flag*.A.65) echo "  acq l f := 0 rel l" ;;
            flags.A.540) echo "  acq l g := 1 rel l" ;;
            flags.A.545) echo "  acq l g := 0 rel l" ;;
            flag.B.540 | flags.B.80) echo "  acq l r := f rel l acq l h := h + r rel l" ;;
            flags.B.560) echo "  acq l r := g rel l acq l h := h + r rel l" ;;
            locks*.A.60) echo "  acq p acq q x := x + 1 rel q rel p" ;;
            locks.B.540) echo "  acq q acq p x := x + 1 rel p rel q" ;;
            locks_right.B.540) echo "  acq p acq q x := x + 1 rel q rel p" ;;
            *) echo "  acq l x := x + 1 rel l" ;;
            esac
        done
        echo "}"
    done
    echo "thread C { fork A fork B join A join B assert $2 }"
}
check "places far apart meet: an update lost, a flag seen, two flags in two places; whole runs, too"
for kind in "lost x >= 1200" "flag h < 1" "flags h < 2"; do
    far ${kind%% *} "${kind#* }" >far.ctp
    for how in "" --no-prefix; do
        run "$AUGUR" check --prop assert --window 800 --timeout 60 $how far.ctp
        expect_true "$kind $how: status $status" test "$status" -eq 1
        expect_out 'A1 proved'
    done
done

check "… and what cannot be is not found"
for kind in "lost x >= 1" "flag h < 2" "flags h < 3"; do
    far ${kind%% *} "${kind#* }" >far.ctp
    run "$AUGUR" check --prop assert --window 800 --timeout 1 far.ctp
    expect_out '^0 findings'
done

check "two locks in opposite order, far apart; not in the same order"
far locks "x >= 0" >far.ctp
run "$AUGUR" check --prop deadlock --window 800 far.ctp
expect_status 1
expect_out 'D1 proved  deadlock: A wants .q. .*, B wants .p.'
expect_true "once" test "$(grep -c '^D' .lib/out)" -eq 1
far locks_right "x >= 0" >far.ctp
run "$AUGUR" check --prop deadlock --window 800 far.ctp
expect_out '^0 findings'

check "a recorded program of 24 000 events: two locks in opposite order, one near a thread's beginning, one near another's end"
cat >dead.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static long total, both;
static void *worker(void *late) {
    pthread_mutex_t *first = late ? &b : &a, *second = late ? SECOND : &b;
    for (int i = 0; i < 1500; i++) {
        if (i == (late ? 1350 : 150)) {
            pthread_mutex_lock(first);
            pthread_mutex_lock(second);
            both++;
            pthread_mutex_unlock(second);
            pthread_mutex_unlock(first);
        }
        pthread_mutex_lock(&m);
        total++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return total != 3000;
}
END
far_locks() { # SECOND
    augur_cc -g -O1 -pthread -DSECOND="$1" dead.c -o dead
    "$AUGUR" record --quiet --policy pct --depth 1 -o dead.trace ./dead
}
far_locks '&a'
run "$AUGUR" check --prop deadlock --jobs 1 dead.trace
expect_status 1
expect_out '^D1 proved'
run "$AUGUR" replay dead.trace --finding D1
expect_out '^confirmed: D1'

check "… and where a common lock is around both, there is none"
sed -i 's/pthread_mutex_lock(first)/pthread_mutex_lock(\&m), pthread_mutex_lock(first)/; s/pthread_mutex_unlock(first)/pthread_mutex_unlock(first), pthread_mutex_unlock(\&m)/' dead.c
far_locks '&a'
run "$AUGUR" check --prop deadlock --jobs 1 dead.trace
expect_status 0

# dead_far RIGHT FLAGS...: bench/programs/waits.c, one thread after the other; its deadlock is found and confirmed, but not where RIGHT.
dead_far() {
    local right=$1
    shift
    augur_cc -g -O1 -pthread "$@" "$SRC/bench/programs/waits.c" -o waits
    "$AUGUR" record --quiet --policy pct --depth 1 -o waits.trace ./waits
    run "$AUGUR" check --prop deadlock --jobs 1 --format json -o waits.json waits.trace
    if [ -n "$right" ]; then
        expect_true "$*: status $status" test "$status" -ne 1
        return
    fi
    expect_true "$*: status $status" test "$status" -eq 1
    run "$AUGUR" replay waits.trace --findings waits.json --finding D1
    expect_out '^confirmed: D1'
}
check "a recorded program of 15 000 events: three locks in a circle, places far apart; not with one of them the other way round"
dead_far "" -DKIND=0 -DRIGHT=0
dead_far right -DKIND=0 -DRIGHT=1

check "… two units of a semaphore, one after the other; not under a lock"
dead_far "" -DKIND=1 -DRIGHT=0
dead_far right -DKIND=1 -DRIGHT=1

check "… a signal that nobody waits for yet; not where who waits has looked first"
dead_far "" -DKIND=2 -DRIGHT=0
dead_far right -DKIND=2 -DRIGHT=1

check "a recorded program of 28 000 events: one update of a thousand reads in one section and writes in the next"
cat >lost.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static long total, other[3];
static void *worker(void *number) {
    for (int i = 0; i < 600; i++) {
        pthread_mutex_lock(&m);
        long t = total;
        if (number && i == 300 && APART) {
            pthread_mutex_unlock(&m);
            pthread_mutex_lock(&m);
        }
        total = t + 1;
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&n);
        other[(long)number] += i & 3;
        pthread_mutex_unlock(&n);
    }
    return 0;
}
int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, (void *)(long)(i == 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(total == 1800);
}
END
for apart in 1 0; do
    augur_cc -g -O1 -pthread -DAPART=$apart lost.c -o lost
    "$AUGUR" record --quiet --policy pct --depth 1 -o lost.trace ./lost
    run "$AUGUR" check --prop assert --jobs 1 --timeout 20 lost.trace
    if [ $apart = 0 ]; then
        expect_true "status $status" test "$status" -ne 1
        continue
    fi
    expect_status 1
    expect_out '^A1 proved'
    run "$AUGUR" replay lost.trace --finding A1
    expect_out '^confirmed: A1'
done
