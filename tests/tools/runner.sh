#!/usr/bin/env bash
# tools/check.sh counts right and never takes a failure for a pass.
. "$(dirname "$0")/../e2e/lib.sh"

mkdir -p tree/tools tree/tests/e2e tree/tests/unit tree/build/tests/unit
cp "$SRC"/tools/*.sh tree/tools/
cp "$SRC/tests/e2e/lib.sh" tree/tests/e2e/

script() {
    rm -f tree/tests/e2e/planted.sh
    { echo '. "$(dirname "$0")/lib.sh"'; cat; } >tree/tests/e2e/planted.sh
    run bash tree/tools/check.sh e2e
    last=$(tail -n 1 .lib/out)
}
expect_last() {
    [ "$last" = "$1" ] || fail "last line is '$last', not '$1'"
}

check "passes are counted"
script <<'END'
check one
run true
expect_status 0
check two
run echo hello
expect_out '^hello$'
END
expect_status 0
expect_last "2 passed, 0 failed"

check "a failed expectation fails, the rest goes on"
script <<'END'
check one
run false
expect_status 0
check two
run true
expect_status 0
END
expect_status 1
expect_last "1 passed, 1 failed"
expect_out "exit status 1 instead of 0 from: false"

check "skips are counted and shown"
script <<'END'
check one
skip "no such thing here"
check two
run true
END
expect_status 0
expect_last "1 passed, 0 failed, 1 skipped"
expect_out "^skip: e2e: planted: one: no such thing here"

check "a script that dies fails"
script <<'END'
check one
run true
exit 3
END
expect_status 1
expect_last "1 passed, 1 failed"

check "a script that is killed fails"
script <<'END'
check one
kill -9 $$
END
expect_status 1
expect_last "0 passed, 1 failed"

check "a script without a check fails"
script </dev/null
expect_status 1
expect_last "0 passed, 1 failed"

check "nothing run is not a pass"
rm tree/tests/e2e/planted.sh
run bash tree/tools/check.sh e2e
expect_status 1

check "an unknown group is an error"
run bash tree/tools/check.sh nonsense
expect_status 2

# Unit programs are imitated by what they print.
unit() {
    touch tree/tests/unit/test_planted.c
    { echo '#!/bin/sh'; cat; } >tree/build/tests/unit/test_planted
    chmod +x tree/build/tests/unit/test_planted
    run bash tree/tools/check.sh unit
    last=$(tail -n 1 .lib/out)
}

check "unit tests are counted one by one"
unit <<'END'
printf '1..2\nok 1 - a\nok 2 - b\n'
END
expect_status 0
expect_last "2 passed, 0 failed"

check "a failing unit test fails"
unit <<'END'
printf '1..2\nok 1 - a\nnot ok 2 - b\n'; exit 1
END
expect_status 1
expect_last "1 passed, 1 failed"

check "a unit test that skips is a skip, not a pass and not a failure"
unit <<'END'
printf '1..2\nok 1 - a\nnot ok 2 # SKIP b\n'
END
expect_status 0
expect_last "1 passed, 0 failed, 1 skipped"
expect_out "^skip: unit: test_planted: b: "

check "a unit program that dies in the middle fails"
unit <<'END'
printf '1..3\nok 1 - a\n'; kill -9 $$
END
expect_status 1
expect_last "1 passed, 1 failed"

check "a unit program that fails after its tests fails"
unit <<'END'
printf '1..1\nok 1 - a\n'; exit 23
END
expect_status 1
expect_last "1 passed, 1 failed"

check "a unit test that nobody builds fails"
rm tree/build/tests/unit/test_planted
run bash tree/tools/check.sh unit
expect_status 1
expect_out "not built"

# Random tests: listed, built and counted.
mkdir -p tree/tests/random tree/build/tests/random
printf 'random_x 500 1000\n' >tree/tests/random/counts.txt
touch tree/tests/random/random_x.c
printf '#!/bin/sh\n[ "$*" = "--count 500 --seed 1" ]\n' >tree/build/tests/random/random_x
chmod +x tree/build/tests/random/random_x

check "random tests get their count and seed"
run bash tree/tools/check.sh random
expect_status 0
expect_out "^1 passed, 0 failed$"

check "a random test that is not listed fails"
touch tree/tests/random/random_y.c
run bash tree/tools/check.sh random
expect_status 1
expect_out "random_y: not in"

# ---- jobs side by side ----

# planted NAME [HEAD-LINE...]: a script from standard input, with these lines in its head
planted() {
    local name=$1
    shift
    { printf '%s\n' '#!/usr/bin/env bash' "$@" '. "$(dirname "$0")/lib.sh"' && cat; } >"tree/tests/e2e/$name.sh"
}
rm -rf tree/tests/e2e/planted.sh tree/tests/unit tree/tests/random

check "jobs run at once, and as many as there are slots"
mkfifo tree/meet
planted first <<'END'
check writes
echo hello >"$SRC/meet"
END
planted second <<'END'
check reads
expect_true "what the other job says" test "$(cat "$SRC/meet")" = hello
END
run env JOBS=2 bash tree/tools/check.sh e2e
expect_status 0
expect_out "^2 passed, 0 failed$"

check "the longest job comes first, one that is not known before it"
planted first <<<'check 1; echo first >>"$SRC/order"'
planted second <<<'check 1; echo second >>"$SRC/order"'
planted third <<<'check 1; echo third >>"$SRC/order"'
printf '# a comment\n3 e2e/first\n20 e2e/second\n' >tree/tests/slow.txt
run env JOBS=1 bash tree/tools/check.sh e2e
expect_status 0
expect_true "$(tr '\n' ' ' <tree/order)" test "$(tr '\n' ' ' <tree/order)" = "third second first "

check "a script that wants to be alone comes after all others, and nothing runs beside it"
rm -f tree/order
planted second '# Something.' '# ALONE: it measures' <<<'check 1; echo second >>"$SRC/order"'
planted third '# ALONE: it measures' <<<'check 1; echo third >>"$SRC/order"; rmdir "$SRC/beside" || fail "not alone"'
planted fourth '# ALONE: it measures' <<<'check 1; mkdir "$SRC/beside"; rmdir "$SRC/beside" || fail "not alone"; mkdir "$SRC/beside"'
printf '9 e2e/second\n5 e2e/fourth\n3 e2e/first\n1 e2e/third\n' >tree/tests/slow.txt
run env JOBS=3 bash tree/tools/check.sh e2e
expect_status 0
expect_true "$(tr '\n' ' ' <tree/order)" test "$(tr '\n' ' ' <tree/order)" = "first second third "
rm -f tree/tests/e2e/{first,second,third,fourth}.sh tree/tests/slow.txt

check "a script in parts: each part its share, together all of it"
planted halves '# PARTS: 2' <<'END'
for n in 1 2 3 4 5; do
    mine || continue
    check "number $n in part $PART of $PARTS"
done
if in_part 2; then
    check "the rest in part $PART"
fi
END
run bash tree/tools/check.sh e2e
expect_status 0
expect_out "^6 passed, 0 failed$"
expect_true "two jobs" test "$(grep -c 'e2e/halves\.[12]$' tree/build/check-times.txt)" -eq 2
run env -u TMP SRC="$PWD/tree" bash -c 'exec bash tree/tests/e2e/halves.sh 3>&1'
expect_out "number 5 in part 1 of 1"
expect_true "all of it by hand" test "$(grep -c ^pass .lib/out)" -eq 6

check "a script that is not for the sanitized program"
planted halves '# SANITIZED: no, because it is about clang' <<<'check 1'
planted both <<<'check 1; [ -n "$SANITIZED" ] || fail "not told"'
run bash tree/tools/check.sh asan
expect_status 0
expect_true "the other one only" test "$(grep -c 'asan/e2e' tree/build/check-times.txt)" -eq 1
rm -f tree/tests/e2e/{halves,both}.sh

check "a script that hangs is ended, and said to hang"
planted waits <<'END'
check quick
check slow
mkfifo never
cat never
END
run env HANG=1 bash tree/tools/check.sh e2e
expect_status 1
expect_out "^  fail  e2e: waits: hung: killed after 1 s$"
expect_out "^  fail  e2e: waits: slow: killed while it ran"
expect_out "^1 passed, 2 failed$"
rm -f tree/tests/e2e/waits.sh

check "what jobs print comes in one piece each"
for name in a b c; do
    planted $name <<<'check 1; fail "why"; for n in $(seq 20); do echo "$(basename "$0") $n"; done'
done
run env JOBS=3 bash tree/tools/check.sh e2e
expect_status 1
expect_true "blocks" test "$(sed -n 's/^        \([abc]\)\.sh .*/\1/p' .lib/out | uniq | wc -l)" -eq 3

check "times are shown and not judged"
expect_out "^the ten slowest jobs"
expect_out "^ +[0-9.]+ +[0-9.]+ +[0-9.]+  e2e/[abc]$"
expect_out "^[0-9]+ min [0-9]+ s, of the processor "
expect_true "nothing failed but the checks" test "$(grep -c '^fail: ' .lib/out)" -eq 3

check "--remember keeps the usual seconds"
run bash tree/tools/check.sh --remember e2e
expect_true "$(cat tree/tests/slow.txt)" grep -qx '[0-9]* e2e/b' tree/tests/slow.txt
rm -f tree/tests/e2e/[abc].sh

check "an interrupted run leaves nothing behind"
mkfifo tree/ready
planted waits <<'END'
check slow
echo $$ >"$SRC/ready"
mkfifo never
cat never
END
mkdir tmp
TMPDIR=$PWD/tmp bash tree/tools/check.sh e2e >interrupted.txt 2>&1 &
runner=$!
read -r script <tree/ready
kill -TERM $runner
wait $runner
expect_true "its status says so" test $? -eq 130
state=$(sed 's/^.*) //; s/ .*//' "/proc/$script/stat" 2>/dev/null)
expect_true "the script is gone: $state" test "${state:-Z}" = Z # nobody may have waited for it yet
expect_true "no files: $(ls tmp)" test -z "$(ls tmp)"
