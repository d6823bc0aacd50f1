# tests/claims/foreign: ways from a thread to another of which no event tells, through the kernel and through code without
# hooks. Two writes are ordered by such a way: 'check' alone must not call them a proved race, and 'run' not a
# confirmed one; and nobody claims that all was covered, except of ways that are followed since (//! name followed).
# SANITIZED: no, because what is tested is what is said; replies.h has its own unit test
. "$(dirname "$0")/../e2e/lib.sh"

parts=$SRC/tests/claims/foreign
for name in $(sed -n 's|^//! \([a-z_]*\).*|\1|p' "$parts/parts.c"); do
    check "$name"
    {
        cat "$parts/head.c"
        awk -v name="$name" '/^\/\/! / { on = $2 == name } on' "$parts/parts.c"
        cat "$parts/tail.c"
    } >way.c
    run "$AUGUR" cc -w -g -O1 -pthread way.c -o way -lz
    expect_status 0
    run "$AUGUR" record -q -o way.trace ./way
    expect_out '^1$' # the first schedule lets the sender go first
    run timeout 300 "$AUGUR" check way.trace
    ! grep -Eq '^[A-Z][0-9]+ +(proved|confirmed)' <<<"$out" || fail "proved: $out"
    run timeout 300 "$AUGUR" run --quiet --budget 10 --compare-output none ./way # what it prints may differ
    ! grep -Eq '^[A-Z][0-9]+ +(proved|confirmed)' <<<"$out" || fail "run: $out"
    ! grep -q 'model and program disagree' <<<"$out" || fail "a contradiction: $out"
    if grep -qx "//! $name followed" "$parts/parts.c"; then expect_out '^exhaustive'; else expect_out '^not exhaustive'; fi
    rm -rf .augur way.trace foreign.*
done
