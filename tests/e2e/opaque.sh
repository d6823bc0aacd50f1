# tests/claims/opaque: programs that call code without hooks. right_*: no finding of any status, on several schedules.
# race_*: a race beside such calls, which do not order it, is found. No coverage is claimed of any of them. And programs
# that say themselves what is ordered.
. "$(dirname "$0")/../e2e/lib.sh"

for source in "$SRC"/tests/claims/opaque/*_*.c; do
    name=$(basename "$source" .c)
    with=$(sed -n 's|^// WITH: ||p' "$source") link=$(sed -n 's|^// LINK: ||p' "$source") more=()
    [[ $name = right_* || $name = race_* ]] || continue
    [ -z "$SANITIZED" ] || [[ " right_queue right_pool race_queue " = *" $name "* ]] || continue
    check "$name: $(grep -v '^// [A-Z]*: ' "$source" | sed -n '1s|^// ||p')"
    if [ -n "$with" ]; then
        gcc -O1 -c "$SRC/tests/claims/opaque/$with" -o without.o || fail "'$with' does not compile"
        more=(without.o)
    fi
    # shellcheck disable=SC2086 # several words
    augur_cc -w -g -pthread "$source" "${more[@]}" -o "$name" $link || fail "does not compile"
    runs=4
    [[ $name != *sqlite* ]] || runs=1 # seconds each: deadlocks among its locks
    run timeout 600 "$AUGUR" run --quiet --no-explore --runs $runs "./$name"
    case $name in
    right_*)
        expect_status 0
        ! grep -Eq "^[A-Z][0-9]+ +(possible|proved|confirmed)" <<<"$out" || fail "a finding"
        ;;
    race_*)
        expect_status 1
        expect_out "^R1 +confirmed +race on"
        ;;
    esac
    [[ $name != *said && $name != *own_lock ]] || continue # all of it has hooks
    run timeout 600 "$AUGUR" explore --quiet --no-check --budget 2 "./$name"
    expect_out "Not every interleaving of this input was covered"
    rm -rf "$name" "$name.explored" .augur
done
