# Random schedules of the programs of tests/programs, each recorded and replayed: same
# events, same values, same output. 'make check' takes a few programs and seeds, NIGHTLY=1
# all programs and more than 1000 seeds altogether; SEEDS=N so many for each program.
# SANITIZED: no, because schedules are made in the recorded program, which is not sanitized; programs.sh records and replays them all
. "$(dirname "$0")/../e2e/lib.sh"
. "$SRC/tests/programs/lib.sh"

programs="barrier cancel cond cond_timed futex io_pipe mix mutex_timed once rwlock sem"
seeds=${SEEDS:-6}
first=1
if [ -n "${NIGHTLY:-}" ]; then
    programs=$(all_programs)
    seeds=${SEEDS:-40}
    first=${RANDOM_SEED:-1}
fi

for name in $programs; do
    check "$name: $seeds random schedules are replayed exactly"
    run compile "$name"
    expect_status 0
    [ -x "./$name" ] || continue
    printf '%b' "$(expectation "$name" IN)" >stdin.txt
    for seed in $(seq "$first" $((first + seeds - 1))); do
        case $((seed % 3)) in
        0) policy=pct ;;
        *) policy=random ;;
        esac
        every=$((1 + seed % 11))
        with="--schedule $policy --seed $seed --switch-every $every"
        # shellcheck disable=SC2086
        run_with stdin.txt timeout 1200 "$AUGUR" record -q $with -o t "./$name"
        [ "$status" -eq "$(expectation "$name" EXIT)" ] || fail "record $with: status $status $err"
        cp "$TMP/.lib/out" recorded.out
        run timeout 1200 "$AUGUR" replay t
        [ "$status" -eq 0 ] || fail "replay of $with: status $status: $err"
        cmp -s recorded.out "$TMP/.lib/out" || fail "replay of $with: another output"
    done
done
