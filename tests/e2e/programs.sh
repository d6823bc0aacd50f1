# Every program of tests/programs: built by augur, run alone, recorded (its events are what
# its head says), checked, and replayed to the same events and output.
. "$(dirname "$0")/../e2e/lib.sh"
. "$SRC/tests/programs/lib.sh"

for name in $(all_programs); do
    check "$name is built"
    run compile "$name"
    expect_status 0
    [ -x "./$name" ] || continue
    exit_status=$(expectation "$name" EXIT)
    text=$(expectation "$name" OUT)
    printf '%b' "$(expectation "$name" IN)" >stdin.txt

    if [ -z "$(expectation "$name" ONLY)" ]; then
        check "$name runs without the recorder"
        run_with stdin.txt timeout 1200 "./$name"
        expect_status "$exit_status"
        [ -z "$text" ] || expect_true "output is '$text', not '$out'" test "$out" = "$text"
    fi

    check "$name is recorded"
    run_with stdin.txt timeout 1200 "$AUGUR" record -o t "./$name"
    expect_status "$exit_status"
    case $(expectation "$name" ENDS) in
    deadlock) expect_err "deadlocked and was stopped" ;;
    assert) expect_err "an assertion failed" ;;
    esac
    [ -z "$text" ] || expect_true "output is '$text', not '$out'" test "$out" = "$text"
    cp "$TMP/.lib/out" recorded.out
    sync_events t >events
    for thread in 0 1 2 3 4; do
        regex=$(expectation "$name" "T$thread")
        [ -n "$regex" ] || continue
        expect_true "events of T$thread: $(grep "^T$thread " events)" \
            grep -qxE "T$thread $regex" events
    done

    shows "$name" >shown
    if [ -s shown ]; then
        check "$name: the recording shows what it must"
        "$AUGUR" show t >show
        while IFS= read -r regex; do
            expect_true "a line '$regex'" grep -qE "$regex" show
        done <shown
    fi

    check "$name leaves a valid trace"
    run "$AUGUR" show --lint t
    expect_status 0

    check "$name is replayed to the same events and output"
    run timeout 1200 "$AUGUR" replay t
    expect_status 0
    expect_err "identical: [0-9]+ events"
    expect_same recorded.out "$TMP/.lib/out"
done
