# Real programs: built by augur cc, recorded in every way they can end, replayed, other orders
# executed, findings confirmed.
. "$(dirname "$0")/../e2e/lib.sh"

build() {
    "$AUGUR" cc -g -O2 -w "$1.c" -o "$1" -pthread >build.log 2>&1 || fail "cannot build $1: $(head -c 500 build.log)"
}

cat >bank.c <<'END'
#include <pthread.h>
#include <stdio.h>
int balance = 100;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *deposit(void *p) {
    for (int i = 0; i < 10; i++) {
        int b = balance;
        pthread_mutex_lock(&m);
        balance = b + 1;
        pthread_mutex_unlock(&m);
    }
    return p;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, deposit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", balance);
    return 0;
}
END

check "a run is repeated exactly"
build bank
run "$AUGUR" record -o bank.trace ./bank
expect_status 0
expect_out "^120$"
expect_err "3 threads, [0-9]+ events"
run "$AUGUR" replay bank.trace
expect_status 0
expect_out "^120$"
expect_err "^augur: identical: [0-9]+ events of 3 threads$"

check "so are runs under random schedules, byte for byte"
different=0
for seed in 1 2 3 4 5 6 7 8 9 10; do
    run "$AUGUR" record -q --schedule random --seed $seed -o r.trace ./bank
    expect_status 0
    first=$out
    [ "$first" = 120 ] || different=$((different + 1))
    run "$AUGUR" replay -o r2.trace r.trace
    expect_status 0
    expect_err "^augur: identical"
    expect_true "the same output ($first, $out)" test "$out" = "$first"
    expect_same r.trace r2.trace
done
expect_true "some of them lost money" test $different -gt 0

check "and under pct"
run "$AUGUR" record -q --schedule pct --depth 4 --seed 3 -o pct.trace ./bank
expect_status 0
run "$AUGUR" replay pct.trace
expect_err "^augur: identical"

check "--times"
run "$AUGUR" replay --times 3 bank.trace
expect_status 0
expect_err "the same 3 times"

check "a source that is there but cannot be read is told: fingerprints depend on it"
mv bank.c kept.c && ln -s bank.c bank.c
run "$AUGUR" check --format json bank.trace
rm bank.c && mv kept.c bank.c
expect_status 1
expect_out "'bank.c' cannot be read \\(Too many levels of symbolic links\\): findings are shown without its lines"

check "a race is confirmed"
run "$AUGUR" check --format json bank.trace -o bank.json
expect_status 1
run sh -c '"$0" replay bank.trace --finding R1 >/dev/full' "$AUGUR"
expect_status 2
expect_err "^augur: cannot write '<stdout>': No space left on device"
run "$AUGUR" replay bank.trace --finding R1
expect_status 1
expect_out "^confirmed: R1: race on 'balance'"
run "$AUGUR" replay bank.trace --findings bank.json --finding R1
expect_status 1
expect_out "^confirmed: R1: race on 'balance'"
run "$AUGUR" replay bank.trace --finding R1 --times 3
expect_out "^the same 3 times$"

check "a finding that is not there"
run "$AUGUR" replay bank.trace --finding R77
expect_status 2
expect_err "'augur check bank.trace' has no finding 'R77'"
run "$AUGUR" replay bank.trace --findings bank.json --finding R77
expect_status 2
expect_err "there is no finding 'R77' in 'bank.json'"

check "an order of one's own"
# T0 forks T1 and T2 (7 events); both read before either writes.
printf 'T0 7\nT1 2 # call, read\nT2 2\nT1 6\n' >order
run "$AUGUR" replay bank.trace --schedule order
expect_status 0
expect_out "^confirmed: the schedule of 4 turns was executed$"
expect_out "^1(0[0-9]|1[0-9])$"
echo '[["T0",7],["T1",2],["T2",2],["T1",6]]' >order.json
run "$AUGUR" replay bank.trace --schedule order.json
expect_status 0
expect_out "^confirmed"

check "an order that cannot be"
printf 'T0 7\nT1 4\nT2 4\n' >order # both hold the lock
run "$AUGUR" replay bank.trace --schedule order
expect_status 3
expect_out "^diverged: .*turn 3: T2 cannot reach event 4: waits for mutex"
printf 'T0 2\nT2 1\n' >order
run "$AUGUR" replay bank.trace --schedule order
expect_status 3
expect_out "^diverged: .*turn 2: T2 is not started yet"
printf 'T0 7\nT1 9999\n' >order
run "$AUGUR" replay bank.trace --schedule order
expect_status 3
expect_out "^diverged: .*T1 cannot reach event 9999: it ended after event [0-9]+"
printf 'T1 1\nT0 7\n' >order
run "$AUGUR" replay bank.trace --schedule order
expect_status 3
expect_out "^diverged"

check "a deadlock is reported with every thread's stack, and repeated"
cat >dead.c <<'END'
#include <pthread.h>
#include <stdio.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *p) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return p;
}
static void take(void) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
}
static void *two(void *p) {
    take();
    return p;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    puts("done");
    return 0;
}
END
build dead
found=
for seed in $(seq 1 40); do
    run "$AUGUR" record --schedule random --switch-every 3 --seed "$seed" -o dead.trace ./dead
    if [ "$status" -eq 1 ]; then
        found=$seed
        break
    fi
done
expect_true "some seed deadlocks" test -n "$found"
expect_err "'./dead' deadlocked and was stopped"
expect_err "T1 waits for mutex 'b' held by T2"
expect_err "T2 waits for mutex 'a' held by T1"
expect_err "T0 stood in pthread_join < main \(dead.c:25\)"
expect_err "T1 stood in pthread_mutex_lock < one \(dead.c:6\)"
expect_err "T2 stood in pthread_mutex_lock < (take|two) "
run "$AUGUR" replay dead.trace
expect_status 0
expect_err "deadlocked"
expect_err "^augur: identical"

check "a deadlock is predicted from a good run, and confirmed"
run "$AUGUR" record -o good.trace ./dead
expect_status 0
expect_out "^done$"
run "$AUGUR" replay good.trace --finding D1
expect_status 1
expect_out "^confirmed: D1: deadlock"

check "a failed assertion"
cat >check.c <<'END'
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *p) {
    for (int i = 0; i < 5; i++) {
        int v = x;
        x = v + 1;
    }
    return p;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, work, 0);
    pthread_create(&u, 0, work, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(x == 10);
    return 0;
}
END
build check
run "$AUGUR" record --schedule random --switch-every 3 --seed 1 -o check.trace ./check
expect_status 1
expect_err "Assertion .x == 10. failed"
expect_err "an assertion failed in './check'"
expect_err "T0 stood in __assert_fail < main \(check.c:17\)"
run "$AUGUR" replay check.trace
expect_status 0
expect_err "^augur: identical"

check "a crash"
cat >crash.c <<'END'
#include <pthread.h>
int *p;
static void *work(void *q) {
    *p = 1;
    return q;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
END
build crash
run "$AUGUR" record -o crash.trace ./crash
expect_status 1
expect_err "'./crash' was killed by signal 11"
expect_err "T1 stood in work \(crash.c:4\)"
run "$AUGUR" replay crash.trace
expect_status 0
expect_err "^augur: identical"

check "a program that is interrupted while it spins"
cat >spin.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
volatile int go;
static void *work(void *q) {
    while (!go)
        ;
    return q;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    puts("up");
    fflush(stdout);
    for (int i = 0; i < 200000 || !go; i++)
        if (go == 5)
            break;
    return 0;
}
END
build spin
: >up
"$AUGUR" record -o spin.trace ./spin >up 2>spin.err </dev/null &
recorder=$!
wait_for test -s up
kill -TERM $recorder # a shell lets its background jobs ignore INT
wait $recorder
expect_true "it is told" grep -q "'./spin' was killed by signal 15" spin.err
run timeout 1200 "$AUGUR" replay spin.trace
expect_status 0
expect_err "^augur: identical"

check "Ctrl-C on a terminal ends the program, and the recording is closed"
if command -v script >/dev/null; then
    : >tty.out
    {
        wait_for grep -q up tty.out
        printf '\003'
        wait_for test -e ctrl.trace
    } | script -qec "env --default-signal=INT '$AUGUR' record -o ctrl.trace ./spin" /dev/null >tty.out 2>&1 # a background job of a shell ignores it
    expect_true "it is told" grep -q "'./spin' was killed by signal 2" tty.out
    expect_file ctrl.trace
    run timeout 1200 "$AUGUR" replay ctrl.trace
    expect_status 0
    expect_err "^augur: identical"
else
    skip "no 'script'"
fi

check "--max-events stops it, in the replay as well"
run timeout 1200 "$AUGUR" record --max-events 5000 -o limit.trace ./spin
expect_status 0
expect_err "stopped after 5000 events \\(--max-events\\)"
run timeout 1200 "$AUGUR" replay limit.trace
expect_status 0
expect_err "^augur: identical"

check "exit from a thread, and a status of its own"
cat >leave.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *work(void *q) {
    puts("bye");
    exit(7);
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
END
build leave
run "$AUGUR" record -o leave.trace ./leave
expect_status 1
expect_out "^bye$"
expect_err "'./leave' exited with status 7"
run "$AUGUR" replay leave.trace
expect_status 0
expect_out "^bye$"
expect_err "^augur: identical"

check "more threads than a trace can hold"
cat >lots.c <<'END'
#include <pthread.h>
#include <stdlib.h>
int x;
static void *work(void *q) {
    x++;
    return q;
}
int main(int argc, char **argv) {
    for (int i = 0; i < atoi(argv[1]); i++) {
        pthread_t t;
        if (pthread_create(&t, 0, work, 0))
            return 9;
        pthread_join(t, 0);
    }
    return 0;
}
END
build lots
run timeout 1200 "$AUGUR" record -o lots.trace ./lots 2000
expect_status 0
expect_err "2001 threads"
if [ -z "$SANITIZED" ]; then
    run timeout 1200 "$AUGUR" record -o lots.trace ./lots 66000
    expect_status 2
    expect_err "the program started more than 65535 threads"
    run "$AUGUR" show --summary lots.trace
    expect_status 0
fi

check "clocks, random numbers, process numbers and input are what they were"
cat >input.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    char line[100];
    int n = 0;
    while (fgets(line, sizeof line, stdin))
        n += line[0];
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    unsigned r = 0;
    if (getrandom(&r, sizeof r, 0) != sizeof r)
        return 1;
    printf("%d %ld %ld %u %d\n", n, (long)t.tv_sec, t.tv_nsec, r, (int)getpid());
    return 0;
}
END
build input
printf 'a\nb\n' >lines
run_with lines "$AUGUR" record -o input.trace ./input
expect_status 0
first=$out
run "$AUGUR" replay input.trace
expect_status 0
expect_err "^augur: identical"
expect_true "the same ($first, $out)" test "$out" = "$first"
"$AUGUR" record -q -o piped.trace ./input >first < <(cat lines)
run "$AUGUR" replay piped.trace
expect_status 0
expect_same first "$TMP/.lib/out"

check "what a file says now is not what it said: the divergence is named"
cat >file.c <<'END'
#include <stdio.h>
int seen;
int main(void) {
    FILE *f = fopen("number", "r");
    int n = 0;
    if (!f || fscanf(f, "%d", &n) != 1)
        return 1;
    fclose(f);
    for (int i = 0; i < n; i++)
        seen = i;
    printf("%d\n", seen);
    return 0;
}
END
build file
echo 3 >number
run "$AUGUR" record -o file.trace ./file
expect_status 0
run "$AUGUR" replay file.trace
expect_status 0
expect_err "^augur: identical"
echo 4 >number
run "$AUGUR" replay file.trace
expect_status 3
expect_err "^augur: diverged after [0-9]+ of [0-9]+ events: T0 event [0-9]+ .*file.c:"

check "libraries, linked and loaded, have names in the recording"
cat >lib.c <<'END'
int shared_count;
void in_library(void) {
    shared_count++;
}
END
cat >plugin.c <<'END'
int plugged;
void run(void) {
    plugged = 7;
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
void in_library(void);
int main(void) {
    in_library();
    void *h = dlopen("./plugin.so", RTLD_NOW);
    void (*run)(void) = h ? (void (*)(void))dlsym(h, "run") : 0;
    if (!run)
        return puts(dlerror());
    run();
    puts("ran");
    return 0;
}
END
"$AUGUR" cc -g -O1 -shared -fPIC lib.c -o libcount.so >build.log 2>&1 &&
    "$AUGUR" cc -g -O1 -shared -fPIC plugin.c -o plugin.so >>build.log 2>&1 &&
    "$AUGUR" cc -g -O1 -w host.c -o host -L. -lcount -Wl,-rpath,"$PWD" -ldl >>build.log 2>&1 ||
    fail "cannot build: $(head -c 500 build.log)"
run "$AUGUR" record -o host.trace ./host
expect_status 0
expect_out "^ran$"
run "$AUGUR" show host.trace
expect_status 0
expect_out " w +shared_count +lib.c:3"
expect_out " w +plugged +plugin.c:3"
run "$AUGUR" replay host.trace
expect_status 0
expect_err "^augur: identical"

check "a library that cannot be read: nothing is run"
mkdir -p broken && : >broken/libcount.so
run env LD_LIBRARY_PATH="$PWD/broken" "$AUGUR" record -o broken.trace ./host
expect_status 2
expect_err "^augur: cannot list the libraries of './host': the dynamic linker fails"
expect_no_out
expect_no_file broken.trace

check "names of a module that is gone when the run is over are missing, and that is said"
cat >gone.c <<'END'
#include <dlfcn.h>
#include <unistd.h>
int main(void) {
    void *h = dlopen("./plugin2.so", RTLD_NOW);
    void (*run)(void) = h ? (void (*)(void))dlsym(h, "run") : 0;
    unlink("plugin2.so");
    if (run)
        run();
    return !run;
}
END
"$AUGUR" cc -g -O1 -w gone.c -o gone -ldl >build.log 2>&1 || fail "cannot build: $(head -c 500 build.log)"
cp plugin.so plugin2.so
run "$AUGUR" record -o gone.trace ./gone
expect_status 0
expect_err "^augur: names and lines are missing in 'gone.trace': cannot read '.*/plugin2.so': No such file"
run "$AUGUR" show gone.trace
expect_status 0
expect_out " w +0x[0-9a-f]+"

check "gdb at the decisive event"
if command -v gdb >/dev/null && [ -z "$SANITIZED" ]; then
    run "$AUGUR" replay bank.trace --finding R1 --gdb --gdb-command "info threads" \
        --gdb-command "thread apply all bt"
    expect_status 0
    expect_out "deposit .*bank.c:9"
    expect_out "deposit .*bank.c:7"

    check "gdb: threads have their names, the frame is the user's, and turns can be gone back and forward"
    run "$AUGUR" replay bank.trace --finding R1 --gdb --gdb-command "info threads" --gdb-command "augur where" \
        --gdb-command frame --gdb-command "augur back" --gdb-command "augur where" --gdb-command "augur turn 99" \
        --gdb-command "augur forward"
    expect_status 0
    last=$(sed -n 's/^augur: behind turn \([0-9]*\) of \1: T[12] at .*bank.c:[79] in deposit$/\1/p' "$TMP/.lib/out" | head -1)
    expect_true "it stands behind the last turn" test -n "$last"
    expect_true "and there again" test "$(grep -c "^augur: behind turn $last of $last: " "$TMP/.lib/out")" -eq 2
    expect_out "^augur: behind turn $((last - 1)) of $last: T"
    expect_out '"T1"'
    expect_out "^T0 at .*bank.c:[0-9]+ in main"
    expect_out "^#[0-9]+ .*deposit \\(.*bank.c:[79]"
    expect_err "the schedule has turns 1 to $last"

    check "gdb: a schedule that the program does not follow"
    printf 'T0 2\nT2 1\n' >order
    run "$AUGUR" replay bank.trace --schedule order --gdb --gdb-command bt
    expect_status 3
    expect_err "ended before the schedule did"
else
    skip "no gdb, or a sanitized build"
fi

check "without personality(2) addresses are not compared, and it is said"
strict=$(dirname "$AUGUR")/tests/programs/no_personality
if "$strict" true 2>/dev/null; then
    run "$strict" "$AUGUR" record -o strict.trace ./bank
    expect_status 0
    expect_err "addresses could not be fixed \(personality is not allowed here\)"
    run "$strict" "$AUGUR" replay strict.trace
    expect_status 0
    expect_err "^augur: identical: [0-9]+ events of 3 threads \(in their order; addresses differ\)"
    run "$AUGUR" replay strict.trace
    expect_status 0
    run "$strict" "$AUGUR" replay bank.trace
    expect_status 0
    run "$strict" "$AUGUR" replay bank.trace --finding R1
    expect_status 1
    expect_out "^confirmed: R1"
else
    skip "no seccomp here"
fi

check "a program that does not end is given up after --run-timeout"
cat >endless.c <<'EOF'
#include <unistd.h>
int main(void) {
    volatile int n = 0;
    while (!access("go-on", F_OK))
        n++;
    return 0;
}
EOF
"$AUGUR" cc endless.c -o endless && "$AUGUR" record --quiet ./endless || fail "cannot record"
echo "T0 3" >turns
touch go-on
run "$AUGUR" replay --run-timeout 0.5 endless.trace
expect_status 3
expect_err "^augur: diverged: the program did not end within 0.5 s$"
run "$AUGUR" replay --run-timeout 0.5 --schedule turns endless.trace
expect_status 0
rm go-on
run "$AUGUR" replay --run-timeout 1200 --schedule turns endless.trace
expect_status 0

check "a recording that was cut off is repeated as far as it goes"
run "$AUGUR" record -q --schedule random -o whole.trace ./bank
size=$(stat -c %s whole.trace)
head -c $((size - 20)) whole.trace >cut.trace # without its end frame
run timeout 1200 "$AUGUR" replay cut.trace
expect_status 0
expect_err "^augur: identical: [0-9]+ events of 3 threads, up to where the recording was cut off"
head -c 1000 whole.trace >cut.trace
run timeout 1200 "$AUGUR" replay cut.trace
expect_status 2
printf 'XX' | dd of=whole.trace bs=1 seek=100 conv=notrunc 2>/dev/null
run "$AUGUR" replay whole.trace
expect_status 2
expect_err "whole.trace: byte 16: the checksum of the frame is wrong"
