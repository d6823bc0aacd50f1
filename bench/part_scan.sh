# bench/part_scan.sh: the static half on examples/scan; sourced by run.sh.
# Tables 1 and 2 of Kahlon et al. 2009 in one: warnings, what invariants of each domain leave, what is shown.

echo
scan_budget=55 scan_removed=75 scan_shows=100
[ -z "$quick" ] || scan_budget=5 scan_removed=- scan_shows=- # too short to be judged
cat <<EOF
## Static reduction (examples/scan)

\`augur scan --all --budget $scan_budget\`, all cores: pairs that locksets warn about, what is left after the invariants of each domain, pairs with a
schedule, pairs left open; seconds by the wall clock.

EOF
echo "| program | warnings | box | octagon | polyhedron | witnessed | undecided | invariants s | solver s | all s |"
echo "|---|---|---|---|---|---|---|---|---|---|"
scan_real=0 scan_shown=0 scan_lost=0 scan_bogus=0 scan_box=0 scan_oct=0 scan_poly=0 scan_longest=0
scan_exact=0 scan_confirmed=0
# farm.c and server.c are about what locksets know of owners: tests/e2e/scan_owners.sh judges them.
scan_files=()
for scan_file in examples/scan/*.c examples/scan/*.ctp; do
    case $scan_file in */farm.c | */server.c) ;; *) scan_files+=("$scan_file") ;; esac
done
[ -z "$quick" ] || scan_files=(examples/scan/{led,pool,serial,waitq}.c examples/scan/fig1.ctp)
for scan_file in "${scan_files[@]}"; do
    scan_name=$(basename "$scan_file")
    scan_flags=()
    case $scan_name in fig1.*) scan_flags=(--no-spurious) ;; esac
    case $scan_name in *.c) scan_flags+=(--args 300 --store "$dir/scan.store") ;; esac # rounds
    rm -f "$dir/scan.json"
    scan_begun=$EPOCHREALTIME scan_status=0 # findings are status 1; all cores
    "$AUGUR" scan --all --format json --budget $scan_budget "${scan_flags[@]}" -o "$dir/scan.json" "$scan_file" || scan_status=$?
    # 3: nothing is left, but something is not in the model
    [ "$scan_status" -le 1 ] || { [ "$scan_status" = 3 ] && [ -s "$dir/scan.json" ]; } || {
        echo "bench: '$scan_file' could not be scanned" >&2
        exit 1
    }
    s=$(awk -v a="$scan_begun" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
    # left after a stage: "stage box: 3 left after 0.2 s"
    scan_left() { sed -n "s/.*\"stage $1: \([0-9]*\) left after.*/\1/p" "$dir/scan.json"; }
    scan_took() { sed -n "s/.*\"stage $1: [0-9]* left after \([0-9.]*\) s.*/\1/p" "$dir/scan.json"; }
    # what did not run left what was left before
    lockset=$(sed -n 's/.*"lockset": \([0-9]*\).*/\1/p' "$dir/scan.json" | awk '{ n += $1 } END { print n + 0 }')
    box=$(scan_left box) oct=$(scan_left octagon) poly=$(scan_left polyhedron)
    box=${box:-0} oct=${oct:-$box} poly=${poly:-$oct}
    inv=$({ scan_took graph; scan_took box; scan_took octagon; scan_took polyhedron; } | awk '{ t += $1 } END { printf "%.2f", t }')
    sol=$(scan_took solver)
    shown=$(grep -c '"status": "\(proved\|confirmed\)"' "$dir/scan.json" || true)
    case $scan_name in *.c)
        confirmed=$(grep -c '"status": "confirmed"' "$dir/scan.json" || true)
        scan_exact=$((scan_exact + shown)) scan_confirmed=$((scan_confirmed + confirmed))
        ;;
    esac
    open=$(grep -c '"status": "possible"' "$dir/scan.json" || true)
    echo "| $scan_name | $lockset | $box | $oct | $poly | $shown | $open | $inv | ${sol:-0} | $(seconds "$s") |" |
        tee -a "$dir/scan-rows"
    scan_longest=$(awk -v a="$scan_longest" -v b="$s" 'BEGIN { print (a > b ? a : b) }')
    case $scan_name in *.c)
        read -r real ok lost bogus b o p _ <<<"$(awk -f bench/scan_marks.awk "$scan_file" "$dir/scan.json")"
        scan_real=$((scan_real + real)) scan_shown=$((scan_shown + ok)) scan_lost=$((scan_lost + lost))
        scan_bogus=$((scan_bogus + bogus)) scan_box=$((scan_box + b)) scan_oct=$((scan_oct + o))
        scan_poly=$((scan_poly + p))
        ;;
    esac
done
# shellcheck source=/dev/null
. bench/scan_papers.sh
cat <<EOF

## The static half: targets

Of the programs of examples/scan: pairs of lines that are marked real or bogus in the sources.
EOF
percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.0f", b ? 100 * a / b : 100 }'; }
echo
echo "| what | target | measured | | | |"
echo "|---|---|---|---|---|---|"
row "bogus lockset warnings removed by invariants ($scan_poly of $scan_bogus)" ">=" $scan_removed % "$(percent "$scan_poly" "$scan_bogus")" \
    "" "box $scan_box, octagon $scan_oct, polyhedron $scan_poly"
row "real races lost" "<=" 0 "" "$scan_lost" "" "of $scan_real"
row "real races with a schedule ($scan_shown of $scan_real)" ">=" $scan_shows % "$(percent "$scan_shown" "$scan_real")" "" ""
row "schedules that the compiled program followed ($scan_confirmed of $scan_exact)" ">=" $scan_shows % "$(percent "$scan_confirmed" "$scan_exact")" "" ""
row "longest program" "<=" 60 s "$(seconds "$scan_longest")" "" ""
if [ "$rounds" -ge 5 ]; then # not with --quick
    . bench/scan_real.sh
    . bench/scan_goblint.sh
fi
