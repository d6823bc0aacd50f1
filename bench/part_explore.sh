# bench/part_explore.sh: runs and seconds to the first bug (sourced by run.sh).
# Programs: examples/explore, whose bug lies behind branches that a plain run does not take, and
# examples/assertions, where it does not. 'augur explore --first' stops at the first run that fails.
# Chance: the same program with the same hooks on the schedules random and pct (depth 3, change
# points among twice the events of the first run), each run with another seed, until one
# fails; the median of such series. A series is cut off after some hundred runs and counts as
# that many then, so that the ratios are lower bounds. Its runs write no recording, which
# favours chance's seconds.
explore_dir=$dir/explore
mkdir -p "$explore_dir"
QUIET=1 tools/build.sh release bench/chance >/dev/null
explore_augur=$(realpath "$AUGUR")
series=10 most=400 explore_budget=60 fewer=10
explore_sources=(examples/explore/*.c examples/assertions/*.c)
if [ -n "$quick" ]; then
    series=2 most=30 explore_budget=5 fewer=- # cut off too early to be judged
    explore_sources=(examples/explore/{lazy,reserve,steal,too_many}.c examples/assertions/publish.c)
fi
explore_stats() { # JSON NAME...: numbers in a line
    python3 -c 'import json,sys; s=json.load(open(sys.argv[1]))["stats"]; print(*[s[k] for k in sys.argv[2:]])' "$@"
}
cat <<EOF

## Exploration: runs to the first bug

\`augur explore --first --no-check\` against the same program on random schedules and on those of pct (depth 3): runs until one fails, the
median of $series series. In brackets: how many of the series were cut off after $most runs (once more than half are, the rest
is left out).

| program | explore, runs | s | ms a run | ms a question | random, runs | s | pct, runs | s | random / explore | pct / explore |
|---|---|---|---|---|---|---|---|---|---|---|
EOF
: >"$explore_dir/rows"
not_found=0
for source in "${explore_sources[@]}"; do
    name=$(basename "$source" .c)
    "$AUGUR" cc -g -O1 -pthread "$source" -o "$explore_dir/$name"
    "$AUGUR" record --quiet -o "$explore_dir/$name.trace" "$explore_dir/$name" >/dev/null 2>&1
    hooks=$("$AUGUR" show --quiet --summary "$explore_dir/$name.trace" | awk '/^events/ { print $2; exit }')
    random=$(build/bench/chance "$explore_dir/$name.trace" random $series $most)
    pct=$(build/bench/chance "$explore_dir/$name.trace" pct $series $most $((2 * hooks)))
    found=yes
    (cd "$explore_dir" && "$explore_augur" explore --quiet --first --no-check --budget $explore_budget \
        --format json -o "$name.json" "./$name" >/dev/null 2>&1) && found=no || [ $? -eq 1 ] || found=no
    [ $found = yes ] || not_found=$((not_found + 1))
    [ -s "$explore_dir/$name.json" ] || {
        echo "bench: '$name' could not be explored" >&2
        exit 1
    }
    read -r runs s run_ms ask_ms <<<"$(explore_stats "$explore_dir/$name.json" runs seconds run_median_ms question_median_ms)"
    awk -v name="$name" -v found=$found -v runs="$runs" -v s="$s" -v run="$run_ms" -v ask="$ask_ms" \
        -v r="$random" -v p="$pct" -v rows="$explore_dir/rows" 'BEGIN {
        split(r, R); split(p, P)
        printf "| %s | %s%d | %.2f | %.1f | %.1f | %s (%s) | %.2f | %s (%s) | %.2f | %.1f | %.1f |\n", name,
            found == "yes" ? "" : "not found in ", runs, s, run, ask, R[1], R[2], R[3], P[1], P[2], P[3],
            R[1] / runs, P[1] / runs
        print R[1] / runs, P[1] / runs, run, ask, found >>rows
    }'
done
explore_mean() { # COLUMN: the geometric mean, of programs whose bug was found
    awk -v c="$1" '$5 == "yes" { s += log($c); n++ } END { printf "%.1f", n ? exp(s / n) : 0 }' "$explore_dir/rows"
}
explore_median() { # COLUMN
    awk -v c="$1" '{ print $c }' "$explore_dir/rows" | sort -n |
        awk '{ a[NR] = $1 } END { printf "%.1f", NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'
}
echo '<!-- plot: bars columns="explore, runs|random, runs|pct, runs" log title="Runs to the first failing one, logarithmic" -->'
headed
row "bugs of ${#explore_sources[@]} programs that exploration did not find" "<=" 0 "" "$not_found" '' ''
row "runs that random schedules need against exploration, geometric mean" ">=" $fewer "×" "$(explore_mean 1)" '' ''
row "runs that pct needs against exploration, geometric mean" ">=" $fewer "×" "$(explore_mean 2)" '' ''
row "replay and recording of a small program, median" "<=" 30 ms "$(explore_median 3)" '' ''
row "predicting the next schedule, median, against a run" "<=" "$(explore_median 3)" ms "$(explore_median 4)" '' ''

# Programs that wait by looking, of the shapes that model checkers are compared on (bench/shapes.sh). 'most' is what GenMC
# 0.11 explores of its own test of that shape (tests/correct, sequential consistency); - where it has none of that size.
shapes=('lock 2 4' 'lock 3 -' 'ticket 2 2' 'ticket 3 -' 'barrier_lock 2 4' 'barrier_lock 3 -' 'barrier_beside 2 6'
    'barrier_beside 3 -' 'rwlock 1 14' 'rwlock 2 -' 'chain 6 -' 'writers 4 720' 'writers 12 -')
[ -z "$quick" ] || shapes=('lock 2 4' 'ticket 2 2' 'rwlock 1 14' 'chain 3 -' 'writers 4 720')
cat <<EOF

## Exploration: programs that wait by looking

\`augur explore --no-check\` on programs of \`bench/shapes.sh\`, right ones: is every interleaving covered, with how many runs that
brought something new, and in which time. *most*: executions that GenMC needs for its own test of that shape.

| shape | N | ways | runs | most | s | covered |
|---|---|---|---|---|---|---|
EOF
uncovered=0 more_than=0
for shape in "${shapes[@]}"; do
    read -r name n most_runs <<<"$shape"
    bench/shapes.sh "$name" "$n" >"$explore_dir/$name.$n.c"
    "$AUGUR" cc -g -O1 -pthread "$explore_dir/$name.$n.c" -o "$explore_dir/$name.$n"
    (cd "$explore_dir" && "$explore_augur" explore --quiet --no-check --budget $explore_budget --format json \
        -o "$name.$n.json" "./$name.$n" >/dev/null 2>&1) || [ $? -eq 3 ]
    read -r ways runs s covered <<<"$(explore_stats "$explore_dir/$name.$n.json" behaviours runs seconds every_interleaving)"
    [ "$covered" = 1 ] || uncovered=$((uncovered + 1))
    [ "$most_runs" = - ] || [ "$ways" -le "$most_runs" ] || more_than=$((more_than + 1))
    printf '| %s | %d | %d | %d | %s | %.2f | %s |\n' "$name" "$n" "$ways" "$runs" "$most_runs" "$s" \
        "$([ "$covered" = 1 ] && echo yes || echo no)"
done
headed
row "shapes of ${#shapes[@]} that were not covered" "<=" 0 "" "$uncovered" '' ''
row "shapes that took more ways than GenMC executions" "<=" 0 "" "$more_than" '' ''
