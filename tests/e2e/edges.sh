#!/usr/bin/env bash
# Programs at the edges of the model (tests/claims/edges), each with its truth in the first line: augur may find it, or
# stay silent and not claim absence, but says nothing else.
# PARTS: 3
# SANITIZED: no, because all its time goes to many whole runs; run.sh and scan.sh take the same ways sanitized
. "$(dirname "$0")/../e2e/lib.sh"

edges=$SRC/tests/claims/edges

# How a program is compiled besides '-g'.
flags_of() {
    case $1 in
    *.cpp) echo -std=c++20 ;;
    esac
    case $1 in
    fp_omp_*) echo -fopenmp=libomp ;;
    glib_*) pkg-config --cflags --libs glib-2.0 ;;
    replay_tbb*) echo -ltbb ;;
    atomic16*) echo -latomic ;;
    cov_nohook*) echo nohook.o ;;
    starved*) echo starved.o ;;
    esac
}

# What a program needs that may be missing here: prints it.
missing_for() {
    case $1 in
    fp_omp_*) [ -e /usr/lib/llvm-19/lib/libomp.so ] || echo "libomp-19-dev is not installed" ;;
    glib_*) pkg-config glib-2.0 || echo "libglib2.0-dev is not installed" ;;
    replay_tbb*) [ -e /usr/include/tbb/parallel_for.h ] || echo "libtbb-dev is not installed" ;;
    esac
}

compile() {
    local how
    case $1 in
    *.cpp) how=augur_cxx ;;
    *) how=augur_cc ;;
    esac
    case $1 in
    cov_nohook*) gcc -g -DLIB -c "$edges/$1" -o nohook.o ;;
    starved*) echo 'int g(void) { return 4; }' | gcc -x c -c - -o starved.o ;;
    esac
    # shellcheck disable=SC2046
    $how -g -w "$edges/$1" $(flags_of "$1") -o "${1%.*}" -pthread
}

# Findings of the report that are more than possible.
certain() {
    grep -cE '"status": "(confirmed|proved)"' report.json
}

expect_silence() {
    expect_true "nothing is proved or confirmed" [ "$(certain)" -eq 0 ]
}
expect_found() {
    expect_true "the bug is proved or confirmed" [ "$(certain)" -gt 0 ]
}
expect_no_absence() {
    expect_true "the report says whether it is exhaustive" grep -q '"exhaustive":' report.json
    expect_true "covered only with the finding" \
        eval '[ "$(certain)" -gt 0 ] || ! grep -q "\"exhaustive\": true" report.json'
}

scan_edge() {
    run "$AUGUR" scan "$edges/$1"
    expect_true "no crash (exit status $status)" [ "$status" -lt 4 ]
    case $1 in
    scan_true_* | scan_detach_twice*) expect_true "not TRUE (exit status $status)" [ "$status" -ne 0 ] ;;
    *) expect_true "not FALSE" eval '! grep -qE "(confirmed|proved) " "$TMP/.lib/out"' ;;
    esac
}

run_edge() {
    compile "$1"
    run "$AUGUR" run --format json -o report.json "./${1%.*}"
    expect_true "a report (exit status $status)" [ -s report.json ]
    case $1 in
    fc_* | fp_* | atomic16* | asm_spinlock* | signal_mtsafe* | glib_* | rmw_first* | replay_*) expect_silence ;;
    cov_*) expect_no_absence ;;
    uaf_* | coroutine_frame* | unjoined_race*) expect_found ;;
    starved*)
        expect_silence
        expect_true "its first run ended by itself" eval '! grep -q "stopped at a limit, run 1 " report.json'
        ;;
    assert_two_lines*) expect_true "told once" [ "$(grep -c '"kind": "assertion"' report.json)" -eq 1 ] ;;
    *) fail "nobody says what is right for $1" ;;
    esac
    case $1 in
    replay_*)
        run "$AUGUR" record --quiet -o t.trace "./${1%.*}"
        run "$AUGUR" replay t.trace
        expect_err "identical"
        ;;
    esac
}

n=0
for program in "$edges"/*.c "$edges"/*.cpp; do
    n=$((n + 1))
    [ $((n % PARTS)) -eq $((PART % PARTS)) ] || continue
    name=$(basename "$program")
    check "$name: $(sed -n '1s,^//! *,,p' "$program")"
    why=$(missing_for "$name")
    if [ -n "$why" ]; then
        skip "$why"
        continue
    fi
    case $name in
    scan_*) scan_edge "$name" ;;
    *) run_edge "$name" ;;
    esac
done
