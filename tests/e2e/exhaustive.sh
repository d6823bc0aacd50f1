# "Every interleaving of this input was covered": said where it is true (tests/claims/covered.txt), and where something
# is outside of the model it is not, or the bug is found (tests/claims/coverage). The last line, the JSON and the exit
# status say the same. A share runs in `make check`, all in `make nightly` (NIGHTLY set).
# SANITIZED: no, because all its time goes to many whole runs; run.sh and explore.sh take the same paths sanitized
. "$(dirname "$0")/lib.sh"

# ---- programs that fail behind an edge ----

check "edges: every program says what fails in its first line"
for source in "$SRC"/tests/claims/coverage/*.c; do
    expect_true "$source" sh -c 'head -1 "$1" | grep -q "^//! fails: "' - "$source"
done

some=' cut_off destroy_busy environment full_pipe handler keys process robust store_buffer tell_file tell_pipe through_pointer tree try_rw two_mappings two_ways value_pipe way_of_each writers_first '
for source in "$SRC"/tests/claims/coverage/*.c; do
    name=$(basename "$source" .c)
    [ -n "${NIGHTLY:-}" ] || [[ $some = *" $name "* ]] || continue
    check "$name: found, or not claimed to be covered"
    augur_cc -w -g -O1 -pthread "$source" -o "$name" -latomic || fail "does not compile"
    run timeout 300 "$AUGUR" run --quiet --store none "./$name"
    if ! grep -Eq '^[A-Z][0-9]+ +confirmed' .lib/out; then
        expect_out '^not exhaustive: Not every interleaving of this input was covered: '
        expect_true "nothing is claimed" sh -c '! grep -q "^exhaustive: " .lib/out'
    fi
    rm -rf "$name" none
done

check "the order of a try to read and two to write is found"
augur_cc -w -g -O1 -pthread "$SRC/tests/claims/coverage/try_rw.c" -o try_rw || fail "does not compile"
run "$AUGUR" explore --quiet --no-check ./try_rw
expect_status 1
expect_out '^A1 +confirmed '

check "code without hooks is a reason by itself"
cat >lib.c <<'C'
extern int g;
int peek(void) { return g; }
void each(void (*f)(int)) { f(g); }
C
cat >nohook.c <<'C'
#include <pthread.h>
#include <stdlib.h>
int g;
int peek(void);
void each(void (*f)(int));
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void see(int v) { if (v) abort(); }
static void *A(void *x) {
    pthread_mutex_lock(&m);
    if (x)
        each(see); // calls back
    else
        see(peek());
    pthread_mutex_unlock(&m);
    return x;
}
static void *B(void *x) { pthread_mutex_lock(&m); g = 1; pthread_mutex_unlock(&m); return x; }
int main(int argc, char **argv) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, argc > 1 ? argv : NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
C
gcc -g -c lib.c -o lib.o && augur_cc -g -pthread nohook.c lib.o -o nohook || fail "does not compile"
run "$AUGUR" run --quiet --store none ./nohook
expect_out "^not exhaustive: .*'peek' \\(nohook.c:13\\) has no hooks"
run "$AUGUR" run --quiet --store none ./nohook back
expect_out "^not exhaustive: .*'each' \\(nohook.c:11\\) has no hooks"

# ---- what is said ----

cat >right.c <<'C'
#include <assert.h>
#include <pthread.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *x) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return x; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
    return 0;
}
C
augur_cc -g -pthread right.c -o right

check "the last line, if all was covered, of run and explore"
for command in run explore; do
    run "$AUGUR" $command --quiet --exhaustive ./right
    expect_status 0
    expect_true "last line of $command: $(tail -1 .lib/out)" \
        [ "$(tail -1 .lib/out)" = "exhaustive: Every interleaving of this input was covered. (sequentially consistent memory)" ]
done

check "the last line, if not, and --exhaustive"
for command in "run --no-explore" "explore --max-runs 1 ./try_rw"; do
    # shellcheck disable=SC2086
    run "$AUGUR" $command --quiet ./right
    case $command in explore*) run "$AUGUR" explore --quiet --max-runs 1 --no-check ./try_rw ;; esac
    expect_status 0
    expect_true "last line of $command: $(tail -1 .lib/out)" \
        sh -c 'tail -1 .lib/out | grep -q "^not exhaustive: Not every interleaving of this input was covered: .* Try .*"'
done
run "$AUGUR" run --quiet --exhaustive --no-explore ./right
expect_status 3
run "$AUGUR" explore --quiet --exhaustive --max-runs 1 --no-check ./try_rw
expect_status 3

check "JSON: exhaustive and open; read back and told again"
run "$AUGUR" run --quiet --format json -o right.json ./right
expect_true "true" grep -q '^  "exhaustive": true,' right.json
expect_true "nothing is open" grep -q '^  "open": \[\],' right.json
run "$AUGUR" explore --quiet --no-check --max-runs 1 --format json -o open.json ./try_rw
expect_true "false" grep -q '^  "exhaustive": false,' open.json
expect_true "a reason" grep -q 'run limit reached (--max-runs)' open.json
run "$AUGUR" report --format json -o again.json
expect_true "the same in the store" grep -q '^  "exhaustive": true,' again.json

check "a question of the exploration that stays undecided decides on the exit status"
cat >endless.c <<'C'
#include <pthread.h>
static _Atomic int go;
static void *wait(void *x) { while (!go) { } return x; }
static void *give(void *x) { go = 1; return x; }
int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, give, NULL);
    pthread_create(&a, NULL, wait, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
C
augur_cc -g -pthread endless.c -o endless
run "$AUGUR" explore --quiet --no-check --max-runs 4 --max-events 100 ./endless
expect_status 3
expect_out '^inconclusive: .*stopped at a limit'

# ---- what was covered stays covered ----

pattern='examples/(first|tutorial|ci)/|assertions/(cas_once|rw_upgrade|torn64)\.c|explore/(spare|refresh|lazy)\.c|bugs/(ok_rw_try|ok_timed_lock|ok_barrier|ok_pool|ok_flag|hidden_table)\.c|tests/explore/(clock|try_read|exits)\.c|family/tries|calm/'
[ -z "${NIGHTLY:-}" ] || pattern=.
printf ab >input
tried=0
while read -r source how why; do
    tried=$((tried + 1))
    check "$source: ${how/no/not} covered${why:+, for $why}"
    augur_cc -w -g -O1 -pthread "$SRC/$source" -o one || fail "does not compile"
    run_with input timeout 300 "$AUGUR" run --quiet ./one
    case $how in
    all) expect_out '^exhaustive: Every interleaving of this input was covered\.' ;;
    woken) expect_out 'Every interleaving of this input was covered, except for .*spurious' ;;
    no) expect_out '^not exhaustive: Not every interleaving of this input was covered' ;;
    *) fail "covered.txt: '$how'" ;;
    esac
    rm -f one
done < <(grep -v '^#' "$SRC/tests/claims/covered.txt" | grep -E "$pattern")
check "programs of the list were tried"
expect_true "not $tried" [ "$tried" -ge 20 ]

# ---- and random schedules bring nothing new ----

for source in examples/assertions/rw_upgrade.c bench/bugs/ok_rw_try.c tests/claims/coverage/try_rw.c; do
    check "$source: random schedules end in no other way"
    augur_cc -w -g -O1 -pthread "$SRC/$source" -o one || fail "does not compile"
    run "$SRC/tests/claims/schedules.sh" "$AUGUR" ./one "$([ -n "${NIGHTLY:-}" ] && echo 200 || echo 20)"
    expect_status 0
    expect_out '^covered'
done

# ---- the JSON of every command says whether anything is open, and what ----

# claims FILE: "true" or "false", and how many things are open
claims() {
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(str(d["exhaustive"]).lower(), len(d["open"]))
assert d["exhaustive"] == (not d["open"]), d["open"]
for f in d["findings"]:
    if f["status"] == "possible" and f["kind"] != "lock-misuse":
        assert any(x.startswith(f["id"] + " is only possible") for x in d["open"]), f["id"]
for x in d["inconclusive"]:
    assert x in d["open"], x' "$1"
}

check "run: each reason is said once, however many groups of runs have it"
cat >counter.c <<'END'
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>
static int counter, last;
static void *add(void *by) {
    uint64_t v = (uintptr_t)by;
    return write(counter, &v, 8) == 8 ? by : 0;
}
static void *take(void *p) {
    uint64_t v = 0;
    if (read(counter, &v, 8) == 8 && v == 4)
        last = 1;
    return p;
}
int main(void) {
    pthread_t t[3];
    counter = eventfd(0, 0);
    pthread_create(&t[0], 0, add, (void *)3);
    pthread_create(&t[1], 0, add, (void *)4);
    pthread_create(&t[2], 0, take, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
END
augur_cc -g -O1 -pthread counter.c -o counter || fail "does not compile"
run timeout 600 "$AUGUR" run --quiet --budget 120 --max-runs 12 --format json -o counter.json ./counter
expect_true "twice: $(python3 -c 'import json; o = json.load(open("counter.json"))["open"]
print([x for x in set(o) if o.count(x) > 1])')" python3 -c 'import json
o = json.load(open("counter.json"))["open"]
assert o and len(o) == len(set(o))'

check "check: a model whose every question was answered is exhaustive, with or without findings"
for model in fig1_holds fig1 deadlock_classic; do
    "$AUGUR" check --format json -o model.json "$SRC/tests/models/$model.ctp"
    expect_true "$model" test "$(claims model.json)" = "true 0"
done

check "check: a bound, a stage, a property that is undecided: it is not"
"$AUGUR" check --context-bound 1 --format json -o model.json "$SRC/tests/models/fig1_holds.ctp"
expect_true "bound" test "$(claims model.json)" = "false 1"
"$AUGUR" check --stages lockset --format json -o model.json "$SRC/tests/models/fig1.ctp"
expect_true "stage" test "$(claims model.json | cut -d ' ' -f 1)" = "false"

check "check: a trace is one run, whatever was decided; a stream decides nothing"
printf 'T0|fork(T1)|1\nT0|w(x)|2\nT1|w(x)|3\n' >race.std
"$AUGUR" check --format json -o trace.json race.std
expect_true "trace" test "$(claims trace.json | cut -d ' ' -f 1)" = "false"
"$AUGUR" check --stream --format json -o trace.json race.std
expect_true "stream" test "$(claims trace.json)" = "false 2"

check "scan: open, too"
printf '#include <pthread.h>\nint x;\nstatic void *f(void *p) { x++; return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x++; return pthread_join(t, 0); }\n' >s.c
"$AUGUR" scan --format json -o scan.json s.c
expect_true "scan" test "$(claims scan.json | cut -d ' ' -f 1)" = "false"
