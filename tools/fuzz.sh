#!/usr/bin/env bash
# tools/fuzz.sh SECONDS [HARNESS...]: runs each libFuzzer harness that long,
# starting from fuzz/corpus/NAME (NAME is the harness without 'fuzz_'). What it
# finds on the way grows build-asan/corpus/NAME, which later runs start from
# (RESTART=1 starts from the stored seeds only); inputs that crash, hang or eat
# memory are kept in build-asan/artifacts/NAME. Fails if there was one.
# The harnesses must be built (tools/build.sh asan fuzzers).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

seconds=${1:?usage: tools/fuzz.sh SECONDS [HARNESS...]}
shift
if [ $# -eq 0 ]; then
    for source in fuzz/fuzz_*.c; do
        [ -e "$source" ] && set -- "$@" "$(basename "$source" .c)"
    done
fi
if [ $# -eq 0 ]; then
    echo "fuzz: no harness in fuzz/" >&2
    exit 1
fi

ASAN_SYMBOLIZER_PATH=$(command -v llvm-symbolizer-19) && export ASAN_SYMBOLIZER_PATH
bad=0
printf '%-16s %12s %9s %10s %9s %8s\n' harness executions per-s new-units corpus crashes
for harness in "$@"; do
    name=${harness#fuzz_}
    program=build-asan/fuzz/$harness
    if [ ! -x "$program" ]; then
        echo "fuzz: '$program' is not built" >&2
        bad=1
        continue
    fi
    corpus=build-asan/corpus/$name
    artifacts=build-asan/artifacts/$name
    log=build-asan/$harness.log
    [ -z "${RESTART:-}" ] || rm -rf "$corpus"
    mkdir -p "$corpus" "$artifacts"
    if ! compgen -G "fuzz/corpus/$name/*" >/dev/null; then
        echo "fuzz: '$harness' has no seeds in fuzz/corpus/$name" >&2
        bad=1
        continue
    fi
    cp -n fuzz/corpus/"$name"/* "$corpus"/
    dict=()
    [ -f "fuzz/$name.dict" ] && dict=("-dict=fuzz/$name.dict")
    old=$(find "$artifacts" -type f | wc -l)
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
        "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        ${dict[@]+"${dict[@]}"} -artifact_prefix="$artifacts/" "$corpus" >"$log" 2>&1 </dev/null
    status=$?
    stat() { sed -n "s/^stat::$1: *//p" "$log" | tail -n 1; }
    crashes=$(($(find "$artifacts" -type f | wc -l) - old))
    printf '%-16s %12s %9s %10s %9s %8s\n' "$harness" "$(stat number_of_executed_units)" \
        "$(stat average_exec_per_sec)" "$(stat new_units_added)" \
        "$(find "$corpus" -type f | wc -l)" "$crashes"
    if [ $status -ne 0 ] || [ "$crashes" -ne 0 ]; then
        bad=1
        echo "fuzz: '$harness' failed with status $status; the input is in $artifacts, the end of $log:"
        tail -n 40 "$log"
    fi
done
exit $bad
