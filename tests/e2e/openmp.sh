# Programs of OpenMP on libomp: tests/claims/openmp/ok_* are right, nothing may be proved or confirmed of them; each of
# bad_* has a race that must be. All are recorded and replayed.
# PARTS: 4
# SANITIZED: no, because the programs take the time; recorded.sh takes the same way through our code sanitized
. "$(dirname "$0")/../e2e/lib.sh"

programs=$SRC/tests/claims/openmp
echo 'int main(void) { return 0; }' >empty.c
if ! "$AUGUR" cc -fopenmp=libomp empty.c -o empty 2>/dev/null; then
    check "programs of OpenMP"
    skip "libomp is not installed (libomp-19-dev)"
    exit 0
fi

build() { # PROGRAM: $name is then its executable
    name=$(basename "$1" | tr . _)
    case $1 in
    *.cpp) augur_cxx -g -O1 -fopenmp=libomp "$1" -o "$name" ;;
    *) augur_cc -g -O1 -fopenmp=libomp "$1" -o "$name" ;;
    esac
}

for program in "$programs"/ok_*; do
    mine || continue
    check "$(basename "$program"): nothing is said of a right program"
    build "$program"
    run "$AUGUR" run --budget 5 "./$name"
    # A question that a busy machine leaves open may be 'possible'.
    expect_true "status $status: it was recorded and checked; $err" test "$status" -ne 2
    expect_true "nothing proved or confirmed: $out" \
        test -z "$(grep -E '^[A-Z][0-9]+ (proved|confirmed)' "$TMP/.lib/out")"
    expect_out 'Not every interleaving of this input was covered: .*OpenMP'
done

for program in "$programs"/bad_*; do
    mine || continue
    check "$(basename "$program"): its race is found"
    build "$program"
    run "$AUGUR" run --budget 5 "./$name"
    expect_status 1
    expect_out '^R[0-9]+ (proved|confirmed)  race on '
done

for program in "$programs"/*; do
    case $program in
    *task* | *depend*) continue ;; # libomp places tasks anew (docs/openmp.md)
    esac
    mine || continue
    check "$(basename "$program"): replays as it was recorded"
    build "$program"
    run "$AUGUR" record --quiet -o "$name.trace" "./$name"
    expect_status 0
    run "$AUGUR" replay "$name.trace"
    expect_status 0
    expect_err 'identical: '
done

if in_part 1; then
    check "what libomp does inside makes no events"
    build "$programs/ok_critical.c"
    run "$AUGUR" record -o few.trace "./$name"
    expect_status 0
    run "$AUGUR" show --summary few.trace
    expect_out '^events +[1-9][0-9]?[0-9]?$'

    check "it is not explored, whatever else stands in the way of coverage"
    cat >mixed.c <<'C'
#include <stdlib.h>
int main(void) {
    int n = system("true");
#pragma omp parallel for schedule(dynamic) num_threads(2) reduction(+ : n)
    for (int i = 0; i < 4; i++)
        n += i;
    return n != 6;
}
C
    run "$AUGUR" cc -g -fopenmp=libomp mixed.c -o mixed
    expect_status 0
    run "$AUGUR" explore --budget 5 ./mixed
    expect_out "^1 run, "
    expect_out "'system'.*what another process does is not covered"

    check "a program that has libgomp says so"
    if gomp=$(gcc -print-file-name=libgomp.so) && [ -e "$gomp" ]; then
        echo 'void GOMP_barrier(void); int main(int n, char **a) { (void)a; if (n > 9) GOMP_barrier(); return 0; }' >gomp.c
        run "$AUGUR" cc gomp.c -o gomp "$gomp"
        expect_status 0
        run "$AUGUR" record -o gomp.trace ./gomp
        expect_status 0
        expect_err 'augur: OpenMP code in this program runs on libgomp'
    else
        skip "gcc has no libgomp"
    fi
fi
