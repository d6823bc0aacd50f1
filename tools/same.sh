#!/usr/bin/env bash
# tools/same.sh: whether a change that must not change anything did.
#
#     tools/same.sh make AUGUR DIRECTORY [OLD]   runs AUGUR (in its build directory) over the corpus; every
#                                                output is a file below DIRECTORY. OLD: a directory made
#                                                before, whose stored inputs are taken instead of this tree's
#     tools/same.sh compare A B [GROUP...]       which outputs differ, and how; status 1 if any do
#
# Below DIRECTORY:
#     inputs/    the corpus itself: sources, models, traces
#     out/GROUP/INPUT/STEP   a command, its exit status, what it printed. Groups:
#                program, scan, model, trace, api, wrong; help: texts that are meant to change now and then;
#                bytes: recordings and objects by their hashes. A change of rt/ moves addresses and so changes
#                'bytes' (and values that are pointers): SAME_RT=libaugur_rt.a takes another build's runtime
#     left-out   what was not run, and why
# Everything happens below $SAME_PLACE (/tmp/augur-same), so that paths agree; only one 'make' at a time runs there.
# Times, memory and dates are made equal (tools/same/normal.sed), nothing else is. Compare what one machine made.
# SAME_ONLY=REGEX: only jobs 'GROUP INPUT' that match, as in SAME_ONLY='^model'. SAME_JOBS=N: so many at once.
# SAME_TRACES=DIRECTORY: more traces (*.std) for the corpus. SAME_LINES=N: lines of a difference that are shown.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
place=${SAME_PLACE:-/tmp/augur-same}

usage() {
    sed -n '4,7s/^# \{0,5\}//p' "$here/tools/same.sh" >&2
    exit 2
}

# What the corpus consists of, from the tree at $1 to $2.
store_inputs() {
    mkdir -p "$2"
    (cd "$1" && find examples tests/programs tests/retrace tests/explore tests/family tests/scan tests/models \
        tests/traces tests/golden bench/bugs fuzz/corpus -type f -print0 2>/dev/null || true) |
        (cd "$1" && tar --null -T - -cf -) | tar -xf - -C "$2"
}

make_outputs() {
    local augur out old=${3:-}
    augur=$(realpath -- "$1")
    mkdir -p "$2"
    out=$(realpath -- "$2")
    [ -z "$(ls -A "$out")" ] || { echo "same: '$2' is not empty" >&2 && exit 2; }
    exec 9>"$place.lock"
    flock 9

    rm -rf "$place"
    mkdir -p "$place/tool/build" "$out/out"
    # The parts that augur finds beside itself. The runtime without its debug information, which names the tree
    # it was built in and would be part of every program.
    find "$(dirname "$augur")" -maxdepth 1 \( -type f -o -type l \) -name '*augur*' -exec cp -a -t "$place/tool/build" {} +
    cp "${SAME_RT:-$place/tool/build/libaugur_rt.a}" "$place/rt.a"
    objcopy --strip-debug -D "$place/rt.a" "$place/tool/build/libaugur_rt.a"
    cp -a "$(dirname "$augur")/../include" "$place/tool/include"
    if [ -n "$old" ]; then
        cp -a "$old/inputs" "$out/inputs"
    else
        store_inputs "$here" "$out/inputs"
        if [ -n "${SAME_TRACES:-}" ]; then
            mkdir -p "$out/inputs/tests/traces"
            cp "$SAME_TRACES"/*.std "$out/inputs/tests/traces"
        fi
    fi
    cp -a "$out/inputs" "$place/src"
    cp "$here/tools/same/left_out.txt" "$out/left-out"

    cp -a "$here/tools/same" "$place/tools" # a shell reads its script as it goes: nobody may edit it meanwhile
    export SAME_PLACE=$place SAME_OUT=$out/out SAME_TOOLS=$place/tools
    (cd "$place/src" && LC_ALL=C.UTF-8 bash "$SAME_TOOLS/list.sh") | { grep -E -e "${SAME_ONLY:-.}" || true; } >"$place/jobs"
    (ulimit -c 0 -s 8192 && xargs -a "$place/jobs" -P "${SAME_JOBS:-$(nproc)}" -d '\n' -n 1 \
        bash "$SAME_TOOLS/job.sh") 9>&-
    echo "$(find "$out/out" -type f | wc -l) outputs of $(wc -l <"$place/jobs") inputs in $SECONDS s"
}

compare_outputs() {
    local a=$1/out b=$2/out
    shift 2
    [ -d "$a" ] && [ -d "$b" ] || { echo "same: no outputs in '$a' or '$b'" >&2 && exit 2; }
    [ $# -gt 0 ] || set -- $( (ls "$a" && ls "$b") | sort -u)
    local group file differ=0 total=0
    for group in "$@"; do
        while IFS= read -r file; do
            total=$((total + 1))
            if [ ! -e "$a/$file" ]; then
                echo "only in the second: $file"
            elif [ ! -e "$b/$file" ]; then
                echo "only in the first: $file"
            elif ! cmp -s "$a/$file" "$b/$file"; then
                echo "differs: $file"
                { diff "$a/$file" "$b/$file" || true; } | head -n "${SAME_LINES:-6}" | cut -c 1-200 | sed 's/^/    /'
            else
                continue
            fi
            differ=$((differ + 1))
        done < <({ (cd "$a" && find "$group" -type f) && (cd "$b" && find "$group" -type f); } 2>/dev/null | sort -u)
    done
    echo "$total outputs, $differ differ"
    [ "$total" -gt 0 ] || { echo "same: nothing to compare" >&2 && exit 2; }
    [ "$differ" -eq 0 ]
}

case ${1:-}/$# in
make/3 | make/4) make_outputs "${@:2}" ;;
compare/[3-9]*) compare_outputs "${@:2}" ;;
*) usage ;;
esac
