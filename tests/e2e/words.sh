# What is proved, confirmed and covered is true of these programs (tests/claims/words); their first line says what is. "right":
# neither 'run' nor 'check' alone is sure of anything; "finds KIND": 'run' is, and that happens.
# SANITIZED: no, because what is tested is what is found
. "$(dirname "$0")/lib.sh"

# Findings of a report that are more than possible.
certain() {
    grep -cE '"status": "(confirmed|proved)"' "$1"
}

for file in "$SRC"/tests/claims/words/*.c "$SRC"/tests/claims/words/*.cpp; do
    [ -e "$file" ] || continue
    name=$(basename "$file") truth=$(sed -n '1s,^//! ,,p' "$file")
    check "$name: $truth"
    case $name in
    *.cpp) run "$AUGUR" c++ -std=c++20 -w -g -O1 -pthread "$file" -o p ;;
    *) run "$AUGUR" cc -w -g -O1 -pthread "$file" -o p ;;
    esac
    expect_status 0
    rm -rf .augur
    run "$AUGUR" run --budget 8 --format json -o run.json ./p
    run "$AUGUR" record --quiet -o p.trace ./p
    run "$AUGUR" check --format json -o check.json p.trace
    expect_true "a report" [ -s run.json -a -s check.json ]
    case $truth in
    right)
        expect_true "'run' is sure of nothing" [ "$(certain run.json)" -eq 0 ]
        expect_true "'check' is sure of nothing" [ "$(certain check.json)" -eq 0 ]
        ;;
    finds*)
        expect_true "it happens" grep -q '"status": "confirmed"' run.json
        expect_true "it is a ${truth#finds }" grep -q "\"kind\": \"${truth#finds }\"" run.json
        ;;
    *) fail "the first line does not say what is right" ;;
    esac
done
