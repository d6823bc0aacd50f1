#!/usr/bin/env bash
# tools/check.sh [GROUP...]: runs the test groups (default: all, in this order)
# and ends with the line 'N passed, N failed' (and ', N skipped' if any were).
# Exit status 0 only if nothing failed.
#
# Each group has a budget in seconds. A group over its budget is said loudly;
# only one over three times its budget fails, so that a busy machine does not.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
SRC=$PWD
export SRC

#            name      seconds  what it is
GROUPS_ALL=("build     420      gcc and clang-19, warnings are errors"
            "source    20       layers, symbol names, format, shell scripts, documents"
            "tools     30       the checking tools on planted mistakes"
            "unit      60       unit tests (cmocka)"
            "golden    30       stored files of the formats"
            "e2e       600      the program from outside, real ones included"
            "browser   60       the HTML report in Chromium"
            "random    240      random models and traces"
            "asan      720      unit, golden, end-to-end and a tenth of the random tests, sanitized"
            "fuzz      80       each fuzz harness for 6 seconds")
FUZZ_SMOKE_SECONDS=6

work=$(mktemp -d)
chmod a+x "$work" # munged wants to reach its socket as anybody (tests/e2e/slurm.sh)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
: >"$work/results"

# result pass|fail|skip NAME [REASON]
result() {
    printf '%s\t%s\t%s\t%s\n' "$1" "$group" "$2" "${3:-}" >>"$work/results"
    [ "$1" = pass ] || printf '  %-4s  %s: %s\n' "$1" "$2" "${3:-}"
}

count() {
    awk -F '\t' -v kind="$1" -v group="${2:-}" \
        '$1 == kind && (group == "" || $2 == group) { n++ } END { print n + 0 }' "$work/results"
}

# Runs a command that is one test: passes if its status is 0, else its output is
# shown. Status 77 is a skip, with the last line as the reason.
one_test() {
    local name=$1 status
    shift
    "$@" >"$work/log" 2>&1 </dev/null
    status=$?
    if [ $status -eq 0 ]; then
        result pass "$name"
    elif [ $status -eq 77 ]; then
        result skip "$name" "$(tail -n 1 "$work/log")"
    else
        result fail "$name" "status $status"
        tail -n 60 "$work/log" | sed 's/^/        /'
    fi
    return $status
}

# A test in cmocka's TAP output; a skipped one is 'not ok N # SKIP name'.
tap='^(ok|not ok) [0-9]+ (-|# SKIP) '

# One cmocka program: its tests are counted from its TAP output, and it must
# have run as many as it announced.
unit_program() {
    local name=$1 program=$2 status plan seen
    if [ ! -x "$program" ]; then
        result fail "$name" "not built: is it in the list of its meson.build?"
        return
    fi
    mkdir -p "$work/tmp"
    TMP=$work/tmp TMPDIR=$work/tmp CMOCKA_MESSAGE_OUTPUT=tap \
        timeout -k 5 120 "$program" >"$work/log" 2>&1 </dev/null
    status=$?
    rm -rf "$work/tmp"
    while IFS= read -r line; do
        case $line in
        *" # SKIP "*) result skip "$name: ${line#* # SKIP }" "skipped by the test itself" ;;
        "ok "*) result pass "$name: ${line#ok * - }" ;;
        "not ok "*) result fail "$name: ${line#not ok * - }" "see below" ;;
        esac
    done < <(grep -E "$tap" "$work/log")
    plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$work/log" | awk '{ n += $1 } END { print n + 0 }')
    seen=$(grep -cE "$tap" "$work/log")
    if [ "$seen" -eq 0 ] || [ "$seen" -ne "$plan" ]; then
        result fail "$name" "ran $seen of $plan tests (status $status)"
        tail -n 60 "$work/log" | sed 's/^/        /'
    elif [ $status -ne 0 ]; then
        grep -qE '^not ok [0-9]+ - ' "$work/log" || result fail "$name" "status $status after its tests"
        grep -vE '^ok ' "$work/log" | tail -n 60 | sed 's/^/        /'
    fi
}

unit_tests() {
    local dir=$1 source name
    for source in tests/unit/test_*.c; do
        [ -e "$source" ] || continue
        name=$(basename "$source" .c)
        unit_program "$name" "$dir/tests/unit/$name"
    done
}

# Scripts that use tests/e2e/lib.sh: one row of results a check.
scripts() {
    local program=$1 sanitized=$2 script name status
    shift 2
    for script in "$@"; do
        [ -e "$script" ] && [ "$(basename "$script")" != lib.sh ] || continue
        name=$(basename "$script" .sh)
        mkdir -p "$work/tmp"
        AUGUR=$SRC/$program SANITIZED=$sanitized TMP=$work/tmp \
            timeout -k 5 300 bash "$script" 3>"$work/rows" >"$work/log" 2>&1 </dev/null
        status=$?
        while IFS=$'\t' read -r kind check reason; do
            [ "$kind" = done ] || result "$kind" "$name: $check" "$reason"
        done <"$work/rows"
        if ! grep -qx done "$work/rows"; then
            result fail "$name" "did not run to its end (status $status)"
        elif ! grep -qE '^(pass|fail|skip)' "$work/rows"; then
            result fail "$name" "holds no check"
        fi
        if [ $status -ne 0 ]; then
            tail -n 30 "$work/log" | sed 's/^/        /'
        fi
        chmod -R u+w "$work/tmp" && rm -rf "$work/tmp"
    done
}

# The programs of tests/random/counts.txt (name, models in check, models in nightly).
random_tests() {
    local dir=$1 divide=$2 name n_check n_nightly seed
    for source in tests/random/random_*.c; do
        [ -e "$source" ] || continue
        name=$(basename "$source" .c)
        grep -q "^$name " tests/random/counts.txt ||
            result fail "$name" "not in tests/random/counts.txt"
    done
    [ -e tests/random/counts.txt ] || return 0
    seed=${RANDOM_SEED:-1}
    while read -r name n_check n_nightly _; do
        case $name in '' | '#'*) continue ;; esac
        local n=$((n_check / divide))
        [ "${NIGHTLY:-}" ] && n=$((n_nightly / divide))
        [ "$n" -gt 0 ] || n=1
        one_test "$name --count $n --seed $seed" \
            timeout -k 5 "${RANDOM_TIMEOUT:-300}" "$dir/tests/random/$name" --count "$n" --seed "$seed"
    done <tests/random/counts.txt
}

group_build() {
    local kind
    for kind in release asan; do
        one_test "$kind build" env QUIET=1 tools/build.sh $kind || broken+=" $kind"
    done
}

group_source() {
    one_test "layers" tools/layers.sh
    one_test "symbol names" tools/symbols.sh build
    one_test "type names" tools/symbols.sh --types
    one_test "wrappers and their rows" tools/wrappers.sh build
    one_test "format" tools/format.sh
    one_test "shell scripts parse" tools/shells.sh
    one_test "documents name files that exist" tools/docs.sh
    one_test "docs/limits.md has the limits of the code" tools/limits.sh --check
    if [ -x tools/commands.sh ]; then
        one_test "docs/commands.md is up to date" tools/commands.sh --check
    fi
}

group_tools() { scripts build/augur '' tests/tools/*.sh; }
group_unit() { unit_tests build; }
group_golden() { scripts build/augur '' tests/golden/*.sh; }
group_e2e() { scripts build/augur '' tests/e2e/*.sh; }
group_browser() { scripts build/augur '' tests/browser/*.sh; }
group_random() { random_tests build 1; }

group_asan() {
    export ASAN_OPTIONS=abort_on_error=0:detect_leaks=1:allocator_may_return_null=1
    export UBSAN_OPTIONS=print_stacktrace=1
    ASAN_SYMBOLIZER_PATH=$(command -v llvm-symbolizer-19) && export ASAN_SYMBOLIZER_PATH
    unit_tests build-asan
    scripts build-asan/augur 1 tests/golden/*.sh tests/e2e/*.sh
    random_tests build-asan 10
    unset ASAN_OPTIONS UBSAN_OPTIONS ASAN_SYMBOLIZER_PATH
}

group_fuzz() {
    local harness
    for harness in fuzz/fuzz_*.c; do
        [ -e "$harness" ] || continue
        one_test "$(basename "$harness" .c) for $FUZZ_SMOKE_SECONDS s" \
            env RESTART=1 tools/fuzz.sh $FUZZ_SMOKE_SECONDS "$(basename "$harness" .c)"
    done
}

# Which build a group needs.
needs() {
    case $1 in
    unit | golden | e2e | browser | random | tools) echo release ;;
    asan | fuzz) echo asan ;;
    esac
}

wanted=" $* "
broken=''
table=''
for row in "${GROUPS_ALL[@]}"; do
    read -r group budget what <<<"$row"
    [ $# -eq 0 ] || [[ $wanted == *" $group "* ]] || continue
    wanted=${wanted/" $group "/ }
    printf '== %s: %s\n' "$group" "$what"
    start=${EPOCHREALTIME/./}
    need=$(needs "$group")
    if [ -n "$need" ] && [[ $broken == *" $need"* ]]; then
        result fail "$group" "not run: the $need build is broken"
    else
        "group_$group"
    fi
    tenths=$(((${EPOCHREALTIME/./} - start) / 100000))
    note=''
    if [ -n "${NIGHTLY:-}" ]; then
        note='  (nightly: no budget)'
    elif [ $tenths -gt $((budget * 30)) ]; then
        result fail "$group budget" "took $((tenths / 10)) s, more than three times its $budget s"
        note='  FAR OVER BUDGET'
    elif [ $tenths -gt $((budget * 10)) ]; then
        note='  OVER BUDGET'
    fi
    table+=$(printf '%-8s %6d %6d %7d %7d.%d %7d%s' "$group" "$(count pass "$group")" \
        "$(count fail "$group")" "$(count skip "$group")" $((tenths / 10)) $((tenths % 10)) \
        "$budget" "$note")$'\n'
done
if [ $# -gt 0 ] && [ -n "${wanted// /}" ]; then
    echo "check: unknown group: $wanted" >&2
    exit 2
fi

echo
printf '%-8s %6s %6s %7s %9s %7s\n' group passed failed skipped seconds budget
printf '%s' "$table"
for kind in skip fail; do
    if [ "$(count $kind)" -gt 0 ]; then
        echo
        awk -F '\t' -v kind=$kind '$1 == kind { print $1 ": " $2 ": " $3 ": " $4 }' "$work/results"
    fi
done
echo
passed=$(count pass) failed=$(count fail) skipped=$(count skip)
# A run that tested nothing must not look like a good one.
if [ "$passed" -eq 0 ] && [ "$failed" -eq 0 ]; then
    failed=1
    echo "nothing was run"
fi
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
