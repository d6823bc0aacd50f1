#!/usr/bin/env bash
# bench/run.sh [--quick] [--strict] [--list] [PART...]: the benchmark tables, as Markdown on
# standard output, and one report of all parts in build/bench: index.html, benchmarks.md,
# results.json (bench/report.py makes them; $BENCH_OUT is another directory, $BENCH_PARTS one with other parts).
# Parts: trace (reading, writing, generating), linear (prediction on traces), graph
# (nondeterminism), tsg (transactions and intervals), solve (the exact stage on models), certify (proofs of what it refutes), predict
# (Wang et al.'s tables on recorded programs), record (recording beside ThreadSanitizer, helgrind and
# drd), length (long runs, beside ThreadSanitizer), retrace (following recorded runs), explore (runs
# to the first bug, against chance), scan (the static half), bugs (found from one run, beside other tools), unasserted (bugs that no assertion tells of), growth (exponents of each stage).
#
# A part is a script of shell, sourced in a subshell: one that fails says so in the report and in the exit
# status, the others go on. With PART only these are measured; the report keeps what was measured
# before of the others, with its date.
#
# Everything runs on one core, and side by side: in each of five rounds every row
# is measured once, and the best of its five times counts; so a disturbance does
# not hit one row alone, and a ratio compares what ran next to each other. The
# comparison (wc, cat, zstd) is what the machine can do with the same bytes. Targets
# are judged by the wall clock; the CPU time tells how much others were in the way.
# --quick: two rounds, and not the largest input. --strict: a missed target
# is exit status 1; otherwise only what cannot be measured fails.
#
# What a part prints is read again by report.py, so: a heading with ##; below it what is measured and the
# command; tables whose first column names the row. A column 'target' ('<= 2 s') and a last one without a
# name (PASS, MISS) are the verdict. <!-- plot: … --> after a table draws it (bench/plot.py).
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C

all=(trace linear graph tsg solve certify predict record length retrace explore scan bugs unasserted growth)
declare -A title=(
    [trace]="Reading, writing and generating traces"
    [linear]="Prediction in linear time (Farzan et al.)"
    [graph]="Nondeterminism (Sinha et al.)"
    [tsg]="Transaction sequence graphs (Ganai and Wang)"
    [solve]="The exact stage on models (Wang et al.)"
    [certify]="Certificates of what is refuted"
    [predict]="Prediction on recorded programs (Wang et al.)"
    [record]="What recording costs"
    [length]="Long runs"
    [retrace]="Following recorded runs"
    [explore]="Exploration against chance"
    [scan]="The static half (Kahlon et al. 2009)"
    [bugs]="Bugs found from one run"
    [unasserted]="Bugs that nobody asserted"
    [growth]="How time and memory grow"
)
rounds=5 million=10 sizes='1 10 100' strict='' quick='' parts=()
for arg in "$@"; do
    case $arg in
    --quick) quick=1 rounds=2 million=2 sizes='1 10' ;;
    --strict) strict=1 ;;
    --list)
        echo "${all[*]}"
        exit 0
        ;;
    *)
        case " ${all[*]} " in
        *" $arg "*) parts+=("$arg") ;;
        *)
            echo "bench: no part '$arg'" >&2
            echo "usage: bench/run.sh [--quick] [--strict] [--list] [PART...]; parts: ${all[*]}" >&2
            exit 2
            ;;
        esac
        ;;
    esac
done
[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")
: "${AUGUR:=build/augur}" "${BENCH_OUT:=build/bench}" "${BENCH_PARTS:=bench}"
QUIET=1 tools/build.sh release bench/load bench/measure >/dev/null
load=build/bench/load
measure=build/bench/measure
mkdir -p "$BENCH_OUT/parts"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/augur-bench.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
on=(taskset -c "$(($(nproc) - 1))") # the last core: interrupts like the first
"${on[@]}" true 2>/dev/null || on=()

declare -A best cpu peak
min() { awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b < a ? b : a }'; }
# keep NAME SECONDS CPU-SECONDS KIB: the best times and the largest memory of all rounds
keep() {
    [ -n "${4:-}" ] || {
        echo "bench: '$1' could not be measured" >&2
        exit 1
    }
    best[$1]=$(min "${best[$1]:-}" "$2")
    cpu[$1]=$(min "${cpu[$1]:-}" "$3")
    [ "${peak[$1]:-0}" -ge "$4" ] || peak[$1]=$4
}
# time_command NAME COMMAND...
time_command() {
    local name=$1 s c kib
    shift
    read -r s c kib <<<"$("${on[@]}" "$measure" 1 "$@")"
    keep "$name" "$s" "$c" "$kib"
}
# time_load NAME TRACE [stream]
time_load() {
    local name=$1 n s c
    shift
    read -r n s c <<<"$("${on[@]}" "$load" 1 "$@")"
    [ "$n" -eq "$events" ] || {
        echo "bench: '$1' has $n events instead of $events" >&2
        exit 1
    }
    keep "$name" "$s" "$c" 0
}
judge() { # MEASURED RELATION TARGET: sets $verdict
    if [ "$3" = - ]; then
        verdict=''
    elif awk -v a="$1" -v r="$2" -v b="$3" 'BEGIN { exit !(r == ">=" ? a >= b : a <= b) }'; then
        verdict=PASS
    else
        verdict=MISS
    fi
}
row() { # WHAT RELATION TARGET UNIT MEASURED BY-CPU COMPARED
    judge "$5" "$2" "$3"
    local target="$2 $3 $4"
    [ "$3" != - ] || target=''
    printf '| %s | %s | %s %s | %s | %s | %s |\n' "$1" "$target" "$5" "$4" "$6" "$7" "$verdict"
}
# headed WHAT: the head of a table of such rows; WHAT is what the last column but one compares with
headed() { printf '\n| what | target | measured | by CPU time | %s | |\n|---|---|---|---|---|---|\n' "${1:-}"; }
per_second() { awk -v n="$events" -v s="$1" 'BEGIN { printf "%.1f", n / s / 1e6 }'; }
seconds() { printf '%.2f' "$1"; }
ratio() { awk -v a="${best[$1]}" -v b="${best[$2]}" 'BEGIN { printf "%.1f", a / b }'; }
# takes NAME WHAT TARGET OTHER OTHER'S-NAME: a row in seconds
takes() {
    row "$2" "<=" "$3" s "$(seconds "${best[$1]}")" "$(seconds "${cpu[$1]}")" "$(ratio "$1" "$4") × $5"
}
# speed NAME WHAT TARGET OTHER OTHER'S-NAME: a row in events a second
speed() {
    row "$2" ">=" "$3" "M events/s" "$(per_second "${best[$1]}")" "$(per_second "${cpu[$1]}")" \
        "$(ratio "$1" "$4") × $5"
}
mib() { awk -v k="${peak[$1]}" 'BEGIN { printf "%.1f", k / 1024 }'; }
# paper TABLE ROW COLUMN...: what the paper states (bench/papers.txt), '-' where it states nothing
paper() { awk -f bench/paper.awk -v table="$1" -v row="$2" -v columns="${*:3}" bench/papers.txt; }
# paper_rows TABLE: the names of its rows
paper_rows() { awk -v t="$1" '$1 == "@" { on = $2 == t; next } on && NF && $1 !~ /^#/ { print $1 }' bench/papers.txt; }

# The machine and the versions, one 'name: text' a line.
environment() {
    version_of() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null || echo "not known"; }
    first_of() { { "$@" 2>/dev/null || echo "not installed"; } | head -n 1; }
    echo "date: $(date -u '+%F %H:%M') UTC"
    echo "cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
    echo "memory: $(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)"
    echo "kernel: $(uname -srm)"
    echo "load: $(cut -d' ' -f1 /proc/loadavg)"
    echo "augur: $("$AUGUR" --version | head -n 1 | sed 's/^augur //')$(git rev-parse --short HEAD 2>/dev/null | sed 's/^/, /')"
    echo "gcc: $(first_of gcc -dumpfullversion)"
    echo "clang: $(first_of clang-19 --version | grep -oE '[0-9]+\.[0-9.]+' | head -n 1)"
    echo "valgrind: $(first_of valgrind --version | sed 's/^valgrind-//')"
    echo "cadical: $(version_of libcadical-dev)"
    echo "z3: $(version_of libz3-dev)"
}

# run_part PART: $BENCH_OUT/parts/PART.md and PART.info; sets $status. (Not in a condition: there set -e is off.)
run_part() {
    local part=$1 begun=$EPOCHREALTIME now=$BENCH_OUT/parts/$1
    dir=$tmp/$part
    mkdir -p "$dir"
    {
        echo "title: ${title[$part]}"
        echo "mode: ${quick:+quick}"
        echo "rounds: $rounds"
        environment
    } >"$tmp/info"
    set +e
    (
        set -e
        trap 'times >"$tmp/times"' EXIT
        # shellcheck source=/dev/null
        . "$BENCH_PARTS/part_$part.sh"
    ) 2> >(tee "$tmp/err" >&2) | tee "$tmp/md"
    status=${PIPESTATUS[0]}
    set -e
    mv "$tmp/md" "$now.md"
    {
        cat "$tmp/info"
        echo "status: $status"
        awk -v a="$begun" -v b="$EPOCHREALTIME" 'BEGIN { printf "seconds: %.1f\n", b - a }'
        # "0m1.2s 0m0.3s", of the shell and of its children
        tr -s 'ms \n' ' ' <"$tmp/times" | awk '{ for (i = 1; i < NF; i += 2) s += 60 * $i + $(i + 1)
            printf "cpu_seconds: %.1f\n", s }'
        [ "$status" -eq 0 ] || tail -n 5 "$tmp/err" | tr '|' '/' | sed 's/^/error: /'
    } >"$now.info"
    rm -rf "$dir"
}

failed=()
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), one of $(nproc) cores, $(uname -sr), load $(cut -d' ' -f1 /proc/loadavg),"
echo "$(date -u +%F), $("$AUGUR" --version | head -n 1), best of $rounds rounds"
for part in "${parts[@]}"; do
    run_part "$part"
    [ "$status" -eq 0 ] || failed+=("$part")
done
python3 -B bench/report.py "$BENCH_OUT" "${all[@]}"
missed=$(python3 -B bench/report.py --missed "$BENCH_OUT" "${parts[@]}")
echo
echo "targets missed: $missed"
echo "report: $BENCH_OUT/index.html"
[ ${#failed[@]} -eq 0 ] || {
    echo "bench: failed: ${failed[*]}" >&2
    exit 1
}
[ -z "$strict" ] || [ "$missed" -eq 0 ]
