#!/usr/bin/env bash
# bench/run.sh [--quick]: the benchmark tables, best of 5 (of 2 with --quick,
# on inputs a tenth of the size, where the targets are not judged).
# Fails if something cannot be measured, and without --quick if a target is missed.
set -euo pipefail
cd "$(dirname "$0")/.."

repeat=5 million=10 huge=100 quick=''
if [ "${1:-}" = --quick ]; then
    repeat=2 million=1 huge=10 quick=1
elif [ $# -gt 0 ]; then
    echo "usage: bench/run.sh [--quick]" >&2
    exit 2
fi
: "${AUGUR:=build/augur}"
QUIET=1 tools/build.sh release bench/load bench/measure
load=build/bench/load
measure=build/bench/measure
dir=$(mktemp -d "${TMPDIR:-/tmp}/augur-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT

missed=0
# row WHAT MEASURED UNIT RELATION TARGET
row() {
    local verdict
    if [ -n "$quick" ] || [ "$5" = - ]; then
        verdict=''
    elif awk -v a="$2" -v b="$5" -v r="$4" 'BEGIN { exit !(r == ">=" ? a >= b : a <= b) }'; then
        verdict=met
    else
        verdict=MISSED
        missed=$((missed + 1))
    fi
    printf '%-44s %10s %-10s %3s %-5s %s\n' "$1" "$2" "$3" "${4/-/}" "${5/#-/}" "$verdict"
}
rate() { awk -v n="$1" -v s="$2" 'BEGIN { printf "%.1f", n / s / 1e6 }'; }
mib() { awk -v k="$1" 'BEGIN { printf "%.0f", k / 1024 }'; }

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, $(date -u +%F)," \
    "$($AUGUR --version | head -n 1), best of $repeat"
echo
printf '%-44s %10s %-10s %9s\n' what measured unit target

read -r s kib <<<"$($measure $repeat "$AUGUR" gen --quiet --events ${million}M --threads 8 -o "$dir/a.trace")"
row "gen ${million}M events, binary" "$s" seconds "<=" 2
read -r s kib <<<"$($measure $repeat "$AUGUR" gen --quiet --events ${million}M --threads 8 -o "$dir/a.std")"
row "gen ${million}M events, STD text" "$s" seconds - -

read -r events s <<<"$($load $repeat "$dir/a.std")"
row "load STD text into columns" "$(rate "$events" "$s")" "M events/s" ">=" 10
read -r s kib <<<"$($measure $repeat wc -l "$dir/a.std")"
row "  for comparison: wc -l of the same file" "$(rate "$events" "$s")" "M lines/s" - -
read -r events s <<<"$($load $repeat "$dir/a.trace")"
row "load binary into columns" "$(rate "$events" "$s")" "M events/s" ">=" 60

read -r s kib <<<"$($measure $repeat "$AUGUR" show --quiet --summary "$dir/a.std")"
row "show --summary, STD text" "$(rate "$events" "$s")" "M events/s" - -
row "  its resident memory" "$(mib "$kib")" MiB - -
read -r s kib <<<"$($measure $repeat "$AUGUR" show --quiet --summary "$dir/a.trace")"
row "show --summary, binary" "$(rate "$events" "$s")" "M events/s" - -
row "  its resident memory" "$(mib "$kib")" MiB - -

"$AUGUR" gen --quiet --events ${huge}M --threads 8 -o "$dir/b.trace"
read -r s kib <<<"$($measure 1 "$AUGUR" show --quiet --summary "$dir/b.trace")"
row "show --summary, ${huge}M events, binary: memory" "$(mib "$kib")" MiB "<=" 200

echo
if [ -n "$quick" ]; then
    echo "small inputs: the targets are judged by 'make bench' only"
else
    echo "$missed targets missed"
fi
[ "$missed" -eq 0 ]
