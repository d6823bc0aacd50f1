#!/bin/bash
# PARTS: 4
# SANITIZED: no, because the programs take its time; one_cause.sh takes the same way
# Containers of the C++ library, shared pointers, destructors, counts of references: each bug is one finding.
. "$(dirname "$0")/../e2e/lib.sh"

# built NAME FLAGS...: the program beside its source
built() {
    local name=$1
    shift
    case $name in
    *.c) run "$AUGUR" cc -g -O1 -pthread "$@" "$SRC/tests/story/more/$name" -o "${name%.*}" ;;
    *) run "$AUGUR" c++ -std=c++17 -g -O1 -pthread "$@" "$SRC/tests/story/more/$name" -o "${name%.*}" ;;
    esac
    expect_status 0
}

n=0
for name in records.cpp bus.cpp bank.cpp lru.c; do
    n=$((n + 1))
    [ "$PARTS" -eq 1 ] || [ "$n" -eq "$PART" ] || continue
    read -ra options <<<"$(sed -n 's/^[ /*]*RUN //p' "$SRC/tests/story/more/$name")"
    check "$name: each bug is a finding, of its kind, with its name and the lines that matter"
    built "$name"
    rm -rf .augur
    run "$AUGUR" run --budget 0 "${options[@]}" --format json -o report.json "./${name%.*}"
    expect_status 1
    run python3 "$SRC/tests/story/six.py" "$SRC/tests/story/more/$name" report.json
    expect_status 0
    expect_true "what is wrong: $(cat "$TMP/.lib/out")" test ! -s "$TMP/.lib/out"

    check "$name: a finding has at most 25 lines of text"
    run env COLUMNS=100 "$AUGUR" report
    longest=$(awk '/^[A-Z][0-9]+ (confirmed|proved|possible)/ { n = 0; on = 1 } /^$/ { on = 0 } on { n++; if (n > most) most = n } END { print most + 0 }' "$TMP/.lib/out")
    expect_true "$longest lines" test "$longest" -le 25
    expect_true "some" test "$longest" -ge 8

    check "$name: the right twin has none"
    built "$name" -DRIGHT
    rm -rf .augur
    run "$AUGUR" run --budget 0 "${options[@]}" "./${name%.*}"
    expect_out "^0 findings"
done

# What is missing is said, and the rest works.
if [ "$PART" -eq "$PARTS" ]; then
    check "a source that is elsewhere is said, one beside the program is found"
    mkdir -p made elsewhere
    cp "$SRC/tests/story/kinds.c" .
    run "$AUGUR" cc -g -pthread kinds.c -o made/kinds
    cd elsewhere || exit 1
    run "$AUGUR" run --no-explore --budget 20 ../made/kinds
    expect_out "free\(job\);"
    mv ../kinds.c ../kinds.moved
    run "$AUGUR" run --no-explore --budget 20 ../made/kinds
    expect_status 1
    expect_out "the source 'kinds.c' was not found"
    cd ..

    check "a stripped program without debug information has its names and lines, all the same"
    mv kinds.moved kinds.c
    run "$AUGUR" cc -g0 -pthread kinds.c -o bare
    strip bare
    run "$AUGUR" run --no-explore --budget 20 ./bare
    expect_status 1
    expect_out "use after free: 'job' \(allocated kinds.c:40\) freed by T0 at kinds.c:50 while T1 reads it"
fi
