# What is proved, confirmed and covered is true of these programs (tests/claims/words); their first line says what is. "right":
# neither 'run' nor 'check' alone is sure of anything; "silent": and nothing is possible either. "finds KIND": 'run' does, that
# happens, and it happens again in 'augur replay'; "reports KIND": at least as possible; "possible KIND": it is reported, and nothing is
# sure. A program with
# "with RIGHT: ..." in its second line is two: that is what it is if RIGHT is defined.
# SANITIZED: no, because what is tested is what is found
# PARTS: 2
. "$(dirname "$0")/lib.sh"

# Findings of a report that are more than possible; all of them.
certain() {
    grep -cE '"status": "(confirmed|proved)"' "$1"
}
reported() {
    grep -cE '"status": "(confirmed|proved|possible)"' "$1"
}

judge() { # truth file option...
    local truth=$1 file=$2 name compile=cc found
    shift 2
    name=$(basename "$file")
    check "$name $*: $truth"
    [[ $name != *.cpp ]] || compile=c++
    # shellcheck disable=SC2046 # several words
    run "$AUGUR" $compile $([ $compile = cc ] || echo -std=c++20) -w -g -O1 -pthread "$@" "$file" -o p \
        $(sed -n 's,^// LINK: ,,p' "$file")
    expect_status 0
    rm -rf .augur
    run "$AUGUR" run --budget 8 --format json -o run.json ./p
    run "$AUGUR" record --quiet -o p.trace ./p
    run "$AUGUR" check --format json -o check.json p.trace
    expect_true "a report" [ -s run.json -a -s check.json ]
    case $truth in
    right | silent | possible*)
        expect_true "'run' is sure of nothing" [ "$(certain run.json)" -eq 0 ]
        expect_true "'check' is sure of nothing" [ "$(certain check.json)" -eq 0 ]
        ;;&
    silent)
        expect_true "'run' reports nothing" [ "$(reported run.json)" -eq 0 ]
        expect_true "'check' reports nothing" [ "$(reported check.json)" -eq 0 ]
        ;;
    possible*)
        expect_true "it is a ${truth#possible }" grep -q "\"kind\": \"${truth#possible }\"" run.json
        expect_true "coverage is not claimed" grep -q '"exhaustive": false' run.json
        ;;
    reports*)
        expect_true "it is a ${truth#reports }" grep -q "\"kind\": \"${truth#reports }\"" run.json
        ;;
    finds*)
        expect_true "it happens" grep -q '"status": "confirmed"' run.json
        expect_true "it is a ${truth#finds }" grep -q "\"kind\": \"${truth#finds }\"" run.json
        found=$(sed -n 's,.*"command": "augur replay --finding \([0-9a-f]*\)".*,\1,p' run.json | head -n 1)
        run "$AUGUR" replay --finding "$found"
        expect_out "^confirmed: "
        ;;
    right) ;;
    *) fail "the first line does not say what is right" ;;
    esac
}

for file in "$SRC"/tests/claims/words/*.c "$SRC"/tests/claims/words/*.cpp; do
    [ -e "$file" ] && mine || continue
    judge "$(sed -n '1s,^//! ,,p' "$file")" "$file"
    with=$(sed -n '2s,^// with RIGHT: ,,p' "$file")
    [ -z "$with" ] || judge "$with" "$file" -DRIGHT
done
