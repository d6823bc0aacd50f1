# PARTS: 2
# Functions of libc on memory that threads share (tests/claims/libc): what they read and write are accesses, what
# they give depends on what they read, and what the library keeps for itself is a state that calls look at.
# SANITIZED: no, because explore_claims.sh and check.sh take the same way through our code
. "$(dirname "$0")/../e2e/lib.sh"

here=$SRC/tests/claims/libc
cases() {
    grep -o 'defined CASE_[a-z0-9_]*' "$1" | sed 's/.*CASE_//'
}
# build SOURCE NAME FLAG...: one case
build() {
    augur_cc -w -g -O0 -pthread "${@:3}" "$1" -o "$2" || fail "does not compile"
}

for c in $(cases "$here/values.c"); do
    mine || continue
    check "$c: what it gives depends on what it read"
    build "$here/values.c" "none_$c" -DNONE "-DCASE_$c"
    run timeout 1200 "$AUGUR" run --quiet "./none_$c"
    expect_status 0
    expect_out "0 findings"
    check "$c: another value is found, or not claimed to be covered"
    build "$here/values.c" "asserts_$c" -DASSERTS "-DCASE_$c"
    run timeout 1200 "$AUGUR" run --quiet "./asserts_$c"
    [ "$status" = 1 ] || expect_out "Not every interleaving of this input was covered"
    rm -rf "none_$c" "asserts_$c"
done

for c in $(cases "$here/calm.c"); do
    mine || continue
    check "$c: two threads may call it at once"
    build "$here/calm.c" "calm_$c" "-DCASE_$c"
    run timeout 1200 "$AUGUR" run --quiet "./calm_$c"
    expect_status 0
    expect_out "0 findings"
    rm -f "calm_$c"
done

left=$(grep -n '/\* LEFT \*/' "$here/races.c" | cut -d: -f1)
right=$(grep -n '/\* RIGHT \*/' "$here/races.c" | cut -d: -f1)
for c in $(cases "$here/races.c"); do
    mine || continue
    check "$c: a race"
    build "$here/races.c" "race_$c" "-DCASE_$c"
    run timeout 1200 "$AUGUR" run --quiet "./race_$c"
    case $c in
    fputc_unlocked) # both sides are inside of libc, where no thread can be stopped: no execution shows it
        expect_out "^R1 +(proved|confirmed|possible) +race on" ;;
    *)
        expect_status 1
        expect_out "^R1 +(proved|confirmed) +race on"
        ;;
    esac
    expect_out "T1 .* in left \(.*races.c:$left\)"
    expect_out "T2 .* in right \(.*races.c:$right\)"
    rm -f "race_$c"
done
