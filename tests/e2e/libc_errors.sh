# What the runtime answers is what the C library answers: tests/claims/errors.c prints the result of some 330 calls, most
# of which fail. Without augur, compiled by it, recorded and replayed it prints the same.
. "$(dirname "$0")/../e2e/lib.sh"

check "the program prints the same twice without augur"
cc -w -O0 -pthread "$SRC/tests/claims/errors.c" -o plain || fail "does not compile"
./plain </dev/null >plain.txt
./plain </dev/null >again.txt
expect_true "300 lines and more" [ "$(wc -l <plain.txt)" -gt 300 ]
expect_same again.txt plain.txt

check "compiled by augur, and run without it"
augur_cc -w -g -O0 -pthread "$SRC/tests/claims/errors.c" -o errors || fail "does not compile"
./errors </dev/null >compiled.txt
expect_same compiled.txt plain.txt

check "recorded"
"$AUGUR" record -o errors.trace ./errors </dev/null >recorded.txt 2>recorded.err
expect_same recorded.txt plain.txt
expect_true "an exec that fails ends no recording" [ "$(grep -c became recorded.err)" = 0 ]

check "replayed"
"$AUGUR" replay errors.trace </dev/null >replayed.txt 2>replayed.err
expect_same replayed.txt plain.txt
expect_true "the replay is identical" grep -q identical replayed.err

check "recorded on another schedule"
"$AUGUR" record --policy random --seed 7 -o random.trace ./errors </dev/null >random.txt 2>random.err
expect_same random.txt plain.txt
