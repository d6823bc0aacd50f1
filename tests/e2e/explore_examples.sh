# examples/explore: bugs behind branches that the first run does not take. A check of that run finds
# nothing; exploration gets there within a few runs, the recording of the failing run repeats
# it, and of the same program without the mistake nothing is said.
. "$(dirname "$0")/../e2e/lib.sh"

# build_example NAME OUTPUT [OPTION...]
build_example() {
    local name=$1 output=$2
    shift 2
    augur_cc -g -O1 -pthread "$@" "$SRC/examples/explore/$name.c" -o "$output" || fail "does not compile"
}
# The sanitizers make it ten times slower: a few programs of different kinds are enough there.
some=' busy_count connection push shutdown '
programs=0
for source in "$SRC"/examples/explore/*.c; do
    name=$(basename "$source" .c)
    programs=$((programs + 1))
    [ -z "$SANITIZED" ] || [[ $some = *" $name "* ]] || continue

    check "$name: a check of one run finds nothing"
    build_example "$name" "$name"
    "$AUGUR" record --quiet -o "$name.trace" "./$name" || fail "the recorded run is to be a good one"
    run "$AUGUR" check --quiet "$name.trace"
    expect_status 0
    expect_out "^0 findings"

    check "$name: exploration finds it, and the recording repeats it"
    run "$AUGUR" explore --quiet --first --no-check --budget 1200 --format json -o "$name.json" "./$name"
    expect_status 1
    expect_true "something is confirmed" grep -q '"status": "confirmed"' "$name.json"
    runs=$(sed -n 's/.*"runs": \([0-9]*\).*/\1/p' "$name.json" | head -n 1)
    expect_true "within 40 runs, not $runs" test "${runs:-1000}" -le 40
    found=$(ls "$name.explored"/*.trace 2>/dev/null | tail -n 1)
    run "$AUGUR" replay --quiet "${found:-no recording}"
    expect_status 0

    check "$name: nothing is found when it is right"
    build_example "$name" "$name.right" -DRIGHT
    case $name in
    lazy | load) budget=2 ;; # a loop without a last round; 24 orders of floating point
    *) budget=1200 ;;
    esac
    run "$AUGUR" explore --quiet --no-check --budget $budget "./$name.right"
    expect_out "^0 findings"
    [ $budget = 2 ] || expect_out "Every interleaving of this input was covered"
    rm -rf "$name" "$name.right" "$name.explored"
done

check "there are eighteen of them"
expect_true "$programs programs" [ "$programs" -eq 18 ]
