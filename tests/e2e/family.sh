# Several runs of one program as one model (explore/family.h): 'augur check t1 t2', '--reach' on
# recordings, and every side that no run took, followed until nothing is left.
. "$(dirname "$0")/../e2e/lib.sh"

build=$(dirname "$AUGUR")
# The tool looks for its parts beside itself.
cp "$build/tests/code/ways" "$TMP/ways"
ln -s "$build/augur-llvm.so" "$TMP/augur-llvm.so"

compile() { # name
    run augur_cc -g -O1 "$SRC/tests/family/$1.c" -o "$1" -pthread
    expect_status 0
}

check "two runs of which neither tells anything alone"
compile two_runs
run "$AUGUR" record --quiet -o a.trace ./two_runs
expect_status 0
printf 'T0 8\nT2 1\n' >writer_first.txt
run "$AUGUR" replay a.trace --schedule writer_first.txt -o b.trace
expect_status 0
run "$AUGUR" check --prop assert a.trace
expect_status 0
run "$AUGUR" check --prop assert b.trace
expect_status 0

check "together they predict what fails, and it does"
run "$AUGUR" check --prop assert a.trace b.trace
expect_status 1
expect_out "^A1 proved  assertion 'get\(&y\) == 0' fails: T0 asserts at .*two_runs.c:46"
expect_out '^note: 2 runs of one program, merged'
run "$AUGUR" check --prop assert --format json -o found.json a.trace b.trace
expect_status 1
run "$AUGUR" replay a.trace --findings found.json --finding A1
expect_status 1
expect_out "^confirmed: A1: assertion"

check "deadlocks, races and misuse of runs that are merged"
run "$AUGUR" check a.trace b.trace
expect_status 1
expect_out '^deadlock  *solver 0'
expect_out '^1 finding: 1 proved'

check "--reach on recordings"
run "$AUGUR" check --reach two_runs.c:28 a.trace
expect_status 2
expect_err "no statement at 'two_runs.c:28'"
run "$AUGUR" check --reach two_runs.c:19 --format json -o reach.json a.trace
expect_status 1
run "$AUGUR" replay a.trace --findings reach.json --finding A1
expect_status 1
expect_out '^confirmed: A1: can be reached: '

check "runs of different programs"
compile heap
run "$AUGUR" record --quiet -o heap.trace ./heap
expect_status 0
run "$AUGUR" check a.trace heap.trace
expect_status 2

# explore NAME MOST: goes to every goal; what came of it is in NAME.out, failures in NAME.failed.
explore() {
    local n=0 all=$1.0.trace goal
    run "$AUGUR" record --quiet -o "$1.0.trace" "./$1"
    : >"$1.failed"
    while :; do
        rm -f goal*.txt
        # shellcheck disable=SC2086
        run "$TMP/ways" --dir . $all
        expect_status 0
        cp "$TMP/.lib/out" "$1.out"
        for goal in goal*.txt; do break; done
        [ -e "$goal" ] || break
        [ "$n" = 0 ] || expect_out "^run $1.$n.trace: new"
        n=$((n + 1))
        expect_true "$1: at most $2 runs" [ "$n" -lt "$2" ] || break
        run "$AUGUR" replay "$1.0.trace" --schedule "$goal" -o "$1.$n.trace"
        expect_out '^confirmed: '
        grep -a 'Assertion' "$TMP/.lib/err" >>"$1.failed"
        all="$all $1.$n.trace"
    done
    runs=$((n + 1))
}

check "tries and waits that may time out are branches"
compile tries
explore tries 20
expect_true "all ways: $runs runs" [ "$runs" -ge 8 ]
expect_true "nothing is missing" grep -q '^gap: none' tries.out
expect_true "nothing is left" sh -c '! grep -q "[^n]reachable" tries.out'

check "blocks that threads hand to each other"
explore heap 20
expect_true "nothing is missing" grep -q '^gap: none' heap.out
expect_true "the assertion fails in one of the runs" grep -q 'big' heap.failed


