# bench/bugs/lib.sh: one program of list.txt, one tool, one run (sourced by bench/part_bugs.sh and
# tests/e2e/bugs.sh). Wants $bugs_top, the top of the source tree, and $bugs_augur, the program, both absolute.

# bugs_list [PATTERN]: the entries, as 'program kind lines option'; only those that match the extended pattern
bugs_list() {
    grep -v '^ *\(#\|$\)' "$bugs_top/bench/bugs/list.txt" | awk '{ print $1, $2, $3 == "" ? "-" : $3, $4 }' |
        grep -E -e "${1:-.}"
}
# bugs_entry PROGRAM KIND LINES OPTION: sets bug_source, bug_kind, bug_lines, bug_option, bug_name
bugs_entry() {
    bug_source=$bugs_top/$1 bug_kind=$2 bug_lines=$3 bug_option=${4:-}
    bug_name=$(basename "$1" .c)
    [ -z "$bug_option" ] || bug_name="$bug_name right"
    [ "$bug_lines" != - ] ||
        bug_lines=$(awk '/\/\/ bug$/ { s = s (s == "" ? "" : ",") NR } END { print s }' "$bug_source")
}
# bugs_build TOOL OUTPUT: the entry's program, as this tool needs it
bugs_build() {
    local options=(-g -O1 -pthread -include "$bugs_top/bench/bugs/apart.h")
    [ -z "$bug_option" ] || options+=("$bug_option")
    case $1 in
    native | helgrind | drd) gcc "${options[@]}" "$bug_source" -o "$2" ;;
    tsan) gcc "${options[@]}" -fsanitize=thread "$bug_source" -o "$2" ;;
    clang) clang-19 "${options[@]}" -fsanitize=thread "$bug_source" -o "$2" ;;
    augur*) "$bugs_augur" cc "${options[@]}" "$bug_source" -o "$2" ;;
    esac
}
# bugs_ends SECONDS OUTPUT COMMAND...: sets bug_status, a number or 'hang'
bugs_ends() {
    local seconds=$1 output=$2
    shift 2
    bug_status=0
    # In a shell of its own, whose word about a program that was killed is nobody's business ('exit': else it
    # becomes the program, and the word comes from the shell outside).
    (timeout -s KILL "$seconds" "$@" </dev/null >"$output" 2>&1 || exit $?) 2>/dev/null || bug_status=$?
    [ "$bug_status" -ne 137 ] || bug_status=hang
}
# bugs_judge TOOL OUTPUT: sets bug_verdict
bugs_judge() {
    bug_verdict=$(python3 "$bugs_top/bench/bugs/judge.py" "$1" "$bug_kind" "$bug_lines" "$bug_source" "$bug_status" "$2")
}
# bugs_once TOOL DIRECTORY [BUDGET]: builds, runs once, judges: sets bug_verdict. The directory is the entry's own.
# 'check' looks at the very run that 'augur' recorded before it, and executes nothing.
bugs_once() {
    local tool=$1 dir=$2 budget=${3:-20} program=$2/$1
    bug_verdict=''
    case $tool in
    native)
        bugs_build native "$program" && bugs_ends 10 "$dir/out" "$program"
        bugs_judge native "$dir/out"
        ;;
    tsan | clang)
        bugs_build "$tool" "$program" && bugs_ends 20 "$dir/out" "$program"
        bugs_judge "$tool" "$dir/out"
        ;;
    helgrind | drd)
        program=$dir/native
        [ -x "$program" ] || bugs_build native "$program"
        bugs_ends 60 "$dir/out" valgrind --tool="$tool" --free-is-write=yes "$program"
        bugs_judge "$tool" "$dir/out"
        ;;
    augur)
        bugs_build augur "$program" || return
        rm -rf "$dir/store"
        bug_status=0
        (cd "$dir" && "$bugs_augur" run --quiet --store store --budget "$budget" --format json -o run.json \
            ./augur) >"$dir/out" 2>&1 </dev/null || bug_status=$?
        bugs_said augur "$dir" run.json
        ;;
    check)
        bug_status=0
        (cd "$dir" && "$bugs_augur" check --quiet --format json -o check.json store/runs/1/1.trace) \
            >"$dir/out" 2>&1 </dev/null || bug_status=$?
        bugs_said augur-check "$dir" check.json
        ;;
    esac
}
# bugs_said TOOL DIRECTORY FILE: the verdict on augur's JSON
bugs_said() {
    if [ "$bug_status" -gt 1 ] || [ ! -s "$2/$3" ]; then
        echo "bugs: augur failed on '$bug_source' (status $bug_status): $(tail -n 3 "$2/out")" >&2
        bug_verdict=broken
        return
    fi
    bugs_judge "$1" "$2/$3"
}
# bugs_failing RUNS DIRECTORY: sets bug_shown, in how many plain runs the program fails or does not end
bugs_failing() {
    local i
    bug_shown=0
    [ -x "$2/native" ] || bugs_build native "$2/native"
    for ((i = 0; i < $1; i++)); do
        bugs_ends 5 /dev/null "$2/native"
        [ "$bug_status" = 0 ] || bug_shown=$((bug_shown + 1))
    done
}
