#!/usr/bin/env bash
# Wrong uses of the pthread library (tests/programs/misuse): whatever a program does that libc survives, its recording
# is read, its replay is identical, on any schedule; and what is known to be wrong is told as misuse.
# PARTS: 2
# SANITIZED: no, because all its time goes to some hundred short runs of one program
. "$(dirname "$0")/../e2e/lib.sh"

augur_cc -g -w "$SRC/tests/programs/misuse/misuse.c" -o misuse -pthread

# What is told, an extended regular expression; nothing: libc allows it, or it is a limit (docs/limits.md).
told_of() {
    case $1 in
    join_twice | join_by_two | tryjoin_twice | timedjoin_twice | thrd_join_twice) echo "thread T1.: join of a thread that was joined" ;;
    join_detached | join_detached_ended | join_detaches_itself) echo "thread T1.: join of a detached thread" ;;
    join_self) echo "thread T0.: join of a thread by itself" ;;
    detach_twice | detach_joined | detach_while_joined) echo "thread T1.: detach of a thread that was detached or joined" ;;
    cancel_joined) echo "thread T1.: cancellation of a thread that is gone" ;;
    unlock_* | recursive_too_often | *_unlock_free | *_unlock_of_other | rw_unlock_read_of_other | rw_read_twice | copied_held)
        case $1 in
        unlock_destroyed) echo "'m': use of a destroyed object" ;;
        *) echo "unlock of a lock not held" ;;
        esac
        ;;
    lock_twice_check | rw_write_twice | rw_read_while_writing) echo "lock acquired again by its holder" ;;
    lock_destroyed | trylock_destroyed | destroy_twice) echo "'m': use of a destroyed object" ;;
    cond_destroyed_* | cond_destroy_twice) echo "'c': use of a destroyed object" ;;
    rw_destroyed | spin_destroyed | sem_destroyed) echo "use of a destroyed object" ;;
    barrier_destroyed) echo "'b': object destroyed twice" ;;
    *destroy_held* | *_destroy_waited | end_holding_then_destroy) echo "object destroyed while in use" ;;
    *init_held* | *wiped_held | wiped_by_other) echo "lock made anew while held" ;;
    end_holding* | rw_end_holding) echo "lock held at thread exit" ;;
    wait_without_lock* | wait_lock_of_other | wait_destroyed_mutex) echo "wait on a condition without its lock" ;;
    wait_two_locks) echo "condition used with two locks at once" ;;
    wait_recursive_twice) echo "recursive lock held through a condition wait" ;;
    esac
}

# readable OPTION...: the recording of $name is read, its replay identical.
readable() {
    run timeout 120 "$AUGUR" record -q "$@" -o t.trace ./misuse "$name"
    expect_true "recorded (status $status)" [ "$status" -le 1 ]
    run timeout 120 "$AUGUR" check --prop locks t.trace
    expect_true "read (status $status: $err)" [ "$status" -le 1 ]
    cp "$TMP/.lib/out" report
    run timeout 120 "$AUGUR" replay t.trace
    expect_status 0
    expect_err "identical"
}

for name in $(./misuse); do
    mine || continue
    check "$name: readable$([ -z "$(told_of "$name")" ] || echo ", and told")"
    readable
    told=$(told_of "$name")
    [ -z "$told" ] || expect_true "told: $told" grep -qE "$told" report
    for seed in 1 2; do
        readable --policy random --switch-every 3 --seed "$seed"
    done
done

in_part 1 || exit 0
check "what happened in the run is executed, and confirmed"
for name in join_twice lock_destroyed unlock_free; do
    run "$AUGUR" run --no-explore ./misuse "$name"
    expect_status 1
    expect_out "^L1 confirmed"
done
check "behind a wrong use nothing is claimed absent"
run "$AUGUR" run ./misuse join_by_two
expect_out "^not exhaustive: .*used wrongly"
