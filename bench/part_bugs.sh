# bench/part_bugs.sh: bugs found from one run, beside other tools (sourced by run.sh).
# Programs: bench/bugs/list.txt. Every tool gets each program once, under the operating system's scheduler, with
# its own defaults; augur records one run and has so many seconds ($bugs_budget) for what follows from it. 'Found' is
# the same for all (bench/bugs/README.md): a report of the right kind at a line of the bug, or
# a run that fails. On programs that are right every report is a false alarm. How often a plain run shows the bug is
# counted once for each source and compiler, and kept in build/bench/bugs-plain.
bugs_top=$PWD bugs_augur=$(realpath "$AUGUR") bugs_budget=20 bugs_pattern=. plain_runs=50
# shellcheck source=/dev/null
. bench/bugs/lib.sh
if [ "$rounds" -lt 5 ]; then
    bugs_budget=5 plain_runs=0
    bugs_pattern='^[^ ]*/(publish|check_then_act|transfer|lost_wakeup|oversold|session_free|hidden_stats|ok_gate_three|ok_flag)\.c [^ ]* [^ ]* $'
fi
bugs_tools=(native) bugs_missing=()
has() { # TOOL PACKAGE COMMAND...: compiles or runs something
    local tool=$1 package=$2
    shift 2
    if "$@" >/dev/null 2>&1; then
        bugs_tools+=("$tool")
    else
        bugs_missing+=("$tool (Debian's package '$package')")
    fi
}
printf 'int main(void) { return 0; }\n' >"$dir/empty.c"
has tsan libtsan2 gcc -fsanitize=thread "$dir/empty.c" -o "$dir/empty"
has clang libclang-rt-19-dev clang-19 -fsanitize=thread "$dir/empty.c" -o "$dir/empty"
has helgrind valgrind valgrind --tool=helgrind true
has drd valgrind valgrind --tool=drd true
bugs_tools+=(augur check)
declare -A bugs_title=([native]='plain run' [tsan]='TSan (gcc)' [clang]='TSan (clang)' [helgrind]=helgrind [drd]=drd
    [augur]='augur run' [check]='augur check')
# plain_shows DIRECTORY: sets bug_shown; from the store of earlier counts if the source and the compiler are the same
plain_shows() {
    local key kept
    key=$({ gcc --version | head -n 1; echo "$bug_option $plain_runs"; cat bench/bugs/apart.h "$bug_source"; } | sha256sum | cut -c1-16)
    kept=build/bench/bugs-plain/$bug_name-$key
    if [ -s "$kept" ]; then
        bug_shown=$(cat "$kept")
        return
    fi
    bugs_failing "$plain_runs" "$1"
    mkdir -p build/bench/bugs-plain
    echo "$bug_shown" >"$kept"
}
bugs_results=$dir/bugs-results
: >"$bugs_results"
bugs_columns=''
for tool in "${bugs_tools[@]}"; do
    bugs_columns+=" | ${bugs_title[$tool]}"
done
cat <<EOF

## Bugs found from one run

Each tool ran each program once; whoever starts a thread pauses for 20 ms (\`bench/bugs/apart.h\`). *found*: a report of the right kind at a line of the bug; *failed*: the run itself
did; *confirmed*: augur found it and executed the program on the schedule that shows it, *proved*: its checker
executed the schedule on the recorded run. *other*: only reports of something else. *false*: a report
about a program that is right. *crash*: the tool could not run it. 'augur run' has $bugs_budget s for what follows from its one recorded run, 'augur check' looks at
that recording alone and executes nothing.$([ "$plain_runs" -eq 0 ] ||
    echo " 'Shows' is how many of $plain_runs plain runs failed or did not end.")

| program | kind | shows$bugs_columns |
|---|---|---|$(printf '%s' "${bugs_tools[@]/*/---|}")
EOF
while read -r -a bugs_words; do
    bugs_entry "${bugs_words[@]}"
    bugs_one=$dir/bugs-one
    rm -rf "$bugs_one"
    mkdir -p "$bugs_one"
    bug_shown=''
    bugs_row=''
    for tool in "${bugs_tools[@]}"; do
        bugs_from=$EPOCHREALTIME
        bugs_once "$tool" "$bugs_one" "$bugs_budget"
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "${bugs_words[0]}" "$bug_name" "$bug_kind" "$tool" "${bug_verdict:-broken}" \
            "$(awk -v a="$bugs_from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')" >>"$bugs_results"
        bugs_row+=" | ${bug_verdict:-broken}"
    done
    if [ "$bug_kind" != right ] && [ "$plain_runs" -gt 0 ]; then
        plain_shows "$bugs_one"
        printf '%s\t%s\t%s\tplain\t%s\t0\n' "${bugs_words[0]}" "$bug_name" "$bug_kind" "$bug_shown" >>"$bugs_results"
    fi
    echo "| $bug_name | $bug_kind | $bug_shown$bugs_row |"
done < <(bugs_list "$bugs_pattern")

# bugs_count TOOL KIND-PATTERN VERDICT-PATTERN [PATH-PATTERN]: how many
bugs_count() {
    awk -F '\t' -v t="$1" -v k="^($2)\$" -v v="^($3)\$" -v p="${4:-.}" '
        $4 == t && $3 ~ k && $5 ~ v && $1 ~ p { n++ } END { print n + 0 }' "$bugs_results"
}
buggy='assertion|deadlock|atomicity|order|heap|pointer|race'
hit='found|failed|confirmed|proved|possible'
cat <<EOF

| found, of | programs$bugs_columns |
|---|---|$(printf '%s' "${bugs_tools[@]/*/---|}")
EOF
# bugs_total NAME KIND-PATTERN VERDICT-PATTERN: a row
bugs_total() {
    local tool line=''
    for tool in "${bugs_tools[@]}"; do
        line+=" | $(bugs_count "$tool" "$2" "$3")"
    done
    echo "| $1 | $(bugs_count native "$2" '.*')$line |"
}
for kind in assertion deadlock atomicity order heap pointer race; do
    bugs_total "$kind" "$kind" "$hit"
done
bugs_total '**all bugs**' "$buggy" "$hit"
bugs_total '… of these shown by an execution that fails' "$buggy" 'failed|confirmed'
bugs_total '**false alarms**, of right programs' right 'false|broken'
bugs_row=''
for tool in "${bugs_tools[@]}"; do
    bugs_row+=" | $(awk -F '\t' -v t="$tool" '$4 == t { s += $6; n++ } END { printf "%.1f", n ? s / n : 0 }' "$bugs_results")"
done
echo "| seconds a program, compiling included | $bugs_row |"

bugs_all=$(bugs_count native "$buggy" '.*')
fifteen=$(bugs_count native assertion '.*')
gates=$(bugs_count native right '.*' /ok_gate)
others=0
for tool in "${bugs_tools[@]}"; do
    case $tool in augur | check) continue ;; esac
    n=$(bugs_count "$tool" assertion failed)
    [ "$n" -le "$others" ] || others=$n
done
cat <<EOF

| what | target | measured | by CPU time | | |
|---|---|---|---|---|---|
EOF
row "of $fifteen assertions, confirmed by augur from one run" ">=" "$fifteen" "" "$(bugs_count augur assertion confirmed)" '' \
    "$others at most fail under another tool"
row "false alarms of augur on $gates gate-locked programs" "<=" 0 "" \
    "$(($(bugs_count augur right 'false|broken' /ok_gate) + $(bugs_count check right 'false|broken' /ok_gate)))" '' ''
row "of $bugs_all bugs, found by augur from one run" ">=" "$bugs_all" "" "$(bugs_count augur "$buggy" "$hit")" '' ''
row "of $bugs_all bugs, confirmed by execution" ">=" "$bugs_all" "" "$(bugs_count augur "$buggy" confirmed)" '' ''
row "false alarms of augur on $(bugs_count native right '.*') right programs" "<=" 0 "" \
    "$(($(bugs_count augur right 'false|broken') + $(bugs_count check right 'false|broken')))" '' ''
if [ "$plain_runs" -gt 0 ]; then
    row "programs whose bug shows in 1 or more of $plain_runs plain runs" "<=" 0 "" \
        "$(bugs_count plain "$buggy" '[1-9][0-9]*')" '' ''
fi
for tool in "${bugs_missing[@]}"; do
    echo
    echo "skipped: $tool is not there"
done
