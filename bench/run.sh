#!/usr/bin/env bash
# bench/run.sh [--quick] [--strict] [PART...]: the benchmark tables, as Markdown.
# Parts: trace (reading, writing, generating), linear (prediction on traces), graph
# (nondeterminism), tsg (transactions and intervals), solve (the exact stage on models), predict
# (seed 002's tables on recorded programs), record (recording beside ThreadSanitizer and
# helgrind), retrace (following recorded runs), scan (the static half), explore (runs to the first bug, against chance).
#
# Everything runs on one core, and side by side: in each of five rounds every row
# is measured once, and the best of its five times counts; so a disturbance does
# not hit one row alone, and a ratio compares what ran next to each other. The
# comparison (wc, cat, zstd) is what the machine can do with the same bytes. Targets
# are judged by the wall clock; the CPU time tells how much others were in the way.
# --quick: two rounds, and not the largest input. --strict: a missed target
# is exit status 1; otherwise only what cannot be measured fails.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C

all=(trace linear graph tsg solve predict record retrace explore scan)
rounds=5 million=10 sizes='1 10 100' strict='' parts=()
for arg in "$@"; do
    case $arg in
    --quick) rounds=2 sizes='1 10' ;;
    --strict) strict=1 ;;
    *)
        case " ${all[*]} " in
        *" $arg "*) parts+=("$arg") ;;
        *)
            echo "usage: bench/run.sh [--quick] [--strict] [PART...]; parts: ${all[*]}" >&2
            exit 2
            ;;
        esac
        ;;
    esac
done
[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")
: "${AUGUR:=build/augur}"
QUIET=1 tools/build.sh release bench/load bench/measure
load=build/bench/load
measure=build/bench/measure
dir=$(mktemp -d "${TMPDIR:-/tmp}/augur-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
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
missed=0
judge() { # MEASURED RELATION TARGET: sets $verdict
    if [ "$3" = - ]; then
        verdict=''
    elif awk -v a="$1" -v r="$2" -v b="$3" 'BEGIN { exit !(r == ">=" ? a >= b : a <= b) }'; then
        verdict=PASS
    else
        verdict=MISS
        missed=$((missed + 1))
    fi
}
row() { # WHAT RELATION TARGET UNIT MEASURED BY-CPU COMPARED
    judge "$5" "$2" "$3"
    local target="$2 $3 $4"
    [ "$3" != - ] || target=''
    printf '| %s | %s | %s %s | %s | %s | %s |\n' "$1" "$target" "$5" "$4" "$6" "$7" "$verdict"
}
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


cat <<EOF
$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), one of $(nproc) cores, $(uname -sr), load $(cut -d' ' -f1 /proc/loadavg),
$(date -u +%F), $("$AUGUR" --version | head -n 1), best of $rounds rounds
EOF
for part in "${parts[@]}"; do
    # shellcheck source=/dev/null
    . "bench/part_$part.sh"
done
echo
echo "targets missed: $missed"
[ -z "$strict" ] || [ "$missed" -eq 0 ]
