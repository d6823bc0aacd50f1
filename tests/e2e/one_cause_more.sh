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

    check "what is kept in containers and shared pointers has the names of the source"
    cp "$SRC/tests/story/nodes.cpp" "$SRC/tests/story/cancel.c" .
    run "$AUGUR" c++ -g -O1 -pthread nodes.cpp -o nodes
    run "$AUGUR" run --no-explore --budget 20 ./nodes
    expect_status 1
    for name in 'std::map node\(.*\)#1\.second\.hits' 'std::unordered_map node\(.*\)#1\.second\.hits' 'std::list node\(.*\)#1\.hits' \
        'std::shared_ptr<Config>\(.*\)#1\.stats\.reads'; do
        expect_out "^R[1-4] confirmed  race on '$name'"
    done

    check "a test and what follows from it, without the lock, are one cause; two writes are two"
    run "$AUGUR" cc -g -O1 -pthread cancel.c -o cancel
    run "$AUGUR" run --no-explore --budget 20 ./cancel
    expect_status 1
    expect_true "one of 'job.state'" test "$(grep -c "^R[0-9]* confirmed  race on 'job.state'" "$TMP/.lib/out")" -eq 1
    expect_true "two of 'job.mode'" test "$(grep -c "^R[0-9]* confirmed  race on 'job.mode'" "$TMP/.lib/out")" -eq 2

    check "races of the C++ library itself are known, with the reason; the user's are not"
    cat >regex.cpp <<'C'
#include <regex>
#include <thread>
static int found;
static void work() { found += std::regex_search("key=42", std::regex("[a-z]=")); }
int main() { std::thread a(work), b(work); a.join(); b.join(); return 0; }
C
    run "$AUGUR" c++ -g -O1 -pthread regex.cpp -o regex
    run "$AUGUR" run --no-explore --budget 30 ./regex
    expect_status 1
    expect_out "^R[12] confirmed  race on 'found'$"
    expect_out "\[known: suppressed by 'libstdcxx.supp:[0-9]*': std::ctype keeps what it has converted"
    expect_out "^2 findings: 2 confirmed; 1 known"
fi
