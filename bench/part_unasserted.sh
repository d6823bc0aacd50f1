# bench/part_unasserted.sh: bugs that no assertion tells of, beside ThreadSanitizer (sourced by run.sh).
# Programs: bench/unasserted. Each is built wrong and, with -DRIGHT, right; each tool gets one run of it. 'Found' is a
# report of the wrong one, 'false' one of the right one; what it costs is read off augur's report.
una_budget=10 una_programs=(bench/unasserted/*.c)
[ -z "$quick" ] || una_programs=(bench/unasserted/{deposit,next_id,visits,cas_count}.c)
una_augur=$(realpath "$AUGUR")
una_tsan=''
printf 'int main(void) { return 0; }\n' >"$dir/empty.c"
if gcc -fsanitize=thread "$dir/empty.c" -o "$dir/empty" 2>/dev/null && "$dir/empty" 2>/dev/null; then
    una_tsan=1
fi
una_lost() { # REPORT: what is lost, of a lost update or of a race by which one is
    sed -n "s/^[UR][0-9]* confirmed  lost update of '[^']*': \(.* instead of .*\)/\1/p; s/^ *an update is lost by it (confirmed): //p; s/^ *what it does: output differs: [^']*has \('.*'\)$/prints \1/p; s/^O[0-9]* confirmed  different output: [^']*has \('.*'\)  (does not count)/prints \1/p" "$1" | head -n 1
}
una_valgrind() { # TOOL: 'found' if it reports an error; '-' if there is no valgrind
    command -v valgrind >/dev/null || { echo -; return; }
    timeout 120 valgrind --tool="$1" --error-exitcode=99 "$dir/una_plain" >/dev/null 2>&1 && echo nothing && return
    echo found
}
una_all=0 una_found=0 una_costs=0 una_false=0 una_printed=0
declare -A una_others=() una_other_false=()
for una_tool in tsan helgrind drd; do una_others[$una_tool]=0 una_other_false[$una_tool]=0; done
cat <<EOM

## Bugs that nobody asserted

\`augur run --budget $una_budget\`, ThreadSanitizer (gcc), helgrind and drd, one run each, of programs without an assertion and of
their right twins (\`-DRIGHT\`), compiled with -O1. 'output': confirmed, but only as different output or a stale decision, which do not count for the exit
status.

| program | TSan | helgrind | drd | augur run | it costs | TSan, right | helgrind, right | drd, right | augur, right |
|---|---|---|---|---|---|---|---|---|---|
EOM
for una_source in "${una_programs[@]}"; do
    una_name=$(basename "$una_source" .c)
    una_cells=()
    for una_right in '' -DRIGHT; do
        una_word='-'
        if [ -n "$una_tsan" ]; then
            gcc -g -O1 -w -fsanitize=thread -pthread $una_right "$una_source" -o "$dir/una"
            una_word=nothing
            timeout 60 "$dir/una" >/dev/null 2>"$dir/una.err" || true
            grep -q 'WARNING: ThreadSanitizer' "$dir/una.err" && una_word=found
        fi
        una_cells+=("$una_word")
        gcc -g -O1 -w -pthread $una_right "$una_source" -o "$dir/una_plain"
        una_cells+=("$(una_valgrind helgrind)" "$(una_valgrind drd)")
        "$una_augur" cc -g -O1 -pthread $una_right "$una_source" -o "$dir/una"
        una_status=0
        (cd "$dir" && "$una_augur" run --budget "$una_budget" ./una >una.txt 2>/dev/null) || una_status=$?
        una_word=nothing
        ! grep -qE '^(O[0-9]* confirmed|U[0-9]* confirmed  stale decision)' "$dir/una.txt" || una_word=output
        [ "$una_status" -ne 1 ] || una_word=$(sed -n 's/^[A-Z][0-9]* \(confirmed\|proved\|possible\)  .*/\1/p' "$dir/una.txt" | head -n 1)
        una_cells+=("$una_word")
        [ -n "$una_right" ] || una_cost=$(una_lost "$dir/una.txt")
    done
    una_all=$((una_all + 1))
    una_at=0
    for una_tool in tsan helgrind drd; do
        [ "${una_cells[$una_at]}" != found ] || una_others[$una_tool]=$((una_others[$una_tool] + 1))
        [ "${una_cells[$((una_at + 4))]}" != found ] || una_other_false[$una_tool]=$((una_other_false[$una_tool] + 1))
        una_at=$((una_at + 1))
    done
    case ${una_cells[3]} in
    confirmed) una_found=$((una_found + 1)) ;;
    output) una_printed=$((una_printed + 1)) ;;
    esac
    [ -z "$una_cost" ] || una_costs=$((una_costs + 1))
    case ${una_cells[7]} in
    nothing | output) ;;
    *) una_false=$((una_false + 1)) ;;
    esac
    echo "| $una_name | ${una_cells[0]} | ${una_cells[1]} | ${una_cells[2]} | ${una_cells[3]} | $una_cost | ${una_cells[4]} | ${una_cells[5]} | ${una_cells[6]} | ${una_cells[7]} |"
done
cat <<EOM

| what | TSan | helgrind | drd | augur run |
|---|---|---|---|---|
| found, of $una_all | ${una_others[tsan]} | ${una_others[helgrind]} | ${una_others[drd]} | $una_found |
| … only as different output or a stale decision | 0 | 0 | 0 | $una_printed |
| … with what it costs | 0 | 0 | 0 | $una_costs |
| false alarms on $una_all right twins | ${una_other_false[tsan]} | ${una_other_false[helgrind]} | ${una_other_false[drd]} | $una_false |
EOM
headed
row "of $una_all bugs that nobody asserted, confirmed by augur from one run" ">=" "$una_all" "" "$una_found" '' ''
row "… with what they cost" ">=" "$una_all" "" "$una_costs" '' ''
row "false alarms of augur on their $una_all right twins" "<=" 0 "" "$una_false" '' ''
