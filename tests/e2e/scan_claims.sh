#!/usr/bin/env bash
# What 'augur scan' claims, at the edges of its model: tests/claims/scan/*.c, whose heads name the verdicts that are
# true. '// race: UNKNOWN FALSE': one of these, with --svcomp --prop race; and as text the exit status is 0 only
# if TRUE is among them, a finding 'proved' only if FALSE is. '// svcomp race: …': only with --svcomp.
# PARTS: 2
. "$(dirname "$0")/lib.sh"

quick=(-j 2 --timeout 20)
n=0
for file in "$SRC"/tests/claims/scan/*.c; do
    n=$((n + 1))
    [ $((n % PARTS)) = $((PART % PARTS)) ] || continue
    name=$(basename "$file" .c)
    sed -n 's@^// \(svcomp \)\{0,1\}\(race\|assert\|deadlock\): \(.*\)@\1\2 \3@p' "$file" >"$name.heads"
    check "$name says what is true of it"
    [ -s "$name.heads" ] || fail "no verdict in its head"
    while read -r prop rest; do
        only=
        [ "$prop" != svcomp ] || { only=1 prop=${rest%% *} rest=${rest#* }; }
        run "$AUGUR" scan "${quick[@]}" --svcomp --prop "$prop" "$file"
        case " $rest " in *" $out "*) ;; *) fail "--prop $prop: $out, not one of: $rest ($err)" ;; esac
        case $out in TRUE) expect_status 0 ;; FALSE) expect_status 1 ;; *) expect_status 3 ;; esac
        [ -z "$only" ] || continue
        run "$AUGUR" scan "${quick[@]}" --no-replay --prop "$prop" "$file"
        case " $rest " in
        *" TRUE "*) ;;
        *) [ "$status" != 0 ] || fail "--prop $prop: exit status 0" ;;
        esac
        case " $rest " in
        *" FALSE "*) ;;
        *) ! grep -q '^[RAD][0-9]* proved' <<<"$out" || fail "--prop $prop: proved" ;;
        esac
        case " $rest " in " TRUE ") expect_status 0 ;; esac
    done <"$name.heads"
done

if [ "$PART" = 1 ]; then
    check "what is left out is said, with its place, and the exit status is 3"
    run "$AUGUR" scan "$SRC/tests/claims/scan/exit_handler.c"
    expect_status 3
    expect_out "^inconclusive: what is not found may still happen: .*exit handlers .*exit_handler.c:[0-9]"
    check "the program has the last word on an atomic section"
    run "$AUGUR" scan --prop assert "$SRC/tests/claims/scan/atomic_section.c"
    expect_out "^A1 possible "
    expect_out "others move between __VERIFIER_atomic_begin and its end"
    check "a result that the program gives is confirmed"
    run "$AUGUR" scan --prop assert "$SRC/tests/claims/scan/error_detach_twice.c"
    expect_status 1
    expect_out "^A1 confirmed "
fi
