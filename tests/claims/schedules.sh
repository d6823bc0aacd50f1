#!/bin/bash
# tests/claims/schedules.sh AUGUR PROGRAM COUNT [SEED]: is a claim of coverage true?
#
# Runs 'augur run' on the program. If it says 'exhaustive', the program is then executed on COUNT random schedules,
# from this seed on (1), with the kernel as it is; each must end in a way that was told: with the status of the first
# run, or by a failure of a kind that is among the findings (assertions, crashes and other exit statuses are of one kind,
# deadlocks of another). Prints 'covered', 'not covered' or 'false: seed N: …'; status 1 if it is false, 2 if a command fails.
# Leaves nothing behind but what the program writes.
set -u
augur=$1 program=$2 count=$3 seed=${4:-1}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

"$augur" run --budget 15 --quiet --store "$work/store" --format json -o "$work/said.json" "$program" \
    </dev/null >"$work/out" 2>"$work/err"
first=$?
grep -q '"exhaustive"' "$work/said.json" || {
    echo "no answer: $(head -c 300 "$work/err")"
    exit 2
}
if ! grep -q '"exhaustive": true' "$work/said.json"; then
    echo "not covered (status $first)"
    exit 0
fi

# How a run ended, as its recording says: "with status 0", "in a deadlock", ….
ending() {
    timeout 60 "$augur" record --quiet "$@" -o "$work/one.trace" "$program" </dev/null >"$work/out" 2>"$work/err"
    [ $? -le 1 ] || return 1
    "$augur" show --summary "$work/one.trace" | sed -n 's/^ended *//p'
}

# found KIND: is such a finding among those that were told?
found() { grep -Eq "\"kind\": \"($1)\"" "$work/said.json"; }

broken() {
    echo "cannot record: $(head -c 300 "$work/err")"
    exit 2
}

usual=$(ending) || broken
for ((i = 0; i < count; i++)); do
    how=$(ending --policy random --switch-every 2 --seed $((seed + i))) || broken
    case $how in
    "$usual") continue ;;
    *deadlock*) found deadlock && continue ;;
    *) found assertion && continue ;;
    esac
    echo "false: seed $((seed + i)): ended $how: $(head -c 300 "$work/err")"
    exit 1
done
echo "covered (status $first), $count schedules"
