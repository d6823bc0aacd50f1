#!/usr/bin/env bash
# The store: what 'list', 'triage', 'report' and 'replay' have of it, old runs, damage, several
# processes at once.
. "$(dirname "$0")/lib.sh"

go() { run "$AUGUR" run --no-explore "$@"; }
sed "16s/.*//; 18s/.*//" "$SRC/examples/first/bank.c" >bank.c # only its race
augur_cc -g -O2 -pthread bank.c -o bank
augur_cc -g -O2 -pthread "$SRC/examples/first/philosophers.c" -o philosophers

check "without a store there is nothing to list, report or triage"
for command in list report "triage R1 --as fixed" "replay --finding R1"; do
    # shellcheck disable=SC2086 # words are wanted
    run "$AUGUR" $command
    expect_status 2
    expect_err "there is no store '.augur' here: 'augur run PROGRAM' makes one"
    expect_no_file .augur
done

check "findings of several runs and programs"
go -q ./bank
go -q ./philosophers
go -q ./bank
run "$AUGUR" list
expect_status 0
expect_out "^[0-9a-f]{8}  confirmed  race on 'account.visits'"
expect_out 'R1 of run 3; seen in 2 runs since run 1; open$'
expect_out '^[0-9a-f]{8}  confirmed  deadlock'
run "$AUGUR" list --stored-runs
expect_true "three runs" test "$(wc -l <.lib/out)" -eq 3
expect_out '^ *2  20[0-9-]*T[0-9:]*Z .* 1 finding .*/philosophers$'
run "$AUGUR" list --format json
expect_out '"fingerprint": "[0-9a-f]{16}", "id": "R1", "kind": "race", "status": "confirmed", "replay": "confirmed"'
run "$AUGUR" list --stored-runs --format json
expect_out '"run": 3'

check "filters"
run "$AUGUR" list --kind deadlock
expect_true "one" test "$(grep -c '^[0-9a-f]' .lib/out)" -eq 1
run "$AUGUR" list --last
expect_true "of the last run" test "$(grep -c '^[0-9a-f]' .lib/out)" -eq 1
expect_out "race"
run "$AUGUR" list --new
expect_out "^no such findings"
run "$AUGUR" list --status proved,possible
expect_out "^no such findings"
run "$AUGUR" list --kind locks,assert,nondet
expect_status 0
expect_out '^no such findings'
run "$AUGUR" list --kind crash
expect_status 2

check "triage by id and by fingerprint"
race=$("$AUGUR" list --kind race | sed -n 's/^\([0-9a-f]*\) .*/\1/p')
lock=$("$AUGUR" list --kind deadlock | sed -n 's/^\([0-9a-f]*\) .*/\1/p')
run "$AUGUR" triage R1 --as wontfix --note "statistics only"
expect_status 0
expect_err "^augur: ${race}[0-9a-f]{8} is 'wontfix'$"
run "$AUGUR" triage "$lock" --as fixed
expect_status 0
run "$AUGUR" list --triage wontfix
expect_out "wontfix: statistics only$"
run "$AUGUR" list --triage open
expect_out "^no such findings"
go ./bank
expect_status 0
expect_out "wontfix.*statistics only"
go ./philosophers
expect_status 1
expect_out "fixed"
run "$AUGUR" triage "$race" --as open
expect_status 0
go ./bank
expect_status 1

check "triage: what is wrong"
run "$AUGUR" triage
expect_status 2
expect_err "no finding given"
run "$AUGUR" triage R1
expect_status 2
expect_err "no verdict given"
run "$AUGUR" triage R9 --as fixed
expect_status 2
expect_err "has no finding 'R9'"
run "$AUGUR" triage abc --as fixed
expect_status 2
expect_err "at least 4 of its digits"
run "$AUGUR" triage ffff --as fixed
expect_status 2
expect_err "no finding in '.augur' begins with 'ffff'"
run "$AUGUR" triage R1 --as nonsense
expect_status 2
run "$AUGUR" triage R1 --baseline
expect_status 2

check "reports of what is stored"
run "$AUGUR" report
expect_status 0
expect_out '^R1 confirmed  race'
for format in json sarif junit html baseline; do
    run "$AUGUR" report --format $format -o "r.$format"
    expect_status 0
    expect_no_out
    expect_true "$format" test -s "r.$format"
done
expect_true "HTML" grep -qi '<!doctype html' r.html
expect_true "the same run" grep -q '"status": "confirmed"' r.json
run "$AUGUR" report --run 2
expect_status 0
expect_out '^D1 confirmed'
run "$AUGUR" report --run 99
expect_status 2
expect_err "no run 99"
run "$AUGUR" report --finding "$lock"
expect_status 0
expect_out '^D1 confirmed'
expect_true "only that" test "$(grep -cE '^[A-Z][0-9]+ [a-z]+  ' .lib/out)" -eq 1
run "$AUGUR" report --finding R7
expect_status 2
run "$AUGUR" report --format perfetto --finding R1 -o r.perfetto
expect_status 0
expect_true "Perfetto" grep -q traceEvents r.perfetto
run "$AUGUR" report --run 2 --format perfetto --finding D1,R1
expect_status 2
expect_err "one finding"

check "replay by the store"
run "$AUGUR" replay --finding "$lock"
expect_status 1
expect_out "^confirmed: D1: deadlock"
run "$AUGUR" replay --finding R1 --times 2 -o again
expect_status 1
expect_out "^the same 2 times$"
expect_file again.2
run "$AUGUR" replay
expect_status 2
expect_err "a TRACE, or '--finding'"

check "old recordings go, what was found stays"
go -q --store old ./philosophers
for i in 2 3 4; do
    go -q --store old --keep 2 ./bank
done
expect_true "directories $(ls old/runs | tr '\n' ' ')" test "$(ls old/runs | sort -n | tr '\n' ' ')" = "3 4 "
run "$AUGUR" list --store old
expect_out 'deadlock'
run "$AUGUR" list --store old --runs
expect_true "runs that nothing needs are gone" test "$(awk '{ print $1 }' .lib/out | tr '\n' ' ')" = "4 3 1 "
run "$AUGUR" replay --store old --finding "$lock"
expect_status 2
expect_err "old/runs/1/1.trace' of finding 'D1' is gone"
run "$AUGUR" report --store old --finding "$lock"
expect_status 0
expect_out '^D1 confirmed'

check "a damaged store is said before the program runs, and left alone"
mkdir damaged
yes "no database" | head -n 2000 >damaged/augur.db
cp damaged/augur.db before
go --store damaged ./bank
expect_status 2
expect_no_out
expect_err "'damaged/augur.db' is damaged"
expect_same damaged/augur.db before
run "$AUGUR" list --store damaged
expect_status 2
expect_err "is damaged"

check "several at once on one store"
pids=
for i in 1 2 3; do
    "$AUGUR" run -q --no-explore --store shared -o "shared.$i" ./bank >/dev/null 2>"shared.err.$i" &
    pids="$pids $!"
done
for pid in $pids; do
    wait "$pid"
    code=$?
    [ $code -eq 1 ] || fail "status $code: $(cat shared.err.*)"
done
run "$AUGUR" list --store shared --runs
expect_true "three runs" test "$(wc -l <.lib/out)" -eq 3
run "$AUGUR" list --store shared
expect_out 'seen in 3 runs since run 1; open$'
for i in 1 2 3; do
    expect_true "report $i" grep -q '^R1 confirmed' "shared.$i"
    expect_file "shared/runs/$i/1.trace"
done

check "a killed run leaves a store as it was, and its directory to the next"
cat >waits.c <<'EOF'
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    char c;
    close(open("started", O_CREAT | O_WRONLY, 0666));
    return read(open("fifo", O_RDONLY), &c, 1) < 0;
}
EOF
"$AUGUR" cc waits.c -o waits
mkfifo fifo
"$AUGUR" list --store shared >list.before
"$AUGUR" run -q --no-explore --store shared ./waits >/dev/null 2>&1 &
pid=$!
wait_for test -e started
expect_true "its directory" test -d shared/runs/4
kill -9 $pid
wait $pid 2>/dev/null
exec 9<>fifo && exec 9>&- # if the program still waits there, it ends by itself
run "$AUGUR" list --store shared
expect_status 0
expect_same .lib/out list.before
expect_true "it is still there" test -d shared/runs/4
go -q --store shared ./bank
expect_status 1
expect_no_file shared/runs/4
expect_file shared/runs/5/1.trace

check "after the fix: what no longer happens, and what was only not seen"
mkdir fixed && cd fixed || exit 1
cp "$SRC/examples/first/bank.c" .
"$AUGUR" cc -g -O2 -pthread bank.c -o bank
run "$AUGUR" run ./bank
expect_status 1
sed -i 's/^    account.visits++;/    pthread_mutex_lock(\&account.lock);\n    account.visits++;\n    pthread_mutex_unlock(\&account.lock);/' bank.c
"$AUGUR" cc -g -O2 -pthread bank.c -o bank
run "$AUGUR" run --no-explore ./bank
expect_out "^note: 1 earlier finding was not seen this time: R1$"
run "$AUGUR" list
expect_out "since run 1; open, not seen since$"
run "$AUGUR" run ./bank more
expect_out "^note: 1 earlier finding was not seen this time: R1$"
run "$AUGUR" run ./bank
expect_out "^note: 1 earlier finding no longer happens: R1 \(every interleaving of this input was covered\)$"
run "$AUGUR" list
expect_out "since run 1; fixed$"
cd .. || exit 1

check "a store that may only be read is listed and reported, and not changed"
if [ "$(id -u)" -ne 0 ] || ! setpriv --reuid=65534 --clear-groups true 2>/dev/null; then
    skip "cannot become another user"
else
    "$AUGUR" run --store ro --budget 10 ./bank >/dev/null 2>&1
    chmod -R a+rX,go-w ro
    chmod a+rx "$TMP"
    nobody=(setpriv --reuid=65534 --clear-groups)
    if ! "${nobody[@]}" "$AUGUR" --version >/dev/null 2>&1; then
        skip "the program is where nobody may read it"
    else
        run "${nobody[@]}" "$AUGUR" list --store ro
        expect_status 0
        expect_out "race on 'account.visits'"
        run "${nobody[@]}" "$AUGUR" report --store ro --whole
        expect_status 0
        run "${nobody[@]}" "$AUGUR" triage --store ro R1 --as wontfix
        expect_status 2
        expect_err "cannot use the store|readonly|read-only"
    fi
fi

check "recordings of a suite stay when later runs are kept, and are bounded by --keep of their own"
cat >member.sh <<'END_S'
./bank
END_S
"$AUGUR" test --store members --budget 20 -o /dev/null sh member.sh >/dev/null 2>&1
for _ in 1 2 3; do "$AUGUR" run --store members --keep 1 --no-explore ./bank >/dev/null 2>&1; done
run "$AUGUR" test --store members --budget 20 -o member.txt sh member.sh
expect_err '1 (recording|process) is as before'
expect_true "the others went" [ "$(find members/runs -maxdepth 1 -name '[0-9]*' | wc -l)" -le 4 ]
