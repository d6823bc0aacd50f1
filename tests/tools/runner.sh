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
