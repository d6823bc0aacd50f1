#!/usr/bin/env bash
# tools/demo.sh: what augur does now, end to end. Every command is shown before
# it runs, and the demo fails if one does not end as it should.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
augur=${AUGUR:-build/augur}
model=tests/models/fig1.ctp
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

say() { printf '\n%s\n' "$*"; }
# try STATUS ARGUMENT...: runs augur, which must exit with STATUS.
try() {
    local want=$1 got
    shift
    printf '\n$ augur %s\n' "${*//$dir\//}"
    "$augur" "$@"
    got=$?
    if [ $got -ne "$want" ]; then
        echo "demo: exit status $got instead of $want" >&2
        exit 1
    fi
}

say "A. A program, built for recording. One command runs it (it does what it should), looks at the"
say "   other interleavings of that run, and executes what it finds on the program."
try 0 cc -g -O2 -pthread examples/first/bank.c -o "$dir/bank"
try 1 run --store "$dir/store" --html "$dir/report.html" "$dir/bank"
test -s "$dir/report.html" || exit 1

say "B. A program without a race. Its assertion held; in another order it does not."
try 0 cc -g -O2 -pthread examples/assertions/check_then_act.c -o "$dir/shop"
try 1 run --store "$dir/store" "$dir/shop"

say "C. What was found so far; one of them is known from now on, and does not count any more."
try 0 list --store "$dir/store"
try 0 triage --store "$dir/store" A1 --as wontfix --note "they should not share an account"
try 0 run --store "$dir/store" "$dir/shop"

say "D. The same step by step, for a deadlock: record, check, execute."
try 0 cc -g -O2 -pthread examples/first/philosophers.c -o "$dir/philosophers"
try 0 record -o "$dir/philosophers.trace" "$dir/philosophers"
try 1 check "$dir/philosophers.trace"
try 1 replay "$dir/philosophers.trace" --finding D1

say "E. And the recorded run once more, exactly."
try 0 replay "$dir/philosophers.trace"

say "1. A small program as a model, and one run of it ('trace'): the assertion held."
printf '\n$ cat %s\n' $model
cat $model || exit 1

say "2. Every other interleaving of it, by brute force. In one of them it fails:"
try 1 oracle --prop assert --format text $model

say "3. If every read has to see what it saw in the run, it cannot:"
try 0 oracle --prop assert --model mcm --format text $model

say "4. Traces: generated, converted, summarised."
try 0 gen --events 100000 --threads 4 --seed 1 -o "$dir/a.trace"
try 0 convert "$dir/a.trace" -o "$dir/a.std.gz"
try 0 show --summary --top 3 "$dir/a.std.gz"

say "5. Prediction from a trace: a race that this order of events hides from happens-before."
printf '\n$ cat examples/traces/hidden_race.std\n'
cat examples/traces/hidden_race.std || exit 1
try 1 check examples/traces/hidden_race.std

say "docs/limits.md says what is there and what is not."
