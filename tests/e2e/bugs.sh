# bench/bugs: from one recorded run, 'augur run' finds each bug and executes the program on the schedule that shows
# it; about programs that are right it says nothing. `make check` takes some of each kind, `make nightly`
# (NIGHTLY set) all of them, and the fifteen assertions and the programs of examples/explore, too. The judge itself
# is tried on what the other tools print.
# SANITIZED: no, because all its time goes to many whole runs; run.sh takes the same path sanitized
. "$(dirname "$0")/lib.sh"

bugs_top=$SRC bugs_augur=$AUGUR
. "$SRC/bench/bugs/lib.sh"
pattern='bugs/(callback|lost_wakeup|left_locked|cache_insert|audit|credit_limit|both_free|null_after_check|hidden_once|hidden_started|ok_gate_three|ok_gate_rwlock|ok_trylock|ok_timed_lock|ok_handover|ok_once)\.c'
[ -z "${NIGHTLY:-}" ] || pattern=.

check "every program is in the list, and every bug has its lines"
for source in "$SRC"/bench/bugs/*.c; do
    expect_true "$source is in list.txt" grep -q "^bench/bugs/$(basename "$source") " "$SRC/bench/bugs/list.txt"
done
while read -r -a words; do
    bugs_entry "${words[@]}"
    expect_true "$bug_source is there" test -s "$bug_source"
    case ${words[0]} in
    bench/*) expect_true "$bug_source has lines" test "$bug_kind" = right -o -n "$bug_lines" ;;
    esac
done < <(bugs_list)

check "there are enough of each"
expect_true "at least 40 bugs" [ "$(bugs_list ' (assertion|deadlock|atomicity|order|heap|pointer|race) ' | wc -l)" -ge 40 ]
for kind in deadlock atomicity order race; do
    expect_true "at least 8 of kind $kind" [ "$(bugs_list " $kind " | wc -l)" -ge 8 ]
done
expect_true "at least 15 right programs" [ "$(bugs_list ' right ' | wc -l)" -ge 15 ]
expect_true "at least 6 with a gate" [ "$(bugs_list '/ok_gate' | wc -l)" -ge 6 ]

# No execution went another way than was proved.
agree() { expect_true "model and program agree" grep -q '"disagreements": 0' one/run.json; }

tried=0
while read -r -a words; do
    bugs_entry "${words[@]}"
    tried=$((tried + 1))
    mkdir -p one
    if [ "$bug_kind" = right ]; then
        check "$bug_name: nothing is said of it"
        bugs_once augur one
        agree
        expect_true "nothing, not '$bug_verdict': $(head -c 300 one/out)" [ "$bug_verdict" = - ]
        bugs_once check one
        expect_true "nothing of its run alone, not '$bug_verdict'" [ "$bug_verdict" = - ]
    else
        check "$bug_name ($bug_kind): found from one run, and confirmed"
        if [ "$bug_name" = stack_pointer ]; then
            skip "not found: that a function's variables end with it is in no event (docs/limits.md)"
            continue
        fi
        bugs_once augur one
        agree
        expect_true "confirmed, not '$bug_verdict': $(head -c 300 one/out)" [ "$bug_verdict" = confirmed ]
    fi
    rm -rf one
done < <(bugs_list "$pattern")

check "programs were tried"
expect_true "not $tried" [ "$tried" -ge 16 ]

# ---- the judge ----

# judged TOOL KIND LINES STATUS: about x.c, from standard input; sets bug_verdict
judged() {
    cat >said
    bug_source=x.c bug_kind=$2 bug_lines=$3 bug_status=$4
    bugs_judge "$1" said
}
expect_verdict() { expect_true "'$1', not '$bug_verdict'" [ "$bug_verdict" = "$1" ]; }

tsan_race='==================
WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 4 at 0x55 by thread T2:
    #0 second /home/x.c:16 (x+0x12bb)

  Previous read of size 4 at 0x55 by thread T1:
    #0 first /home/x.c:7 (x+0x1240)

  Location is global '"'level'"' of size 4 at 0x55 (x+0x40)

  Thread T2 (tid=2, running) created by main thread at:
    #0 pthread_create <null> (x+0x1)
    #1 main /home/x.c:30 (x+0x1362)

SUMMARY: ThreadSanitizer: data race /home/x.c:16 in second
==================
ThreadSanitizer: reported 1 warnings'

check "judge: ThreadSanitizer"
judged tsan race 7,20 66 <<<"$tsan_race"
expect_verdict found
judged tsan race 30 66 <<<"$tsan_race" # where a thread is made is no place of the bug
expect_verdict other
judged tsan order 7 66 <<<"$tsan_race"
expect_verdict other
judged clang right '' 66 <<<"$tsan_race"
expect_verdict false
judged clang deadlock 5 66 <<<"${tsan_race/data race/lock-order-inversion (potential deadlock)}"
expect_verdict other
judged clang deadlock 7 66 <<<"${tsan_race/data race/lock-order-inversion (potential deadlock)}"
expect_verdict found

check "judge: helgrind and drd"
helgrind_race='==7== Helgrind, a thread error detector
==7== Possible data race during write of size 4 at 0x10C04C by thread #3
==7== Locks held: none
==7==    at 0x1091: second (x.c:16)
==7==    by 0x48: mythread_wrapper (hg_intercepts.c:387)
==7== 
==7== This conflicts with a previous read of size 4 by thread #2
==7== Locks held: none
==7==    at 0x1090: first (x.c:7)
==7== 
==7== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)'
judged helgrind heap 7 0 <<<"$helgrind_race"
expect_verdict found
judged helgrind heap 8 0 <<<"$helgrind_race"
expect_verdict other
judged helgrind right '' 0 <<<"$helgrind_race"
expect_verdict false
judged drd race 16 0 <<<'==9== Conflicting store by thread 3 at 0x0010c04c size 4
==9==    at 0x1091: second (x.c:16)
==9== Allocation context: BSS section of /tmp/x'
expect_verdict found
judged helgrind deadlock 9 0 <<<'==7== Thread #3: lock order "0x10C080 before 0x10C040" violated
==7== 
==7== Observed (incorrect) order is: acquisition of lock at 0x10C040
==7==    at 0x48: mutex_lock_WRK (hg_intercepts.c:944)
==7==    by 0x10: transfer (x.c:9)'
expect_verdict found
judged drd deadlock 5 0 <<<'==9== ERROR SUMMARY: 0 errors from 0 contexts (suppressed: 14 from 6)'
expect_verdict -

check "judge: runs that fail"
judged native deadlock 5 hang </dev/null
expect_verdict failed
judged drd order 5 134 </dev/null
expect_verdict failed
judged native order 5 0 </dev/null
expect_verdict -
judged clang race 5 66 </dev/null
expect_verdict -
judged clang order 5 66 <<<'ThreadSanitizer:DEADLYSIGNAL
==1==ERROR: ThreadSanitizer: SEGV on unknown address 0x000000000000
    #0 thrd_create <null> (x+0x1)
    #1 main /home/x.c:5'
expect_verdict crash
judged clang pointer 5 66 <<<'ThreadSanitizer:DEADLYSIGNAL
==1==ERROR: ThreadSanitizer: SEGV on unknown address 0x000000000000
    #0 use /home/x.c:5 (x+0x1)'
expect_verdict failed
judged drd right '' 139 <<<'==9== Process terminating with default action of signal 11 (SIGSEGV)
==9==    at 0x490EFD0: pthread_attr_getdetachstate (pthread_attr_getdetachstate.c:29)
==9==    by 0x109271: main (x.c:26)'
expect_verdict crash
run python3 "$SRC/bench/bugs/judge.py" native right '' x.c 134 /dev/null
expect_true "a right program that fails is no verdict" [ "$status" -ne 0 ]

check "judge: augur"
said() { echo '{"findings": [{"kind": "'"$1"'", "status": "'"$2"'", "events": [{"line": 7}, {"line": 16}]}]}'; }
judged augur race 16 1 <<<"$(said race confirmed)"
expect_verdict confirmed
judged augur race 15 1 <<<"$(said race confirmed)"
expect_verdict other
judged augur-check deadlock 7 1 <<<"$(said deadlock proved)"
expect_verdict proved
judged augur assertion 7 1 <<<"$(said race confirmed)" # the assertion itself did not fail yet
expect_verdict proved
judged augur order 7 1 <<<"$(said race confirmed)"
expect_verdict other
judged augur right '' 1 <<<"$(said race possible)"
expect_verdict false
judged augur right '' 0 <<<'{"findings": []}'
expect_verdict -
