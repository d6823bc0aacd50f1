#!/bin/bash
# PARTS: 6
# SANITIZED: no, because the programs take its time; one_cause.sh takes the same way
# Six programs of 300 lines with 14 bugs of all kinds: each bug is one finding, of its kind, with its name, and its story has the
# lines that matter; the right twins have none.
. "$(dirname "$0")/../e2e/lib.sh"

# built NAME FLAGS...: the program beside its source
built() {
    local name=$1
    shift
    case $name in
    *.c) run "$AUGUR" cc -g -O1 -pthread "$@" "$SRC/tests/story/six/$name" -o "${name%.*}" ;;
    *) run "$AUGUR" c++ -std=c++17 -g -O1 -pthread "$@" "$SRC/tests/story/six/$name" -o "${name%.*}" ;;
    esac
    expect_status 0
}

n=0
for name in pool.c cache.cpp sinks.cpp ledger.c table.cpp pipeline.c; do
    n=$((n + 1))
    [ "$PARTS" -eq 1 ] || [ "$n" -eq "$PART" ] || continue
    read -ra options <<<"$(sed -n 's/^[ /*]*RUN //p' "$SRC/tests/story/six/$name")"
    check "$name: each bug is a finding, of its kind, with its name and the lines that matter"
    built "$name"
    rm -rf .augur
    run "$AUGUR" run --budget 0 "${options[@]}" --format json -o report.json "./${name%.*}"
    expect_status 1
    run python3 "$SRC/tests/story/six.py" "$SRC/tests/story/six/$name" report.json
    expect_status 0
    expect_true "what is wrong: $(cat "$TMP/.lib/out")" test ! -s "$TMP/.lib/out"

    check "$name: a finding has at most 25 lines of text"
    run "$AUGUR" report
    longest=$(awk '/^[A-Z][0-9]+ (confirmed|proved|possible)/ { n = 0; on = 1 } /^$/ { on = 0 } on { n++; if (n > most) most = n } END { print most + 0 }' "$TMP/.lib/out")
    expect_true "$longest lines" test "$longest" -le 25

    check "$name: the text is as wide as the terminal"
    run env COLUMNS=90 "$AUGUR" report
    widest=$(sed -n '/^[A-Z][0-9]* confirmed/,/^$/p' "$TMP/.lib/out" | grep -v '^    \$' | awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }')
    expect_true "$widest columns" test "$widest" -le 90
    expect_true "not empty" test "$widest" -ge 60

    check "$name: the right twin has none"
    built "$name" -DRIGHT
    rm -rf .augur
    run "$AUGUR" run --budget 0 "${options[@]}" "./${name%.*}"
    counts=$(grep -E '^[A-Z][0-9]+ (confirmed|proved|possible)' "$TMP/.lib/out" | grep -cv 'different output: .*(does not count)$')
    expect_true "$counts findings that count" test "$counts" -eq 0
done
