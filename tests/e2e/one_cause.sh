#!/bin/bash
# One cause is one finding with variants, two causes are two; its fingerprint outlives edits, runs and -O; what it was called
# before still leads to it; kinds say what went wrong.
. "$(dirname "$0")/../e2e/lib.sh"

# find NAME FLAGS...: builds tests/story/NAME.c from a copy and runs it; report in NAME.json, one line a finding in NAME.txt
how='' # further options of run
find_in() {
    local name=$1
    shift
    [ -e "$name.c" ] || cp "$SRC/tests/story/$name.c" .
    run "$AUGUR" cc -g -pthread "$@" "$name.c" -o "$name"
    expect_status 0
    rm -rf .augur
    run "$AUGUR" run --no-explore --format json $how ./"$name"
    cp "$TMP/.lib/out" "$name.json"
    python3 "$SRC/tests/story/findings.py" "$name.json" | sort >"$name.txt"
}
marks() {
    grep -E '^ {6}"fingerprint"' "$1" | sort
}

check "one cause in many objects, one order of locks broken twice: one finding each, the others its variants"
find_in instances -O0
expect_status 1
printf '%s\n' "deadlock - confirmed 44,52 1" "race - confirmed 27 11" "race - confirmed 41,60 0" >wanted.txt
expect_same wanted.txt instances.txt
marks instances.json >marks.O0

check "the text tells how many, and with --verbose each of them"
run "$AUGUR" report
expect_out "11 variants of the same cause"
expect_out "an update is lost by it \(confirmed\): "
run "$AUGUR" report --verbose
expect_out "confirmed  race on 'table\[3\]\.balance'"

check "SARIF carries the fingerprint of the cause and the earlier one"
run "$AUGUR" report --format sarif
expect_out '"augur/v1": *"[0-9a-f]{16}", *"augur/v2": *"[0-9a-f]{16}"'

check "what is known by its earlier fingerprint stays known, and the finding is found by it"
old=$(sed -n 's/^ *"earlier_fingerprint": "\(.*\)".*/\1/p' instances.json | head -1)
printf '{"findings":[' >base.json
sed -n 's/^ *"earlier_fingerprint": "\(.*\)".*/{"fingerprint":"\1"},/p' instances.json >>base.json
printf '{"fingerprint":"0000000000000000"}]}' >>base.json
run "$AUGUR" run --no-explore --baseline base.json ./instances
expect_status 0
expect_out "3 known"
run "$AUGUR" triage "$old" --as wontfix --note "as it was called"
expect_status 0
run "$AUGUR" run --no-explore ./instances
expect_status 1
expect_out "wontfix: as it was called"

check "a baseline of one of the variants hides no other"
printf '{"findings":[{"fingerprint":"%s"}]}' "$(sed -n 's/^ *"earlier_fingerprint": "\(.*\)".*/\1/p' instances.json | sed -n 2p)" >base.json
rm -rf .augur
run "$AUGUR" run --no-explore --format json --baseline base.json ./instances
expect_status 1
expect_true "a race is known and a race is not" test "$(grep -cE '^      "kind": "race"' "$TMP/.lib/out")" -eq 3

check "fingerprints are the same at -O2 and after lines were moved"
find_in instances -O2
marks instances.json >marks.O2
expect_same marks.O0 marks.O2
sed -i '1s/^/\n\n\/* moved *\/\n/' instances.c
find_in instances -O0
marks instances.json >marks.moved
expect_same marks.O0 marks.moved

check "the right program has none"
find_in instances -DRIGHT
expect_status 0

check "two causes on one field are two findings, six times, and no two share a fingerprint"
find_in pairs -O1
expect_true "twelve races" test "$(grep -c '^race - confirmed ' pairs.txt)" -eq 12
expect_true "twelve fingerprints" test "$(marks pairs.json | uniq | wc -l)" -eq 12

check "without the sources no two share a fingerprint, either"
mv pairs.c elsewhere.c
run "$AUGUR" run --no-explore --format json ./pairs
cp "$TMP/.lib/out" bare.json
expect_true "twelve fingerprints" test "$(marks bare.json | uniq | wc -l)" -eq 12

check "a broken block that only repeats a race goes below it, another one below the update that it loses"
how='--atomic critical'
find_in blocks -O1
how=''
printf '%s\n' "lost-update atomicity confirmed 12,15,23 1" "race - confirmed 8,21 3" >wanted.txt
expect_same wanted.txt blocks.txt
run "$AUGUR" run --no-explore --atomic critical --format junit ./blocks
expect_true "atomicity is not called clean" test "$(grep -c 'classname="augur.atomicity" name="nothing found"' "$TMP/.lib/out")" -eq 0

check "nobody guesses what a program means to be atomic: the update that is lost is told"
find_in blocks -O1
expect_true "no block" test "$(grep -c atomicity blocks.txt)" -eq 0
expect_true "the lost update" grep -q '^lost-update - confirmed 12,15,23 0' blocks.txt

check "a suppressed race does not hide the broken block"
echo 'race:evictions' >supp
run "$AUGUR" run --no-explore --atomic critical --suppressions supp --format json ./blocks
expect_true "the block is told, and one lost update" test "$(grep -cE '^      "kind": "(atomicity|lost-update)"' "$TMP/.lib/out")" -eq 2

check "accesses in the headers of the C++ library count for the lines of the user, one cause"
cp "$SRC/tests/story/library.cpp" .
run "$AUGUR" c++ -g -O1 -pthread library.cpp -o library
expect_status 0
run "$AUGUR" run --no-explore --format json ./library
expect_status 1
cp "$TMP/.lib/out" library.json
expect_true "the vector itself races once" test "$(grep -E '^      "var": "cache\.values"' library.json | wc -l)" -eq 1

check "use after free and lost wake-up are called that, and what they were called before"
find_in kinds -O1
printf '%s\n' "lost-wakeup deadlock confirmed 25 0" "use-after-free race confirmed 16,50 1" >wanted.txt
sed -i 's/confirmed 1[56],50 1/confirmed 16,50 1/' kinds.txt # which of the two reads is chance
expect_same wanted.txt kinds.txt
run "$AUGUR" report
expect_out "use after free: 'job' \(allocated kinds.c:40\) freed by T0 at kinds.c:50 while T1 reads it"
expect_out "lost wake-up: T2 waits for 'not_empty' at kinds.c:25; the signal at kinds.c:33 came before"

check "the report tells what to do, and the JSON the lines in the order in which they run"
expect_out "what to do: Free the memory only when no other thread can reach it any more: after joining the$"
expect_out "^        threads that use it, by the last of them"
run "$AUGUR" report --format json
expect_out '"advice": "Free the memory only when'
expect_out '"thread": "T0", "place": "kinds.c:50", "source": "free\(job\);", "does": "frees", "decisive": true'

check "the worst comes first, and of what is known there is one line at the end"
echo 'deadlock:consumer' >supp
run "$AUGUR" cc -g -pthread instances.c -o instances
run "$AUGUR" run --no-explore ./instances
expect_true "the deadlock comes before the races" test "$(grep -E '^[RDAVL][0-9]+ ' "$TMP/.lib/out" | head -1 | cut -c1)" = D
run "$AUGUR" run --no-explore --suppressions supp ./kinds
expect_true "the known one comes last" test "$(grep -E '^[RDAVL][0-9]+ ' "$TMP/.lib/out" | tail -1 | cut -c1)" = D
expect_true "in one line" test "$(grep -A1 -E '^D1 ' "$TMP/.lib/out" | tail -1)" = ""

check "the kind that it belongs to selects it, and ids of check and replay agree"
run "$AUGUR" record -o kinds.trace ./kinds
run "$AUGUR" check --prop race --format json kinds.trace
expect_out '"kind": "use-after-free"'
run "$AUGUR" replay kinds.trace --finding R1
expect_out "^confirmed: R1: use after free"
find_in kinds -DRIGHT
expect_status 0

check "an object that is deleted while it is used is one finding: its members, its destructor, what it contains"
cp "$SRC/tests/story/logger.cpp" .
run "$AUGUR" c++ -g -O1 -pthread logger.cpp -o logger
run "$AUGUR" run --runs 6 --no-explore --budget 0 --format json -o logger.json ./logger
expect_status 1
run python3 -c 'import json
for f in json.load(open("logger.json"))["findings"]:
    if f["kind"] != "assertion":
        print(f["kind"], f["var"].split("(")[0].split(" ")[0], f["variants"] > 4)'
printf '%s\n' "race log.written_ False" "use-after-free logging::Sink True" >wanted.txt
LC_ALL=C sort "$TMP/.lib/out" >logger.txt
expect_same wanted.txt logger.txt
run "$AUGUR" c++ -g -O1 -pthread -DRIGHT logger.cpp -o logger
run "$AUGUR" run --runs 6 --no-explore --budget 0 ./logger
expect_status 0
