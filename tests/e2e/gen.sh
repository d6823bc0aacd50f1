#!/usr/bin/env bash
# augur gen: what it writes is what was asked for, in every format, and the same
# each time; what cannot be is refused and leaves no file.
. "$(dirname "$0")/lib.sh"

check "the number of lines is the number of events"
run "$AUGUR" gen --events 12345 --threads 7 --locks 3 --vars 10 --depth 3 --atomic
expect_status 0
expect_true "12345 lines" test "$(wc -l <.lib/out)" -eq 12345
expect_out '^T0\|fork\(T6\)\|'
expect_out '^T0\|join\(T6\)\|'
expect_true "7 threads" test "$(cut -d'|' -f1 .lib/out | sort -u | wc -l)" -eq 7
expect_true "10 variables" test "$(grep -oE '[rw]\([^)]*' .lib/out | cut -c3- | sort -u | wc -l)" -eq 10
expect_true "3 locks" test "$(grep -oE 'acq\([^)]*' .lib/out | sort -u | wc -l)" -eq 3
expect_true "balanced" test "$(grep -c 'begin' .lib/out)" -eq "$(grep -c '|end' .lib/out)"

check "the same seed gives the same file, another seed another one"
"$AUGUR" gen --events 20000 --seed 5 -o a.trace
"$AUGUR" gen --events 20000 --seed 5 -o b.trace
"$AUGUR" gen --events 20000 --seed 6 -o c.trace
expect_same a.trace b.trace
expect_true "seed 6 differs" test "$(cmp -s a.trace c.trace; echo $?)" -eq 1

check "binary and STD text hold the same events"
"$AUGUR" gen --events 20000 --seed 5 --values -o v.trace
"$AUGUR" gen --events 20000 --seed 5 --values -o v.std
run "$AUGUR" convert v.trace -o w.std
expect_status 0
expect_same v.std w.std

check "every shape is accepted by the readers"
for shape in raytracer elevator account daisy thrift; do
    "$AUGUR" gen --shape "$shape" -o "$shape.std" || fail "gen --shape $shape failed"
    run "$AUGUR" show --lint "$shape.std"
    expect_status 0
done
run "$AUGUR" gen --shape tsp --events 100k -o tsp.trace
expect_status 0
run "$AUGUR" show --lint tsp.trace
expect_status 0

check "account has its numbers"
expect_true "902 events" test "$(wc -l <account.std)" -eq 902
expect_true "146 lock events" test "$(grep -cE '\|(acq|rel)\(' account.std)" -eq 146
expect_true "430 accesses" test "$(grep -cE '\|[rw]\(' account.std)" -eq 430
expect_true "10 waits and notifies" test "$(grep -cE '\|(wait|signal|broadcast)\(' account.std)" -eq 10

check "a shape with values becomes a model"
"$AUGUR" gen --shape account --values -o account.trace
run "$AUGUR" convert account.trace -o account.ctp
expect_status 0
run "$AUGUR" show --summary account.ctp
expect_status 0

check "impossible numbers are refused and leave no file"
run "$AUGUR" gen --events 3 --threads 5 -o bad.trace
expect_status 2
expect_err 'too few'
expect_no_file bad.trace
run "$AUGUR" gen --shape account --locks 3 -o bad.trace
expect_status 2
expect_err "'account' does not take 'locks'"
expect_no_file bad.trace
run "$AUGUR" gen --events 10 -o bad.nothing
expect_status 2
expect_err "no known format has the suffix"
expect_no_file bad.nothing

# Variables that more than one thread accesses.
shared() {
    "$AUGUR" gen --events 20000 --threads 3 --vars 12 --locks 0 --to std "$@" |
        sed -n 's/^\(T[0-9]*\)|[rw](\([^)]*\)).*/\1 \2/p' | sort -u |
        awk '{n[$2]++} END {for (v in n) many += n[v] > 1; print many + 0}'
}
check "--shared-fraction"
expect_true "none shared" test "$(shared --shared-fraction 0)" -eq 0
expect_true "all shared" test "$(shared --shared-fraction 1)" -eq 12
expect_true "some shared by default" test "$(shared)" -eq 6

check "a full disk is an error"
if [ -w /dev/full ]; then
    run "$AUGUR" gen --events 100000 --to std -o /dev/full
    expect_status 2
    expect_err 'No space left'
else
    skip "no /dev/full"
fi
