#!/usr/bin/env bash
# tools/check.sh [--remember] [GROUP...]: runs the test groups (default: all) and ends with the line
# 'N passed, N failed' (and ', N skipped' if any were). Exit status 0 only if nothing failed.
#
# The builds come first. Then every script, unit program, random program, fuzz harness and source check is a
# job, and all jobs of all wanted groups share one pool of JOBS slots (default: one more than cores, since
# many jobs wait for a program or a time-out), longest first by
# tests/slow.txt; a job that is not in there comes before all others. Each job has a directory of its own,
# and what it prints comes out in one piece. Three lines in the head of a script change how it runs:
#
#   # ALONE: reason                 after the pool, with nothing beside it
#   # PARTS: N                      N jobs, with PART=1..N and PARTS=N (tests/e2e/lib.sh)
#   # SANITIZED: no, because ...    not again with the sanitized program
#
# Seconds are printed and never judged. A job that is still there after HANG seconds is killed and said to hang.
# build/check-times.txt keeps wall, user and system seconds of every job; --remember writes tests/slow.txt from
# those of the processor, which a busy machine hardly changes.
set -uo pipefail
set -m # a process group and usual signals for each job
cd "$(dirname "$0")/.." || exit 1
SRC=$PWD
export SRC

#            name      needs    what it is
GROUPS_ALL=("build     -        gcc and clang-19, warnings are errors"
            "source    -        layers, symbol names, format, shell scripts, documents"
            "tools     release  the checking tools on planted mistakes"
            "unit      release  unit tests (cmocka)"
            "golden    release  stored files of the formats"
            "e2e       release  the program from outside, real ones included"
            "browser   release  the HTML report in Chromium"
            "random    release  random models and traces"
            "asan      asan     unit, golden, end-to-end and a tenth of the random tests, sanitized"
            "fuzz      asan     each fuzz harness for 6 seconds")
FUZZ_SMOKE_SECONDS=6
BUDGET_MINUTES=15 # of the whole on two idle cores
HANG=${HANG:-1800}
JOBS=${JOBS:-$(($(nproc) + 1))}

start=$EPOCHSECONDS
work=$(mktemp -d)
chmod a+x "$work" # munged wants to reach its socket as anybody (tests/e2e/slurm.sh)
mkdir "$work/cache"
export AU_TEST_CACHE=$work/cache # compiled test programs (tests/e2e/lib.sh)

# in_group PID: whether a process of that group still runs; one that ended and that nobody has waited for does not count.
in_group() {
    cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v group="$1" '{ sub(/^.*\) /, "") } $3 == group && $1 != "Z" { found = 1 } END { exit !found }'
}
# Ends what still runs and leaves nothing behind. A job's 'timeout' leads the job's group and passes the signal on, but
# dies with the group where it has to kill it: so the group is waited for, too.
clean_up() {
    local n pid pids=()
    for n in "${!slot_job[@]}"; do
        pid=$(cat "$work/${slot_job[$n]}/pid" 2>/dev/null) && kill "$pid" 2>/dev/null && pids+=("$pid")
    done
    wait
    for pid in "${pids[@]}"; do
        while in_group "$pid"; do
            kill -KILL -- "-$pid" 2>/dev/null
            sleep 0.05
        done
    done
    chmod -R u+w "$work" 2>/dev/null
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# ---- in a job: its directory is $dir, its group $group ----

# result pass|fail|skip NAME [REASON]
result() {
    printf '%s\t%s\t%s\t%s\n' "$1" "$group" "$2" "${3:-}" >>"$dir/results"
    [ "$1" = pass ] || printf '  %-4s  %s: %s: %s\n' "$1" "$group" "$2" "${3:-}"
}

# guarded SECONDS COMMAND...: its status, after that long 124; the pid file is for clean_up.
guarded() {
    PIDFILE=$dir/pid bash -c 'echo $$ >"$PIDFILE"; unset PIDFILE; exec timeout -k 10 "$@"' - "$@" </dev/null
}

# The end of the log, and whether the job hung: show STATUS LINES
show() {
    if [ "$1" -eq 124 ] || [ "$1" -eq 137 ]; then
        printf '        hung or killed: the limit is %s s (HANG=), a job takes that long only if it waits for good\n' "$HANG"
    fi
    tail -n "$2" "$dir/log" | sed 's/^/        /'
}

# Runs a command that is one test: passes if its status is 0, else its output is
# shown. Status 77 is a skip, with the last line as the reason.
one_test() {
    local name=$1 seconds=$2 status
    shift 2
    guarded "$seconds" "$@" >"$dir/log" 2>&1
    status=$?
    case $status in
    0) result pass "$name" ;;
    77) result skip "$name" "$(tail -n 1 "$dir/log")" ;;
    124) result fail "$name" "hung: killed after $seconds s" ;;
    *) result fail "$name" "status $status" ;;
    esac
    [ $status -eq 0 ] || [ $status -eq 77 ] || show $status 60
}

# A test in cmocka's TAP output; a skipped one is 'not ok N # SKIP name'.
tap='^(ok|not ok) [0-9]+ (-|# SKIP) '

# One cmocka program: its tests are counted from its TAP output, and it must
# have run as many as it announced.
unit_program() {
    local name=$1 program=$2 status plan seen line
    if [ ! -x "$program" ]; then
        result fail "$name" "not built: is it in the list of its meson.build?"
        return
    fi
    mkdir "$dir/tmp"
    TMP=$dir/tmp TMPDIR=$dir/tmp CMOCKA_MESSAGE_OUTPUT=tap guarded "$HANG" "$program" >"$dir/log" 2>&1
    status=$?
    while IFS= read -r line; do
        case $line in
        *" # SKIP "*) result skip "$name: ${line#* # SKIP }" "skipped by the test itself" ;;
        "ok "*) result pass "$name: ${line#ok * - }" ;;
        "not ok "*) result fail "$name: ${line#not ok * - }" "see below" ;;
        esac
    done < <(grep -E "$tap" "$dir/log")
    plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$dir/log" | awk '{ n += $1 } END { print n + 0 }')
    seen=$(grep -cE "$tap" "$dir/log")
    if [ $status -eq 124 ]; then
        result fail "$name" "hung: killed after $HANG s"
    elif [ "$seen" -eq 0 ] || [ "$seen" -ne "$plan" ]; then
        result fail "$name" "ran $seen of $plan tests (status $status)"
    elif [ $status -ne 0 ]; then
        grep -qE '^not ok [0-9]+ - ' "$dir/log" || result fail "$name" "status $status after its tests"
        sed -i '/^ok /d' "$dir/log"
    fi
    [ $status -eq 0 ] && [ "$seen" -eq "$plan" ] && [ "$seen" -gt 0 ] || show $status 60
}

# A script that uses tests/e2e/lib.sh: one row of results a check.
script() {
    local program=$1 sanitized=$2 script=$3 part=$4 parts=$5 name status kind check reason
    name=$(basename "$script" .sh)
    mkdir "$dir/tmp"
    : >"$dir/rows"
    AUGUR=$SRC/$program SANITIZED=$sanitized TMP=$dir/tmp PART=$part PARTS=$parts \
        guarded "$HANG" bash "$script" 3>"$dir/rows" >"$dir/log" 2>&1
    status=$?
    while IFS=$'\t' read -r kind check reason; do
        [ "$kind" = done ] || result "$kind" "$name: $check" "$reason"
    done <"$dir/rows"
    if [ $status -eq 124 ]; then
        result fail "$name" "hung: killed after $HANG s"
    elif ! grep -qx done "$dir/rows"; then
        result fail "$name" "did not run to its end (status $status)"
    elif ! grep -qE '^(pass|fail|skip)' "$dir/rows"; then
        result fail "$name" "holds no check"
    fi
    [ $status -eq 0 ] || show $status 30
}

# run_job N: in the background; leaves results, what is said, and wall, user and system seconds.
run_job() {
    local TIMEFORMAT='%R %U %S'
    dir=$work/$1 group=${job_group[$1]}
    mkdir "$dir"
    : >"$dir/results"
    if [ "$group" = asan ]; then
        export ASAN_OPTIONS=abort_on_error=0:detect_leaks=1:allocator_may_return_null=1
        export UBSAN_OPTIONS=print_stacktrace=1
        ASAN_SYMBOLIZER_PATH=$(command -v llvm-symbolizer-19) && export ASAN_SYMBOLIZER_PATH
    fi
    { time eval "${job_call[$1]}" >"$dir/said" 2>&1; } 2>"$dir/time"
    if [ -d "$dir/tmp" ]; then
        chmod -R u+w "$dir/tmp"
        rm -rf "$dir/tmp"
    fi
}

# ---- the list of jobs ----

job_group=() job_name=() job_call=() job_alone=()
# job GROUP NAME FUNCTION ARGUMENT...
job() {
    job_group+=("$1")
    job_name+=("$1/$2")
    job_call+=("$(printf '%q ' "${@:3}")")
    job_alone+=("")
}
# The value of a line '# KEY: value' in the head of a script.
head_line() { sed -n -e '/^[^#]/q' -e "s/^# $2: *//p" "$1" | head -n 1; }

jobs_of_units() {
    local group=$1 dir=$2 source name
    for source in tests/unit/test_*.c; do
        [ -e "$source" ] || continue
        name=$(basename "$source" .c)
        job "$group" "$name" unit_program "$name" "$dir/tests/unit/$name"
    done
}

jobs_of_scripts() {
    local group=$1 program=$2 sanitized=$3 script name parts part suffix
    shift 3
    for script in "$@"; do
        [ -e "$script" ] && [ "$(basename "$script")" != lib.sh ] || continue
        [ -z "$sanitized" ] || [[ $(head_line "$script" SANITIZED) != no* ]] || continue
        name=$(basename "$script" .sh)
        [ "$group" != asan ] || name=$(basename "$(dirname "$script")")/$name
        parts=$(head_line "$script" PARTS)
        for ((part = 1; part <= ${parts:-1}; part++)); do
            suffix=''
            [ "${parts:-1}" -eq 1 ] || suffix=.$part
            job "$group" "$name$suffix" script "$program" "$sanitized" "$script" "$part" "${parts:-1}"
            job_alone[-1]=$(head_line "$script" ALONE)
        done
    done
}

# The programs of tests/random/counts.txt (name, models in check, models in nightly).
jobs_of_random() {
    local group=$1 dir=$2 divide=$3 name n_check n_nightly n seed=${RANDOM_SEED:-1}
    for source in tests/random/random_*.c; do
        [ -e "$source" ] || continue
        name=$(basename "$source" .c)
        grep -q "^$name " tests/random/counts.txt ||
            job "$group" "$name" result fail "$name" "not in tests/random/counts.txt"
    done
    [ -e tests/random/counts.txt ] || return 0
    while read -r name n_check n_nightly _; do
        case $name in '' | '#'*) continue ;; esac
        n=$((n_check / divide))
        [ -z "${NIGHTLY:-}" ] || n=$((n_nightly / divide))
        [ "$n" -gt 0 ] || n=1
        job "$group" "$name" one_test "$name --count $n --seed $seed" "${RANDOM_TIMEOUT:-$HANG}" \
            "$dir/tests/random/$name" --count "$n" --seed "$seed"
    done <tests/random/counts.txt
}

jobs_build() {
    local kind
    for kind in release asan; do
        job build $kind one_test "$kind build" 7200 env QUIET=1 JOBS="$JOBS" tools/build.sh $kind
    done
}
jobs_source() {
    job source layers one_test "layers" "$HANG" tools/layers.sh
    job source symbols one_test "symbol names" "$HANG" tools/symbols.sh build
    job source types one_test "type names" "$HANG" tools/symbols.sh --types
    job source wrappers one_test "wrappers and their rows" "$HANG" tools/wrappers.sh build
    job source format one_test "format" "$HANG" tools/format.sh
    job source shells one_test "shell scripts parse" "$HANG" tools/shells.sh
    job source docs one_test "documents name files that exist" "$HANG" tools/docs.sh
    job source limits one_test "docs/limits.md has the limits of the code" "$HANG" tools/limits.sh --check
    [ ! -x tools/commands.sh ] ||
        job source commands one_test "docs/commands.md is up to date" "$HANG" tools/commands.sh --check
}
jobs_tools() { jobs_of_scripts tools build/augur '' tests/tools/*.sh; }
jobs_unit() { jobs_of_units unit build; }
jobs_golden() { jobs_of_scripts golden build/augur '' tests/golden/*.sh; }
jobs_e2e() { jobs_of_scripts e2e build/augur '' tests/e2e/*.sh; }
jobs_browser() { jobs_of_scripts browser build/augur '' tests/browser/*.sh; }
jobs_random() { jobs_of_random random build 1; }
jobs_asan() {
    jobs_of_units asan build-asan
    jobs_of_scripts asan build-asan/augur 1 tests/golden/*.sh tests/e2e/*.sh
    jobs_of_random asan build-asan 10
}
jobs_fuzz() {
    local harness name
    for harness in fuzz/fuzz_*.c; do
        [ -e "$harness" ] || continue
        name=$(basename "$harness" .c)
        job fuzz "$name" one_test "$name for $FUZZ_SMOKE_SECONDS s" "$HANG" \
            env RESTART=1 tools/fuzz.sh $FUZZ_SMOKE_SECONDS "$name"
    done
}

# ---- the pool ----

declare -A slot_job=() # process to job
finished=0
# Waits until one job is over, and prints what it had to say.
reap() {
    local pid='' n
    wait -n -p pid
    [ -n "$pid" ] && [ -n "${slot_job[$pid]:-}" ] || return 0
    n=${slot_job[$pid]}
    unset "slot_job[$pid]"
    cat "$work/$n/said"
    if [ ! -s "$work/$n/results" ]; then
        printf 'fail\t%s\t%s\tgave no result\n' "${job_group[$n]}" "${job_name[$n]}" | tee "$work/$n/results"
    fi
    finished=$((finished + 1))
    [ $((finished % 50)) -ne 0 ] || printf '   %d of %d jobs after %d s\n' $finished ${#job_name[@]} $((EPOCHSECONDS - start))
}
# pool SLOTS JOB...: all of them, in this order.
pool() {
    local slots=$1 n
    shift
    for n in "$@"; do
        while [ ${#slot_job[@]} -ge "$slots" ]; do
            reap
        done
        run_job "$n" &
        slot_job[$!]=$n
    done
    while [ ${#slot_job[@]} -gt 0 ]; do
        reap
    done
}

remember=''
if [ "${1:-}" = --remember ]; then
    remember=1
    shift
fi
wanted=" $* "
names=()
for row in "${GROUPS_ALL[@]}"; do
    read -r group need what <<<"$row"
    [ $# -eq 0 ] || [[ $wanted == *" $group "* ]] || continue
    wanted=${wanted/" $group "/ }
    names+=("$group")
done
if [ $# -gt 0 ] && [ -n "${wanted// /}" ]; then
    echo "check: unknown group: $wanted" >&2
    exit 2
fi

declare -A usual=()
if [ -e tests/slow.txt ]; then
    while read -r seconds name; do
        [ "$seconds" = '#' ] || usual[$name]=$seconds
    done <tests/slow.txt
fi

for group in "${names[@]}"; do
    read -r _ need what <<<"$(printf '%s\n' "${GROUPS_ALL[@]}" | grep "^$group ")"
    printf '== %s: %s\n' "$group" "$what"
    if [ "$group" = build ]; then
        jobs_build
        pool 1 "${!job_name[@]}"
    elif grep -q "^fail.build.$need build" "$work"/*/results 2>/dev/null; then
        job "$group" "$group" result fail "$group" "not run: the $need build is broken"
    else
        "jobs_$group"
    fi
done
echo "== ${#job_name[@]} jobs, $JOBS at once"
# 'first' is above all seconds; within equal ones as listed.
mapfile -t order < <(for n in "${!job_name[@]}"; do
    [ "${job_group[$n]}" = build ] || printf '%s %s %s\n' "${usual[${job_name[$n]}]:-999999}" "$n" "${job_alone[$n]:+alone}"
done | sort -k1,1nr -k2,2n | awk '{ print $3 == "alone", $2 }' | sort -s -k1,1n)
together=() alone=()
for row in "${order[@]}"; do
    case $row in
    0*) together+=("${row#* }") ;;
    1*) alone+=("${row#* }") ;;
    esac
done
pool "$JOBS" "${together[@]}"
pool 1 "${alone[@]}"

# ---- the report ----

results=$work/results
for n in "${!job_name[@]}"; do
    cat "$work/$n/results"
done >"$results"
mkdir -p build
for n in "${!job_name[@]}"; do
    printf '%s %s\n' "$(cat "$work/$n/time")" "${job_name[$n]}"
done | sort -k1,1nr >build/check-times.txt
if [ -n "$remember" ]; then
    {
        echo "# Usual seconds of the processor of each job of tools/check.sh, which starts the longest first (--remember writes it)."
        { awk '$4 !~ /^build/ { printf "%d %s\n", $2 + $3 + 0.999, $4 }' build/check-times.txt
            grep -v '^#' tests/slow.txt 2>/dev/null; } | awk '!seen[$2]++' | sort -k1,1nr -k2,2
    } >"$work/slow.txt"
    cp "$work/slow.txt" tests/slow.txt
fi

count() {
    awk -F '\t' -v kind="$1" -v group="${2:-}" \
        '$1 == kind && (group == "" || $2 == group) { n++ } END { print n + 0 }' "$results"
}
echo
printf '%-8s %6s %6s %7s %9s %9s\n' group passed failed skipped seconds processor
for group in "${names[@]}"; do
    seconds=$(awk -v group="$group/" 'index($4, group) == 1 { wall += $1; cpu += $2 + $3 }
        END { printf "%.1f %.1f", wall, cpu }' build/check-times.txt)
    printf '%-8s %6d %6d %7d %9s %9s\n' "$group" "$(count pass "$group")" "$(count fail "$group")" \
        "$(count skip "$group")" ${seconds% *} ${seconds#* }
done
echo
echo "the ten slowest jobs (wall, user and system seconds; all in build/check-times.txt):"
head -n 10 build/check-times.txt | awk '{ printf "%9.1f %9.1f %9.1f  %s\n", $1, $2, $3, $4 }'
for kind in skip fail; do
    if [ "$(count $kind)" -gt 0 ]; then
        echo
        awk -F '\t' -v kind=$kind '$1 == kind { print $1 ": " $2 ": " $3 ": " $4 }' "$results"
    fi
done
echo
wall=$((EPOCHSECONDS - start))
awk -v wall=$wall -v jobs="$JOBS" -v budget=$BUDGET_MINUTES '{ cpu += $2 + $3 }
    END { printf "%d min %d s, of the processor %d min %d s, %d jobs at once (budget: %d min on two idle cores)\n",
        wall / 60, wall % 60, cpu / 60, cpu % 60, jobs, budget }' build/check-times.txt
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
